"""The report as it is printed: what a card holds is not cut off at its edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from nardy_core.match_analysis import analyse_match
from peers import browser

GOLDEN = Path(__file__).parents[1] / "golden" / "match_analysis" / "gnubg.sgf"
A4 = 717  # pixels between the margins
OVER = """
return [...document.querySelectorAll(".error table")]
    .map(table => table.offsetWidth - table.closest(".error").clientWidth);
"""


@pytest.fixture(scope="module", autouse=True)
def programs():
    browser.programs()


@pytest.mark.parametrize("lang", ["en", "ru", "uk"])
def test_candidates_fit_into_two_columns(programs, chromium, tmp_path, lang):
    page = tmp_path / "report.html"
    page.write_text(analyse_match(GOLDEN, level="file").html(lang), encoding="utf-8")
    chromium.get(page.as_uri())
    try:
        chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": A4, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        over = chromium.execute_script(OVER)
    finally:
        chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert len(over) > 20 and max(over) <= 0

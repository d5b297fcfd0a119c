"""One hash over plays, evaluations and short rollouts: the same on every kernel set, any threads.

tests/signature.txt holds it. A change of play changes it: then put the new one there with
`nardy bench --signature >tests/signature.txt`, and say in the commit why.
"""

from pathlib import Path

import pytest

from nardy_core import Engine
from nardy_core.bench import signature
from nardy_core.evaluator import kernel_sets

KEPT = Path(__file__).with_name("signature.txt")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernels", kernel_sets())
def test_signature(kernels, threads):
    assert signature(Engine(kernels=kernels, threads=threads)) == KEPT.read_text().strip()

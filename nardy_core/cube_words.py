"""Cube decisions in words, in every language of `nardy_core.terms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nardy_core.analysis import limits
from nardy_core.cube_inputs import needs_of
from nardy_core.terms import capital, term

if TYPE_CHECKING:
    from nardy_core.cube_decision import CubeDecision

_ANSWERS = {"T": "take", "P": "drop", "T=P": "take_or_pass", "beaver": "beaver"}
_WIDTH = 20  # of the labels in English; longer ones make room for themselves


def verdict(action: str, reason: str, redouble: bool, lang: str = "en") -> str:
    """A decision in words, as in "Double, take" or "No redouble: dead cube".

    action, reason : as in `CubeDecision`
    redouble : the side on roll owns the cube
    """
    double = "redouble" if redouble else "double"
    advice, _, answer = action.partition("/")
    if reason in ("unavailable", "no_cube"):
        return capital(term(reason, lang))
    if reason:
        return f"{capital(term(f'no_{double}', lang))}: {term(reason, lang)}"
    too_good = "too_good_redouble" if redouble else "too_good"
    keys = {"D": double, "ND": f"no_{double}", "OD": f"optional_{double}", "TG": too_good}
    return f"{capital(term(keys[advice], lang))}, {term(_ANSWERS[answer], lang)}"


def text(found: CubeDecision, lang: str) -> str:
    """Head, equities of all lines, verdict, and what is special: one line each."""
    position = found.position
    redouble = position.cube_owner == "own"
    head = term("cube_head", lang, value=position.cube, owner=term(position.cube_owner, lang))
    if found.exact:
        how = term("exact", lang)
    else:
        how = term("cube_efficiency", lang, x=f"{found.efficiency:.3f}")
    head = f"{capital(head)}; {how}"
    if found.met is not None:
        own, opp = needs_of(position)
        head += f"; {term('away', lang, own=own, opp=opp)}, {found.met}"
    rows = [(term("cubeless", lang), f"{found.cubeless:+9.4f}")]
    if found.cubeless_doubled is not None:
        rows.append((term("cubeless_doubled", lang), f"{found.cubeless_doubled:+9.4f}"))
    beavers = found.action.endswith("beaver") or position.offer in ("beavered", "raccooned")
    for name, line in found.lines.items():
        if not beavers and name.startswith(("beaver", "raccoon")):
            continue
        key = "double_beaver" if name == "beaver" else name
        if redouble:
            key = key.replace("double", "redouble")
        row = f"{line.equity:+9.4f}  ({line.equity - found.best:+.4f})"
        if line.mwc is not None:
            row += f"  {100 * line.mwc:7.3f} %"
        rows.append((term(key, lang), row))
    width = max(_WIDTH, *(len(label) + 1 for label, _ in rows))
    lines = [head, *(f"  {label:<{width}}{row}" for label, row in rows)]
    lines.append(f"  {verdict(found.action, found.reason, redouble, lang)}")
    if found.wrong_share is not None:
        key = "right_if_takes" if found.wrong_answer == "take" else "right_if_passes"
        lines.append(f"  {term(key, lang, share=f'{100 * found.wrong_share:.1f} %')}")
    lines += [f"  {term('dead_note' if note == 'dead' else note, lang)}" for note in found.notes]
    lines += [f"  {line}" for line in limits(position, lang)]
    return "\n".join(lines)

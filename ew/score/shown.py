"""EW scores as text: cut to the digits shown and never rounded, so that 1.00 is exactly 1."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

#: Means of scores such as 0.7 end in 0.6999…; what lies beyond these digits is noise of sums.
_STEADY = Decimal("1e-9")


def shown(score: float | None, digits: int = 2, *, signed: bool = False) -> str:
    """A score, or a difference or bound of scores, with so many decimals; a dash for None.

    Towards 0; a whole number is shown as such only if it is one. `signed` writes a + before what is not
    negative.
    """
    if score is None:
        return "–"
    exact = Decimal(repr(float(score)))
    steady = exact.quantize(_STEADY)
    if steady != exact and steady == steady.to_integral_value():
        steady = exact
    cut = steady.quantize(Decimal(1).scaleb(-digits), ROUND_DOWN)
    text = str(cut if cut else abs(cut))
    return f"+{text}" if signed and not text.startswith("-") else text

"""Products that are too wide for every run: some cases run always, the others with `pytest -m slow`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

Case = TypeVar("Case")


def wide(cases: Iterable[Case], *always: Case) -> list[ParameterSet]:
    """The cases as parameters of a test, in their order; those that are not in `always` are slow.

    Tuples are several parameters. Raises ValueError where `always` names what is no case, or nothing.
    """
    listed = list(cases)
    strangers = [case for case in always if case not in listed]
    if strangers or not always:
        raise ValueError(f"to run always: {always}; of the cases: {listed}")
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if case in always else pytest.mark.slow,
        )
        for case in listed
    ]

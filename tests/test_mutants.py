"""The command that draws mutants: it finds the files it names, and its draw depends on nothing but them."""

from __future__ import annotations

from itertools import islice

import mutants
from documents import ROOT


def test_the_draw_is_even_over_the_groups_and_the_same_each_time() -> None:
    count = 2 * len(mutants.GROUPS)
    drawn = mutants.draw(0, count, ROOT)
    assert [mutant.group for mutant in drawn] == [name for name in mutants.GROUPS for _ in range(2)]
    name, group = next(iter(mutants.GROUPS.items()))
    again = islice(mutants._in_order(name, group, 0, ROOT), 2)
    assert [mutant.mutant for mutant in drawn if mutant.group == name] == [*again]

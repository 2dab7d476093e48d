"""`python -m envs.hidden_rules [BASE ...]`: draws the standard cases of base worlds anew, by default of all.

They are kept in `cases.json`, in the place of those that were there; cases of other base worlds stay. Takes
many minutes: most rules that are drawn are not good enough.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from envs.folder import WorldNotFound
from envs.hidden_rules.cases import BASES, SEEDS, CaseName, draw_case
from envs.hidden_rules.rules import Drawn, RuleKind, keep, kept_cases


def drawn_anew(base: str, kind: RuleKind) -> dict[str, Drawn]:
    """The standard cases of a base world and a kind by name, without a look at the kept ones.

    Raises as `draw_case`.
    """
    found: dict[str, Drawn] = {}
    for seed in range(SEEDS):
        name = CaseName(base, kind, seed)
        found[str(name)] = draw_case(name, [drawn.rule for drawn in found.values()])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw, and write after each base world and kind; says where none was found. Raises PlannerMissing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="*", default=BASES, help="base worlds; default: the standard ones")
    bases = parser.parse_args(arguments).base
    kinds = [kind for kind in RuleKind if kind is not RuleKind.NONE]
    cases = dict(kept_cases())
    with ProcessPoolExecutor() as pool:
        begun = [pool.submit(drawn_anew, base, kind) for base in bases for kind in kinds]
        for ended in as_completed(begun):
            try:
                found = ended.result()
            except WorldNotFound as error:  # no rule is good enough; others are
                sys.stdout.write(f"{error}\n")
                continue
            for name, drawn in found.items():
                sys.stdout.write(f"{name}: {drawn.rule}\n")
                cases[name] = drawn
            keep(cases)


if __name__ == "__main__":
    main()

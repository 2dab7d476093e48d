"""How many errors a domain has, measured against the true one under the alignment that leaves the fewest.

What is given to whoever writes a domain is compared by name: actions, types, constants. What they invent is
not: predicates, the order of their arguments, parameters. An alignment says which predicate, which place of
it and which parameter corresponds to which, each to one at most, and so which literals do. Errors under it:

- a literal that is missing from a precondition or an effect, one too many, and one whose counterpart has
  another sign or other arguments (that is one error, not two);
- a parameter of an action that is missing, too many, or of another type; a missing or surplus argument of a
  predicate, which is one error wherever the predicate stands;
- the same literals joined otherwise, by `or` or `forall` instead of `and`, say: one error a clause.

A conditional effect that is missing, or too many, is one error, whatever it was conditional on. An action
without counterpart counts with all its parameters and literals. Places correspond only if the declared types
can have an object in common. Declarations that no action uses, and costs, do not count.

A predicate may also be cut by the types of its arguments into several, each with a counterpart of its own
(`envs.pddl.alignment.cut` says how, and why that keeps the meaning). All predicates of a domain are cut, or
none; of the four ways to cut one domain, the other, both or neither, that with the fewest errors counts.

The alignment is found by clingo's optimisation, which proves that none has fewer errors (`alignment.lp`). It
ends after a number of conflicts, the same on every machine; `Alignment.at_least` then says what was proved.
Among alignments with equally few errors one that keeps more names is taken.

The classes follow Guan et al. 2023, section 5.1, who counted by hand; the alignment is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from envs.pddl.alignment.errors import Alignment
from envs.pddl.alignment.program import MAX_CONFLICTS, AlignmentProgram, Side
from envs.pddl.language.structure import Domain

#: Where there are several ways to cut, all are tried for so few errors before more are allowed: to prove that
#: a bad way has more than a few errors is quick, to count them is not.
_BOUNDS = (0, 4, 8, 16, 32, 64)


def align(
    true: Domain,
    made: Domain,
    *,
    actions: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    in_order: bool = False,
    max_conflicts: int = MAX_CONFLICTS,
) -> Alignment:
    """The alignment of `made` with the `true` domain that leaves the fewest errors, and these.

    `actions`, `types` and `constants` give the true names of what `made` calls otherwise. With `in_order`,
    the parameters of actions correspond by their place, as they do where the action interface is given.
    Deterministic. Raises TooManyLiterals if an action has thousands of literals.
    """
    renamed = actions or {}
    by_true_name = {renamed.get(name, name): name for name in made.actions}
    pairs = tuple((name, by_true_name[name]) for name in true.actions if name in by_true_name)
    sides = _ways(Side(true)), _ways(Side(made, types or {}, constants or {}))
    programs = [AlignmentProgram(*both, pairs, in_order) for both in product(*sides)]
    bounds = _BOUNDS if len(programs) > 1 else ()
    rounds = (_best_of(programs, max_conflicts, at_most) for at_most in (*bounds, None))
    return next(found for found in rounds if found is not None)


def _ways(side: Side) -> tuple[Side, ...]:
    """A domain as it is, and cut if that is possible."""
    return (side, replace(side, cut=True)) if side.can_be_cut else (side,)


def _best_of(
    programs: Sequence[AlignmentProgram], max_conflicts: int, at_most: int | None
) -> Alignment | None:
    """The best alignment of all programs, of equals the first; None if none has `at_most` so many errors."""
    best: Alignment | None = None
    proved: list[int] = []
    for program in programs:
        matching, at_least = program.solve(max_conflicts, at_most)
        proved.append(at_least)
        found = Alignment(program, matching, at_least) if matching is not None else None
        if found is not None and (best is None or len(found.of_pairs) < len(best.of_pairs)):
            best, at_most = found, len(found.of_pairs) - 1
            if at_most < 0:
                break
    return None if best is None else replace(best, proved=min(proved))

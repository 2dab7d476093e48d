"""pddlgym's own simulator as a World, and our kernel against it: random steps in each of many domains.

Where the two part, and who is right:

- An operator that names an object twice, `(move room1 room1)`: pddlgym never offers one. PDDL gives every
  parameter every object of its type, the same one twice included, so pddlgym is wrong; such operators are
  left out of the comparison and compared with pymimir (tests/envs/pddl/simulation/test_pymimir.py).
- Action literals, `(pickup ?b)` among the predicates of some domains: pddlgym takes them for what an agent
  does and adds one to the state while it looks for the operator. In PDDL they are atoms like all others,
  which the problem files list in :init. Both are right about their own language; the comparison is about
  the operators that each literal stands for, and about all other atoms.

Not compared, as pddlgym cannot be walked in them here: quantifiers and disjunctions need a Prolog (`fridge`,
`quantifiedblocks`, `quantifiedblocks2`), and `equalityblocks` and `snake` end in a TypeError of its own.
Instead `fridge`, `quantifiedblocks` and `equalityblocks` are compared with the reference simulator
(tests/envs/pddl/simulation/test_differential.py), and of these `quantifiedblocks` with pymimir too, which
reads the other two differently; `quantifiedblocks2` and `snake` are only loaded
(tests/envs/test_pddlgym_suite.py).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from wide import wide

from envs.pddl.interface import Refusal
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddlgym_live import LiveWorld, open_live
from envs.pddlgym_suite import domain_file, missing
from envs.source import WorldNotFound
from envs.truth import GroundTruth, truth_of
from envs.world import open_world
from ew.score.score import EWConfig, ew_score
from ew.walks.adapter import transitions_of

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

#: The operators of these are pddlgym's actions.
BY_OPERATORS = (
    *("blocks_medium", "blocks_operator_actions", "depot", "dynamic_action_space_same_obj", "easynewspapers"),
    *(
        "generated_blocks",
        "gripper",
        "hanoi_operator_actions",
        "lifelong_tiny_gripper",
        "movie",
        "newspapers",
    ),
    *("manyblockssmallpiles", "onearmedgripper", "tinyonearmedgripper", "visit_all"),
)
#: In these, literals stand for them.
BY_LITERALS = (
    *("baking", "blocks", "conditionalblocks", "easyblocks", "elevator", "glibblocks", "glibrearrangement"),
    *("hanoi", "lifelong_blocks6", "minecraft", "rearrangement"),
)


class Comparison:
    """Our kernel and pddlgym's, in the same state of the same problem."""

    def __init__(self, domain: str):
        self.live = open_live(domain)
        self.truth: GroundTruth = truth_of(open_world(f"pddlgym:{domain}").key)
        text = domain_file(domain).read_text(encoding="utf-8")
        listed = re.search(r";\s*\(:actions([^)]*)\)", text)
        self.literals = frozenset(listed[1].lower().split()) if listed else frozenset()
        self.walk: list[str] = []
        self.state = self.truth.task.initial(1)

    def ours(self) -> dict[str, list[str]]:
        """Our applicable operators, by the text that pddlgym has for them."""
        mask = self.truth.task.applicable(self.state)[0]
        found: dict[str, list[str]] = {}
        for index in np.flatnonzero(mask):
            operator = self.truth.task.operators[index]
            name = self._their_name(operator)
            if len(set(parse_operator(name)[1])) == len(parse_operator(name)[1]):
                found.setdefault(name, []).append(operator)
        return found

    def step(self, theirs: str, ours: str) -> None:
        self.walk.append(theirs)
        index = self.truth.task.operator_index[ours]
        self.state = self.truth.task.successors(self.state, np.array([index], dtype=np.int64))

    def restart(self) -> None:
        self.walk = []
        self.state = self.truth.task.initial(1)

    def atoms(self) -> tuple[set[str], set[str]]:
        """What holds: by us, by pddlgym."""
        mine = {format_operator(a[0], a[1:]) for a in self.truth.task.atoms_of(self.state[0])}
        return self._without_literals(mine), self._without_literals(set(self.live.atoms(self.walk)))

    def _without_literals(self, atoms: set[str]) -> set[str]:
        return {atom for atom in atoms if parse_operator(atom)[0] not in self.literals}

    def _their_name(self, operator: str) -> str:
        if not self.literals:
            return operator
        name, arguments = parse_operator(operator)
        action = self.truth.problem.domain.actions[name]
        values = {p.symbol: value for p, value in zip(action.parameters, arguments, strict=True)}
        (literal,) = {
            format_operator(str(atom.predicate.name), [values[t.symbol] for t in atom.subterms])
            for atom in _atoms(action.precondition)
            if str(atom.predicate.name) in self.literals
        }
        return literal


def _atoms(formula) -> Iterator:  # type: ignore[no-untyped-def]  # tarski has no types
    if hasattr(formula, "predicate"):
        yield formula
    for part in getattr(formula, "subformulas", ()):
        yield from _atoms(part)


@pytest.mark.parametrize(
    ("domain", "steps"),
    wide(
        [(domain, steps) for domain in (*BY_OPERATORS, *BY_LITERALS) for steps in (40, 120)],
        *((domain, 40) for domain in ("blocks_operator_actions", "depot", "gripper", "movie")),
        *((domain, 40) for domain in ("blocks", "elevator", "hanoi")),
    ),
)
def test_applicable_operators_and_successors_are_those_of_pddlgym(domain: str, steps: int) -> None:
    both = Comparison(domain)
    rng = np.random.default_rng(7)
    for step in range(steps):
        mine, theirs = both.atoms()
        assert mine == theirs, both.walk
        choices = both.ours()
        assert sorted(choices) == list(both.live.applicable(both.walk)), both.walk
        assert all(len(operators) == 1 for operators in choices.values()), both.walk
        assert both.live.verify(both.walk).goal_reached == both.truth.task.goal_reached(both.state)[0]
        if not choices or step % 40 == 39:
            both.restart()
            continue
        name = sorted(choices)[int(rng.random() * len(choices))]
        both.step(name, choices[name][0])


def test_at_least_twenty_domains_are_compared() -> None:
    assert len({*BY_OPERATORS, *BY_LITERALS}) >= 20


# --- the World surface ---


@pytest.fixture(scope="module")
def blocks() -> LiveWorld:
    return open_live("blocks_operator_actions")


def test_a_live_environment_is_a_world_like_any_other(blocks: LiveWorld) -> None:
    system = transitions_of(blocks)
    ours = transitions_of(open_world("pddlgym:blocks_operator_actions"))
    score = ew_score(system, ours, np.random.default_rng(0), EWConfig(walks=20, t_max=5))
    assert score.score == 1.0
    assert set(blocks.objects.values()) <= set(blocks.types)


def test_refusals_are_told_apart(blocks: LiveWorld) -> None:
    first = blocks.applicable()[0]
    name, arguments = parse_operator(first)
    refusals = {
        first: None,
        first.upper(): None,
        format_operator(name, (*arguments, "a")): Refusal.WRONG_ARITY,
        "(fly a)": Refusal.UNKNOWN_NAME,
        format_operator(name, ["nobody"] * len(arguments)): Refusal.UNKNOWN_NAME,
        "": Refusal.UNKNOWN_NAME,
    }
    for text, refusal in refusals.items():
        assert blocks.executable((text,)).refusal == refusal, text
    assert blocks.executable((first, first)).refusal is Refusal.NOT_EXECUTABLE
    with pytest.raises(ValueError, match="step 2 of the walk"):
        blocks.describe((first, first))


def test_answers_do_not_depend_on_what_was_asked_before(blocks: LiveWorld) -> None:
    first = blocks.applicable()[0]
    before = blocks.describe(), blocks.applicable((first,))
    blocks.verify((first, *blocks.applicable((first,))[:1], "(fly a)"))
    assert (blocks.describe(), blocks.applicable((first,))) == before


def test_what_cannot_be_walked_is_refused() -> None:
    with pytest.raises(ValueError, match="probabilistic"):
        open_live("river")
    if shutil.which("swipl") is None:
        with pytest.raises(ValueError, match="SWI-Prolog"):
            open_live("fridge")
    for domain, problem in (("no_such_domain", 1), ("blocks", 99), ("blocks", 0)):
        with pytest.raises(WorldNotFound):
            open_live(domain, problem)

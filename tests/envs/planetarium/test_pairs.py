"""Pairs: what their texts say is what their problems hold, and collections repeat nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from hashlib import sha256
from itertools import combinations

import numpy as np
import pytest
from wide import wide

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.language.domain import Domain, GroundAtom, Problem, read_domain, read_problem
from envs.planetarium import blocksworld, gripper
from envs.planetarium.collection import HELD_OUT, Collection, split_of
from envs.planetarium.drawing import DRAWN, PairCandidate, draw_candidate, draw_candidates, task_candidates
from envs.planetarium.drawn_task import parts_of
from envs.planetarium.pairs import STYLES, Pair, Split, size_class
from envs.source import read_texts

#: How the two worlds' sentences are read back, apart from the templates that wrote them.
SENTENCES = (
    (r"the hand is empty", "handempty"),
    (r"the hand holds (\w+)", "holding {0}"),
    (r"(\w+) stands on the table", "ontable {0}"),
    (r"(\w+) sits on (\w+)", "on {0} {1}"),
    (r"(\w+) is clear", "clear {0}"),
    (r"the robot is in (\w+)", "at-robby {0}"),
    (r"(\w+) lies in (\w+)", "at {0} {1}"),
    (r"(\w+) is free", "free {0}"),
    (r"(\w+) is carried in (\w+)", "carry {0} {1}"),
)
KINDS = ("room", "ball", "gripper")


@pytest.fixture(scope="module", params=list(DRAWN))
def candidates(request: pytest.FixtureRequest) -> list[PairCandidate]:
    return list(draw_candidates(request.param, 0, 0, 240))


@cache
def domain_of(world: str) -> Domain:
    return read_domain(read_texts(world, 1).domain)


def problem_of(pair: Pair) -> Problem:
    return read_problem(pair.problem, domain_of(pair.world))


def stated(text: str) -> set[GroundAtom]:
    atoms = set()
    for said in re.findall(r"[^.:]+(?=\.)", text):
        found = [(re.fullmatch(p, said.strip(), re.IGNORECASE), atom) for p, atom in SENTENCES]
        (match, atom) = next(pair for pair in found if pair[0])
        atoms.add(tuple(atom.format(*match.groups()).split()))
    return atoms


def test_explicit_sides_state_the_facts_of_the_problem(candidates):
    for pair in (c.pair for c in candidates[:120] if not (c.pair.init_abstract and c.pair.goal_abstract)):
        _, init, goal = pair.text.split("\n\n")
        problem = problem_of(pair)
        if not pair.init_abstract:
            facts = {atom for atom in problem.init if atom[0] not in KINDS}
            assert stated(init.removesuffix(" Nothing else holds initially.")) == facts
        if not pair.goal_abstract:
            words = " ".join(sorted(" ".join(atom) for atom in stated(goal)))
            in_pddl = re.findall(r"\(([^()]+)\)", pair.problem[pair.problem.index("(:goal") :])
            assert words == " ".join(sorted(in_pddl))


@pytest.mark.parametrize("drawings", wide([170, 500], 170))
def test_one_text_means_one_problem(drawings):
    # Small tasks, so that texts recur: whatever is drawn behind an abstract text is the same up to its mode.
    for world in DRAWN:
        meant = defaultdict(set)
        drawn = [c.pair for c in draw_candidates(world, 11, 0, drawings)]
        for pair in drawn:
            meant[pair.text].add((pair.certificate, pair.placeholder))
        assert max(map(len, meant.values())) == 1
        assert len(meant) < len(drawn)


def test_names_in_explicit_texts_matter_to_the_canonical_form(candidates):
    explicit = {c.pair.text: c.pair.certificate for c in candidates if c.pair.style == "explicit to explicit"}
    assert len(set(explicit.values())) > 0.9 * len(explicit)


def test_every_layout_and_style_occurs_in_every_size(candidates):
    module = blocksworld if candidates[0].pair.world == "blocksworld" else gripper
    assert {c.pair.goal_layout for c in candidates} == set(module.GOALS)
    assert len({c.pair.style for c in candidates}) == len(STYLES)
    assert {size_class(c.pair.size) for c in candidates} == {"1-20", "21-40", "41-60", "61-80", ">80"}


def test_goals_that_follow_from_the_start_keep_their_objects(candidates):
    for pair in (c.pair for c in candidates):
        if pair.style == "explicit to explicit" or pair.style.endswith("to abstract"):
            tied = pair.goal_layout in ("swap", "invert", "to_max", "to_min")
            assert pair.placeholder == (pair.goal_abstract and not tied)
        else:
            assert pair.placeholder


def test_no_task_is_solved_at_first_and_each_is_counted_rightly(candidates):
    for pair in (c.pair for c in candidates[:30]):
        problem = problem_of(pair)
        goal = set(re.findall(r"\(([^()]+)\)", pair.problem[pair.problem.index("(:goal") :]))
        assert not goal <= {" ".join(atom) for atom in problem.init}
        assert pair.size == len(problem.init) + len(goal)
        assert pair.objects == len(problem.objects)


def test_a_candidate_does_not_depend_on_the_others():
    for world in DRAWN:
        together = draw_candidates(world, 3, 10, 20)
        alone = [draw_candidate(world, 3, index) for index in range(19, 9, -1)]
        assert list(together) == [c for c in reversed(alone) if c is not None]


@pytest.mark.parametrize(("training", "testing"), wide([(15, 5), (60, 12)], (15, 5)))
def test_the_test_split_has_no_two_equivalent_pairs_and_shares_none_with_training(
    candidates, training, testing
):
    collection = Collection({Split.TRAIN: training, Split.TEST: testing})
    found = [(c, split) for c in candidates if (split := collection.take(c)) is not None]
    test = [problem_of(c.pair) for c, split in found if split is Split.TEST]
    assert collection.whole and len(test) == testing and len(found) == training + testing
    for one, other in combinations(test, 2):
        assert compare(one, other, placeholder=True).verdict is Verdict.DIFFERENT
        assert compare(one, other).verdict is Verdict.DIFFERENT
    for one, other in ((t, problem_of(c.pair)) for t in test for c, s in found if s is Split.TRAIN):
        assert compare(one, other, placeholder=True).verdict is Verdict.DIFFERENT


def test_held_out_layouts_are_for_testing_alone_and_share_no_problem_with_training(candidates):
    held_out = set(HELD_OUT)
    collection = Collection({Split.TRAIN: 10_000, Split.TEST: 10_000}, HELD_OUT)
    split = {c.pair.id: collection.take(c) for c in candidates}
    for candidate in candidates:
        pair = candidate.pair
        is_held_out = bool({f"init:{pair.init_layout}", f"goal:{pair.goal_layout}"} & held_out)
        assert split[pair.id] in (None, Split.TEST if is_held_out else Split.TRAIN)
    families = {s: {c.family for c in candidates if split[c.pair.id] is s} for s in Split}
    assert families[Split.TRAIN] and families[Split.TEST]
    assert not families[Split.TRAIN] & families[Split.TEST]


def test_nothing_is_taken_twice_nor_beyond_what_is_wanted(candidates):
    collection = Collection({Split.TRAIN: 10_000, Split.TEST: 10_000})
    first = [collection.take(c) for c in candidates]
    assert not any(collection.take(c) for c in candidates) and any(first)
    assert all(split in (None, split_of(c.family)) for c, split in zip(candidates, first, strict=True))
    assert Collection({}).take(candidates[0]) is None


def test_tasks_of_other_worlds_come_at_all_levels_and_in_one_split():
    drawn = task_candidates("barman", 0, 18)
    levels = ("explicit", "compact", "narrative")
    assert [c.pair.level for c in drawn[:6]] == [*levels, *levels[1:], levels[0]]
    assert len({(c.pair.problem, c.pair.level) for c in drawn}) == 18
    assert all(len({c.family for c in drawn[i : i + 3]}) == 1 for i in range(0, 18, 3))
    assert drawn[0].pair.text == read_texts("barman+explicit", 1).task
    collection = Collection({Split.TEST: 100})
    test = [c for c in drawn if collection.take(c)]
    assert len({c.family for c in test}) == len(test)


def test_numbers_add_up():
    rng = np.random.default_rng(0)
    for total, count, least in ((9, 3, 1), (5, 5, 1), (0, 3, 0), (7, 1, 0)):
        parts = parts_of(rng, total, count, least)
        assert sum(parts) == total and len(parts) == count and min(parts) >= least
        assert parts == sorted(parts, reverse=True)
    with pytest.raises(ValueError, match="no sum"):
        parts_of(rng, 2, 3, 1)


@pytest.mark.parametrize(
    ("world", "digest"), [("blocksworld", "fc5890862b7e7374"), ("gripper", "4f116f7e523a2fc9")]
)
def test_canonical_forms_stay_what_they_are_since_they_part_data_sets_that_are_already_made(
    world: str, digest: str
) -> None:
    drawn = draw_candidates(world, 0, 0, 12)  # graphs on both sides of the size up to which none is cut
    together = "".join(candidate.pair.certificate + candidate.family for candidate in drawn)
    assert sha256(together.encode()).hexdigest().startswith(digest)

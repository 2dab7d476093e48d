"""What must not change a comparison's answer, and what must."""

import pickle
from itertools import product

import numpy as np
import pytest
from equivalence_cases import BLOCKS, GRIPPER, Facts, atoms, blocks, mixed, random_facts, random_gripper
from wide import wide

from envs.pddl.equivalence.compare import ProblemPart, Verdict, canonical_digest, compare
from envs.pddl.equivalence.goals.derive import specify
from envs.pddl.equivalence.goals.goal import Exactness, read_goal

DOMAINS = ("blocksworld", "gripper")
MODES = (False, True)


def drawn(domain, count):
    rng = np.random.default_rng(7)
    return rng, [random_facts(rng, domain) for _ in range(count)]


def completed(facts):
    problem = facts.problem()
    found = specify(problem, read_goal(problem))
    assert found.exactness is Exactness.EXACT
    return found.goal.positive


@pytest.mark.parametrize("placeholder", MODES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_names_and_order_do_not_count(domain, placeholder):
    rng, cases = drawn(domain, 40)
    for facts in cases:
        one, other = facts.problem(), facts.disguised(rng).problem()
        found = compare(one, other, placeholder=placeholder)
        assert (found.verdict, found.part) == (Verdict.EQUIVALENT, None)
        assert canonical_digest(one, placeholder) == canonical_digest(other, placeholder)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_witness_of_equivalence_maps_one_problem_onto_the_other(domain):
    rng, cases = drawn(domain, 40)
    for facts in cases:
        other = facts.disguised(rng)
        found = compare(facts.problem(), other.problem())
        image = facts.renamed(found.witness)
        assert set(image.init) == set(other.init)
        assert completed(image) == completed(other)


@pytest.mark.parametrize("placeholder", MODES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_adding_what_the_goal_implies_keeps_the_answer(domain, placeholder):
    rng, cases = drawn(domain, 40)
    for facts in cases:
        implied = mixed(rng, tuple(sorted(completed(facts) - set(facts.goal))))
        more = facts.with_goal(facts.goal + implied[: int(rng.integers(len(implied) + 1))])
        one, other = facts.problem(), more.disguised(rng).problem()
        assert compare(one, other, placeholder=placeholder).verdict is Verdict.EQUIVALENT
        assert canonical_digest(one, placeholder) == canonical_digest(other, placeholder)


@pytest.mark.parametrize("domain", DOMAINS)
def test_dropping_an_atom_of_the_goal_flips_the_answer_iff_the_rest_does_not_imply_it(domain):
    rng, cases = drawn(domain, 40)
    for facts in cases:
        dropped = facts.goal[int(rng.integers(len(facts.goal)))]
        less = facts.with_goal(atom for atom in facts.goal if atom != dropped)
        implied = dropped in completed(less)
        found = compare(facts.problem(), less.disguised(rng).problem())
        assert found.verdict is (Verdict.EQUIVALENT if implied else Verdict.DIFFERENT)
        assert implied or found.part is ProblemPart.GOAL


@pytest.mark.parametrize("placeholder", MODES)
@pytest.mark.parametrize("domain", DOMAINS)
def test_changing_the_initial_state_flips_the_answer(domain, placeholder):
    rng, cases = drawn(domain, 40)
    for facts in cases:
        at = int(rng.integers(len(facts.init)))
        less = Facts(facts.domain, facts.objects, facts.init[:at] + facts.init[at + 1 :], facts.goal)
        found = compare(facts.problem(), less.disguised(rng).problem(), placeholder=placeholder)
        assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.INIT)


@pytest.mark.parametrize(
    ("domain", "placeholder"),
    wide(list(product(DOMAINS, MODES)), ("blocksworld", False), ("gripper", True)),
)
def test_canonical_forms_are_equal_iff_problems_are_equivalent(domain, placeholder):
    rng = np.random.default_rng(3)
    if domain == "blocksworld":
        cases = [random_facts(rng, domain) for _ in range(60)]
        problems = [facts.problem() for facts in cases if len(facts.objects) <= 3]
    else:
        problems = [random_gripper(rng, 2, 2, 1).problem() for _ in range(25)]
    found = {Verdict.EQUIVALENT: 0, Verdict.DIFFERENT: 0}
    for one in problems:
        for other in problems:
            verdict = compare(one, other, placeholder=placeholder).verdict
            found[verdict] += 1
            same = canonical_digest(one, placeholder) == canonical_digest(other, placeholder)
            assert same == (verdict is Verdict.EQUIVALENT)
    assert min(found.values()) > len(problems), "the cases must be of both kinds"


def test_another_number_of_objects_is_told_first():
    one, other = blocks("", "handempty", 3).problem(), blocks("", "handempty", 2).problem()
    found = compare(one, other)
    assert (found.verdict, found.part) == (Verdict.DIFFERENT, ProblemPart.OBJECTS)
    assert found.witness == "objects: 3 of type object in the first problem, 2 in the second"


def test_a_placeholder_goal_may_be_built_of_other_blocks():
    init = "handempty, ontable a, on b a, clear b, ontable c, clear c"
    one, other = blocks(init, "on a b", 3).problem(), blocks(init, "on c b", 3).problem()
    assert compare(one, other).verdict is Verdict.DIFFERENT
    found = compare(one, other, placeholder=True)
    assert found.verdict is Verdict.EQUIVALENT
    assert found.witness == {"a": "a", "b": "b", "c": "c"}
    assert (found.goal_witness["a"], found.goal_witness["b"]) == ("c", "b")


def test_placeholders_keep_what_holds_of_them_for_good():
    init = atoms("room r, room s, ball b, ball c, gripper g, at-robby r, at b r, at c r, free g")
    one = Facts(GRIPPER, ("r", "s", "b", "c", "g"), init, (("at-robby", "r"),))
    other = one.with_goal([("free", "g")])
    assert compare(one.problem(), other.problem(), placeholder=True).verdict is Verdict.DIFFERENT
    moved = one.with_goal([("at-robby", "s")])
    assert compare(one.problem(), moved.problem(), placeholder=True).verdict is Verdict.EQUIVALENT


def test_a_witness_of_difference_names_what_has_no_partner():
    init = "handempty, ontable a, on b a, clear b, ontable c, clear c"
    one, other = blocks(init, "on c b", 3), blocks(init, "on a c", 3)
    found = compare(one.problem(), other.problem())
    assert found.verdict is Verdict.DIFFERENT
    assert found.witness == (
        "without a partner: in the first problem goal: (on c b); in the second problem goal: (on a c)"
    )
    moved = blocks("handempty, ontable a, clear a, ontable b, clear b, ontable c, clear c", "on c b", 3)
    assert compare(one.problem(), moved.problem()).witness == (
        "without a partner: "
        "in the first problem a (init: (on b a) (ontable a)), b (init: (clear b) (on b a)); "
        "in the second problem a (init: (clear a) (ontable a)), b (init: (clear b) (ontable b)), "
        "c (init: (clear c) (ontable c))"
    )


def test_an_answer_survives_pickling():
    facts = blocks("handempty, ontable a, clear a", "holding a", 1).problem()
    found = compare(facts, facts, placeholder=True)
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 (our own bytes)


def test_domains_with_other_rules_are_not_compared():
    one = blocks("handempty, ontable a, clear a", "holding a", 1).problem()
    found = compare(one, random_facts(np.random.default_rng(0), "gripper").problem())
    assert (found.verdict, found.part) == (Verdict.UNSUPPORTED, None)
    assert BLOCKS is not GRIPPER

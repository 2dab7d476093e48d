"""The answer is that of the definition: some bijection maps initial states and reachable goal states."""

import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from equivalence_cases import BLOCKS, Facts, layout, random_gripper, reachable_states

from envs.pddl.equivalence.compare import Verdict, compare
from envs.pddl.equivalence.derive import Means
from envs.pddl.reference import ReferenceSimulator

MEANS = {
    "rules": Means(),
    "derived": Means(by_rules=False),
    "few states": Means(by_rules=False, max_states=4),
}


def goal_states(problem):
    """All reachable goal states, by the reference simulator."""
    simulator = ReferenceSimulator(problem)
    return {state for state in reachable_states(problem) if simulator.holds_goal(state)}


def equivalent(one: Facts, other: Facts) -> bool:
    """By trying every bijection, on whole states."""
    ours, theirs = goal_states(one.problem()), goal_states(other.problem())
    for image in permutations(other.objects):
        names = dict(zip(one.objects, image, strict=True))

        def mapped(state, names=names):
            return frozenset((a[0], *(names[x] for x in a[1:])) for a in state)

        if mapped(one.init) == frozenset(other.init) and {mapped(state) for state in ours} == theirs:
            return True
    return False


def random_pair(rng, domain):
    """A problem, and the same in disguise with another goal out of the same state or another one."""
    if domain == "gripper":
        one = random_gripper(rng, int(rng.integers(1, 3)), int(rng.integers(1, 3)), 1)
        wanted = random_gripper(rng, 2, 2, 1).goal if rng.random() < 0.3 else one.goal
    else:
        names = tuple("abc"[: int(rng.integers(1, 4))])
        wanted = layout(rng, names, held=0.3)
        one = Facts(BLOCKS, names, layout(rng, names), tuple(a for a in wanted if rng.random() < 0.5))
    known = {name for name in one.objects}
    goal = tuple(a for a in wanted if rng.random() < 0.7 and known.issuperset(a[1:]))
    return one, one.with_goal(goal).disguised(rng)


@pytest.mark.parametrize("way", MEANS)
@pytest.mark.parametrize("domain", ["blocksworld", "gripper"])
def test_the_answer_is_that_of_the_definition(domain, way):
    rng = np.random.default_rng(11)
    answers = {verdict: 0 for verdict in Verdict}
    for _ in range(60):
        one, other = random_pair(rng, domain)
        verdict = compare(one.problem(), other.problem(), means=MEANS[way]).verdict
        answers[verdict] += 1
        if verdict is not Verdict.UNSUPPORTED:
            assert (verdict is Verdict.EQUIVALENT) == equivalent(one, other)
    assert min(answers[Verdict.EQUIVALENT], answers[Verdict.DIFFERENT]) > 3
    assert way == "few states" or answers[Verdict.UNSUPPORTED] == answers[Verdict.TIMEOUT] == 0


SHOWN = """
from envs.pddl.equivalence.certificate import certificate
from envs.pddl.equivalence.compare import compare
from envs.pddl.equivalence.derive import Means
from envs.pddl.language import read_domain, read_problem
from envs.source import read_texts

for world in ("blocksworld", "gripper", "movie"):
    texts = read_texts(world, 4)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    print(certificate(problem), certificate(problem, True), sorted(compare(problem, problem).witness.items()))
    print(compare(problem, problem, means=Means(by_rules=False)))
"""


def test_certificates_and_witnesses_do_not_depend_on_the_hash_seed():
    said = {
        subprocess.run(
            [sys.executable, "-c", SHOWN],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1

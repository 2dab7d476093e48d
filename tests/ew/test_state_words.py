"""A state as it bears on a step: what is left out is said, and nothing about the step's objects is."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from graph_worlds import GraphWorld

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.operators import parse_operator
from envs.source import read_texts
from envs.verbalisation.words import phrase
from envs.world import open_world
from ew.counterexample.disagreement import state_before
from ew.counterexample.feedback import NoInitialAction, PlanRejected, render_failure

WORLDS = ("grippers", "logistics", "termes")


@pytest.mark.parametrize("name", WORLDS)
def test_every_fact_about_the_objects_of_a_step_is_there_with_its_truth(name: str) -> None:
    world, texts = open_world(name, 1), read_texts(name, 1)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    walk: tuple[str, ...] = ()
    for _ in range(3):
        step = world.applicable(walk)[0]
        said = state_before(world, (*walk, step)).splitlines()
        facts, objects = world.facts(walk), dict.fromkeys(parse_operator(step)[1])
        for predicate, declared in problem.domain.vocabulary.predicates.items():
            for chosen in permutations(objects, len(declared)) if declared else ():
                kinds = [problem.objects[o] for o in chosen]
                if all(map(problem.domain.is_subtype, kinds, [t for _, t in declared])):
                    atom = (predicate, *chosen)
                    assert f"{phrase(texts.words, atom, holds=atom in facts)}." in said
        assert set(world.describe(walk).splitlines()) <= set(said)
        walk = (*walk, step)


def test_without_words_facts_are_pddl_without_full_stops(folder: Path) -> None:
    (folder / "words.json").unlink()
    world = open_world(str(folder), 1)
    lines = state_before(world, (world.applicable()[0],)).splitlines()
    facts = [line for line in lines if line.startswith("(")]
    assert facts and all(line.endswith(")") for line in facts)


def test_the_heading_says_what_is_left_out() -> None:
    world = open_world("logistics", 1)
    step = world.applicable()[0]
    text = state_before(world, (step,))
    assert text.startswith("True now (facts that never change and false facts are left out here):")
    assert "Facts that never change, about" in text and "False now, about" in text
    assert text in render_failure(NoInitialAction.seen_in(world))
    plan = PlanRejected.seen_in(world, (), world.verify(()))
    assert "may be left out" in render_failure(plan)


def test_a_world_that_describes_no_steps_is_described_as_it_is() -> None:
    world = GraphWorld({0: {"(a)": 1}})
    assert state_before(world, ("(a)",)) == world.describe()


def test_a_step_after_a_refused_walk_is_an_error() -> None:
    with pytest.raises(ValueError, match="refused"):
        state_before(open_world("grippers", 1), ("(move robot1 room1 room2)", "(move robot1 room1 room2)"))

"""Traces of walks: what they say is what the world does, within the queries allowed."""

import numpy as np
import pytest
from explored import explored

from agents.operators.exploration import Exploration, explore
from agents.operators.lifted import shown_problem
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.template import domain_template
from envs.pddl.traces.trace import refuse_contradictions
from envs.source import read_texts
from envs.world import open_world


def reached(trace):
    """A walk to each state, by its number."""
    walks = {0: ()}
    for step in trace.steps:
        if step.executable:
            walks[step.after] = (*walks[step.before], step.operator)
    return walks


@pytest.mark.parametrize("world", ["grippers", "termes", "barman"])
def test_steps_and_facts_are_the_worlds_own(world):
    (trace,) = explored(world, walks=3).traces
    there, walks = open_world(world, 1), reached(trace)
    for number, walk in list(walks.items())[::5]:
        assert trace.state(number).true == there.facts(walk)
    refused = [step for step in trace.steps if not step.executable]
    assert refused and any(step.executable for step in trace.steps)
    for step in refused[:: max(1, len(refused) // 20)]:
        assert step.operator not in there.applicable(walks[step.before])


@pytest.mark.parametrize("world", ["grippers", "termes"])
def test_an_operator_that_was_made_in_a_state_is_no_second_step_there(world):
    for trace in explored(world, walks=3).traces:
        steps = [(step.before, step.operator) for step in trace.steps]
        assert len(steps) == len(set(steps))


def test_states_seen_in_part_say_nothing_false():
    (whole,), (part,) = (explored("grippers", share, walks=3).traces for share in (1.0, 0.4))
    assert not part.whole.any() and not part.known.all()
    for number in range(len(part.whole)):
        assert part.state(number).allows(whole.state(number))
    refuse_contradictions(explored("grippers", 0.4, walks=3))


def test_the_generator_decides_and_queries_are_bounded():
    settings = Exploration(walks=30, length=20, queries=25)
    runs = [explore(open_world("termes", 1), np.random.default_rng(7), settings) for _ in range(2)]
    assert runs[0][1] == runs[1][1] <= 25
    assert [t.same for t in runs[0][0].traces] == [t.same for t in runs[1][0].traces]


class Closed:
    """A world that does not show its states."""

    name, types, objects, actions = "closed", {}, {}, ()


def test_a_world_that_shows_nothing_is_refused_in_words():
    with pytest.raises(TypeError, match="does not show its states"):
        explore(Closed(), np.random.default_rng(0), Exploration())
    with pytest.raises(TypeError, match="does not show its states"):
        shown_problem(Closed(), "d")


@pytest.mark.parametrize("world", ["blocksworld", "barman", "minecraft"])
def test_a_task_as_it_is_shown_is_the_task(world):
    texts = read_texts(world, 2)
    domain = read_domain(texts.domain)
    true = read_problem(texts.problem, domain)
    shown = read_problem(shown_problem(open_world(world, 2), domain.name), domain)
    assert shown.init == true.init and shown.objects == true.objects and str(shown.goal) == str(true.goal)
    assert read_domain(domain_template(domain.vocabulary)).predicates.keys() == domain.predicates.keys()

"""AMLGym's trajectories: what is written is read again, objects get types that fit, faults have lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envs.pddl.language.domain import read_vocabulary
from envs.pddl.traces.trace import TraceError
from envs.pddl.traces.trajectories import import_trajectory, is_trajectory, trajectory_text

WORDS = read_vocabulary(
    """(define (domain trucks) (:requirements :typing) (:types place thing - object truck box - thing)
    (:constants depot - place)
    (:predicates (at ?x - thing ?p - place) (in ?b - box ?t - truck) (rain))
    (:action drive :parameters (?t - truck ?p ?q - place) :precondition () :effect ())
    (:action wait :parameters () :precondition () :effect ()))"""
)
ATOMS = ["(at t depot)", "(at t home)", "(at b home)", "(in b t)", "(rain)"]
STEPS = ["(drive t home depot)", "(drive t depot home)", "(wait)"]


def read(text, tmp_path):
    path = tmp_path / "0_trucks_traj"
    path.write_text(text, encoding="utf-8")
    assert is_trajectory(path)
    (trace,) = import_trajectory(path, WORDS).traces
    return trace


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.frozensets(st.sampled_from(ATOMS))), min_size=1), st.data()
)
def test_what_is_written_is_read_again(tmp_path_factory, steps, data):
    hidden = data.draw(st.frozensets(st.sampled_from(ATOMS)))
    whole = data.draw(st.booleans())
    truths = [frozenset(ATOMS[:1]), *(true for _, true in steps)]
    states = [
        tuple(a if a in true else f"(not {a})" for a in ATOMS if (a in true or not whole) and a not in hidden)
        for true in truths
    ]
    trace = read(trajectory_text(states, [s for s, _ in steps]), tmp_path_factory.mktemp("t"))
    assert [step.operator for step in trace.steps] == [s for s, _ in steps]
    negated = any("(not" in literal for literals in states for literal in literals)
    at = [trace.steps[0].before, *(step.after for step in trace.steps)]
    for number, literals in zip(at, states, strict=True):
        seen = trace.state(number)
        assert {f"({' '.join(atom)})" for atom in seen.true} == {x for x in literals if "(not" not in x}
        assert seen.whole is not negated
        if negated:
            assert {f"(not ({' '.join(atom)}))" for atom in seen.false} == {
                x for x in literals if "(not" in x
            }


def test_objects_are_of_the_most_general_types_that_fit_every_place(tmp_path):
    text = "(:trajectory (:state (at a home) (in b t) (at t home)) (:action (wait)) (:state (and (rain))))"
    assert read(text, tmp_path).objects == {
        "a": "thing", "b": "box", "t": "truck", "home": "place", "depot": "place"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(:trajectory\n(:state (rain))\n(:state (rain)))", 3),
        ("(:trajectory\n(:state (rain))\n(:action (wait)))", 3),
        ("(:trajectory\n(:state (rain) x)\n)", 2),
        ("(:trajectory\n(:state (rain))\n(:action (wait) (wait))\n(:state (rain)))", 3),
        ("(:trajectory\n(:state (rain))\n(:action (fly t))\n(:state (rain)))", 3),
        ("(:trajectory\n(:state (at b t))\n(:action (drive t b depot))\n(:state))", 3),
        ("(define (domain d))", 1),
        ("(:trajectory)", 1),
        ("(:trajectory (:objects a) (:state (rain)))", 1),
    ],
)
def test_faults_are_reported_with_their_lines(text, line, tmp_path):
    path = tmp_path / "0_traj"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TraceError) as caught:
        import_trajectory(path, WORDS)
    assert f"0_traj:{line}:" in str(caught.value)

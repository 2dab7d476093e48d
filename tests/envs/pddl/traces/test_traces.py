"""Traces: round trips through files, tables, partial states, and faults that are named where they are."""

import gzip
import json
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest

from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.template import domain_template
from envs.pddl.traces.files import import_csv, load_traces, save_traces
from envs.pddl.traces.trace import (
    SeenState,
    Step,
    TraceError,
    Traces,
    refuse_contradictions,
    trace_of,
    without_contradictions,
)

DOMAIN = """(define (domain doors) (:requirements :typing) (:types room door - object)
  (:constants hall - room)
  (:predicates (in ?r - room) (open ?d - door) (leads ?d - door ?r - room) (night))
  (:action go :parameters (?d - door ?r - room) :precondition () :effect ())
  (:action knock :parameters () :precondition () :effect ()))"""
WORDS = read_vocabulary(DOMAIN)
OBJECTS = {"hall": "room", "attic": "room", "d1": "door"}
HEADER = json.dumps({"format": "traces", "version": 1, "domain": DOMAIN})
BEGIN = json.dumps({"trace": "t", "objects": {"attic": "room", "d1": "door"}})
AT_HOME = ["(in hall)", "(open d1)", "(leads d1 attic)"]
UPSTAIRS = ["(in attic)", "(open d1)", "(leads d1 attic)"]


def written(path, *lines):
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


def go(state=AT_HOME, after=UPSTAIRS, operator="(go d1 attic)", executable=True):
    line = {"state": state, "operator": operator, "executable": executable, "next_state": after}
    return {key: value for key, value in line.items() if value is not None}


def some_traces(seed):
    """Random traces: whole and partial states, refusals, states that were not seen."""
    rng = random.Random(seed)
    atoms = [("in", "hall"), ("in", "attic"), ("open", "d1"), ("leads", "d1", "attic"), ("night",)]

    def state():
        seen = [a for a in atoms if rng.random() < 0.6]
        true = frozenset(a for a in seen if rng.random() < 0.5)
        return SeenState(true) if rng.random() < 0.5 else SeenState(true, frozenset(seen) - true)

    traces = []
    for number in range(rng.randrange(4)):
        states = list(dict.fromkeys(state() for _ in range(1 + rng.randrange(6))))
        steps = []
        for _ in range(rng.randrange(6)):
            runs, before, after = rng.random() < 0.7, rng.randrange(len(states)), rng.randrange(len(states))
            text = rng.choice(["(go d1 attic)", "(go d1 hall)", "(knock)", "(go)"])
            steps.append(Step(text, runs, before, after if runs and rng.random() < 0.8 else None))
        used = sorted({i for s in steps for i in (s.before, s.after) if i is not None})
        order = list(dict.fromkeys(i for s in steps for i in (s.before, s.after) if i is not None))
        place = {old: new for new, old in enumerate(order)}
        assert len(used) == len(order)
        moved = [replace(s, before=place[s.before], after=place.get(s.after)) for s in steps]
        traces.append(trace_of(f"t{number}", OBJECTS, [states[i] for i in order], moved))
    return Traces(WORDS, tuple(traces), refusals_searched=seed % 2 == 1)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_saved_is_loaded_again(seed, tmp_path):
    traces = some_traces(seed)
    for name in ("t.jsonl", "t.jsonl.gz"):
        save_traces(tmp_path / name, traces)
        again = load_traces(tmp_path / name)
        assert [t.same for t in again.traces] == [t.same for t in traces.traces]
        assert again.refusals_searched == traces.refusals_searched
        assert again.vocabulary.actions == WORDS.actions and again.vocabulary.constants == WORDS.constants
    first = (tmp_path / "t.jsonl.gz").read_bytes()
    save_traces(tmp_path / "t.jsonl.gz", again)
    assert (tmp_path / "t.jsonl.gz").read_bytes() == first


def test_a_vocabulary_is_written_as_a_domain_that_declares_the_same():
    again = read_vocabulary(domain_template(WORDS))
    assert (again.types, again.constants, again.predicates, again.actions) == (
        WORDS.types, WORDS.constants, WORDS.predicates, WORDS.actions,
    )  # fmt: skip


def test_states_are_carried_on_and_refusals_leave_them(tmp_path):
    back = {"operator": "(go d1 hall)", "executable": True, "next_state": AT_HOME}
    refused = {"operator": "(go d1 hall)", "executable": False}
    path = written(tmp_path / "t.jsonl", HEADER, BEGIN, go(), refused, back)
    (trace,) = load_traces(path).traces
    assert [(s.before, s.after) for s in trace.steps] == [(0, 1), (1, None), (1, 0)]
    assert trace.state(1) == SeenState(frozenset({("in", "attic"), ("open", "d1"), ("leads", "d1", "attic")}))
    assert trace.steps[1].place == "t.jsonl:4" and trace.objects == OBJECTS


def test_a_table_says_the_same_as_a_file_of_lines(tmp_path):
    lines = written(
        tmp_path / "t.jsonl", HEADER, BEGIN,
        go(), {"operator": "(go d1 attic)", "executable": False},
        go(state={"true": ["(in attic)"], "false": ["(night)"]}, after=None, operator="(knock)"),
    )  # fmt: skip
    rows = (
        "trace,objects,state,operator,executable,next_state\n"
        f't,attic - room d1 - door,"{" ".join(AT_HOME)}",(go d1 attic),true,"{" ".join(UPSTAIRS)}"\n'
        "t,,,(go d1 attic),FALSE,\n"
        "t,,(in attic) (not (night)),(knock),true,\n"
    )
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    one, other = load_traces(lines), import_csv(tmp_path / "t.csv", WORDS)
    assert [t.same for t in one.traces] == [t.same for t in other.traces]


FAULTS = {
    "unknown object": ([BEGIN, go(after=["(in cellar)"])], 3, "no object cellar"),
    "unknown predicate": ([BEGIN, go(state=["(inn hall)"])], 3, "no predicate inn (did you mean in?)"),
    "unknown action": ([BEGIN, go(), go(operator="(gone d1 attic)")], 4, "no action gone"),
    "arity": ([BEGIN, go(operator="(go d1)")], 3, "go takes 2 arguments, not 1"),
    "type": ([BEGIN, go(operator="(go attic d1)")], 3, "attic is of type room"),
    "no state": ([BEGIN, go(state=None)], 3, "the state that this step starts from"),
    "after unseen": ([BEGIN, go(after=None), go(state=None)], 4, "the state that this step starts from"),
    "unknown type": ([{"trace": "t", "objects": {"x": "cave"}}], 2, "the unknown type cave"),
    "no trace": ([go()], 2, "in no trace"),
    "not a boolean": ([BEGIN, go(executable="yes")], 3, "neither true nor false"),
    "refused and moved": ([BEGIN, go(executable=False)], 3, "a refused operator changes nothing"),
    "both": ([BEGIN, go(state={"true": ["(night)"], "false": ["(night)"]})], 3, "both true and false"),
    "no json": ([BEGIN, '{"state": ["(in ha'], 3, "no JSON"),
    "a number": ([BEGIN, "7"], 3, "one JSON object"),
    "no list": ([BEGIN, go(state=7)], 3, "no state"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_file_and_line(name, tmp_path):
    lines, number, words = FAULTS[name]
    path = written(tmp_path / "bad.jsonl", HEADER, *lines)
    with pytest.raises(TraceError) as raised:
        load_traces(path)
    (fault,) = pickle.loads(pickle.dumps(raised.value)).faults  # noqa: S301
    assert fault.place == f"bad.jsonl:{number}" and words in fault.message and fault.fix


def test_lenient_reading_keeps_what_came_before_and_other_traces(tmp_path):
    bad = go(operator="(fly)")
    second = {"trace": "u", "objects": {"attic": "room", "d1": "door"}}
    path = written(tmp_path / "t.jsonl", HEADER, BEGIN, go(), bad, go(), second, go())
    found = load_traces(path, lenient=True)
    assert [(t.name, len(t.steps)) for t in found.traces] == [("t", 1), ("u", 1)]
    assert [f.place for f in found.faults] == ["t.jsonl:4"]


def test_a_file_that_breaks_off_is_told_and_its_start_can_be_used(tmp_path):
    save_traces(tmp_path / "t.jsonl.gz", some_traces(3))
    whole = (tmp_path / "t.jsonl.gz").read_bytes()
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-20])
    with pytest.raises(TraceError, match=r"cut\.jsonl\.gz:\d+: "):
        load_traces(tmp_path / "cut.jsonl.gz")
    assert load_traces(tmp_path / "cut.jsonl.gz", lenient=True).faults
    (tmp_path / "none.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(TraceError, match="empty"):
        load_traces(tmp_path / "none.jsonl")
    written(tmp_path / "other.jsonl", {"format": "walks"})
    with pytest.raises(TraceError, match="format"):
        load_traces(tmp_path / "other.jsonl")
    assert gzip.decompress(whole).startswith(b'{"format"')


def test_two_outcomes_in_one_state_are_refused_or_left_out(tmp_path):
    elsewhere = [*AT_HOME, "(night)"]
    lines = [HEADER, BEGIN, go(), go(after=elsewhere), go(operator="(knock)", after=AT_HOME)]
    traces = load_traces(written(tmp_path / "t.jsonl", *lines))
    with pytest.raises(TraceError, match=r"t\.jsonl:4: .*leads to two states.*t\.jsonl:3"):
        refuse_contradictions(traces)
    kept = without_contradictions(traces)
    assert [s.operator for t in kept.traces for s in t.steps] == ["(knock)"] and len(kept.faults) == 1
    refused = go(executable=False, after=None)
    again = load_traces(written(tmp_path / "u.jsonl", HEADER, BEGIN, go(), refused))
    with pytest.raises(TraceError, match="executed and refused"):
        refuse_contradictions(again)


def test_the_two_steps_that_are_told_are_two_that_contradict_each_other(tmp_path):
    part = go(after={"true": [], "false": []})
    lines = [HEADER, BEGIN, part, go(), go(), go(after=[*AT_HOME, "(night)"])]
    with pytest.raises(TraceError, match=r"t\.jsonl:6: .*leads to two states.*t\.jsonl:4"):
        refuse_contradictions(load_traces(written(tmp_path / "t.jsonl", *lines)))


def test_partial_states_and_other_tasks_contradict_nothing(tmp_path):
    seen = {"true": ["(in hall)"], "false": []}
    other = json.dumps({"trace": "u", "objects": {"d1": "door", "cellar": "room", "attic": "room"}})
    lines = [HEADER, BEGIN, go(), go(state=seen, executable=False, after=None), other, go(after=AT_HOME)]
    refuse_contradictions(load_traces(written(tmp_path / "t.jsonl", *lines)))


def test_states_allow_each_other_unless_something_is_known_to_differ():
    whole = SeenState(frozenset({("night",)}))
    assert whole.allows(SeenState(frozenset(), frozenset())) and whole.allows(whole)
    assert not whole.allows(SeenState(frozenset(), frozenset({("night",)})))
    assert not whole.allows(SeenState(frozenset({("in", "hall")}), frozenset()))
    trace = trace_of("t", OBJECTS, [whole, SeenState(frozenset(), frozenset({("in", "hall")}))], [])
    assert np.array_equal(trace.known, [[True, True], [True, False]])

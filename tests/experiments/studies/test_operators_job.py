"""`operators`: what counts as recovered, the demonstrations, and a small study from end to end."""

import json
from dataclasses import replace

import pytest

from agents.operators.learner import learn_operators
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from envs.world import open_world
from experiments.reporting.tables import markdown
from experiments.run import main
from experiments.studies.operators import study
from experiments.studies.operators.accuracy import Test
from experiments.studies.operators.demonstrations import (
    Demonstration,
    demonstrated,
    demonstrations,
    drawn,
    held_out,
    minecraft,
    save_plans,
    test_states,
    traces_of,
)
from experiments.studies.operators.report import Recovering, operator_tables, operators_csv
from experiments.studies.operators.study import LearnUnit, work

test_states.__test__ = Test.__test__ = False
SMALL = [
    "operators",
    "--counts",
    "1",
    "--repeats",
    "1",
    "--tasks",
    "1",
    "--walks",
    "20",
    "--states",
    "1",
]

#: As the study has it.
ASTRAY = study.ASTRAY


@pytest.fixture(scope="module")
def near_states():
    """A smaller test than that of the study, shared: one state of each action, and those two steps away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "ASTRAY", (2,))
        study.the_test.cache_clear()
        yield study.the_test(1)
    study.the_test.cache_clear()


@pytest.fixture
def whole_test(monkeypatch):
    """The test of the study, in this process as in others, whatever tests share before and after."""
    monkeypatch.setattr(study, "ASTRAY", ASTRAY)
    study.the_test.cache_clear()
    yield
    study.the_test.cache_clear()


@pytest.fixture(scope="module")
def judge(near_states):
    return near_states


@pytest.fixture(scope="module")
def truth():
    return list(operators_of(minecraft()))


def renamed(operator):
    names = {v: f"?v{len(operator.parameters) - i}" for i, (v, _) in enumerate(operator.parameters)}
    return replace(
        operator,
        parameters=tuple(reversed([(names[v], kind) for v, kind in operator.parameters])),
        preconditions=tuple(literal.renamed(names) for literal in operator.preconditions),
        effects=tuple(literal.renamed(names) for literal in operator.effects),
    )


@pytest.mark.slow
def test_the_true_operators_are_recovered_under_any_names(judge, truth):
    assert len(truth) == 34 and all(v.recovered for v in judge.judge(list(map(renamed, truth))))


@pytest.mark.slow
@pytest.mark.parametrize("named", [False, True])
def test_the_true_operators_are_recovered_under_their_own_names(judge, truth, named):
    assert all(v.recovered for v in judge.judge(truth, named=named))


def test_true_names_in_other_roles_are_another_renaming_unless_parameters_are_named(judge, truth):
    """What one calls the first ingredient another may call the second, with the same list of names."""
    (axe,) = [o for o in truth if o.name == "craft-axe"]
    other = {"1": "2", "2": "1"}
    names = {v: v[:-1] + other.get(v[-1], v[-1]) for v, _ in axe.parameters}
    swapped = replace(
        axe,
        preconditions=tuple(literal.renamed(names) for literal in axe.preconditions),
        effects=tuple(literal.renamed(names) for literal in axe.effects),
    )
    assert swapped.parameters == axe.parameters and set(swapped.effects) != set(axe.effects)
    for named in (False, True):
        (verdict,) = [v for v in judge.judge([swapped], named=named) if v.action == "craft-axe"]
        assert verdict.recovered == verdict.same_effects == (not named)


def test_a_wrong_effect_or_a_missing_condition_is_seen(judge, truth):
    few = [o for o in truth if o.name in ("move-up", "pick-up", "craft-stick")]
    for place, operator in enumerate(few):
        others = [o for i, o in enumerate(few) if i != place]
        lacking = replace(operator, effects=operator.effects[1:])
        loose = replace(
            operator, preconditions=tuple(p for p in operator.preconditions if p.predicate != "agent-at")
        )
        for wrong, same_effects in ((lacking, False), (loose, True)):
            verdicts = {v.action: v for v in judge.judge([*others, wrong])}
            assert not verdicts[operator.name].recovered
            assert verdicts[operator.name].same_effects == same_effects
            assert all(verdicts[o.name].recovered for o in others)


def test_conditions_that_others_imply_do_no_harm_and_two_operators_for_one_action_do(judge, truth):
    up = next(o for o in truth if o.name == "move-up")
    implied = replace(up.preconditions[-1], predicate="tile-down", terms=("?t2", "?t1"))
    verdicts = {v.action: v for v in judge.judge([replace(up, preconditions=(*up.preconditions, implied))])}
    assert verdicts["move-up"].recovered and not verdicts["move-down"].recovered
    twice = {v.action: v for v in judge.judge([up, replace(up, name="move-up--2")])}
    assert twice["move-up"].learned == 2 and not twice["move-up"].recovered


def test_every_demonstration_reaches_its_goal_and_every_action_is_in_both_parts():
    solved = [d for d in demonstrations() if d.plan is not None]
    for part in (True, False):
        names = {o.split()[0].strip("()") for d in solved if held_out(d) is part for o in d.plan}
        assert names == set(minecraft().actions)
    for demonstration in solved[:: len(solved) // 10]:
        (trace,) = traces_of([demonstration]).traces
        goal = demonstrated(demonstration.kind, demonstration.number).goal
        facts = trace.state(len(trace.whole) - 1).true
        assert all(tuple(str(part).rstrip(")").replace("(", " ").replace(",", " ").split()) in facts
                   for part in goal.subformulas)  # fmt: skip


def test_what_is_kept_is_read_again(tmp_path, monkeypatch):
    made = [Demonstration("single", 2, None), Demonstration("four", 1, ("(a b)",))]
    save_plans(tmp_path / "p.jsonl.gz", made)
    first = (tmp_path / "p.jsonl.gz").read_bytes()
    save_plans(tmp_path / "p.jsonl.gz", reversed(made))
    assert (tmp_path / "p.jsonl.gz").read_bytes() == first


def test_arguments_teach_more_than_names():
    traces = traces_of(drawn(0, 0)[:15])
    known, named = learn_operators(traces), learn_symbolically(traces)
    tables = {o.name: o for o in known}
    wood = tables["mine-wood"]
    assert any(p.predicate == "agent-at" for p in wood.preconditions)
    assert all(p.predicate != "agent-at" for o in named if o.action == "mine-wood" for p in o.preconditions)


@pytest.mark.slow  # the study's test counts fewer
def test_a_unit_counts_and_takes_ew_in_the_world():
    found = work(LearnUnit("known", 40, 0, (1,), 40, 1, 0))
    assert found["actions"] == 34 and found["recovered"] + found["unseen"] >= 30
    assert found["ew"][0] == 1.0 and not found["wrong_effects"]
    assert open_world("minecraft", 1).actions


def records(out):
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text("utf-8").splitlines()]
    units = {line["key"]: line for line in lines if line["event"] == "unit"}
    return [units[key] for key in sorted(units)]


@pytest.mark.slow
@pytest.mark.usefixtures("figures", "near_states")
def test_the_study_leaves_tables_and_figure(tmp_path):
    alone = ["operators", "--counts", "3", "--methods", "known", "--executor", "serial"]
    few = ["--repeats", "1", "--tasks", "1", "--walks", "20", "--states", "1"]
    assert main([*alone, *few, "--out", str(tmp_path)]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"operators.csv", "table.md", "table.tex", "operators.png", "operators.svg"} <= names
    (made,) = records(tmp_path)
    assert (made["method"], made["count"], made["repeat"]) == ("known", 3, 0)
    assert made["actions"] == 34 and made["recovered"] + made["unseen"] <= 34


@pytest.mark.slow
@pytest.mark.usefixtures("figures", "whole_test")
def test_the_study_is_the_same_whoever_works_on_it(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    few = [*SMALL, "--methods", "known", "guided-resampled"]
    assert main([*few, "--executor", "serial", "--out", str(one)]) == 0
    assert main([*few, "--executor", "process", "--workers", "2", "--out", str(other)]) == 0
    assert records(one) == records(other)
    made = {(r["method"], r["count"], r["repeat"]) for r in records(one)}
    assert made == {("known", 1, 0), ("guided-resampled", 100, 0)}  # one is of the packaged recording
    assert (one / "operators.svg").read_bytes() == (other / "operators.svg").read_bytes()


def test_tables_give_shares_with_intervals():
    base = {
        "method": "known", "count": 5, "steps": 9, "operators": 3, "actions": 4, "unseen": 1, "unjudged": 0,
        "wrong_effects": [], "wrong_conditions": ["pick-up"], "undetermined": 7, "ew": [1.0, None],
        "directions": [[1.0, 1.0], None],
    }  # fmt: skip
    found = Recovering([{**base, "repeat": i, "recovered": 2 + i} for i in range(2)])
    text = "\n".join(map(markdown, operator_tables(found)))
    assert "| known | 5 | 0.62 [0.50, 0.75] | 1.00 [1.00, 1.00] | – |" in text and "pick-up (2)" in text
    assert len(operators_csv(found).splitlines()) == 3


@pytest.mark.parametrize("wrong", [["--counts", "0"], ["--counts", "9999"], ["--env", "grippers"]])
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["operators", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")

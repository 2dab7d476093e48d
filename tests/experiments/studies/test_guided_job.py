"""`operators` with a language model: who knows the rules recovers them, who knows nothing does no harm."""

import json

import pytest

from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer
from agents.operators.guided import action_text
from agents.operators.lifted import NamedLiteral
from agents.operators.reading import operators_of
from agents.operators.symbolic import learn_symbolically
from experiments.recordings import main as recordings
from experiments.recordings import shelf
from experiments.run import main
from experiments.studies.operators import study
from experiments.studies.operators.demonstrations import drawn, minecraft, traces_of
from experiments.studies.operators.study import SHOTS, LearnUnit, ask, shots_of, work

WORDS = minecraft().vocabulary
TRUE = {operator.name: operator for operator in operators_of(minecraft())}
SMALL = [
    "operators", "--counts", "6", "--guided-counts", "6", "--repeats", "1", "--states", "1", "--tasks", "1",
    "--walks", "20", "--executor", "serial",
]  # fmt: skip


@pytest.fixture(scope="module")
def near_states():
    """A smaller test than that of the study, shared: one state of each action, and those two steps away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "ASTRAY", (2,))
        study.the_test.cache_clear()
        yield study.the_test(1)
    study.the_test.cache_clear()


def unit(method):
    return LearnUnit(method, 10, 0, (1,), 20, 1, 0)


def asked_about(messages):
    """The name of the action that the first question is about."""
    return messages[1].content.rsplit("(:action ", 1)[1].split()[0]


def knows(messages, sample, seed):
    """Writes the true action, with everything that was learned of it beside."""
    name = asked_about(messages)
    true = TRUE.get(name)
    if true is None:
        return "I do not know."
    text = action_text(true, WORDS)
    if name.startswith("move"):  # what was learned holds of the way back, too
        back = {"up": "down", "down": "up", "left": "right", "right": "left"}[name.removeprefix("move-")]
        text = text.replace(
            "(and\n      (agent-at ?t1)", f"(and\n      (tile-{back} ?t2 ?t1)\n (agent-at ?t1)", 1
        )
    return f"```pddl\n{text}\n```"


@pytest.mark.slow  # where proposals are refuted such a model recovers more, too
@pytest.mark.usefixtures("near_states")
def test_a_model_that_knows_the_rules_recovers_what_was_demonstrated():
    symbolic = work(unit("symbolic"))
    guided = ask(unit("guided-resampled"), ScriptedModel(knows), 4)
    assert guided["recovered"] > symbolic["recovered"] and not guided["kept"]
    assert guided["recovered"] + guided["unseen"] >= guided["actions"] - len(guided["wrong_effects"]) - 1
    assert guided["asked"] == guided["operators"] and guided.keys() >= symbolic.keys()


@pytest.mark.slow
@pytest.mark.usefixtures("near_states")
def test_a_model_that_knows_nothing_changes_nothing():
    symbolic = work(unit("symbolic"))
    for method, each in (("guided", 1), ("guided-resampled", 6)):
        found = ask(unit(method), ScriptedModel(lambda messages, sample, seed: "no"), 2)
        assert found["recovered"] == symbolic["recovered"] and found["kept"] == found["operators"]
        assert found["asked"] == each * found["operators"]


@pytest.mark.slow
@pytest.mark.usefixtures("near_states")
def test_refuted_proposals_are_asked_for_again_only_with_resampling():
    def greedy(messages, sample, seed):
        """At first asks for something that never holds."""
        text = knows(messages, sample, seed)
        never = NamedLiteral("tile-up", ("?t", "?t"))
        return text if len(messages) > 2 else text.replace("(agent-at ?t)", f"(agent-at ?t) {never}", 1)

    blind, seeing = (ask(unit(m), ScriptedModel(greedy), 2) for m in ("guided", "guided-resampled"))
    assert seeing["recovered"] > blind["recovered"] and seeing["asked"] > blind["asked"]


def test_examples_are_true_operators_that_complete_what_was_learned():
    learned = learn_symbolically(traces_of(drawn(0, 0)[:10]))
    shots = shots_of(learned, unit("guided"))
    assert len(shots) == SHOTS and shots == shots_of(learned, unit("guided-resampled"))
    assert all(set(TRUE[s.learned.name].effects) == set(s.true.effects) for s in shots)


@pytest.mark.slow  # test_goals_job replays another study; a cap's test asks live
def test_the_study_holds_all_methods_and_can_be_replayed(tmp_path, monkeypatch, capsys):
    live, again = tmp_path / "live", tmp_path / "again"
    with StubServer(knows) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        at = ["--model", "stub", "--base-url", server.url, "--out", str(live)]
        assert main([*SMALL, *at]) == 0 and main([*SMALL, *at]) == 0
    table = (live / "table.md").read_text("utf-8")
    assert all(f"| {m} | 6 |" in table for m in ("symbolic", "guided", "guided-resampled", "known"))
    asked = len(learn_symbolically(traces_of(drawn(0, 0)[:6])))
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| guided | 6")]
    assert rows[0][5:7] == [str(asked), "0"] and "| 0.80 |" in table
    assert recordings(["export", str(live), str(tmp_path / "g.jsonl.gz")]) == 0
    assert main([*SMALL, "--recording", str(tmp_path / "g.jsonl.gz"), "--out", str(again)]) == 0
    assert (again / "operators.csv").read_text("utf-8") == (live / "operators.csv").read_text("utf-8")
    assert sum(json.loads(x)["event"] == "unit" for x in (again / "events.jsonl").open(encoding="utf-8")) == 4


@pytest.mark.usefixtures("near_states")
@pytest.mark.slow  # test_caps states it of every cap
def test_a_cap_stops_the_study_and_with_a_larger_one_it_goes_on(tmp_path, monkeypatch, capsys):
    with StubServer(knows) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        few = [*SMALL, "--methods", "guided", "--model", "stub", "--base-url", server.url]
        few += ["--concurrency", "1", "--out", str(tmp_path / "out")]
        assert main([*few, "--max-calls", "3"]) == 3
        assert "--max-calls is reached: 3 of 3 used" in capsys.readouterr().err and server.seen.requests == 3
        assert main(few) == 0
        assert server.seen.requests == len(learn_symbolically(traces_of(drawn(0, 0)[:6])))


@pytest.mark.slow  # test_goals_job takes a part of another recording
def test_a_recording_that_was_not_named_is_taken_as_far_as_it_goes(tmp_path, monkeypatch, capsys):
    """With other demonstrations it answers nothing: the study tells so; named, it is an error."""
    with StubServer(knows) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        live = [*SMALL, "--methods", "guided", "--model", "stub", "--base-url", server.url]
        assert main([*live, "--out", str(tmp_path / "live")]) == 0
    assert recordings(["export", str(tmp_path / "live"), str(tmp_path / "guided.jsonl.gz")]) == 0
    shelved = shelf(str(tmp_path / "guided.jsonl.gz"))
    monkeypatch.setattr("experiments.studies.study.shelf", lambda recording: shelved)
    for count, told in (("6", "1 of 1 units of guided-resampled"), ("5", "1 of 1 units of guided")):
        settings = [*SMALL, "--guided-counts", count, "--methods", "symbolic", "guided", "guided-resampled"]
        out = ["--out", str(tmp_path / count)]
        assert main([*settings, *out]) == 0
        assert (told in capsys.readouterr().out) == (count == "5")
        assert main([*settings, *out, "--recording", "named"]) == (0 if count == "6" else 2)


@pytest.mark.parametrize(
    "wrong", [["--guided-counts", "0"], ["--max-calls", "0"], ["--recording", "no-such"]]
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["operators", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")

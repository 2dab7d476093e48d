"""`operators-guided`: a model that knows the rules recovers them, and one that knows nothing does no harm."""

import json

import pytest

from agents.llm.scripted import ScriptedModel
from agents.llm.stub import StubServer
from agents.operators.lifted import Literal
from agents.operators.reading import action_text
from agents.operators.symbolic import learn_symbolically
from experiments.demonstrations import minecraft, traces_of
from experiments.guided_units import SHOTS, ask, shots_of
from experiments.operator_units import LearnUnit, drawn, work
from experiments.recordings import main as recordings
from experiments.run import main
from experiments.true_operators import true_operators

WORDS = minecraft().vocabulary
TRUE = {operator.name: operator for operator in true_operators(minecraft())}
SMALL = ["operators-guided", "--counts", "6", "--states", "1", "--executor", "serial"]


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


def test_a_model_that_knows_the_rules_recovers_what_was_demonstrated():
    symbolic = work(unit("symbolic"))
    guided = ask(unit("guided-resampled"), ScriptedModel(knows), 4)
    assert guided["recovered"] > symbolic["recovered"] and not guided["kept"]
    assert guided["recovered"] + guided["unseen"] >= guided["actions"] - len(guided["wrong_effects"]) - 1
    assert guided["asked"] == guided["operators"] and guided.keys() >= symbolic.keys()


def test_a_model_that_knows_nothing_changes_nothing():
    symbolic = work(unit("symbolic"))
    for method, each in (("guided", 1), ("guided-resampled", 6)):
        found = ask(unit(method), ScriptedModel(lambda messages, sample, seed: "no"), 2)
        assert found["recovered"] == symbolic["recovered"] and found["kept"] == found["operators"]
        assert found["asked"] == each * found["operators"]


def test_refuted_proposals_are_asked_for_again_only_with_resampling():
    def greedy(messages, sample, seed):
        """At first asks for something that never holds."""
        text = knows(messages, sample, seed)
        never = Literal("tile-up", ("?t", "?t"))
        return text if len(messages) > 2 else text.replace("(agent-at ?t)", f"(agent-at ?t) {never}", 1)

    blind, seeing = (ask(unit(m), ScriptedModel(greedy), 2) for m in ("guided", "guided-resampled"))
    assert seeing["recovered"] > blind["recovered"] and seeing["asked"] > blind["asked"]


def test_examples_are_true_operators_that_complete_what_was_learned():
    learned = learn_symbolically(traces_of(drawn(0, 0)[:10]))
    shots = shots_of(learned, unit("guided"))
    assert len(shots) == SHOTS and shots == shots_of(learned, unit("guided-resampled"))
    assert all(set(TRUE[s.learned.name].effects) == set(s.true.effects) for s in shots)


def test_the_study_holds_all_methods_and_can_be_replayed(tmp_path, monkeypatch, capsys):
    live, again = tmp_path / "live", tmp_path / "again"
    with StubServer(knows) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        at = ["--model", "stub", "--base-url", server.url, "--out", str(live)]
        assert main([*SMALL, *at]) == 0 and main([*SMALL, *at]) == 0
    table = (live / "table.md").read_text("utf-8")
    assert all(f"| {m} | 6 |" in table for m in ("symbolic", "guided", "guided-resampled", "known"))
    assert recordings(["export", str(live), str(tmp_path / "g.jsonl.gz")]) == 0
    assert main([*SMALL, "--recording", str(tmp_path / "g.jsonl.gz"), "--out", str(again)]) == 0
    assert (again / "operators.csv").read_text("utf-8") == (live / "operators.csv").read_text("utf-8")
    assert sum(json.loads(x)["event"] == "unit" for x in (again / "events.jsonl").open(encoding="utf-8")) == 4


@pytest.mark.parametrize("wrong", [["--counts", "0"], ["--env", "grippers"], ["--recording", "no-such"]])
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["operators-guided", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")

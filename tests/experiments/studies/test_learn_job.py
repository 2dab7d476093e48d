"""`learn`: walks and files to a domain, a domain of one's own held against them, and faults in a line."""

import gzip

import pytest

from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import same_rules
from envs.pddl.traces.files import load_traces
from envs.source import read_texts
from experiments.run import main

ONE = ["learn", "--env", "blocksworld", "--walks", "10", "--length", "10", "--turns", "1"]
FEW = [*ONE, "--tasks", "1"]


def test_walks_make_a_domain_and_its_traces_make_it_again(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    assert main([*FEW, "--out", str(one)]) == 0
    assert main(["learn", "--traces", str(one / "traces.jsonl.gz"), "--out", str(other)]) == 0
    assert (one / "domain.pddl").read_bytes() == (other / "domain.pddl").read_bytes()
    assert set(read_domain((one / "domain.pddl").read_text("utf-8")).actions) == {
        "pick-up", "put-down", "stack", "unstack",
    }  # fmt: skip
    assert "Needs, proven: " in (one / "operators.md").read_text("utf-8")
    assert load_traces(one / "traces.jsonl.gz").steps > 50


def test_a_task_goes_by_its_number_or_its_name(tmp_path):
    def seen(task):
        out = tmp_path / task
        assert main([*ONE, "--tasks", task, "--out", str(out)]) == 0
        return gzip.decompress((out / "traces.jsonl.gz").read_bytes())

    named = {task: seen(task) for task in ("3", "p03", "f01", "example", "g1")}
    assert named["3"] == named["p03"]
    assert len({*named.values()}) == 4
    assert main([*ONE, "--tasks", "nothing", "--out", str(tmp_path / "none")]) == 2


def test_several_tasks_are_learned_from_and_others_scored(tmp_path, capsys):
    few = ["--walks", "2", "--length", "6"]
    told = {}
    for name, tasks in (("usual", []), ("named", ["--tasks", "f01", "f02", "f03"]), ("old", ["--task", "1"])):
        arguments = ["learn", "--env", "blocksworld", *few, *tasks, "--out", str(tmp_path / name)]
        assert main([*arguments, "--score-on", "4"]) == 0
        told[name] = capsys.readouterr()
    one, other = (load_traces(tmp_path / name / "traces.jsonl.gz") for name in ("usual", "named"))
    assert len(one.traces) == 3 and [t.same for t in one.traces] == [t.same for t in other.traces]
    assert "task 4: EW " in told["usual"].out and "turn 2 of 2: " in told["usual"].out
    assert "one task only, 1" in told["old"].out and "one task only" not in told["usual"].out
    assert "--task is --tasks now" in told["old"].err


def test_a_domain_is_held_against_what_was_seen(tmp_path):
    text = read_texts("blocksworld", 1).domain
    (tmp_path / "true.pddl").write_text(text, encoding="utf-8")
    assert main([*FEW, "--check", str(tmp_path / "true.pddl"), "--out", str(tmp_path / "good")]) == 0
    wrong = text.replace("(not (holding", "(not (clear", 1)
    assert not same_rules(read_domain(text), read_domain(wrong))
    (tmp_path / "wrong.pddl").write_text(wrong, encoding="utf-8")
    assert main([*FEW, "--check", str(tmp_path / "wrong.pddl"), "--out", str(tmp_path / "bad")]) == 1
    assert "the world executes it" in (tmp_path / "bad" / "check.md").read_text("utf-8")


def test_learned_rules_beyond_literals_can_be_held_against_what_was_seen(tmp_path):
    walks = ["learn", "--env", "pddlgym:quantifiedblocks", "--tasks", "1", "--walks", "10", "--turns", "1"]
    assert main([*walks, "--out", str(tmp_path / "learned")]) == 0
    learned = (tmp_path / "learned" / "domain.pddl").read_text("utf-8")
    assert "exists" in learned or "forall" in learned
    words = (tmp_path / "learned" / "operators.md").read_text("utf-8")
    assert "Needs, as no literal explains what was refused: (or " in words
    for name, text, code in (
        ("same", learned, 0),
        ("less", learned.replace("(holding ?x)", "(on ?x ?x)"), 1),
    ):
        (tmp_path / f"{name}.pddl").write_text(text, "utf-8")
        checked = ["--check", str(tmp_path / f"{name}.pddl"), "--out", str(tmp_path / name)]
        assert main([*walks, *checked]) == code, name


def test_the_rules_of_a_world_of_literals_are_learned_literal_by_literal(tmp_path):
    assert main(["learn", "--env", "termes", "--walks", "10", "--out", str(tmp_path / "out")]) == 0
    learned = read_domain((tmp_path / "out" / "domain.pddl").read_text("utf-8"))
    assert same_rules(learned, read_domain(read_texts("termes", 1).domain))


def test_a_task_without_a_score_has_a_reason(tmp_path, capsys):
    actions = "".join(
        f"(:action {a} :parameters (?x) :precondition ({p} ?x) :effect (r))" for a, p in ("ap", "bq")
    )
    rules = f"(define (domain d) (:predicates (p ?x) (q ?x) (r)) {actions})"
    (tmp_path / "domain.pddl").write_text(rules, encoding="utf-8")
    for number, facts in ((1, "(p x)"), (2, "(q x)"), (3, "")):
        text = f"(define (problem t) (:domain d) (:objects x y) (:init {facts}) (:goal (r)))"
        (tmp_path / f"p{number:02}.pddl").write_text(text, encoding="utf-8")
    few = ["--tasks", "1", "--walks", "1", "--score-on", "2", "3", "--out", str(tmp_path / "out")]
    assert main(["learn", "--env", str(tmp_path), *few]) == 0
    printed = capsys.readouterr().out
    assert "task 2: EW –: none of the learned actions can run at its start" in printed
    assert "task 3: EW –: nothing can be done in the world" in printed


def test_actions_that_a_domain_lacks_are_told(tmp_path):
    text = read_texts("blocksworld", 1).domain
    start = text.index("(:action", text.rindex("(:action"))
    (tmp_path / "less.pddl").write_text(text[:start] + ")", encoding="utf-8")
    (tmp_path / "other.pddl").write_text(read_texts("termes", 1).domain, encoding="utf-8")
    for name, lacking in (("less", 1), ("other", 4)):
        out = tmp_path / name
        assert main([*FEW, "--check", str(tmp_path / f"{name}.pddl"), "--out", str(out)]) == 1
        assert (out / "check.md").read_text("utf-8").count("there is no such action") == lacking


def test_a_bias_is_named_as_it_is_written_about(tmp_path):
    for bias in ("safe", "plain", "smallest"):
        assert main([*FEW, "--bias", bias, "--out", str(tmp_path / bias)]) == 0


def test_learning_by_name_explains_its_steps(tmp_path):
    assert main([*FEW, "--by-name", "--out", str(tmp_path / "named")]) == 0


@pytest.mark.parametrize(
    "wrong",
    [[], ["--env", "nowhere"], ["--env", "termes", "--observed", "0"], [*FEW[1:], "--score-on", "nothing"]],
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert main(["learn", *wrong, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("given", [["--traces"], [*FEW[1:], "--check"]])
@pytest.mark.parametrize("name", ["none.jsonl", "."])
def test_files_that_are_none_are_named(given, name, tmp_path, capsys):
    path = str(tmp_path / name)
    assert main(["learn", *given, path, "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {path}: it cannot be read: ")


def test_broken_files_are_named_with_their_line(tmp_path, capsys):
    (tmp_path / "t.jsonl").write_text('{"format": "traces"', encoding="utf-8")
    assert main(["learn", "--traces", str(tmp_path / "t.jsonl"), "--out", str(tmp_path / "out")]) == 2
    assert "t.jsonl:1: " in capsys.readouterr().err
    (tmp_path / "t.csv").write_text("trace,operator,executable\n", encoding="utf-8")
    assert main(["learn", "--traces", str(tmp_path / "t.csv"), "--out", str(tmp_path / "out")]) == 2
    assert "--words" in capsys.readouterr().err

"""Repair as a partner: what one answer of the language model leaves wrong is repaired from walks alone."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gripper_answers import FIRST_DOMAINS, MENDED, TASKS, answer, problem_text

from agents.draft import DomainDraft
from agents.llm.interface import Completion, Message
from agents.llm.stub import StubServer
from agents.proposal import Proposal
from agents.refine import read_domain_reply
from agents.repair.ledger import Entry
from agents.repair.proposals import (
    MAX_EVIDENCE,
    edits_in_words,
    note_of,
    proved_wrong,
    repaired_proposal,
    unsettled_in_words,
)
from agents.repair.repair import repair
from agents.repair.repaired import Repaired, RepairVerdict
from agents.repair.session import RepairConfig, RepairTask
from agents.texts import WorldTexts
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.render import render_domain
from envs.pddl.language.terms import Part, same_rules
from envs.source import read_texts
from envs.world import open_world
from ew.walks.world_walks import Evidence
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.methods.registry import METHODS
from experiments.methods.repair_step import BETWEEN, ONCE, GivenProblem, Repairer, Shared
from experiments.run import main
from search.executors import SerialExecutor
from search.nodes import Node
from search.process_executor import ProcessExecutor

#: `pick` asks for too little and leaves the gripper free.
CARELESS = FIRST_DOMAINS[0]
#: The same, and with no way to say whether a gripper is free: no edit of literals repairs that.
LACKING = CARELESS.replace('"(free ?r - robot ?g - gripper)", ', "").replace('"(free ?r ?g)", ', "")
#: A budget in which nothing is settled that takes long.
SMALL = replace(BETWEEN, queries=400, expansions=5, most_expansions=5, constraints_s=2)


def careless(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """Whatever is asked about the domain, the answer is the careless one."""
    if "def modify_action" in messages[-1].content or "Reason about the cause" in messages[-1].content:
        return Completion(CARELESS)
    return answer(messages, index, seed)


def refining(first: str) -> Callable[..., str]:
    """The first answer about the domain is this one, the next is right."""

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        asked = messages[-1].content
        if "Reason about the cause first" in asked:
            return MENDED
        if "def modify_action" in asked:
            return first
        stem = max(TASKS, key=lambda name: asked.rfind(read_texts("grippers", name).task.strip()))
        return f"```pddl\n{problem_text(stem)}\n```"

    return reply


def candidate(reply: str = CARELESS) -> Proposal:
    texts = WorldTexts.of(open_world("grippers", "f01"))
    problem = problem_text("f01").replace("gripper-strips", "grippers")
    root = Proposal(problem, DomainDraft.empty("grippers", texts.types, texts.actions))
    return read_domain_reply(root, (Message("user", "write"),), Completion(reply))


def run(
    out: Path, method: str, reply: Callable[..., Any], *flags: str, executor: str = "serial"
) -> dict[str, Any]:
    """Nodes by id, rows of results, and what the endpoint was asked."""
    with StubServer(reply) as stub:
        where = ("--base-url", stub.url, "--out", str(out), "--executor", executor)
        what = ("--env", "grippers", "--method", method, "--tasks", "2", "--walks", "40", "--t-max", "5")
        assert main([*where, *what, *flags]) == 0
        asked = [body["messages"][-1]["content"] for body in stub.seen.bodies]
    events = [json.loads(line) for line in (out / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    (episode,) = [e for e in events if e["event"] == "episode"]
    return {
        "nodes": {e["id"]: e for e in events if e["event"] == "node"},
        "rows": list(csv.DictReader((out / "results.csv").open(encoding="utf-8"))),
        "tasks": [e for e in events if e["event"] == "task"],
        "asked": asked,
        "episode": episode,
    }


def test_one_answer_and_a_repair_solve_what_one_answer_alone_does_not(tmp_path: Path) -> None:
    chain = run(tmp_path / "chain", "chain", careless, "--turns", "1")
    once = run(tmp_path / "once", "llm-once+repair", careless)
    assert {row["outcome"] for row in chain["rows"]} == {"step_rejected"}
    assert {row["outcome"] for row in once["rows"]} == {"solved"}
    assert once["asked"][:2] == chain["asked"][:2]
    assert list(once["nodes"]) == ["1", "1.1", "1.1.1"] and once["nodes"]["1.1"] | {
        "unit": "", "wall_s": 0
    } == chain["nodes"]["1.1"] | {"unit": "", "wall_s": 0}  # fmt: skip


@pytest.mark.slow
def test_a_repairs_node_tells_its_edits_and_bears_its_queries_and_no_tokens(tmp_path: Path) -> None:
    found = run(tmp_path, "llm-once+repair", careless)
    node, parent = found["nodes"]["1.1.1"], found["nodes"]["1.1"]
    assert node["outcome"] == "SOLVED" and node["reply"] is None and node["asked"] is None
    assert node["spent"] == {"completions": 0, "prompt_tokens": 0, "completion_tokens": 0}
    assert "add (free ?r ?g) to the precondition of pick" in node["feedback"]
    repairer = Repairer("grippers", 0, ONCE)
    alone = repairer(parent["domain"], [GivenProblem("f01", parent["problem"])]).world_queries
    assert node["score"]["world_queries"] > alone > 0
    every = [*found["nodes"].values(), *found["tasks"]]
    assert found["episode"]["world_queries"] == sum(e["score"]["world_queries"] for e in every)


def test_what_was_right_or_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    def unsure(messages: Sequence[Message], index: int, seed: int) -> Any:
        asked_for_domain = "def modify_action" in messages[-1].content
        return "I am not sure what to write." if asked_for_domain else answer(messages, index, seed)

    assert list(run(tmp_path / "right", "llm-once+repair", refining(MENDED))["nodes"]) == ["1", "1.1"]
    silent = run(tmp_path / "silent", "llm-once+repair", unsure)
    assert list(silent["nodes"]) == ["1", "1.1"]
    assert {row["outcome"] for row in silent["rows"]} == {"no_domain"}


@pytest.mark.slow  # test_job tries other executors, test_studies goes on with what was cut
def test_results_do_not_depend_on_the_executor_and_a_cut_run_ends_the_same(tmp_path: Path) -> None:
    other, method = tmp_path / "other", "refine+repair"  # a repair alone is made by a process below
    run(other, method, refining(CARELESS), "--workers", "2", executor="process")
    results = (other / "results.csv").read_bytes()
    with StubServer(refining(CARELESS)) as stub:
        flags = ["--base-url", stub.url, "--env", "grippers", "--method", method, "--tasks", "2"]
        flags += ["--walks", "40", "--t-max", "5", "--out", str(tmp_path / "cut"), "--executor", "serial"]
        assert main(flags) == 0
        assert (tmp_path / "cut" / "results.csv").read_bytes() == results
        cut = tmp_path / "cut" / "events.jsonl"
        lines = cut.read_bytes().splitlines(keepends=True)
        cut.write_bytes(b"".join(lines[:3]))
        asked = stub.seen.requests
        assert main(flags) == 0
        assert stub.seen.requests == asked
    assert (tmp_path / "cut" / "results.csv").read_bytes() == results


@pytest.mark.slow
def test_in_refine_a_repair_that_agrees_saves_the_turn(tmp_path: Path) -> None:
    flags = ("--np", "1", "--nd", "2", "--turns", "6")
    plain = run(tmp_path / "plain", "refine", refining(CARELESS), *flags)
    paired = run(tmp_path / "paired", "refine+repair", refining(CARELESS), *flags)
    assert {row["outcome"] for row in [*plain["rows"], *paired["rows"]]} == {"solved"}
    assert any("Reason about the cause first" in asked for asked in plain["asked"])
    assert not any("Reason about the cause first" in asked for asked in paired["asked"])
    assert len(paired["asked"]) < len(plain["asked"])
    assert [n["id"] for n in paired["nodes"].values() if n["reply"] is None] == ["1.1.1"]


#: What walks cannot show: nobody is ever served.
UNSERVED = """```python
add_or_update_predicates([
    "(origin ?p - passenger ?f - floor)", "(destin ?p - passenger ?f - floor)", "(lift-at ?f - floor)",
    "(above ?f1 - floor ?f2 - floor)", "(boarded ?p - passenger)", "(served ?p - passenger)"])
modify_action("board", ["(lift-at ?f)", "(origin ?p ?f)"], ["(boarded ?p)"])
modify_action("depart", ["(lift-at ?f)", "(destin ?p ?f)", "(boarded ?p)"], ["(not (boarded ?p))"])
modify_action("up", ["(lift-at ?f1)", "(above ?f1 ?f2)"], ["(lift-at ?f2)", "(not (lift-at ?f1))"])
modify_action("down", ["(lift-at ?f1)", "(above ?f2 ?f1)"], ["(lift-at ?f2)", "(not (lift-at ?f1))"])
```"""


def unserved(messages: Sequence[Message], index: int, seed: int) -> str:
    """The right problem of the task named last, and a domain that only the goal speaks against."""
    asked = messages[-1].content
    if "PDDL problem" not in asked or "def modify_action" in asked:
        return UNSERVED
    texts = {name: read_texts("miconic", name) for name in TASKS}
    stem = max(TASKS, key=lambda name: asked.rfind(texts[name].task.strip()))
    return f"```pddl\n{texts[stem].problem}\n```"


@pytest.mark.slow
def test_in_refine_a_model_that_only_the_goal_speaks_against_is_repaired(tmp_path: Path) -> None:
    flags = ("--env", "miconic", "--np", "1", "--nd", "1", "--turns", "4")
    found = run(tmp_path, "refine+repair", unserved, *flags)
    first, second = found["nodes"]["1.1"], found["nodes"]["1.1.1"]
    assert first["outcome"] == "WALKED" and first["score"]["ew"] == 1.0
    assert second["outcome"] == "SOLVED" and second["reply"] is None
    assert "add (served ?p) to the effect of depart" in second["feedback"]


@pytest.mark.slow
def test_in_refine_what_a_repair_cannot_settle_is_told_with_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.methods.refine.BETWEEN", replace(BETWEEN, queries=40))
    found = run(tmp_path, "refine+repair", refining(CARELESS), "--np", "1", "--nd", "1", "--turns", "6")
    (told_once,) = [a for a in found["asked"] if "edits of its literals were tried" in a]
    assert "Proved: without these, something that was observed could not be explained." in told_once
    assert "Reason about the cause first" in told_once
    assert {row["outcome"] for row in found["rows"]} == {"solved"}
    child = found["nodes"]["1.1.1"]
    alone = run(tmp_path / "alone", "refine", refining(CARELESS), "--np", "1", "--nd", "1", "--turns", "6")
    without = alone["nodes"]["1.1.1"]
    assert child["reply"] == without["reply"] and child["domain"] == without["domain"]
    repair_took = child["score"]["world_queries"] - without["score"]["world_queries"]
    assert 0 < repair_took <= 40


@pytest.mark.slow  # test_shared_evidence states it of repairs
def test_in_refine_a_repair_goes_on_from_what_those_of_all_branches_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen comes from other processes and goes to others."""
    few = replace(BETWEEN, queries=280)  # too few for one repair alone
    monkeypatch.setattr("experiments.methods.refine.BETWEEN", few)
    flags = ("--np", "2", "--nd", "1", "--turns", "4", "--workers", "2")
    found = run(tmp_path / "shared", "refine+repair", careless, *flags, executor="process")
    first, later = (
        [n for i, n in found["nodes"].items() if i.count(".") == depth] for depth in (2, 3)
    )  # the language model was asked after the first repairs, and not after the later ones
    assert all("repair" not in n and n["reply"] for n in first)
    assert later and all(n["repair"]["agrees"] and n["outcome"] == "SOLVED" for n in later)
    assert all(n["repair"]["ledger"] and n["repair"]["world_queries"] < few.queries for n in later)
    monkeypatch.setattr("experiments.methods.repair_step.Shared.known", lambda *_: None)
    alone = run(tmp_path / "alone", "refine+repair", careless, *flags)
    assert not any("repair" in n for n in alone["nodes"].values())


def test_a_repair_hears_of_those_whose_children_are_known_and_of_no_others() -> None:
    shared, operators = Shared(), ("(a)", "(b)")
    one, two = (Evidence.of(operators, {(i,): b"x"}) for i in range(2))
    root, other, child = Node("1", None, 0, 0), Node("2", None, 0, 0), Node("1.1", "1", 0, 0)
    found = repair(
        [
            RepairTask(
                open_world("grippers", "f01"),
                read_problem(candidate().problem or "", read_domain(candidate().domain)),
            )
        ],
        np.random.default_rng(0),
        replace(SMALL, queries=20),
    )
    shared.add(root, ["f01"], replace(found, walked=(one,)))
    shared.add(other, ["f01"], replace(found, walked=(two,)))
    assert shared.known((root, other), "f01") is None
    assert shared.known((root, other, child), "f01") == one
    assert shared.known((root, other, child), "f02") is None
    both = (child, Node("2.1", "2", 0, 0))
    assert shared.known(both, "f01") == shared.known(both[::-1], "f01") == one.merged(two)


@pytest.mark.slow
def test_serial_and_process_executors_repair_alike() -> None:
    proposal, repairer = candidate(), Repairer("grippers", 3, BETWEEN)
    call = (repairer, proposal.domain, (GivenProblem("f01", proposal.problem or ""),))
    here = SerialExecutor().submit(*call).result()
    with ProcessExecutor(1) as executor:
        there = executor.submit(*call).result()
    assert replace(here, wall_s=0.0) == replace(there, wall_s=0.0)


def test_a_repaired_draft_is_the_repaired_domain_and_keeps_the_wording_of_the_rest() -> None:
    parent = candidate()
    given = read_problem(parent.problem or "", read_domain(parent.domain))
    found = repair([RepairTask(open_world("grippers", "f01"), given)], np.random.default_rng(0), ONCE)
    child = repaired_proposal(parent, (0,), found)
    assert found.verdict is RepairVerdict.AGREES and child.problem == parent.problem
    assert read_domain(child.domain).actions.keys() == read_domain(found.domain).actions.keys()
    again = repair(
        [
            RepairTask(
                open_world("grippers", "f01"), read_problem(child.problem or "", read_domain(child.domain))
            )
        ],
        np.random.default_rng(0),
    )
    assert again.edits == ()
    touched = {edit.where for edit in found.edits}
    for before, after in zip(parent.draft.actions, child.draft.actions, strict=True):
        assert (before == after) == (before.signature.name not in touched)
    assert child.draft.predicates == parent.draft.predicates
    assert child.key != parent.key and child.messages == parent.messages and child.read_from == ()
    assert all(f"- {edit}" in edits_in_words(note_of(found)) for edit in found.edits)


def test_a_predicate_that_gets_another_parameter_is_declared_so_in_the_proposal() -> None:
    parent = candidate()
    narrow = {"(free ?r - robot ?g - gripper)": "(free ?g - gripper)", "(free ?r ?g)": "(free ?g)"}
    domain = render_domain(read_domain(parent.domain))
    for old, new in narrow.items():
        assert old in domain
        domain = domain.replace(old, new)
    problem = re.sub(r"\(free \S+ (\S+)\)", r"(free \1)", parent.problem or "")
    found = Repaired(RepairVerdict.AGREES, domain, (problem,), (), 0, 0, 0, 0.0)
    child = repaired_proposal(parent, (0,), found)
    assert same_rules(read_domain(child.domain), read_domain(domain))
    assert read_domain(child.domain).vocabulary.predicates["free"] == (("?g", "gripper"),)


@pytest.mark.slow
def test_what_is_told_of_a_repair_is_bounded() -> None:
    parent = candidate(LACKING)
    text = "\n".join(line for line in (parent.problem or "").splitlines() if "(free" not in line)
    given = read_problem(text, read_domain(parent.domain))
    small = replace(SMALL, queries=100)
    found = repair([RepairTask(open_world("grippers", "f01"), given)], np.random.default_rng(0), small)
    words = note_of(found)
    assert found.verdict is not RepairVerdict.AGREES and not words.agrees
    assert len(words.evidence) <= MAX_EVIDENCE and words.evidence in unsettled_in_words(words)
    long = replace(found, evidence=found.evidence * 80)
    assert len(note_of(long).evidence) <= MAX_EVIDENCE


def test_the_bound_holds_a_repair_more() -> None:
    (unit,) = resolve(RunConfig(model="m", method=("chain",), turns=1), ()).units
    chain = METHODS["chain"].bound(unit, 100)
    once = METHODS["llm-once+repair"].bound(unit, 100)
    assert once.calls == chain.calls and once.usage == chain.usage
    assert once.world_queries > chain.world_queries + RepairConfig().queries - 1


def test_changes_that_the_evidence_ruled_out_are_not_recommended() -> None:
    added = Entry("pick", Part.PRECONDITION, "(free ?r ?g)", 0, 3, True, True)
    needed = Entry("drop", Part.PRECONDITION, "(carry ?r ?o ?g)", 2, 0)
    effect = Entry("move", Part.EFFECT, "(at ?r ?to)", 0, 1, False, True)
    unsure = Entry("move", Part.PRECONDITION, "(at ?r ?from)", 0, 0)
    assert proved_wrong((added, needed, effect, unsure)) == {
        "pick: add the precondition (free ?r ?g)",
        "drop: drop the precondition (carry ?r ?o ?g)",
        "move: add the effect (at ?r ?to)",
    }

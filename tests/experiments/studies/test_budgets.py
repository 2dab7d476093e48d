"""Methods at equal budgets: what is found within them, what it costs, and how it is told."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gripper_answers import answer

from agents.draft import DomainDraft
from agents.llm.interface import Message, Usage
from agents.llm.stub import StubServer
from agents.proposal import Proposal
from ew.score.rating import Outcome, Rating
from experiments.config import RunConfig
from experiments.driver.plan import resolve
from experiments.evaluation.evaluate import CandidateEvaluation, evaluate_root
from experiments.methods.searching import SearchBudget
from experiments.reporting.budget_curves import budget_points, budget_tables
from experiments.run import main
from experiments.runs.frames import RunFrames
from experiments.runs.records import EpisodeRecord, NodeRecord, Score, Spent
from experiments.runs.units import Unit
from search.nodes import Node
from search.policies import Algorithm1, Budgeted

SMALL = (
    "--env", "grippers", "--seeds", "0", "--np", "2", "--nd", "3", "--turns", "2", "--tasks", "1", "--walks",
    "20", "--t-max", "5", "--executor", "serial",
)  # fmt: skip
EPISODE = EpisodeRecord(
    "u", "grippers", "tree", 0, "1.1", "WALKED", 0.5, True, 3, 1, 2, Spent(), 9, 1.0, budget_tokens=100
)


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with StubServer(answer) as server:
        yield server


def run(stub: StubServer, out: Path, *flags: str) -> int:
    return main(["budgets", "--base-url", stub.url, "--out", str(out), *SMALL, *flags])


def points(out: Path, kind: str = "tokens") -> list[dict[str, str]]:
    path = out / "tables" / f"solve-rate-against-{kind}.csv"
    return list(csv.DictReader(path.open(encoding="utf-8")))


@pytest.mark.usefixtures("figures")
@pytest.mark.slow  # tests/search/test_budgeted.py states it of searches
def test_a_larger_budget_costs_what_the_smaller_ones_have_not_paid_for(
    stub: StubServer, tmp_path: Path
) -> None:
    methods = ("best-of-n", "repair", "restarts", "tree")
    flags = ["--method", *methods]
    assert run(stub, tmp_path / "all", *flags, "--tokens", "1000", "8000", "16000") == 0
    together = stub.seen.samples
    assert run(stub, tmp_path / "largest", *flags, "--tokens", "16000") == 0
    alone = stub.seen.samples - together
    # Beside the searches there is one task, translated anew for each other domain that was best at a budget.
    assert alone <= together <= alone + 2 * len(methods)
    found = {(int(p["tokens"]), p["method"]): float(p["EW"].split()[0]) for p in points(tmp_path / "all")}
    for method in methods:
        assert found[1000, method] <= found[8000, method] <= found[16000, method]
    drawn = {path.name for path in (tmp_path / "all" / "plots").iterdir()}
    assert drawn >= {"solve-rate-budget-tokens.png", "solve-rate-budget-tokens.svg"}


@pytest.mark.slow
def test_methods_can_be_compared_at_equal_world_queries(stub: StubServer, tmp_path: Path) -> None:
    assert run(stub, tmp_path, "--method", "repair", "tree", "--queries", "1", "100000") == 0
    found = {(int(p["queries"]), p["method"]): p for p in points(tmp_path, "queries")}
    assert found[1, "tree"]["EW"] == "0.00" and found[100000, "tree"]["EW"] == "1.00"
    rows = list(csv.DictReader((tmp_path / "results.csv").open(encoding="utf-8")))
    assert [(r["method"], r["budget_queries"]) for r in rows] == [
        ("repair", "1"), ("repair", "100000"), ("tree", "1"), ("tree", "100000"),
    ]  # fmt: skip
    assert len(list((tmp_path / "models").glob("*-queries-0.domain.pddl"))) >= 2


@pytest.mark.slow
def test_best_of_n_begins_as_the_tree_and_is_never_told_anything(stub: StubServer, tmp_path: Path) -> None:
    assert run(stub, tmp_path, "--method", "tree", "best-of-n", "--tokens", "30000") == 0
    domains = [b for b in stub.seen.bodies if "def modify_action" in str(b["messages"])]
    first = [b for b in domains if "## A problem of this domain" in b["messages"][-1]["content"]]
    roots = {json.dumps(b["messages"]) for b in first}
    seeds = [b["seed"] for b in first]
    assert len(roots) == 1 and len(seeds) == len(set(seeds)) > 2  # both roots are the same text
    assert {b["n"] for b in first} == {3} and {b["temperature"] for b in first} == {0.7}
    # The tree's two first requests served best-of-n too; what the tree was told is all else.
    nodes = events(tmp_path, "node")
    sampled = [n for n in nodes if n["id"].count(".") == 1]
    assert len(first) * 3 == len({(n["unit"], n["id"]) for n in sampled}) - 6


@pytest.mark.slow
def test_what_a_method_takes_does_not_depend_on_who_asked_before(tmp_path: Path) -> None:
    """`refine` asks for some of the samples that the tree asks for."""
    taken = []
    for order in (("tree", "refine"), ("refine", "tree")):
        out = tmp_path / order[0]
        with StubServer(fixed) as server:
            live = ["--base-url", server.url, "--episodes", "1", "--executor", "serial", "--env", "grippers"]
            size = ["--turns", "2", "--tasks", "1", "--walks", "20", "--t-max", "5", "--out", str(out)]
            assert main([*live, *size, "--method", *order]) == 0
        paid = {
            e["method"]: (e["spent"]["completions"], e["spent"]["prompt_tokens"])
            for e in events(out, "episode")
        }
        taken.append(paid)
    assert taken[0] == taken[1]


def fixed(messages: Any, index: int, seed: int) -> Any:
    """An answer that does not depend on the sample."""
    return replace(answer(messages, 0, 0), usage=answer(messages, index, seed).usage)


def test_a_restart_is_begun_when_the_line_before_has_ended_and_is_not_greedy(tmp_path: Path) -> None:
    def stubborn(messages: Any, index: int, seed: int) -> Any:
        """Problems as they should be, and never a domain."""
        said = answer(messages, index, seed)
        return replace(said, text="I am not sure.") if "modify_action" in said.text else said

    with StubServer(stubborn) as server:
        flags = [flag for flag in SMALL if flag not in ("--np", "2", "--nd", "3", "--turns")]
        live = ["budgets", "--base-url", server.url, "--out", str(tmp_path), *flags, "--turns", "2"]
        assert main([*live, "--method", "restarts", "--tokens", "9000"]) == 0
        asked = [b for b in server.seen.bodies if len(b["messages"]) >= 2]
    problems = [i for i, b in enumerate(asked) if "def modify_action" not in str(b["messages"])]
    assert len(problems) > 1 and problems[0] == 0
    assert all(later - earlier == 3 for earlier, later in pairwise(problems))
    assert {b["temperature"] for b in asked[: problems[1]]} == {0.0}
    assert {b["temperature"] for b in asked[problems[1] :]} == {0.7}
    roots = [n["id"] for n in events(tmp_path, "node") if "." not in n["id"]]
    assert roots == [str(i) for i in range(1, len(problems) + 1)]


def events(out: Path, kind: str) -> list[dict[str, Any]]:
    lines = map(json.loads, (out / "events.jsonl").read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["event"] == kind]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--tokens", "0"], "must be positive"),
        (["--budget-tokens", "5"], "--budget-tokens means nothing for budgets"),
        (["--method", "repair", "--np", "3"], "--np and --nd are fixed for repair"),
    ],
)
def test_what_cannot_be_meant_is_one_line(
    flags: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["budgets", "--model", "m", *flags]) == 2
    assert words in capsys.readouterr().err


def unit(**budgets: int) -> Unit:
    return replace(resolve(RunConfig(model="m"), ()).units[0], **budgets)


def node(id: str, problem: str, tokens: int, queries: int) -> Node:
    proposal = Proposal(problem, DomainDraft.empty("d", {}, ()), usage=Usage(tokens - 1, 1))
    if "." not in id:
        return Node(id, None, proposal, evaluate_root(proposal))
    rating = Rating(Outcome.WALKED, 0.5)
    evaluation = CandidateEvaluation(rating, Score(0.5, world_queries=queries), None, None, "", 0.0)
    return Node(id, id[:-2], proposal, evaluation)


def test_without_a_budget_a_policy_is_left_as_it_is() -> None:
    policy, purse = Algorithm1(2, 2), SearchBudget(unit())
    assert purse.hold(policy) is policy and not purse.empty


def test_every_reply_costs_its_tokens_and_equal_candidates_ask_the_world_once() -> None:
    made = [node("1.1", "a", 10, 7), node("1.2", "a", 10, 7), node("1.3", "b", 10, 7)]
    tokens, queries = (SearchBudget(unit(**{name: 30})) for name in ("budget_tokens", "budget_queries"))
    for purse, costs in ((tokens, [10, 10, 10]), (queries, [7, 0, 7])):
        held = purse.hold(Algorithm1(3, 1))
        assert isinstance(held, Budgeted) and [held.cost(n) for n in made] == costs
    assert tokens.empty and not queries.empty


def test_replies_of_a_server_that_counts_no_tokens_cost_what_their_length_says() -> None:
    said = (Message("user", "q" * 100), Message("assistant", "a" * 50))
    uncounted = node("1.1", "a", 1, 7)
    uncounted = replace(uncounted, payload=replace(uncounted.payload, usage=Usage(), messages=said))
    held = SearchBudget(unit(budget_tokens=30)).hold(Algorithm1(1, 1))
    assert isinstance(held, Budgeted) and held.cost(uncounted) == 100 // 2 + 16 + 50 // 2


def test_what_one_search_spent_the_next_one_does_not_have() -> None:
    purse = SearchBudget(unit(budget_tokens=30))
    first = purse.hold(Algorithm1(1, 1))
    next(first.rounds([node("1", "a", 20, 0)]))
    second = purse.hold(Algorithm1(1, 1))
    assert isinstance(second, Budgeted) and second.limit == 10


def test_both_budgets_hold_at_once() -> None:
    held = SearchBudget(unit(budget_tokens=15, budget_queries=10)).hold(Algorithm1(2, 4))
    root = node("1", "a", 5, 0)
    rounds = held.rounds([root])
    next(rounds)
    with pytest.raises(StopIteration) as ended:
        rounds.send([[node("1.1", "a", 5, 9), node("1.2", "b", 5, 9)]])
    assert ended.value.value.id == "1.1"


def test_points_are_the_same_in_any_order_and_tell_what_was_used() -> None:
    other = replace(EPISODE, unit="v", seed=1, solved=2, ew=None)
    made = NodeRecord(
        "u", "1.1", "k", "WALKED", Score(0.5, world_queries=8), None, None, "", None, None, None, 0.0,
        spent=Spent(1, 90, 10),
    )  # fmt: skip
    nodes = (made, replace(made, id="1.2"))
    (point,) = budget_points(RunFrames([EPISODE, other], (), nodes))
    assert budget_points(RunFrames([other, EPISODE], (), nodes)) == (point,)
    assert (point.solved.mean, point.ew.mean, point.tokens, point.queries) == (0.75, 0.25, 100.0, 4.0)
    assert budget_points(RunFrames([replace(EPISODE, budget_queries=5)])) == ()
    assert budget_points(RunFrames([replace(EPISODE, budget_tokens=None)])) == () and budget_tables([]) == ()

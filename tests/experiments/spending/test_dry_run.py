"""A dry run's numbers are bounds of what runs really took, and finding them asks nobody anything."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from gripper_answers import answer

from agents.llm.interface import Message, Usage, most_prompt_tokens, most_tokens
from agents.llm.journal import Journal
from agents.llm.recording import load_recording
from agents.llm.stub import StubServer
from experiments.config import RunConfig, parse
from experiments.driver.models import longest_answer, model_names, prices_of
from experiments.driver.plan import resolve, resolve_cells
from experiments.methods.registry import ABLATIONS, IN_ORDER
from experiments.recordings import packaged, shelf
from experiments.run import main
from experiments.spending.caps import Price, Prices
from experiments.spending.dry_run import Most, bounds_table, caps_that_bite, upper_bounds

SMALL = (
    "--env", "grippers", "--turns", "2", "--tasks", "3", "--walks", "40", "--t-max", "5", "--model", "stub",
    "--max-tokens", "500",
)  # fmt: skip


def most_of(config: RunConfig) -> Most:
    plan = resolve_cells([config], shelf(config.recording), IN_ORDER)
    _, prices = prices_of(plan.config, model_names(plan))
    return sum(upper_bounds(plan, prices).values(), Most())


#: A recording each of searches, of answers without a model, of translations and of world models.
QUICK = ("default", "intrinsic", "tic-ic", "worldmodel-logistics")


@pytest.mark.parametrize(
    "recording",
    [pytest.param(r.name, marks=() if r.name in QUICK else pytest.mark.slow) for r in packaged() if r.covers],
)
def test_no_packaged_run_took_more_than_its_bound(recording: str) -> None:
    (shelved,) = shelf(recording)
    covers = shelved.covers
    most = sum(
        (most_of(parse(("--recording", recording, "--env", c.env, "--method", c.method))) for c in covers),
        Most(),
    )
    calls = prompts = answers = 0
    for entry in load_recording(shelved.path).requests:
        messages = [Message(m["role"], m["content"]) for m in entry.request["messages"]]
        calls += len(entry.replies)
        prompts += len(entry.replies) * most_prompt_tokens(messages)
        answers += sum(most_tokens(reply.text) for reply in entry.replies.values())
    assert 0 < calls <= most.bound.calls
    assert prompts <= most.bound.usage.prompt_tokens and answers <= most.bound.usage.completion_tokens


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(("--method", "tree", "--np", "2", "--nd", "3"), marks=pytest.mark.slow),
        ("--method", "tree-domprop", "--np", "2", "--nd", "2", "--protocol", "apart"),
        ("--method", "tree", "--np", "2", "--nd", "3", "--feedback", "shortest", "--estimator", "survival"),
        pytest.param(("--method", "chain", "intrinsic", "--seeds", "0", "1"), marks=pytest.mark.slow),
        pytest.param(
            ("--method", "refine", "refine-no-problems", "best-of-n", "--np", "2", "--nd", "2"),
            marks=pytest.mark.slow,
        ),
        ("--method", "refine", "--np", "1", "--nd", "2"),
        ("--method", "repair", "restarts"),
    ],
)
def test_no_live_run_takes_more_than_its_bound(flags: tuple[str, ...], tmp_path: Path) -> None:
    most = most_of(parse((*SMALL, *flags)))
    with StubServer(answer) as stub:
        where = ("--base-url", stub.url, "--executor", "serial", "--out", str(tmp_path))
        job = ["study-ablation"] if set(flags) & set(ABLATIONS) else []
        assert main([*job, *where, *SMALL, *flags]) == 0
    with Journal(tmp_path / "calls.sqlite", read_only=True) as journal:
        made = [call.completion for call in journal.calls() if call.completion is not None]
    usage = sum((completion.usage for completion in made), Usage())
    assert 0 < len(made) <= most.bound.calls
    assert usage.prompt_tokens <= most.bound.usage.prompt_tokens
    assert usage.completion_tokens <= most.bound.usage.completion_tokens
    summaries = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["summaries"]
    assert sum(s["world_queries"] for s in summaries) <= most.bound.world_queries
    assert sum(s["candidates"] for s in summaries) <= most.candidates


@pytest.mark.slow
def test_a_full_tree_meets_its_bound_of_calls_exactly(tmp_path: Path) -> None:
    """No answer is ever right or repeated, so every branch uses every turn."""
    numbers = Counter[str]()

    def never_right(messages: list[Message], index: int, seed: int) -> str:
        numbers["calls"] += 1
        text = answer(messages, 0, 0).text
        if "def modify_action" not in messages[-1].content and "Reason about" not in messages[-1].content:
            return text
        predicate = f"(unused{numbers['calls']} ?r - robot)"
        return answer([Message("user", "def modify_action")], 0, 0).text.replace(
            '"(free ?r - robot', f'"{predicate}", "(free ?r - robot'
        )

    flags = (*SMALL, "--method", "tree", "--np", "2", "--nd", "2", "--protocol", "paper")
    flags += ("--tasks", "2", "--walks", "10")
    with StubServer(never_right) as stub:
        where = ("--base-url", stub.url, "--executor", "serial", "--out", str(tmp_path))
        assert main([*where, *flags]) == 0
        assert stub.seen.samples == most_of(parse(flags)).bound.calls == 2 + 2 * 2 * 2 + 1


def test_a_dry_run_asks_nobody_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with StubServer(answer) as stub:
        assert main(["--dry-run", "--base-url", stub.url, "--env", "grippers", "--tasks", "2"]) == 0
        assert stub.seen.requests == 0
    assert main(["--dry-run", "--llm", "live"]) == 0
    assert main(["--dry-run"]) == 0
    assert list(tmp_path.iterdir()) == [] and "215" in capsys.readouterr().out


def test_cost_and_the_caps_that_may_end_the_run_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"*": {"prompt": 1, "completion": 2}, "currency": "USD"}', encoding="utf-8")
    flags = ["--dry-run", "--model", "m", "--env", "grippers", "--method", "intrinsic", "chain"]
    caps = ["--max-calls", "24", "--max-tokens-total", "10000000", "--max-cost", "0.01", "--max-wall-s", "1"]
    assert main([*flags, *caps, "--prices", str(prices)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"all +2 +20 +4 .* USD", said)
    assert "--max-calls 24 may end the run early: it takes 25 at most" in said
    assert "--max-cost 0.01 may" in said and "--max-tokens" not in said and "--max-wall" not in said


def test_the_bound_grows_with_every_number_that_it_depends_on() -> None:
    plan = resolve(parse((*SMALL, "--method", "tree", "--np", "2", "--nd", "2")), ())
    (least,) = upper_bounds(plan, {plan.units[0].answers: None}).values()
    for more in (("--np", "3"), ("--nd", "3"), ("--turns", "3"), ("--tasks", "4"), ("--seeds", "0", "1")):
        larger = resolve(parse((*SMALL, "--method", "tree", "--np", "2", "--nd", "2", *more)), ())
        (most,) = upper_bounds(larger, {larger.units[0].answers: None}).values()
        assert most.bound.calls > least.bound.calls and most.amount.tokens > least.amount.tokens


def test_the_table_sums_up_and_an_uncapped_run_has_nothing_to_fear() -> None:
    plan = resolve(parse((*SMALL, "--method", "chain", "intrinsic")), ())
    price = Price(1.0, 1.0)
    bounds = upper_bounds(plan, {plan.units[0].answers: price})
    table = bounds_table(bounds, Prices({"stub": price}))
    assert [row[:2] for row in table.rows] == [
        ("grippers", "chain"),
        ("grippers", "intrinsic"),
        ("all", ""),
    ]
    assert caps_that_bite(plan, bounds.values()) == [] and longest_answer(plan.config) == 500
    assert sum(most.cost for most in bounds.values()) == pytest.approx(
        sum(most.amount.tokens for most in bounds.values()) / 1e6
    )

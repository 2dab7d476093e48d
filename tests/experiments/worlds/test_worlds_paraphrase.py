"""`paraphrase`: texts in other words, from models that keep the facts, change one, or write garbage."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from agents.llm.interface import Message
from agents.llm.stub import StubServer
from agents.paraphrase import difference
from envs.intermediate.gold_ir import gold_ir
from envs.intermediate.knowledge import read_knowledge
from envs.pddl.language.domain import Problem, read_domain, read_problem, read_vocabulary
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts, text_level
from envs.variants import Level
from envs.verbalisation.reader import ExplicitReader
from envs.world import open_world
from experiments.driver.plan import tasks_there
from experiments.run import main as run
from experiments.worlds.__main__ import main
from experiments.worlds.files import REPORT

WORLD = "blocksworld"
ASKED = "Here is the text of a planning task:"
Reply = Callable[[Sequence[Message], int, int], str]


def original(stem: str) -> str:
    return read_texts(WORLD, stem).task


def turned(text: str) -> str:
    """The same facts in another order, which an honest reader of such texts reads alike."""
    blocks = [block.splitlines() for block in text.split("\n\n")]
    found = []
    for lines in blocks:
        heads = [line for line in lines if not line.startswith("- ")]
        found.append("\n".join([*heads[:1], *reversed([s for s in lines if s.startswith("- ")]), *heads[1:]]))
    return "\n\n".join(found)


def reader(question: str) -> str:
    """A model that writes down as a program just what the text says."""
    task = question.rpartition("Description:\n")[2].partition("\n## What to write")[0].strip()
    texts = read_texts(WORLD, 1)
    facts = ExplicitReader(read_vocabulary(texts.domain), texts.words).read(task)
    return f"```asp\n{gold_ir(WORLD, facts)}\n```"


def writer(rewrite: Callable[[str], str]) -> Reply:
    """A model that puts texts into other words so, and reads honestly."""

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        question = next(m.content for m in messages if m.role == "user")
        if not question.startswith(ASKED):
            return reader(question)
        return f"```text\n{rewrite(question.split('```')[1].removeprefix('text').strip())}\n```"

    return reply


def lying(text: str) -> str:
    """Task p02 with two blocks exchanged, in the goal alone."""
    if text.strip() != original("p02").strip():
        return turned(text)
    head, mark, goal = turned(text).partition("Your goal")
    return head + mark + goal.replace("b1", "b0").replace("b2", "b1").replace("b0", "b2")


@pytest.fixture
def serve() -> Iterator[Callable[[Reply], StubServer]]:
    with ExitStack() as stack:
        yield lambda reply: stack.enter_context(StubServer(reply))


def command(tmp_path: Path, server: StubServer | None, *flags: str, out: str = "other") -> int:
    asked = ["--base-url", server.url] if server else []
    places = ["--out", str(tmp_path / out), "--calls", str(tmp_path / "calls")]
    return main(["paraphrase", "--env", WORLD, *places, *asked, *flags])


def told(tmp_path: Path, out: str = "other") -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((tmp_path / out / REPORT).read_text())["tasks"]
    return found


def test_a_model_that_keeps_the_facts_makes_a_world_of_given_texts(
    tmp_path: Path, serve: Callable[[Reply], StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(writer(turned))
    assert command(tmp_path, server, "--tasks", "p01", "p02", "f01", "example") == 0
    assert "4 of 4 texts in other words" in capsys.readouterr().out
    assert server.seen.requests == 8
    folder = tmp_path / "other"
    for stem in ("p01", "p02", "f01", "example"):
        texts = read_texts(str(folder), stem)
        assert texts.task == turned(original(stem)).strip() != original(stem).strip()
        assert texts.problem == read_texts(WORLD, stem).problem
    assert open_world(str(folder), 1).task == turned(original("p01")).strip()
    assert all(entry["written"] and entry["faults"] == [] for entry in told(tmp_path).values())
    assert main(["check", str(folder)]) == 0
    assert tasks_there(str(folder), asks=True) == 2 and text_level(str(folder), 1) is Level.GIVEN
    line = f"{folder}: 4 of 4 texts in other words; {REPORT} has all"
    assert command(tmp_path, server, "--tasks", "p01", "p02", "f01", "example") == 0
    assert line in capsys.readouterr().out and server.seen.requests == 8


def test_a_text_that_was_deleted_is_written_again(
    tmp_path: Path, serve: Callable[[Reply], StubServer]
) -> None:
    server, text = serve(writer(turned)), tmp_path / "other" / "p01.nl"
    assert command(tmp_path, server, "--tasks", "p01", "p02") == 0
    written = text.read_text(encoding="utf-8")
    text.unlink()
    assert command(tmp_path, server, "--tasks", "p01", "p02") == 0
    assert text.read_text(encoding="utf-8") == written


def test_the_ir_of_an_example_comes_with_it_and_states_what_its_text_does(
    tmp_path: Path, serve: Callable[[Reply], StubServer]
) -> None:
    url, calls = serve(lambda *_: "nothing").url, str(tmp_path / "calls")
    flags = ["--tries", "1", "--base-url", url]
    published = tmp_path / "published"
    published.mkdir()
    for name in ("domain.pddl", "domain.nl", "words.json", "example.pddl", "example.lp"):
        target = published / name.replace("example", "p_example")
        target.write_bytes((WORLDS_FOLDER / WORLD / name).read_bytes())
    (published / "p_example.nl").write_text(original("example"), encoding="utf-8")
    for env, stem in ((str(published), "p_example"), ("termes+terse", "example")):
        out = tmp_path / stem
        asked = ["--env", env, "--out", str(out), "--calls", f"{calls}-{stem}", *flags]
        assert main(["paraphrase", *asked, "--tasks", stem]) == 1
        ir = (out / f"{stem}.lp").read_text(encoding="utf-8")
        assert ir == read_knowledge(f"{env}+given" if stem == "p_example" else env).example_ir
    assert "max_height(" in ir


@pytest.mark.slow
def test_the_folder_runs_on_its_own_texts(tmp_path: Path, serve: Callable[[Reply], StubServer]) -> None:
    server, folder = serve(writer(turned)), str(tmp_path / "other")
    assert command(tmp_path, server, "--tasks", "p01", "p02") == 0
    flags = ["--executor", "serial", "--method", "tic-g1", "--seeds", "0", "--base-url", server.url]
    assert run(["tic", *flags, "--env", folder, "--out", str(tmp_path / "tic")]) == 0
    rows = list(csv.DictReader((tmp_path / "tic" / "tic.csv").open(encoding="utf-8")))
    assert [(r["level"], r["task"], r["equality"], r["outcome"]) for r in rows] == [
        ("given", task, "equivalent", "solved") for task in ("1", "2")
    ]
    asked = [body["messages"][-1]["content"] for body in server.seen.bodies]
    assert all(any(turned(original(stem)).strip() in text for text in asked[-2:]) for stem in ("p01", "p02"))


def test_a_changed_fact_is_caught_and_another_seed_asks_for_that_text_alone(
    tmp_path: Path, serve: Callable[[Reply], StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(writer(lying))
    assert command(tmp_path, server, "--tasks", "p01", "p02", "--tries", "2") == 1
    out = capsys.readouterr().out
    assert "1 of 2 texts in other words; without a text: p02" in out and "p02: no text passed, 2 drawn" in out
    found = told(tmp_path)["p02"]
    assert not found["written"] and len(found["faults"]) == 2  # type: ignore[arg-type]
    assert "read back, it differs" in str(found["faults"])
    assert not (tmp_path / "other" / "p02.nl").exists() and (tmp_path / "other" / "p02.pddl").is_file()
    first = (tmp_path / "other" / "p01.nl").read_bytes()
    honest = serve(writer(turned))
    assert command(tmp_path, honest, "--tasks", "p01", "p02", "--seed", "1") == 0
    assert honest.seen.requests == 2 and (tmp_path / "other" / "p01.nl").read_bytes() == first


@pytest.mark.parametrize(
    ("rewrite", "fault"),
    [
        (lambda text: "Once upon a time there were some blocks.", "read back, it is no problem (refused)"),
        (lambda text: text, "the text is the original, word for word"),
        (lambda text: "(define (problem p) (:domain blocks))", "the text holds PDDL"),
        (lambda text: "", "block is empty"),
    ],
)
def test_garbage_is_listed_with_its_reason(
    tmp_path: Path, serve: Callable[[Reply], StubServer], rewrite: Callable[[str], str], fault: str
) -> None:
    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        question = next(m.content for m in messages if m.role == "user")
        return writer(rewrite)(messages, index, seed) if question.startswith(ASKED) else "```asp\n(((\n```"

    server = serve(reply)
    flags = ("--tasks", "p01", "--tries", "1", "--corrections", "0")
    assert command(tmp_path, server, *flags) == 1
    (entry,) = told(tmp_path).values()
    assert fault in str(entry["faults"]) and not list((tmp_path / "other").glob("p*.nl"))


def test_the_recorded_calls_make_the_same_folder_again(
    tmp_path: Path, serve: Callable[[Reply], StubServer]
) -> None:
    assert command(tmp_path, serve(writer(turned)), "--tasks", "p01", "p02") == 0
    again = ["--out", str(tmp_path / "again"), "--calls", str(tmp_path / "calls2")]
    recorded = ["--recording", str(tmp_path / "calls"), "--tasks", "p01", "p02"]
    assert main(["paraphrase", "--env", WORLD, *again, *recorded]) == 0
    for path in (tmp_path / "other").iterdir():
        if path.name != REPORT:
            assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_a_cap_ends_it_and_what_was_finished_is_kept(
    tmp_path: Path, serve: Callable[[Reply], StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(writer(turned))
    flags = ("--tasks", "p01", "p02", "--concurrency", "1")
    assert command(tmp_path, server, *flags, "--max-calls", "3") == 3
    assert "calls" in capsys.readouterr().err and (tmp_path / "other" / "p01.nl").is_file()
    assert command(tmp_path, server, *flags) == 0
    assert server.seen.requests == 4


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--env", WORLD], "a folder to make with --out"),
        (["--env", WORLD, "--out", "OUT", "--tasks", "p99"], "p99"),
        (["--env", f"{WORLD}+anonymised", "--out", "OUT"], "no other suffix"),
        (["--env", WORLD, "--out", "OUT", "--tries", "0"], "--tries must be at least 1"),
        (["--env", WORLD, "--out", "FULL"], "did not write"),
        (["--env", WORLD, "--out", "OUT"], "name a model"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], words: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    places = {"OUT": str(tmp_path / "out"), "FULL": str(tmp_path / "full")}
    calls = ["--calls", str(tmp_path / "calls")]
    assert main(["paraphrase", *(places.get(flag, flag) for flag in flags), *calls]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and words in error and error.count("\n") == 1


def problem(goal: str, names: str = "a b c") -> Problem:
    """A task that two of three blocks are exchanged in, by the names of its objects."""
    first, second, third = names.split()
    text = f"""(define (problem p) (:domain blocks) (:objects {names})
        (:init (on {first} {second}) (ontable {second}) (ontable {third}) (clear {first}) (clear {third})
            (handempty))
        (:goal {goal}))"""
    return read_problem(text, DOMAIN)


DOMAIN = read_domain(read_texts(WORLD, 1).domain)


def test_named_objects_keep_their_names_and_others_need_not() -> None:
    truth, renamed = problem("(on b c)"), problem("(on y z)", "x y z")
    assert difference(truth, truth, "a, b and c") == ""
    assert difference(renamed, truth, "three blocks") == ""
    assert "named a" in difference(renamed, truth, "the block a and two others")
    partly = problem("(on y c)", "x y c")
    assert difference(partly, truth, "block c and two others") == ""


def two_blocks(goal: str) -> Problem:
    init = "(ontable a) (ontable b) (clear a) (clear b) (handempty)"
    text = f"(define (problem p) (:domain blocks) (:objects a b) (:init {init}) (:goal {goal}))"
    return read_problem(text, DOMAIN)


def test_an_exchange_that_only_names_show_is_caught() -> None:
    truth, exchanged = two_blocks("(on a b)"), two_blocks("(on b a)")
    assert difference(exchanged, truth, "two blocks") == ""
    assert "differs in goal" in difference(exchanged, truth, "the blocks a and b")

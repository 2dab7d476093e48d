"""`describe`: a folder of PDDL gets texts from a model that tells the truth, lies, or breaks off."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from agents.llm.faults import Behaviour, Fault
from agents.llm.interface import Message
from agents.llm.stub import StubServer
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.world import open_world
from experiments.worlds.__main__ import main
from experiments.worlds.files import SIDECAR

WORLD, STEMS = "miconic", ("p01", "p02")
WRITTEN = ("domain.nl", "words.json", "p01.nl", "p02.nl")
Reply = Callable[[Sequence[Message], int, int], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with PDDL alone."""
    path = tmp_path / "mine"
    path.mkdir()
    for name in ("domain.pddl", *(f"{stem}.pddl" for stem in STEMS)):
        shutil.copyfile(WORLDS_FOLDER / WORLD / name, path / name)
    return path


def file(name: str) -> str:
    return (WORLDS_FOLDER / WORLD / name).read_text(encoding="utf-8")


def told(stem: str) -> str:
    return read_texts(f"{WORLD}+explicit", stem).task


def author(messages: Sequence[Message], index: int, seed: int) -> str:
    """A model that knows the world's own texts, and reads texts without fault."""
    questions = [m.content for m in messages if m.role == "user"]
    question = next(q for q in reversed(questions) if "## What to write" in q)
    if question.startswith("Describe the environment"):
        return f"```text\n{file('domain.nl')}```"
    if question.startswith("Write the words"):
        return f"```json\n{file('words.json')}```"
    if question.startswith("Put a task"):
        return next(f"```text\n{told(s)}\n```" for s in STEMS if file(f"{s}.pddl").strip() in question)
    assert question.startswith("Write down the facts")
    return next(f"```pddl\n{file(f'{s}.pddl')}```" for s in STEMS if told(s) in question)


def asked_for(start: str, instead: str) -> Reply:
    """The author, but for requests that start so."""

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        question = next(m.content for m in reversed(messages) if "## What to write" in m.content)
        return instead if question.startswith(start) else author(messages, index, seed)

    return reply


def file_with_a_slot_too_many() -> str:
    return file("words.json").replace("{1}", "{5}", 1)


@pytest.fixture
def serve() -> Iterator[Callable[..., StubServer]]:
    with ExitStack() as stack:
        yield lambda reply, behaviour=None: stack.enter_context(StubServer(reply, behaviour))


def describe(folder: Path, server: StubServer, *flags: str) -> int:
    out = folder.parent / "calls"
    return main(["describe", str(folder), "--base-url", server.url, "--out", str(out), *flags])


def test_a_folder_of_pddl_becomes_a_world(
    folder: Path, serve: Callable[..., StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert describe(folder, server) == 0
    assert "4 of 4 texts are good" in capsys.readouterr().out
    assert server.seen.requests == 6  # a description, the words, and two texts that are each read back
    for stem in STEMS:
        assert open_world(str(folder), stem).task == told(stem)
    assert open_world(str(folder), 1).describe() == open_world(WORLD, 1).describe()
    marks = (folder / SIDECAR).read_text(encoding="utf-8")
    assert marks.startswith("# Machine-made") and all(f"- {name}: good (stub)" in marks for name in WRITTEN)
    assert main(["check", str(folder)]) == 0


def test_nothing_that_is_there_is_overwritten_or_asked_for(
    folder: Path, serve: Callable[..., StubServer]
) -> None:
    (folder / "p01.txt").write_text(told("p01"), encoding="utf-8")
    (folder / "domain.md").write_text("My own words: up, down, board and depart.", encoding="utf-8")
    server = serve(author)
    assert describe(folder, server) == 0
    assert sorted(p.name for p in folder.iterdir() if p.suffix in (".nl", ".txt")) == ["p01.txt", "p02.nl"]
    assert server.seen.requests == 3
    assert "My own words" in server.seen.bodies[1]["messages"][1]["content"]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert describe(folder, server) == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert server.seen.requests == 3


def test_the_recorded_calls_give_the_same_texts_again(
    folder: Path, serve: Callable[..., StubServer], tmp_path: Path
) -> None:
    again = tmp_path / "again" / "mine"
    shutil.copytree(folder, again)
    assert describe(folder, serve(author)) == 0
    assert main(["describe", str(again), "--recording", str(tmp_path / "calls")]) == 0
    for name in WRITTEN:
        assert (again / name).read_bytes() == (folder / name).read_bytes()
    assert "recording calls" in (again / SIDECAR).read_text(encoding="utf-8")


def test_a_text_that_says_something_else_is_written_and_reported(
    folder: Path, serve: Callable[..., StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    fact = "(origin passenger1 floor7)"
    lie = "\n".join(
        line for line in told("p01").splitlines() if not ("passenger1" in line and "floor7" in line)
    )
    read = file("p01.pddl").replace(fact, "", 1)
    assert len(read) < len(file("p01.pddl")) and lie.count("\n- ") == told("p01").count("\n- ") - 1

    def reply(messages: Sequence[Message], index: int, seed: int) -> str:
        question = next(m.content for m in reversed(messages) if "## What to write" in m.content)
        if question.startswith("Put a task") and file("p01.pddl").strip() in question:
            return lie
        return read if lie in question else author(messages, index, seed)

    server = serve(reply)
    assert describe(folder, server, "--attempts", "2") == 1
    out = capsys.readouterr().out
    assert "p01.nl: doubtful" in out and "p02.nl: good" in out and "3 of 4" in out
    report = f"the initial fact {fact} was not found in the text"
    assert report in out and report in (folder / SIDECAR).read_text(encoding="utf-8")
    assert report in server.seen.bodies[4]["messages"][-1]["content"]
    assert (folder / "p01.nl").read_text(encoding="utf-8").strip() == lie.strip()


@pytest.mark.parametrize(
    ("start", "instead", "missing"),
    [
        ("Describe", "I see no file.", WRITTEN),
        ("Write the words", "```json\n{broken\n```", ("words.json",)),
        ("Write the words", file_with_a_slot_too_many(), ("words.json",)),
        ("Put a task", "```pddl\n(define (problem p)\n```", ("p01.nl", "p02.nl")),
        ("Write down", "I would rather not.", ()),
    ],
)
def test_garbage_is_reported_and_never_written(
    folder: Path,
    serve: Callable[..., StubServer],
    capsys: pytest.CaptureFixture[str],
    start: str,
    instead: str,
    missing: tuple[str, ...],
) -> None:
    assert describe(folder, serve(asked_for(start, instead)), "--attempts", "2") == 1
    assert tuple(name for name in WRITTEN if not (folder / name).exists()) == missing
    out = capsys.readouterr().out
    assert "unchecked" in out if not missing else f"still missing: {' '.join(missing)}" in out
    assert (folder / SIDECAR).is_file()


def test_the_same_command_goes_on_where_the_answers_were_cut_off(
    folder: Path, serve: Callable[..., StubServer]
) -> None:
    cut = serve(author, Behaviour([Fault.LENGTH]))
    assert describe(folder, cut, "--attempts", "1") == 1
    assert not (folder / "domain.nl").exists()
    assert "cut off at the token limit" in (folder / SIDECAR).read_text(encoding="utf-8")
    assert describe(folder, serve(author), "--attempts", "1") == 0
    assert all((folder / name).exists() for name in WRITTEN)


def test_a_server_that_fails_leaves_what_was_written(
    folder: Path, serve: Callable[..., StubServer], capsys: pytest.CaptureFixture[str]
) -> None:
    assert describe(folder, serve(author, Behaviour([Fault.NONE, Fault.AUTH]))) in (2, 3)
    assert (folder / "domain.nl").exists() and not (folder / "words.json").exists()
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("spoil", "flags", "words"),
    [
        (None, [], "--model, a server"),
        (None, ["--recording", "x", "--model", "m"], "leave out"),
        (None, ["--recording", "nowhere.jsonl"], "cannot be read as a recording"),
        (None, ["--model", "m", "--attempts", "0"], "--attempts"),
        ("domain.pddl", ["--model", "m"], "has no domain.pddl"),
        ("p02.pddl", ["--model", "m"], "p02.pddl"),
        ("words.json", ["--model", "m"], "correct words.json"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], spoil: str | None, flags: list[str], words: str
) -> None:
    if spoil == "domain.pddl":
        (folder / spoil).unlink()
    elif spoil:
        (folder / spoil).write_text("(define (problem p)", encoding="utf-8")
    assert main(["describe", str(folder), *flags]) == 2
    assert words in capsys.readouterr().err
    assert not (folder / SIDECAR).exists()

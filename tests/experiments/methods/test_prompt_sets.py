"""Prompts of a user's own: they reach the requests, are written down, and make a condition of their own."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agents import prompts
from agents.llm.interface import Message
from agents.llm.stub import StubServer
from agents.requests import WITH_EXAMPLE, example_turns
from experiments.methods.registry import PROMPTS, is_method, method_named, with_prompts, without_prompts
from experiments.run import main

#: The packaged prompt of the planner without a model, with one sentence more.
TERSE = prompts.load("plan.md") + "\n\nAnswer in as few words as you can.\n"


@pytest.fixture
def terse(tmp_path: Path) -> Path:
    folder = tmp_path / "terse"
    folder.mkdir()
    (folder / "plan.md").write_text(TERSE, encoding="utf-8")
    return folder


def _answer(messages: Sequence[Message], index: int, seed: int) -> str:
    return "```\n(move nowhere)\n```"


def _asked(url: str, out: Path, *more: str) -> int:
    flags = [
        "--env",
        "movie",
        "--method",
        "intrinsic",
        "--tasks",
        "1",
        "--seeds",
        "0",
        "--executor",
        "serial",
    ]
    return main([*flags, "--base-url", url, "--model", "m", "--out", str(out), *more])


def _rows(out: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))


def test_a_run_asks_with_them_writes_them_down_and_can_be_replayed(
    tmp_path: Path, terse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual, own = tmp_path / "usual", tmp_path / "own"
    with StubServer(_answer) as stub:
        assert _asked(stub.url, usual) == 0
        assert "in as few words" not in json.dumps(stub.seen.bodies)
        capsys.readouterr()
        assert _asked(stub.url, own, "--prompts", str(terse)) == 0
        assert "in as few words" in json.dumps(stub.seen.bodies)
    told = capsys.readouterr().out
    label = prompts.read_prompts(terse).label
    assert f"prompts: {label} (1 file of {terse}); packaged recordings are bypassed" in told
    assert [row["method"] for row in _rows(usual)] == ["intrinsic"]
    assert [row["method"] for row in _rows(own)] == [f"intrinsic{PROMPTS}{label}"]
    assert (own / "prompts" / "plan.md").read_text(encoding="utf-8") == TERSE
    assert not (usual / "prompts").exists() and "prompt_set" not in (usual / "config.json").read_text("utf-8")
    kept = json.loads((own / "config.json").read_text("utf-8"))["provenance"]["prompt_set"]
    assert kept == {"label": label, "digest": prompts.read_prompts(terse).digest, "files": ["plan.md"]}
    assert prompts.active() == prompts.PromptSet()
    assert main(["replay", str(own), "--executor", "serial"]) == 0
    assert "came out the same" in capsys.readouterr().out


def test_a_run_with_them_answers_only_the_same_prompts(
    tmp_path: Path, terse: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, given = tmp_path / "own", ["--env", "movie", "--method", "intrinsic", "--executor", "serial"]
    with StubServer(_answer) as stub:
        assert _asked(stub.url, own, "--prompts", str(terse)) == 0
    again = [*given, "--recording", str(own)]
    assert main([*again, "--out", str(tmp_path / "a")]) == 2
    assert "no recording answers" in capsys.readouterr().err
    assert main([*again, "--prompts", str(terse), "--out", str(tmp_path / "b")]) == 0
    assert _rows(tmp_path / "b") == _rows(own)


def test_without_a_server_recordings_are_bypassed(terse: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--prompts", str(terse)]) == 2
    assert "recordings are bypassed" in capsys.readouterr().err
    assert main(["--prompts", str(terse), "--model", "simulated:weak"]) == 2
    assert "reads the packaged prompts alone" in capsys.readouterr().err
    assert main(["--method", "chain+prompts-terse-12345678"]) == 2
    assert "name the folder of its prompts by --prompts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "plans.md",
            TERSE,
            "there is no prompt plans.md; did you mean plan.md? the packaged prompts are ",
        ),
        ("plan.md", TERSE.replace("$task", "it"), "it lacks the placeholder $task; the packaged one is "),
        ("plan.md", TERSE + "$wish", "nothing fills in its placeholder $wish"),
        ("plan.md", TERSE + "It costs 5 $.", "a `$` stands before no name; write `$$`"),
        ("plan.md", " \n", "it is empty"),
        (
            "example/problem.md",
            "There is none.",
            "answer to the request problem holds no problem",
        ),
        ("plan.md", b"\xff\xfe\x00", "it cannot be read"),
        (None, "", "there is no prompt file in it"),
    ],
)
def test_what_cannot_be_used_is_named_with_where_to_look(
    tmp_path: Path, name: str | None, text: str | bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    if name is not None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    assert main(["--prompts", str(folder), "--base-url", "http://127.0.0.1:9/v1", "--model", "m"]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--prompts", "nowhere", "--model", "m"]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_the_name_of_a_method_holds_the_prompts_and_gives_the_same_method() -> None:
    own = prompts.PromptSet("terse", {"plan.md": TERSE.strip()})
    with prompts.overridden(own):
        name = with_prompts("chain")
        assert name == f"chain{PROMPTS}{own.label}" and with_prompts(name) == name
    assert with_prompts("chain") == "chain" and without_prompts(name) == "chain"
    assert is_method(name) and method_named(name) is method_named("chain")


@pytest.mark.parametrize("request_name", WITH_EXAMPLE)
def test_the_example_is_that_of_the_prompts_in_use(request_name: str) -> None:
    usual = example_turns(request_name)
    with prompts.overridden(prompts.PromptSet("own", {"example/description.md": "A world of lamps."})):
        assert "A world of lamps." in example_turns(request_name)[0].content
    assert example_turns(request_name) == usual

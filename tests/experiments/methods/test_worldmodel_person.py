"""A person has a say in a model from the command line: told once, in order, part of the run, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from true_answers import Knowing

from agents.llm.interface import Completion, Message, Usage
from agents.llm.stub import StubServer
from agents.worldmodel.remarks import read_remarks
from envs.pddl.language.domain import read_domain
from envs.source import read_texts
from experiments.config import RunConfig
from experiments.driver.models import model_names, prices_of
from experiments.methods.worldmodel_feedback import PersonFiles
from experiments.recordings import main as recordings
from experiments.run import main
from experiments.runs.details import Built
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.spending.dry_run import upper_bounds
from experiments.studies.worldmodel import WorldModelConfig, cells_of

TRUE = read_texts("logistics", 1).domain
#: What no walk can see: a package in a truck is at no place anyway.
UNSEEN = TRUE.replace(
    "(and (package-in-truck ?p ?t) (truck-at",
    "(and (not (package-at ?p ?l)) (package-in-truck ?p ?t) (truck-at",
)
#: A truck that is loaded has nothing in it.
LOST = TRUE.replace("(and (package-in-truck ?p ?t) (not (package-at ?p ?l)))", "(not (package-at ?p ?l))")
REMARKS = "## unload-truck\n- It asks too much.\n\n## fly-airplane\n- It needs no truck.\n"
SAID = ["- It asks too much.", "- It needs no truck."]
PLAN = """; how package1 and the others come to their places
(load-truck package1 truck2 location6)
(drive-truck truck2 location6 location5 city2)
(unload-truck package1 truck2 location5)   ; the first
(drive-truck truck2 location5 location4 city2)
(load-truck package2 truck2 location4)
(load-truck package3 truck2 location4)
(drive-truck truck2 location4 location6 city2)
(unload-truck package3 truck2 location6)
(unload-truck package2 truck2 location6)
(load-airplane package2 plane1 location6)
(fly-airplane plane1 location6 location2 city2 city1)
(unload-airplane package2 plane1 location2)
(drive-truck truck1 location3 location2 city1)
(load-truck package2 truck1 location2)
(drive-truck truck1 location2 location3 city1)
(unload-truck package2 truck1 location3)
"""
BASE = (
    "worldmodel", "--executor", "serial", "--env", "logistics", "--seeds", "0", "--tasks", "1",
    "--method", "plan-by-model", "--walks", "40",
)  # fmt: skip


def answering(domain: str) -> Callable[[Sequence[Message], int, int], Completion]:
    """Whoever writes this domain, and the true one where it is told that something is wrong."""
    stems = ("f01", "f02", 1)
    problems = {read_texts("logistics", n).task: read_texts("logistics", n).problem for n in stems}
    knowing = Knowing(read_domain(domain), read_domain(TRUE), problems)

    def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
        wanted = messages[1].content.startswith("Translate what a person asks for")
        text = "I cannot." if wanted else knowing.reply(messages, index, seed)
        return Completion(text, usage=Usage(9, 9), model="hand")

    return answer


def remarks_in(bodies: Sequence[Mapping[str, Any]]) -> list[str]:
    """The remarks that were told, in order, the model that follows them cut off."""
    told = [body["messages"][-1]["content"] for body in bodies]
    start, end = "The model of the environment is wrong.", "All actions of the model"
    return [t.removeprefix(start).partition(end)[0].strip() for t in told if t.startswith(start)]


def run(server: StubServer, out: Path, *flags: str) -> int:
    return main([*BASE, "--base-url", server.url, "--out", str(out), *flags])


def built(out: Path) -> Built:
    (episode,) = Ledger(RunDirectory(out)).episodes
    made = episode.added(Built)
    assert made is not None
    return made


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_remarks_are_told_once_in_order_and_put_right_what_walks_cannot_see(tmp_path: Path) -> None:
    file = write(tmp_path / "said.md", REMARKS)
    with StubServer(answering(UNSEEN)) as server:
        assert run(server, tmp_path / "unheard") == 0 and remarks_in(server.seen.bodies) == []
        assert run(server, tmp_path / "heard", "--remarks", file) == 0
        assert remarks_in(server.seen.bodies) == SAID
        asked = len(server.seen.bodies)
        assert run(server, tmp_path / "heard", "--remarks", write(tmp_path / "moved.md", REMARKS)) == 0
        assert len(server.seen.bodies) == asked
        other = write(tmp_path / "other.md", REMARKS + "- Nor a pilot.")
        assert run(server, tmp_path / "heard", "--remarks", other) == 2
    unheard, heard = built(tmp_path / "unheard"), built(tmp_path / "heard")
    assert unheard.ew_after == 1.0 and dict(unheard.after or {}) == {"extra precondition": 1}
    assert (heard.ew_before, heard.ew_after, heard.remarks) == (1.0, 1.0, 2)
    assert heard.before == unheard.after and heard.after == {} and heard.ending == "content"


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Mapping[str, Any]]]:
    """A live run that only a person corrected, to be read only, and what the endpoint was asked."""
    folder = tmp_path_factory.mktemp("heard")
    file = write(folder / "said.md", REMARKS)
    with StubServer(answering(UNSEEN)) as server:
        assert run(server, folder / "run", "--remarks", file, "--human-alone") == 0
        return folder / "run", list(server.seen.bodies)


@pytest.mark.slow
def test_a_recording_answers_who_says_the_same_and_nobody_else(
    heard: tuple[Path, list[Mapping[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live, _ = heard
    file, recording = write(tmp_path / "said.md", REMARKS), str(tmp_path / "r.jsonl.gz")
    assert recordings(["export", str(live), recording]) == 0
    again = [*BASE, "--recording", recording, "--out", str(tmp_path / "again")]
    assert main([*again, "--remarks", file, "--human-alone"]) == 0
    assert built(tmp_path / "again") == built(live)
    assert main(["replay", str(live), "--executor", "serial"]) == 0
    for flags in ((), ("--remarks", file)):
        assert main([*again, *flags]) == 2 and "no recording answers" in capsys.readouterr().err


@pytest.mark.slow
def test_a_correction_that_was_cut_short_goes_on_and_asks_nothing_again(
    heard: tuple[Path, list[Mapping[str, Any]]], tmp_path: Path
) -> None:
    out, whole = heard
    flags = ["--remarks", write(tmp_path / "said.md", REMARKS), "--human-alone"]
    with StubServer(answering(UNSEEN)) as server:
        construction = len(whole) - 6
        assert run(server, tmp_path / "cut", *flags, "--max-calls", str(construction)) == 3
        assert 0 < len(server.seen.bodies) <= construction
        assert run(server, tmp_path / "cut", *flags) == 0
        assert list(server.seen.bodies) == whole
    assert built(tmp_path / "cut") == built(out)


@pytest.mark.slow
def test_a_plan_that_works_goes_back_to_the_action_that_makes_it_fail(tmp_path: Path) -> None:
    file = write(tmp_path / "plan.txt", PLAN)
    with StubServer(answering(LOST)) as server:
        assert run(server, tmp_path / "run", "--plan-that-works", file, "--human-alone") == 0
        told = remarks_in(server.seen.bodies)
    assert all("Your model does not allow step 3, (unload-truck package1" in words for words in told)
    found = built(tmp_path / "run")
    assert found.before and found.after == {} and found.ew_after == 1.0 and found.remarks == len(told) == 3


@pytest.mark.slow
def test_a_plan_that_works_in_the_true_model_leads_to_no_remark(tmp_path: Path) -> None:
    with StubServer(answering(TRUE)) as server:
        assert run(server, tmp_path / "run", "--plan-that-works", write(tmp_path / "p", PLAN)) == 0
        assert remarks_in(server.seen.bodies) == []
    assert built(tmp_path / "run").ending == "content"


def test_no_correction_takes_more_than_its_bound_which_grows_with_what_is_said(tmp_path: Path) -> None:
    files = PersonFiles(tmp_path / "said.md", tmp_path / "plan.txt", "1")
    write(tmp_path / "said.md", REMARKS)
    write(tmp_path / "plan.txt", "(drive-truck truck1 location1 location2 city1)")
    config = RunConfig.of(
        WorldModelConfig(model="m", env=("logistics",), tasks=1, seeds=(0,), method=("plan-by-model",))
    )
    bounds = []
    for plan in (cells_of(config, ()), cells_of(config, (), files)):
        (found,) = upper_bounds(plan, prices_of(plan.config, model_names(plan))[1]).values()
        bounds.append(found.bound)
    assert bounds[0].calls < bounds[1].calls and bounds[0].world_queries < bounds[1].world_queries


@pytest.mark.parametrize(
    ("flags", "text", "says"),
    [
        (("--remarks", "FILE"), None, "it cannot be read"),
        (("--remarks", "FILE"), "", "there is no remark in it"),
        (("--remarks", "FILE"), "## load-trucks\n- x", "did you mean load-truck?"),
        (("--remarks", "FILE", "--env", "logistics", "grippers"), REMARKS, "--env names 2"),
        (("--remarks", "FILE", "--method", "plan-alone"), REMARKS, "plan-alone makes none"),
        (("--plan-that-works", "FILE"), "; nothing", "there is no step in it"),
        (("--plan-that-works", "FILE"), "\n(swim truck1)", "line 2: there is no action swim"),
        (
            ("--plan-that-works", "FILE"),
            "(drive-truck truck9 location1 location2 city1)",
            "did you mean truck",
        ),
        (("--plan-that-works", "FILE"), "(drive-truck truck1 location1)", "takes 4 arguments, not 2"),
        (("--plan-that-works", "FILE"), "(drive-truck plane1 location1 location2 city1)", "must be a truck"),
        (("--plan-that-works", "FILE", "--plan-task", "x77"), PLAN, "--plan-task: task x77"),
        (("--plan-task", "f02"), None, "--plan-task belongs to --plan-that-works"),
        (("--human-alone",), None, "--human-alone needs what the person says"),
    ],
)
def test_what_cannot_be_told_to_a_model_is_refused_in_a_line(
    flags: tuple[str, ...], text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    if text is not None:
        write(file, text)
    given = [str(file) if flag == "FILE" else flag for flag in flags]
    assert main([*BASE, "--model", "m", "--out", str(tmp_path / "run"), *given]) == 2
    assert says in capsys.readouterr().err


def test_without_a_model_or_recording_that_answers_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*BASE, "--remarks", write(tmp_path / "said.md", REMARKS)]) == 2
    assert "no recording answers what this person says" in capsys.readouterr().err


def test_the_remarks_in_the_documentation_can_be_read() -> None:
    page = (Path(__file__).parents[3] / "docs" / "worldmodel.md").read_text(encoding="utf-8")
    example = page.partition("```text\n## ")[2].partition("```")[0]
    said = read_remarks(f"## {example}", read_domain(TRUE).actions)
    assert [remark.action for remark in said.remarks] == ["unload-truck", "drive-truck"]

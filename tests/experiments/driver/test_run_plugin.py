"""The main job in a world of another package that has no PDDL: the one of examples/own_world.py."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from wide import wide

from agents.llm.interface import Message
from agents.llm.stub import StubServer
from experiments.run import main

EXAMPLES = Path(__file__).parents[3] / "examples"
EDITS = """add_or_update_predicates(["(is-open)", "(inside ?b - bag)"])
modify_action("open", ["(not (is-open))"], ["(is-open)"])
modify_action("shut", ["(is-open)"], ["(not (is-open))"])
modify_action("put", ["(is-open)", "(not (inside ?b))"], ["(inside ?b)"])
modify_action("take", ["(is-open)", "(inside ?b)"], ["(not (inside ?b))"])"""
WRONG_EDITS = EDITS.replace('"put", ["(is-open)", ', '"put", [')
PLAN = "(open)\n(put red)\n(put blue)\n(shut)"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example as an installed distribution with its entry point."""
    metadata = tmp_path / "site" / "lockers-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lockers\nVersion: 1.0\n", "utf-8")
    entry = "[groundwalk.worlds]\nlocker = own_world:open_locker\n"
    (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.syspath_prepend(str(EXAMPLES))


def _answer(messages: Sequence[Message], index: int, seed: int) -> str:
    from own_world import PROBLEM

    asked = messages[-1].content
    if "Reason about the cause first" in asked:
        return f"```python\n{EDITS}\n```"
    if "def modify_action" in asked:
        return f"```python\n{WRONG_EDITS}\n```"
    if "PDDL problem" in asked:
        return f"```pddl\n{PROBLEM}\n```"
    return f"```\n{PLAN}\n```"


def test_a_model_of_a_packages_world_is_repaired_and_its_rules_cannot_be_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from own_world import DOMAIN, PROBLEM

    (tmp_path / "mine.pddl").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "p.pddl").write_text(PROBLEM, encoding="utf-8")
    assert main(["repair", "--env", "locker", "--break", "1", "--out", str(tmp_path / "out")]) == 2
    assert "locker has no PDDL that could be broken" in capsys.readouterr().err
    files = ["--domain", str(tmp_path / "mine.pddl"), "--problem", str(tmp_path / "p.pddl")]
    few = ["--env", "locker", "--walks", "200"]
    assert main(["repair", *few, *files, "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "add (is-open) to the precondition of put" in told and "task 1: solved" in told


@pytest.mark.parametrize("method", wide(["chain", "intrinsic"], "chain"))
def test_a_packages_world_is_modelled_and_solved_by_its_name(method: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with StubServer(_answer) as stub:
        flags = ["--env", "locker", "--method", method, "--base-url", stub.url, "--executor", "serial"]
        assert main([*flags, "--seeds", "0", "--out", str(out)]) == 0
    rows = list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))
    assert [(row["env"], row["task"], row["outcome"]) for row in rows] == [("locker", "1", "solved")]


def test_a_translating_method_refuses_a_world_without_pddl_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for more in (["--dry-run"], ["--base-url", "http://127.0.0.1:9/v1"]):
        flags = ["--env", "locker", "--method", "zero-shot", "--model", "m", *more]
        assert main([*flags, "--out", str(tmp_path / "run")]) == 2
        assert "'locker' has none; take another method" in capsys.readouterr().err


def test_a_packages_world_can_be_asked_about_without_its_description(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with StubServer(_answer) as stub:
        flags = ["--env", "locker+undocumented", "--method", "intrinsic", "--base-url", stub.url]
        assert main([*flags, "--executor", "serial", "--seeds", "0", "--out", str(out)]) == 0
        asked = json.dumps(stub.seen.bodies)
    assert "Nobody has described this environment" in asked
    rows = list(csv.DictReader((out / "results.csv").open(encoding="utf-8")))
    assert [row["outcome"] for row in rows] == ["solved"]

"""docs/fidelity.md: what it names exists, its commands can be given, and no item of a paper is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from documents import ROOT, Command, commands_in, exists, parsed

from experiments.config import RunConfig
from experiments.run import main

PAGE = ROOT / "docs" / "fidelity.md"
STATUSES = ("same", "ours beside theirs", "not here")
#: The numbered items of each paper, by the first author.
NUMBERED = {
    "Mahdavi": ["Algorithm 1", *(f"Table {n}" for n in (1, 2, 3)), *(f"Figure {n}" for n in range(1, 7))],
    "Agarwal": ["Table 1", "Table 2", *(f"Figure {n}" for n in range(1, 5))],
    "Siegel": ["Algorithm 1", *(f"Figure {n}" for n in range(1, 6))],
    "Zuo": [
        *("Algorithm 1", "Definition 2", "Theorem 1", "Table 1", "Table 2"),
        *(f"Figure {n}" for n in range(1, 6)),
    ],
    "Guan": ["Table 1", "Table 2", *(f"A.{n}" for n in range(2, 14))],
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of the page."""

    paper: str
    item: str
    where: str
    command: str
    status: str

    def __str__(self) -> str:
        return f"{self.paper}: {self.item}"


def rows() -> tuple[Row, ...]:
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        for line in lines[2:]:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == 4, line
            found.append(Row(section.split()[0], *cells))
    return tuple(found)


ROWS = rows()
COMMANDS = {
    (command.module, *command.arguments): command for row in ROWS for command in commands_in("", row.command)
}
#: Those that come to the same configuration once: a run that is only announced is configured as the run is.
#: That each can be given is shown with those of all documents.
CONFIGURED = {tuple(word for word in words if word != "--dry-run"): c for words, c in COMMANDS.items()}


def anchors(page: Path) -> set[str]:
    """What the headings of a page are linked by."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_numbered_item_of_the_papers_has_a_row() -> None:
    assert {row.paper for row in ROWS} == set(NUMBERED)
    for paper, items in NUMBERED.items():
        text = " ".join(row.item for row in ROWS if row.paper == paper)
        missing = [item for item in items if not re.search(rf"{re.escape(item)}(?![\d])", text)]
        assert not missing, f"{paper}: {missing}"


def test_no_item_stands_twice() -> None:
    assert len({(row.paper, row.item) for row in ROWS}) == len(ROWS)


def faults_of(row: Row) -> list[str]:
    """What a row lacks: a status, names of what there is, links that lead somewhere, a reason, a command."""
    status = next((s for s in STATUSES if row.status.startswith(s)), None)
    found = [f"no {name}" for name in re.findall(r"`([^`]+)`", row.where) if not exists(name)]
    for page, part in re.findall(r"\]\(([^)#]+)#?([^)]*)\)", row.status):
        if part and part not in anchors(PAGE.parent / page):
            found.append(f"no {page}#{part}")
    if status is None:
        found.append("no status")
    elif status == "not here":
        found += ["no reason"] * (len(row.status.removeprefix("not here:").split()) < 5)
    else:
        found += ["no place or command"] * ("`" not in row.where or "python -m" not in row.command)
    return found


def test_every_row_says_where_how_and_how_true() -> None:
    assert {str(row): faults for row in ROWS if (faults := faults_of(row))} == {}


def test_a_row_that_lacks_something_is_found() -> None:
    assert faults_of(Row("Guan", "Table 9", "`experiments.unheard`", "none", "[same](tic.md#unheard)")) == [
        *("no experiments.unheard", "no tic.md#unheard", "no status"),
    ]
    assert faults_of(Row("Guan", "Table 9", "nowhere", "none", "same")) == ["no place or command"]
    assert faults_of(Row("Guan", "Table 9", "", "", "not here: why not")) == ["no reason"]


@pytest.mark.parametrize("command", CONFIGURED.values(), ids=str)
def test_a_command_comes_to_a_configuration(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands of runs are resolved as far as they go without working: methods, worlds and recordings."""
    config = parsed(command)
    if not isinstance(config, RunConfig) or "--gold" in command.arguments or "--data" in command.arguments:
        return
    monkeypatch.chdir(tmp_path)
    Path("said.md").write_text("## load-truck\n- A truck is needed.\n", encoding="utf-8")
    Path("plan.txt").write_text("(load-truck package1 truck2 location6)\n", encoding="utf-8")
    arguments = [word for word in command.arguments if word != "--dry-run"]
    assert main([*arguments, "--print-config"]) == 0


def test_a_row_that_names_nothing_real_is_found() -> None:
    assert not exists("experiments.unheard") and not exists("envs/worlds/unheard")
    with pytest.raises(AssertionError, match="refused"):
        parsed(Command("", "experiments.run", ("tic", "--method-of", "tic-ic")))

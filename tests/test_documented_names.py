"""Every module, file and folder that the documents name exists; CONTRIBUTING's map shows every room."""

from __future__ import annotations

import re

import pytest
from documents import DOCUMENTS, ROOT, dead_links, exists, names_in

PACKAGES = ("envs", "agents", "ew", "search", "experiments")
HOUSE = [(path.name, name) for path in DOCUMENTS for name in names_in(path)]


def rooms_on_the_map() -> dict[str, list[str]]:
    """The rooms under each package, as the map in CONTRIBUTING lists them."""
    (block,) = re.findall(
        r"^## The map of the house\n\n```text\n(.*?)^```", CONTRIBUTING, re.MULTILINE | re.DOTALL
    )
    rooms: dict[str, list[str]] = {}
    for line in block.splitlines():
        name, words = re.split(r"\s{2,}", line.strip(), maxsplit=1)
        assert words, line
        if line.startswith(" "):
            rooms[next(reversed(rooms))].append(name)
        else:
            rooms[name] = []
    return rooms


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def rooms_of(package: str) -> set[str]:
    """The folders of a package; the kernel stands for itself."""
    folder = ROOT / package.replace(".", "/")
    rooms = (path for path in folder.glob("[!_]*") if path.is_dir() and any(path.glob("[!_]*")))
    return {path.name for path in rooms} - {"pddl"}


def test_what_a_document_names_exists() -> None:
    assert [(document, name) for document, name in HOUSE if not exists(name)] == []


def test_links_lead_to_files_and_headings() -> None:
    assert {path.name: dead for path in DOCUMENTS if (dead := dead_links(path))} == {}


def test_a_link_to_nothing_is_found(tmp_path) -> None:
    document = tmp_path / "page.md"
    document.write_text("# A `page`\n[](#a-page) [](page.md#a-page) [](#other) [](gone.md)", encoding="utf-8")
    assert dead_links(document) == ["#other", "gone.md"]


def test_the_documents_name_modules_and_files_of_every_package() -> None:
    found = {name for _, name in HOUSE}
    assert all(any(re.match(rf"{package}[./]", name) for name in found) for package in PACKAGES)


def test_the_map_shows_every_room_and_nothing_else() -> None:
    rooms = rooms_on_the_map()
    assert {*rooms} == {*PACKAGES, "envs.pddl", "tests", "examples"}
    for package in (*PACKAGES, "envs.pddl"):
        assert sorted(rooms[package]) == sorted(rooms_of(package)), package


@pytest.mark.parametrize(
    "name",
    [
        *(
            "experiments.unheard",
            "envs/worlds/unheard",
            "ew.score.score.unheard",
            "search.nodes.Node.unheard",
        ),
        *("tests/test_layering.py::test_unheard", "docs/unheard_*.md", "experiments.report.unheard(a, b)"),
    ],
)
def test_a_name_of_nothing_real_is_found(name: str) -> None:
    assert not exists(name)


@pytest.mark.parametrize(
    "name",
    [
        *("experiments.runs", "envs/worlds", "ew.score.score.ew_score", "search.nodes.Node"),
        *("docs/*.md", "envs/generators/NAME.py"),
    ],
)
def test_a_name_of_something_real_is_not(name: str) -> None:
    assert exists(name)

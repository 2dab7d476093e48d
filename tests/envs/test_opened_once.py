"""Opening a world reads each of its files and each PDDL text once, and loads no source it does not need."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from envs import reading
from envs.pddl.language import domain
from envs.source import read_texts
from envs.truth import truth_of
from envs.variants import SUFFIXES
from envs.world import open_world

ROOT = Path(__file__).parents[2]
_WRITTEN = ("", "+compact", "+narrative", "+outlined")
WORLDS = [
    *((f"grippers{suffix}", task) for suffix in _WRITTEN for task in (1, "g3")),
    ("storage+terse", 2),
    ("grippers+undocumented", "example"),
    ("planetarium:blocksworld", 2),
    ("FOLDER", 1),
    ("FOLDER+undocumented", 1),
]


class Count:
    """What was read while a world was opened: files by path, texts by what checks them.

    Two modules have the functions that check; the texts behind neutral names are checked in a third.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.files: Counter[Path] = Counter()
        self.checked: Counter[str] = Counter()
        read_text = Path.read_text

        def counted_file(path: Path, *arguments, **named):
            self.files[path] += 1
            return read_text(path, *arguments, **named)

        monkeypatch.setattr(Path, "read_text", counted_file)
        for module in (reading, domain):
            for name in ("check_domain", "check_problem"):
                monkeypatch.setattr(module, name, self._counting(name, getattr(module, name)))

    def _counting(self, name, check):
        def counted(*arguments):
            self.checked[name] += 1
            return check(*arguments)

        return counted


@pytest.fixture
def place(tmp_path: Path):
    """Names of worlds, with a folder of one's own for FOLDER."""
    for name in ("domain.pddl", "words.json", "domain.nl", "p01.pddl"):
        (tmp_path / name).write_bytes((ROOT / "envs" / "worlds" / "grippers" / name).read_bytes())
    (tmp_path / "p01.nl").write_text("Bring the balls away.", encoding="utf-8")
    return lambda world: world.replace("FOLDER", str(tmp_path))


@pytest.mark.parametrize(("world", "problem"), WORLDS)
def test_opening_reads_every_file_and_every_text_once(world, problem, place, monkeypatch):
    open_world(place(world), problem)  # drawn pairs are kept: what draws them is no part of opening
    truth_of.cache_clear()
    count = Count(monkeypatch)
    opened = open_world(place(world), problem)
    assert opened.actions and opened.objects
    assert count.checked == {"check_domain": 1, "check_problem": 1}
    assert count.files and set(count.files.values()) == {1}
    assert opened.applicable()
    assert count.checked == {"check_domain": 1, "check_problem": 1}


def test_neutral_names_are_read_once_too(monkeypatch):
    truth_of.cache_clear()
    count = Count(monkeypatch)
    assert open_world("grippers+anonymised").applicable()
    assert count.checked == {"check_domain": 1, "check_problem": 1}
    assert set(count.files.values()) == {1}


def test_a_world_that_is_known_is_compared_with_its_files_and_not_read_again(place, monkeypatch):
    world = place("FOLDER")
    open_world(world)
    count = Count(monkeypatch)
    open_world(world)
    assert not count.checked and set(count.files.values()) == {1}


def test_a_file_that_changed_is_seen_by_the_next_opening(place, tmp_path):
    world = open_world(place("FOLDER"))
    problem = tmp_path / "p01.pddl"
    text = problem.read_text(encoding="utf-8")
    problem.write_text(text.replace("(problem ", "(problem other-"), encoding="utf-8")
    again = open_world(place("FOLDER"))
    assert again.key != world.key and again.applicable() == world.applicable()
    assert read_texts(place("FOLDER"), 1).problem != text


def test_only_a_world_of_its_kind_loads_a_source_of_worlds():
    kinds = ("envs.planetarium.source", "envs.pddlgym_suite", "envs.anonymous")
    code = (
        "import sys, envs.source\n"
        "from envs.world import open_world\n"
        "open_world('grippers+compact').applicable()\n"
        f"print([m for m in sys.modules if m in {kinds!r} or m.startswith('envs.planetarium')])\n"
        "open_world('grippers+anonymised')\n"
        f"print([m for m in {kinds!r} if m in sys.modules])\n"
        "open_world('planetarium:blocksworld')\n"
        f"print(sorted(m for m in {kinds!r} if m in sys.modules))\n"
        "print([m for m in ('igraph', 'matplotlib') if m in sys.modules])\n"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert said.stdout.splitlines() == [
        "[]",
        "['envs.anonymous']",
        "['envs.anonymous', 'envs.planetarium.source']",
        "[]",
    ]


def test_every_suffix_is_tried_here():
    tried = {part for world, _ in WORLDS for part in world.split("+")[1:]} | {"anonymised"}
    assert tried == set(SUFFIXES) - {"given", "explicit"}

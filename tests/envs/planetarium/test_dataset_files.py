"""Data sets as files: written and read back, whole or not at all; and as tasks of a world."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from envs.planetarium.card import Tally, card
from envs.planetarium.drawing import draw_candidates
from envs.planetarium.files import ParquetMissing, read_pairs, read_rows, row_file, split_file
from envs.planetarium.pairs import Pair, Split
from envs.source import WorldNotFound, canonical_name, has_files, read_texts
from envs.world import open_world

PAIRS = [c.pair for c in draw_candidates("gripper", 1, 0, 12)][:8]


def written(path: Path) -> Path:
    with row_file(path) as file:
        for pair in PAIRS:
            file.add(pair.to_json())
    return path


def test_pairs_are_read_as_they_were_written(tmp_path):
    assert list(read_pairs(written(tmp_path / "deep" / "test.jsonl"))) == PAIRS


def test_parquet_holds_the_same_rows(tmp_path):
    pytest.importorskip("pyarrow")
    assert list(read_pairs(written(tmp_path / "test.parquet"))) == PAIRS


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        pytest.raises(ParquetMissing, match=r"groundwalk\[parquet\].*jsonl"),
        row_file(tmp_path / "test.parquet"),
    ):
        pass


def test_a_file_that_is_not_finished_does_not_bear_its_name(tmp_path):
    path = tmp_path / "test.jsonl"
    with pytest.raises(RuntimeError), row_file(path) as file:
        file.add(PAIRS[0].to_json())
        raise RuntimeError
    assert not path.exists()


@pytest.mark.parametrize(("text", "complaint"), [("{", ":1 is not JSON"), ("[]\n", ":1 is not an object")])
def test_bad_rows_are_named(tmp_path, text, complaint):
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        list(read_rows(tmp_path / "rows.jsonl"))
    (tmp_path / "rows.jsonl").write_text('{"id": "x"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="row 1 is no pair: it has no 'world'"):
        list(read_pairs(tmp_path / "rows.jsonl"))


def test_the_card_names_files_that_are_there_and_counts_the_pairs(tmp_path):
    tally = Tally()
    for split in Split:
        for pair in PAIRS:
            tally.note(pair, split)
        written(split_file(tmp_path / "gripper", split, "jsonl"))
    text = card(("gripper",), tally, "jsonl", "made", chat=False)
    head = text.split("---\n")[1]
    named = re.findall(r"split: (\w+)\n    path: (\S+)", head)
    assert named == [("train", "gripper/train.jsonl"), ("test", "gripper/test.jsonl")]
    assert all((tmp_path / path).is_file() for _, path in named)
    rows = [list(map(int, row[3:])) for row in tally.rows()]
    assert sum(row[0] for row in rows) == 2 * len(PAIRS)
    assert all(row[0] == sum(row[1:]) for row in rows)
    assert set(re.findall(r"`(\w+)`", text)) & set(Pair.__dataclass_fields__)


def test_pairs_of_a_folder_are_tasks_of_a_world(tmp_path, monkeypatch):
    folder = written(tmp_path / "mine" / "test.jsonl").parent
    name = f"planetarium:{folder}"
    assert has_files(name) and read_texts(name, 2).task == PAIRS[1].text
    assert read_texts(name, 2).description == read_texts("gripper", 1).description
    monkeypatch.chdir(tmp_path)
    assert canonical_name("planetarium:mine") == name
    with pytest.raises(WorldNotFound, match="8 pairs"):
        read_texts(name, 9)


def test_pairs_of_drawn_worlds_are_tasks_that_can_be_acted_in():
    world = open_world("planetarium:blocksworld", 1)
    assert world.applicable() and world.name == "blocksworld"
    assert len({read_texts("planetarium:blocksworld", n).problem for n in range(1, 30)}) == 29


@pytest.mark.parametrize(("name", "task"), [("nowhere", 1), ("gripper", "f01"), ("gripper", 0)])
def test_what_is_not_there_is_told(name, task):
    with pytest.raises(WorldNotFound):
        read_texts(f"planetarium:{name}", task)

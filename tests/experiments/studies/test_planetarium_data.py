"""Making a data set: the same files under any workers, as many pairs as asked for, conversations beside."""

from __future__ import annotations

import pytest

from envs.planetarium.files import read_pairs, read_rows
from envs.planetarium.pairs import Pair
from experiments.config import ConfigError
from experiments.reporting.display import wide_console
from experiments.studies.planetarium.data import DataConfig, main, make


def pairs_in(folder, world="gripper"):
    return {split: list(read_pairs(folder / world / f"{split}.jsonl")) for split in ("train", "test")}


def made(out, executor, *flags):
    given = ("--pairs", "20", "--world", "gripper", "--executor", executor, "--out", str(out))
    assert main((*given, *flags)) == 0
    return pairs_in(out)


def test_a_data_set_has_as_many_pairs_as_asked_for_and_says_what_it_is(tmp_path):
    found = made(tmp_path, "serial")
    assert {split: len(pairs) for split, pairs in found.items()} == {"train": 16, "test": 4}
    assert (tmp_path / "README.md").read_text(encoding="utf-8").startswith("---\n")


@pytest.mark.slow
def test_the_data_set_does_not_depend_on_the_workers(tmp_path):
    assert made(tmp_path / "one", "serial") == made(tmp_path / "other", "process", "--workers", "2")


def test_worlds_have_their_published_shares_and_conversations_the_right_answers(tmp_path):
    make(DataConfig(pairs=25, executor="serial", export="sft", out=tmp_path), wide_console())
    found = {world: pairs_in(tmp_path, world) for world in ("blocksworld", "gripper")}
    assert [len(splits["train"] + splits["test"]) for splits in found.values()] == [17, 8]
    for world, splits in found.items():
        rows = list(read_rows(tmp_path / world / "train.chat.jsonl"))
        for row, pair in zip(rows, splits["train"], strict=True):
            roles = [message["role"] for message in row["messages"]]
            assert roles == ["system", "user", "assistant"]
            assert pair.text in row["messages"][1]["content"]
            assert pair.problem.strip() in row["messages"][2]["content"]


def test_layouts_are_held_out_and_conversations_can_do_without_a_system_role(tmp_path):
    flags = ("--world", "blocksworld", "--pairs", "24", "--split", "layouts", "--held-out", "goal:swap")
    assert main((*flags, "--export", "sft-user", "--executor", "serial", "--out", str(tmp_path))) == 0
    found = pairs_in(tmp_path, "blocksworld")
    assert {pair.goal_layout for pair in found["test"]} == {"swap"}
    assert "swap" not in {pair.goal_layout for pair in found["train"]}
    assert "all pairs with one of the layouts goal:swap" in (tmp_path / "README.md").read_text("utf-8")
    for row in read_rows(tmp_path / "blocksworld" / "train.chat.jsonl"):
        assert [message["role"] for message in row["messages"]] == ["user", "assistant"]


def test_a_world_without_more_tasks_is_left_short_and_that_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "experiments.studies.planetarium.data._BARREN", 1
    )  # a chunk without a new pair ends it
    make(DataConfig(world=("movie",), pairs=200, executor="serial", out=tmp_path), wide_console())
    found = pairs_in(tmp_path, "movie")
    assert len({pair.certificate for pair in found["test"]}) == len(found["test"]) < 40
    assert f"{len(found['test'])} of 40 test" in capsys.readouterr().out
    assert all(isinstance(pair, Pair) and pair.level for pair in found["train"])


def test_files_of_an_earlier_data_set_are_gone(tmp_path):
    folder = tmp_path / "gripper"
    folder.mkdir()
    earlier = [folder / name for name in ("test.parquet", "train.chat.jsonl", "train.parquet.part")]
    for path in (*earlier, folder / "mine.txt"):
        path.write_text("old", encoding="utf-8")
    make(DataConfig(world=("gripper",), pairs=10, executor="serial", out=tmp_path), wide_console())
    assert not any(path.exists() for path in earlier) and (folder / "mine.txt").exists()


@pytest.mark.parametrize(
    "flags",
    [
        ("--pairs", "0"),
        ("--pairs", "1"),
        ("--world", "nowhere"),
        ("--world", "gripper", "gripper"),
        ("--seed", "-1"),
        ("--workers", "0"),
        ("--split", "layouts", "--held-out", "goal:nothing"),
        ("--split", "layouts", "--world", "barman"),
    ],
)
def test_flags_that_cannot_be_meant_are_refused(flags, tmp_path):
    with pytest.raises(ConfigError):
        main((*flags, "--out", str(tmp_path)))

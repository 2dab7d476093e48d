"""`study-hidden`: its units and tables, and a control from end to end."""

import pytest

from envs.hidden_rules.cases import BASES
from envs.hidden_rules.rules import RuleKind, kept_cases
from experiments.config import ConfigError
from experiments.reporting.tables import markdown
from experiments.run import main
from experiments.studies.hidden_rules import (
    HiddenUnit,
    StudyHiddenConfig,
    hidden_csv,
    is_restored,
    tables,
    work,
)

UNIT = HiddenUnit("miconic", RuleKind.NONE, 0, 50, 3000, 600.0, None, 60.0)


def record(**fields):
    base = {
        "env": "w", "kind": "literal", "seed": 0, "rule": "(p) in the precondition of a", "verdict": "agrees",
        "goal": "reached", "edits": ["e"], "unexplained": 0, "ew": [1.0, 0.99, 1.0], "solved": [True] * 3,
        "world_queries": 10, "rounds": 3, "wall_s": 0.5, "cpu_s": 0.4,
    }  # fmt: skip
    return base | fields


def test_there_are_as_many_controls_as_cases():
    kinds = [unit.kind for unit in StudyHiddenConfig().units()]
    rules = [kind for kind in kinds if kind is not RuleKind.NONE]
    assert kinds.count(RuleKind.NONE) == len(BASES) * 4 * 3 == 96
    assert len(rules) == len(kept_cases()) <= 96, "a world has all its cases of a kind or none"
    few = StudyHiddenConfig(kinds=("quantified",), env=("grippers",), samples=1).units()
    assert [(unit.env, unit.kind, unit.seed) for unit in few] == [("grippers", RuleKind.QUANTIFIED, 0)]


@pytest.mark.parametrize(
    "fields", [{"ew": [1.0, 0.98, 1.0]}, {"ew": [1.0, None, 1.0]}, {"solved": [True, False, True]}]
)
def test_a_rule_is_restored_if_the_model_holds_in_every_task_not_seen(fields):
    assert is_restored(record()) and not is_restored(record(**fields))


def test_tables_count_what_was_restored_and_list_what_was_not():
    failed = record(seed=1, ew=[0.5, None, 1.0], solved=[False] * 3, verdict="unexplained", edits=[])
    control = record(kind="none", rule="", edits=[], env="v")
    edited = record(kind="none", rule="", seed=1, env="v")
    records = [record(), failed, control, edited]
    by_kind, by_world, failures = tables(records)
    assert [row[:2] + row[5:6] for row in by_kind.rows] == [("literal", "2", "1"), ("none", "2", "1")]
    assert by_kind.rows[0][2].startswith("0.50") and by_kind.rows[0][4].startswith("0.50")
    assert by_world.rows == (("w", "1/2", "0/0"), ("v", "0/0", "2/2"))
    assert [(row[0], row[2]) for row in failures.rows] == [("w", "1"), ("v", "1")]
    assert "0.500 – 1.000" in markdown(failures)
    assert len(hidden_csv(records).splitlines()) == 5


@pytest.mark.slow  # a whole study
def test_a_control_is_left_as_it_is():
    found = work(UNIT)
    assert found["verdict"].startswith("agrees") and not found["edits"] and is_restored(found)


def test_flags_that_make_no_sense_are_refused(tmp_path):
    out = ["--out", str(tmp_path / "out")]
    assert main(["study-hidden", "--walks", "1", *out]) == 2
    assert main(["study-hidden", "--env", "hidden:miconic/none/0", *out]) == 2
    assert not (tmp_path / "out").exists()


def test_the_config_knows_no_other_world():
    with pytest.raises(ConfigError):
        _ = StudyHiddenConfig(env=("nowhere",)).worlds

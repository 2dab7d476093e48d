"""A setting is named in two places, its flag group and where it is used: it gets everywhere by its name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from experiments.config import (
    AnswerFlags,
    BudgetFlags,
    CapFlags,
    MachineFlags,
    PlannerFlags,
    RefinementFlags,
    RunConfig,
    SearchFlags,
    WalkFlags,
    flag,
    parse_job,
)
from experiments.driver.plan import resolve
from experiments.evaluation.judge import Judge
from experiments.recordings import Cover, covers_of, header_of
from experiments.runs.units import EpisodeSettings, Unit
from experiments.studies.comparisons import BudgetsConfig
from experiments.studies.study import AskingConfig, StudyConfig
from experiments.studies.tic import TicConfig
from experiments.studies.worldmodel import WorldModelConfig

#: Values that are nobody's default, by the type of a field as it is written.
OTHER: dict[str, Any] = {
    "Count | None": 33,
    "Count": 42,
    "Positive": 3.5,
    "EstimatorName | None": "prefix",
    "FeedbackForm | None": "paper",
    "TranslatorName | None": "tic-ic",
}
SETTINGS = [
    (group, f.name)
    for group in (SearchFlags, BudgetFlags, WalkFlags, RefinementFlags, PlannerFlags)
    for f in fields(group)
]
every_setting = pytest.mark.parametrize(("group", "name"), SETTINGS, ids=[n for _, n in SETTINGS])
PLAIN = RunConfig(model="m", method=("tree",), env=("movie",), tasks=1, walks=90, t_max=9)


def with_other(group: type, name: str) -> tuple[RunConfig, Any]:
    """A configuration with a value of that flag that is no default."""
    value = OTHER[str(group.__dataclass_fields__[name].type)]  # type: ignore[attr-defined]
    return replace(PLAIN, **{name: value}), value


@every_setting
def test_a_setting_arrives_in_the_unit_its_key_and_the_config_file(group: type, name: str) -> None:
    config, value = with_other(group, name)
    (plain,), plan = resolve(PLAIN, ()).units, resolve(config, ())
    (unit,) = plan.units
    assert getattr(unit, name) == value and unit.key != plain.key
    assert plan.science()[f"movie.{unit.condition}.{name}"] == value


@every_setting
def test_a_setting_of_an_episode_is_that_of_the_recording_that_answers(group: type, name: str) -> None:
    config, value = with_other(group, name)
    covers = resolve(config, ()).covers()
    if group is not PlannerFlags:  # which needs no recording
        assert [getattr(cover, name) for cover in covers] == [value]
    assert covers_of(header_of(covers)) == covers


@pytest.mark.parametrize(
    ("group", "name"),
    [(g, n) for g, n in SETTINGS if g in (WalkFlags, PlannerFlags) or n == "feedback"],
)
def test_a_setting_of_walks_planner_or_feedback_arrives_in_the_worker(group: type, name: str) -> None:
    (unit,), (plain,) = resolve(with_other(group, name)[0], ()).units, resolve(PLAIN, ()).units
    assert Judge.of(unit, None) != Judge.of(plain, None)


def test_a_later_setting_leaves_the_keys_of_earlier_units_as_they_were() -> None:
    (unit,) = resolve(PLAIN, ()).units
    assert not {"person", "modelling", "seed_domain"} & set(unit.as_data())
    assert "seed_domain" in replace(unit, seed_domain="(define)").as_data()


def test_a_job_takes_the_groups_that_it_uses_and_no_others(capsys: pytest.CaptureFixture[str]) -> None:
    refused = {
        BudgetsConfig: (BudgetFlags,),
        TicConfig: (BudgetFlags, SearchFlags, RefinementFlags),
        WorldModelConfig: (BudgetFlags, RefinementFlags),
        StudyConfig: (AnswerFlags, CapFlags),
    }
    for kind, groups in refused.items():
        with pytest.raises(SystemExit):
            parse_job(kind, "job", ["--help"])
        words = set(capsys.readouterr().out.split())
        assert not words & {flag(f.name) for group in groups for f in fields(group)}
        assert {flag(f.name) for f in fields(MachineFlags)} <= words


def test_answers_caps_and_machine_are_the_same_flags_everywhere_and_results_do_not_depend_on_them() -> None:
    for f in (*fields(AnswerFlags), *fields(CapFlags), *fields(MachineFlags)):
        assert f.name in RunConfig.__dataclass_fields__ and f.name in AskingConfig.__dataclass_fields__
    kept = set(AskingConfig().science())
    assert kept == {"env", "problem", "seed", "planner_wall_s", "max_tokens"}


def test_records_of_episodes_share_the_settings() -> None:
    assert {f.name for f in fields(EpisodeSettings)} == {f.name for f in fields(Cover)} - {"seeds"}
    assert {f.name for f in fields(EpisodeSettings)} < {f.name for f in fields(Unit)}

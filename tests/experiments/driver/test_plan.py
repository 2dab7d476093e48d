"""From flags to episodes, live and recorded."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.config import SIZE_FLAGS, ConfigError, RunConfig, SizeFlag
from experiments.driver.plan import REPAIRED, resolve, resolve_cells
from experiments.methods.registry import METHODS, PUBLISHED
from experiments.recordings import Cover, Shelved, packaged

SMALL = Cover(env="grippers_ood", method="tree", np=2, nd=3, turns=4, tasks=10, seeds=(0, 1))
SHELF = (
    Shelved("default", Path("default.jsonl.gz"), (SMALL,)),
    Shelved("chain", Path("chain.jsonl.gz"), (replace(SMALL, method="chain", np=1, nd=1),)),
    Shelved("termes", Path("termes.jsonl.gz"), (replace(SMALL, env="termes"),)),
)


def test_without_flags_the_default_recording_decides_everything() -> None:
    plan = resolve(RunConfig(), SHELF)
    assert [(u.env, u.method, u.seed, u.np, u.nd, u.turns, u.tasks) for u in plan.units] == [
        ("grippers_ood", "tree", 0, 2, 3, 4, 10),
        ("grippers_ood", "tree", 1, 2, 3, 4, 10),
    ]
    assert plan.llm == "recorded" and plan.recordings == {"default": Path("default.jsonl.gz")}
    assert plan.out == Path("runs/grippers_ood-tree")


def test_flags_choose_among_recordings_and_narrow_them() -> None:
    plan = resolve(RunConfig(env=("termes",), seeds=(1,), tasks=3), SHELF)
    assert [(u.env, u.seed, u.tasks, u.answers) for u in plan.units] == [("termes", 1, 3, "termes")]


def test_several_methods_take_a_recording_each() -> None:
    plan = resolve(RunConfig(method=("chain", "tree"), seeds=(0,), np=2, nd=3), SHELF)
    assert [(u.method, u.np, u.nd, u.answers) for u in plan.units] == [
        ("chain", 1, 1, "chain"),
        ("tree", 2, 3, "default"),
    ]


@pytest.mark.parametrize(
    "config",
    [
        RunConfig(env=("floortile",)),
        RunConfig(np=5),
        RunConfig(seeds=(7,)),
        RunConfig(tasks=11),
        RunConfig(walks=200),
        RunConfig(env=("termes", "grippers_ood"), method=("chain",)),
    ],
)
def test_what_no_recording_answers_is_refused_with_what_there_is(config: RunConfig) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(config, SHELF)
    assert "default: --env grippers_ood --method tree --np 2" in str(caught.value)


def test_the_nearest_recordings_are_listed_first_and_only_some() -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(RunConfig(env=("termes",), method=("chain",), tasks=99), packaged())
    listed = str(caught.value).partition("recordings: ")[2].split("; ")
    assert "--env termes --method chain" in listed[0] and len(listed) < 12
    assert listed[-1].startswith("and ") and "experiments.recordings show" in listed[-1]


def test_without_any_recording_the_error_says_so() -> None:
    with pytest.raises(ConfigError, match="none is packaged"):
        resolve(RunConfig(), ())


def test_live_takes_the_published_settings_of_each_method() -> None:
    plan = resolve(RunConfig(model="m", method=("chain", "tree", "intrinsic")), SHELF)
    assert [(u.method, u.np, u.nd, u.turns, u.tasks) for u in plan.units] == [
        ("chain", 1, 1, 4, 10),
        ("tree", 5, 10, 4, 10),
        ("intrinsic", 1, 1, 4, 10),
    ]
    assert plan.llm == "live" and plan.recordings == {}


def test_the_estimator_is_the_published_one_unless_named_and_then_no_recording_of_another_answers() -> None:
    assert {u.estimator for u in resolve(RunConfig(), SHELF).units} == {"paper"}
    live = resolve(RunConfig(model="m", estimator="survival"), SHELF)
    assert {u.estimator for u in live.units} == {c.estimator for c in live.covers()} == {"survival"}
    with pytest.raises(ConfigError, match="--estimator survival"):
        resolve(RunConfig(estimator="survival"), SHELF)


def test_feedback_is_the_published_one_unless_named_and_then_no_recording_of_another_answers() -> None:
    assert {u.feedback for u in resolve(RunConfig(), SHELF).units} == {"paper"}
    live = resolve(RunConfig(model="m", feedback="shortest"), SHELF)
    assert {u.feedback for u in live.units} == {c.feedback for c in live.covers()} == {"shortest"}
    with pytest.raises(ConfigError, match="--feedback shortest"):
        resolve(RunConfig(feedback="shortest"), SHELF)
    made = (Shelved("short", Path("r"), (replace(SMALL, feedback="shortest"),)),)
    for config in (RunConfig(feedback="shortest"), RunConfig()):
        assert {u.feedback for u in resolve(config, made).units} == {"shortest"}
    with pytest.raises(ConfigError, match="--feedback paper"):
        resolve(RunConfig(feedback="paper"), made)


def test_flags_do_not_change_a_method_that_does_not_branch() -> None:
    plan = resolve(RunConfig(model="m", method=("chain", "tree"), np=2, nd=3), SHELF)
    assert [(u.np, u.nd) for u in plan.units] == [(1, 1), (2, 3)]
    with pytest.raises(ConfigError, match="--np and --nd are fixed for chain"):
        resolve(RunConfig(model="m", method=("chain",), np=2), SHELF)


def test_an_unknown_method_is_refused_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean tree"):
        resolve(RunConfig(method=("tee",)), SHELF)


def test_a_units_key_depends_on_everything_that_its_results_depend_on() -> None:
    unit = resolve(RunConfig(model="m"), ()).units[0]
    other = {"env": "x", "method": "y", "answers": "z"}
    for name in unit.__dataclass_fields__:
        value = other.get(name, 99)
        assert replace(unit, **{name: value}).key != unit.key
    assert replace(unit).key == unit.key and unit.name == "grippers-tree-0"


def test_where_it_runs_is_no_part_of_what_is_compared() -> None:
    one = resolve(RunConfig(model="m"), ())
    other = resolve(RunConfig(model="m", executor="serial", workers=3, out=Path("elsewhere")), ())
    assert one.science() == other.science() and other.out == Path("elsewhere")
    assert one.science() != resolve(RunConfig(model="m", nd=2), ()).science()


def test_a_plan_is_answered_by_a_recording_of_it() -> None:
    plan = resolve(RunConfig(), SHELF)
    again = resolve(RunConfig(recording="r"), (Shelved("r", Path("r"), plan.covers()),))
    assert [replace(u, answers="") for u in again.units] == [replace(u, answers="") for u in plan.units]


def test_what_answers_depend_on_is_compared() -> None:
    one = resolve(RunConfig(model="m"), ())
    assert one.science() != resolve(RunConfig(model="m", max_tokens=9), ()).science()
    assert one.science() != resolve(RunConfig(model="m", base_url="http://h/v1"), ()).science()


def test_a_folder_is_refined_on_as_many_feedback_tasks_as_it_has(
    tmp_path: Path, copy_grippers: Callable[[Path], Path]
) -> None:
    folder = copy_grippers(tmp_path / "mine")
    config = RunConfig(method=("refine",), env=(str(folder),), model="m", tasks=1)
    (unit,) = resolve(config, ()).units
    assert (unit.protocol, unit.refined_on) == ("paper", (1,))
    for ending in ("pddl", "nl"):
        shutil.copyfile(folder / f"p02.{ending}", folder / f"f01.{ending}")
    (unit,) = resolve(config, ()).units
    assert (unit.protocol, unit.refined_on) == ("apart", ("f01",))


def test_a_recording_of_longer_chains_answers_one_turn_and_a_repair_if_that_is_asked_for() -> None:
    chain = replace(SMALL, method="chain", np=1, nd=1, turns=4, seeds=(0,))
    made = (Shelved("chains", Path("c"), (chain,)),)
    (unit,) = resolve(RunConfig(method=("llm-once+repair",)), made).units
    assert (unit.env, unit.turns, unit.tasks) == (chain.env, 1, chain.tasks)
    cells = RunConfig(env=(chain.env,), method=("chain", "llm-once+repair"))
    assert [u.turns for u in resolve_cells([cells], made).units] == [4, 1]
    assert {u.method for u in resolve(RunConfig(), made).units} == {"chain"}
    with pytest.raises(ConfigError, match="no recording answers"):
        resolve(RunConfig(method=("llm-once+repair",)), SHELF[:1])


@pytest.mark.parametrize("name", sorted(METHODS))
def test_feedback_is_the_shortest_unless_the_protocol_or_a_flag_says_otherwise(name: str) -> None:
    config = RunConfig(env=("grippers",), method=(name,), model="m", tasks=1)
    told = {
        protocol: resolve(replace(config, protocol=protocol), ()).units[0].feedback
        for protocol in (None, "apart", "paper")
    }
    usual = "shortest"
    assert told[None] == told["apart"] == usual
    compared = (*PUBLISHED, "llm-once+repair", "best-of-n", "repair", "restarts")
    assert told["paper"] == ("paper" if name in compared else usual)
    for form in ("paper", "shortest"):
        assert resolve(replace(config, feedback=form, protocol="paper"), ()).units[0].feedback == form


@pytest.mark.parametrize("name", sorted(METHODS))
@pytest.mark.parametrize("size", SIZE_FLAGS)
def test_a_flag_on_the_size_of_a_search_changes_a_method_or_is_refused(name: str, size: SizeFlag) -> None:
    config = RunConfig(env=("grippers",), method=(name,), model="m", tasks=1)
    (plain,) = resolve(config, ()).units
    given = replace(config, **{size: getattr(plain, size) + 1})
    if size in METHODS[name].takes:
        (unit,) = resolve(given, ()).units
        assert getattr(unit, size) == getattr(plain, size) + 1
    else:
        with pytest.raises(ConfigError, match=rf"--{size}\b.* fixed for {re.escape(name)}; leave"):
            resolve(given, ())


def test_turns_do_not_make_another_method_of_one_that_asks_once() -> None:
    made = (Shelved("chains", Path("c"), (replace(SMALL, method="chain", np=1, nd=1, turns=4),)),)
    for config in (RunConfig(turns=4), RunConfig(turns=4, env=(SMALL.env,)), RunConfig(turns=1, model="m")):
        with pytest.raises(ConfigError, match=r"--np, --nd and --turns are fixed for llm-once\+repair"):
            resolve(replace(config, method=("llm-once+repair",)), made)


def test_the_default_run_shows_a_repair_beside_the_first_recording_and_flags_narrow_both() -> None:
    plan = resolve(RunConfig(), packaged())
    shown = {(u.env, u.method): (u.answers.partition("@")[0], u.tasks) for u in plan.units}
    first = {(c.env, c.method): ("default", c.tasks) for c in packaged()[0].covers}
    assert shown == {**first, REPAIRED: ("chain-apart", 5)} and len(plan.units) == len(first) + 1
    assert {u.tasks for u in resolve(RunConfig(tasks=2), packaged()).units} == {2}
    for narrowed in (RunConfig(np=2), RunConfig(method=("tree",)), RunConfig(env=(REPAIRED[0],))):
        assert {u.method for u in resolve(narrowed, packaged()).units} == {"tree"}
    assert resolve(RunConfig(), packaged()[:1]).units == plan.units[:-1]

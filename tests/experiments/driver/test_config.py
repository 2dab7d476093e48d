"""Flags: what can be meant is read, what cannot is refused in one line that says how to mend it."""

from __future__ import annotations

import pytest

from experiments.config import (
    ConfigError,
    MachineFlags,
    RunConfig,
    check,
    flag,
    parse,
    parse_job,
    pick,
    study_executor,
)
from experiments.driver.engine import make_executor
from experiments.studies.tic import TicConfig
from search.executors import FallbackExecutor
from search.ray_executor import RayExecutor


def test_no_flags_leave_everything_open() -> None:
    assert parse([]) == RunConfig(executor="ray")


def test_flags_may_name_several_environments_methods_and_seeds() -> None:
    config = parse(["--env", "grippers", "termes", "--method", "chain", "--seeds", "0", "1", "--np=3"])
    assert (config.env, config.method, config.seeds, config.np) == (
        ("grippers", "termes"),
        ("chain",),
        (0, 1),
        3,
    )


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--mehtod", "tree"], "did you mean --method"),
        (["--tasks=2", "--worker", "2"], "did you mean --workers"),
        (["grippers"], "unexpected argument 'grippers'"),
        (["--tasks", "0"], "--tasks must be positive"),
        (["--t-max", "-1"], "--t-max must be positive"),
        (["--seeds", "-1"], "--seeds must not be negative"),
        (["--seeds", "1", "1"], "--seeds names something twice: 1 1"),
        (["--walks", "10"], "--walks must be at least 20 with --t-max 10, not 10"),
        (["--llm", "recorded", "--model", "m"], "belong to --llm live"),
        (["--llm", "live", "--recording", "r"], "--recording is for recorded answers"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(flags: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(flags)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("flags", [["--seeds", "a"], ["--executor", "rya"], ["--np"]])
def test_values_of_the_wrong_type_exit_with_code_2_and_name_the_flag(
    flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(flags)
    said = capsys.readouterr()
    assert caught.value.code == 2 and flags[0] in said.err + said.out


def test_every_flag_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"])
    text = capsys.readouterr().out
    for name in RunConfig.__dataclass_fields__:
        assert flag(name) in text


def test_a_checked_configuration_is_itself() -> None:
    config = RunConfig(np=2)
    assert check(config) is config


def test_a_near_name_is_offered() -> None:
    assert pick("method", "tree", ["tree", "chain"]) == "tree"
    with pytest.raises(
        ConfigError, match=r"unknown method 'tre' \(did you mean tree\?\); there is: tree, chain"
    ):
        pick("method", "tre", ["tree", "chain"])


@pytest.mark.parametrize(
    ("job", "flags", "executor"),
    [
        ("", [], "ray"),
        ("", ["--model", "m"], "ray"),
        ("table2", [], "process"),
        ("table2", ["--executor=serial"], "serial"),
        ("table2", ["--executor", "ray"], "ray"),
        ("table2", ["--model", "m"], "ray"),
        ("table2", ["--llm", "live"], "ray"),
        ("table2", ["--ray-address", "head:6379"], "ray"),
    ],
)
def test_a_further_job_on_recordings_starts_no_ray_of_its_own(
    job: str, flags: list[str], executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert parse_job(RunConfig, job, flags).executor == executor
    assert study_executor("head:6379") == "ray" and study_executor(None) == "process"
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    assert study_executor(None) == "ray"


RAY = MachineFlags(executor="ray")


def test_a_ray_of_the_run_s_own_can_be_replaced_by_processes_and_a_named_cluster_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert isinstance(make_executor(RAY), FallbackExecutor)
    assert isinstance(make_executor(MachineFlags(executor="ray", ray_address="head:6379")), RayExecutor)
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    assert isinstance(make_executor(RAY), RayExecutor)


def test_a_former_flag_works_with_a_line(capsys):
    assert parse_job(TicConfig, "tic", ["--ideal"]) == parse_job(TicConfig, "tic", ["--gold"])
    assert capsys.readouterr().err == "warning: --ideal is --gold now; it works until the next release\n"

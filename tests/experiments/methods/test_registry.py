"""Methods are found by name, load when they are looked up, and say no more than what is theirs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from types import FunctionType, SimpleNamespace

import pytest

from experiments.config import MachineFlags, RunConfig
from experiments.driver.engine import blame, make_executor, workers_need
from experiments.driver.plan import resolve
from experiments.jobs import JOBS
from experiments.methods.base import Method
from experiments.methods.registry import ABLATIONS, IN_ORDER, METHODS, is_method, method_named
from experiments.recordings import shelf
from experiments.reporting.results import Summary
from experiments.reporting.statistics import Estimate
from experiments.run import main
from experiments.runs.records import FaultKind, Spent
from experiments.studies.comparisons import PARTS, RECORDING, AblationConfig, parts_table
from experiments.studies.comparisons import cells_of_ablation as cells_of
from search.boundary import WorkerError

CLASSES = sorted({type(method_named(name)) for name in IN_ORDER}, key=lambda kind: kind.__name__)


def test_names_load_no_method_and_a_look_up_loads_the_one() -> None:
    told = (
        "import sys, experiments.run, experiments.driver.preflight as p\n"
        "from experiments.methods.registry import METHODS\n"
        "from experiments.config import RunConfig\n"
        "def there():\n"
        "    return [m for m in sys.modules if m.startswith('experiments.methods.')]\n"
        "assert len(METHODS) > 20 and 'tree' in METHODS and 'oak' not in METHODS\n"
        "print(sorted(there()))\n"
        "METHODS['intrinsic']\n"
        "print('experiments.methods.one_by_one' in there(), 'experiments.methods.worldmodel' in there())\n"
        "heavy = ('matplotlib', 'pandas', 'scipy', 'ray', 'igraph', 'openai')\n"
        "print([name for name in heavy if name in sys.modules])\n"
        "print([m for m in sys.modules if m.startswith(('experiments.report', 'experiments.simulated'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    names, one, heavy, late = done.stdout.splitlines()
    assert names == "['experiments.methods.base', 'experiments.methods.registry']"
    assert one == "True False" and heavy == "[]"
    assert "experiments.report'" not in late and "simulated.model" not in late and "charts" not in late


@pytest.mark.parametrize("name", IN_ORDER)
def test_a_name_gives_one_method(name: str) -> None:
    found = method_named(name)
    assert isinstance(found, Method) and method_named(name) is found and is_method(name)
    assert (name in METHODS) != (name in ABLATIONS)


def test_an_unknown_name_is_a_key_error() -> None:
    assert not is_method("oak")
    with pytest.raises(KeyError, match="oak"):
        method_named("oak")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_method_overrides_what_it_has_otherwise_and_nothing_else(kind: type[Method]) -> None:
    above = kind.__mro__[1]
    usual = {field.name: field.default for field in fields(above)}
    own = [field for field in fields(kind) if field.name in vars(kind).get("__annotations__", {})]
    assert [f.name for f in own if f.name in usual and f.default == usual[f.name]] == []
    for name, member in vars(kind).items():
        inherited = getattr(above, name, None)
        if inspect.isfunction(member) and inspect.isfunction(inherited) and not name.startswith("__"):
            assert does(member) != does(inherited), name


def does(function: FunctionType) -> tuple[bytes, tuple[object, ...]]:
    """What a function does, its docstring aside."""
    return function.__code__.co_code, tuple(c for c in function.__code__.co_consts if c != function.__doc__)


@pytest.mark.parametrize("name", sorted(ABLATIONS))
def test_a_condition_of_the_ablation_is_refused_as_a_method_with_a_hint_at_the_study(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--method", name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"study-ablation --method refine {name}" in line
    assert "study-ablation" in JOBS and name in PARTS


def test_the_study_asks_for_the_episodes_of_its_recording() -> None:
    config = AblationConfig(recording=RECORDING)
    recorded = resolve(RunConfig(recording=RECORDING), shelf(RECORDING))
    studied = cells_of(config, shelf(RECORDING))
    beside = {unit.key for unit in recorded.units if unit.method == "llm-once+repair"}
    assert {unit.key for unit in studied.units} == {unit.key for unit in recorded.units} - beside
    assert {method for _, method in studied.missing} == {"refine-beam", "refine-no-probes"}


def test_the_table_of_the_study_compares_a_part_where_the_whole_is_too() -> None:
    def cell(env: str, method: str, solved: float, calls: int) -> Summary:
        return Summary(
            env,
            method,
            2,
            Estimate(2, solved),
            Estimate(2, 1.0),
            0,
            None,
            None,
            {},
            8,
            Spent(calls),
            100,
            0.0,
        )

    made = [cell("a", "refine", 1.0, 20), cell("b", "refine", 0.5, 40), cell("b", "refine-no-plans", 0.5, 60)]
    made += [cell("c", "refine-no-memory", 0.0, 1), cell("a", "tree", 0.0, 1)]
    whole, plans = parts_table(made).rows
    assert whole[:3] == ("nothing", "2", "0.75") and whole[5] == "15.0"
    assert plans[:3] == (PARTS["refine-no-plans"], "1", "0.50") and plans[5] == "30.0 (20.0)"


def errors_with_blame() -> list[type[BaseException]]:
    """The error classes that say whose fault they are, of the modules that workers need and of simulators."""
    workers_need()
    import_module("envs.adapters.gym_world")
    import_module("agents.goals.cost_difference")
    ours = ("envs.", "agents.", "ew.", "search.", "experiments.")
    modules = [m for name, m in list(sys.modules.items()) if name.startswith(ours)]
    found = {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Exception) and isinstance(vars(kind).get("blame"), str)
    }
    return sorted(found, key=lambda kind: kind.__name__)


def test_an_error_class_says_whose_fault_it_is() -> None:
    found = {kind.__name__: blame(WorkerError.of(kind("away"))) for kind in errors_with_blame()}
    assert found == {
        "PlannerMissing": FaultKind.MACHINE,
        "PlannerFailed": FaultKind.MACHINE,
        "GroundingFailed": FaultKind.MACHINE,
        "LabellingFailed": FaultKind.MACHINE,
        "InferenceFailed": FaultKind.MACHINE,
        "MachineFault": FaultKind.MACHINE,
        "NotDeterministic": FaultKind.WORLD,
        "RulesFailed": FaultKind.WORLD,
        "StepsSpent": FaultKind.BUDGET,
        "WorldFault": FaultKind.WORLD,
    }
    assert blame(WorkerError.of(ValueError("ours"))) is FaultKind.PROGRAM
    assert (
        blame(WorkerError("ray.exceptions.WorkerCrashedError", "gone", retryable=True)) is FaultKind.MACHINE
    )


@pytest.mark.parametrize("foreign", ["the weather", 3, property(lambda self: 1 / 0)])
def test_an_attribute_of_a_foreign_error_that_only_has_the_same_name_says_nothing(foreign: object) -> None:
    kind = type("ForeignError", (RuntimeError,), {"blame": foreign})
    assert blame(WorkerError.of(kind("theirs"))) is FaultKind.PROGRAM


def test_a_cluster_that_this_process_has_joined_must_have_what_workers_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    ray = SimpleNamespace(is_initialized=lambda: True, remote=lambda **_: lambda fn: fn)
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr("search.ray_executor.import_ray", lambda **_: ray)
    monkeypatch.setattr("search.ray_executor.check_workers", lambda ray, least, needs: asked.append(needs))
    with make_executor(MachineFlags(executor="ray")) as executor:
        executor.start()
    assert asked == [workers_need()]


def test_what_workers_need_can_be_imported_by_name() -> None:
    assert all(name in sys.modules for name in workers_need())
    assert {name.partition(".")[0] for name in workers_need()} == {
        "agents",
        "envs",
        "ew",
        "experiments",
        "search",
    }

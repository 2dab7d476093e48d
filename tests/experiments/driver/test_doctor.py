"""The doctor: what is whole, what is missing, what is broken; on broken installations most of all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from wide import wide

from agents.llm.faults import Behaviour, Fault
from agents.llm.stub import StubServer
from experiments import doctor
from experiments.driver import components
from experiments.driver.components import Component, Status, dependency, guarded, requirements
from experiments.driver.endpoint_check import examine

ROOT = Path(__file__).parents[3]


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation with one dependency and a recording, so that only the case under test is at fault."""
    monkeypatch.setattr(components, "requirements", lambda: ("numpy>=1.26",))
    monkeypatch.setattr(components, "bundled_recordings", lambda: "default (1 answers)")


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    return {c["name"]: c for c in json.loads(capsys.readouterr().out)["components"]}


@pytest.mark.usefixtures("whole")
def test_a_whole_installation_is_ready_with_one_line_a_component(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main([]) == 0
    *lines, verdict = capsys.readouterr().out.splitlines()
    assert verdict == "ready"
    assert [line.split()[1] for line in lines] == ["python", "numpy", "planner", "worlds", "recordings"]
    assert all(line.startswith("ok") for line in lines)


@pytest.mark.usefixtures("whole")
def test_json_says_the_same_and_the_version_of_each_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--json"]) == 0
    everything = found(capsys)
    assert everything["numpy"]["version"] == metadata.version("numpy")
    assert "grippers" in str(everything["worlds"]["detail"])
    assert "Fast Downward" in str(everything["planner"]["detail"])


@pytest.mark.usefixtures("whole")
def test_a_missing_planner_is_fatal_and_says_how_to_mend_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor.main(["--json", "--planner", str(tmp_path / "absent")]) == 1
    planner = found(capsys)["planner"]
    assert planner["status"] == "missing" and "pip install" in str(planner["detail"])


def test_every_declared_dependency_of_this_installation_is_whole() -> None:
    declared = requirements()
    assert declared[0] == "groundwalk" and any(r.startswith("tarski") for r in declared)
    assert not any("pytest" in r for r in declared)
    for name in ("clingo", "tarski", "numpy", "up-fast-downward"):
        (requirement,) = (r for r in declared if r.startswith(name))
        assert dependency(requirement).status is Status.OK


def test_a_package_that_is_not_installed_is_missing_and_named_with_its_remedy() -> None:
    component = dependency("no-such-package>=2")
    assert component.status is Status.MISSING and component.fatal
    assert "pip install 'no-such-package>=2'" in component.detail


def test_a_package_that_is_too_old_is_broken() -> None:
    assert dependency("numpy>=999.1").status is Status.BROKEN


def test_a_package_that_cannot_be_imported_is_broken_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(components._SMOKE, "numpy", "raise OSError('libfoo.so is not there')")
    component = dependency("numpy>=1.26")
    assert component.status is Status.BROKEN and "libfoo.so" in component.detail


def test_a_package_that_crashes_the_interpreter_breaks_its_own_line_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(components._SMOKE, "numpy", "import os; os.abort()")
    component = dependency("numpy>=1.26")
    assert component.status is Status.BROKEN and component.detail


def test_an_optional_package_is_told_but_not_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(components._OPTIONAL, "no-such-package", "nothing at all")
    component = dependency("no-such-package>=2")
    assert component.status is Status.MISSING and not component.fatal
    assert "nothing at all" in component.detail


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (FileNotFoundError("no recording"), Status.MISSING),
        (ModuleNotFoundError("no tarski"), Status.BROKEN),
        (ValueError("grippers: bad text"), Status.BROKEN),
    ],
)
def test_what_a_check_raises_is_its_line(error: Exception, status: Status) -> None:
    def check() -> str:
        raise error

    component = guarded("data", check)
    assert (component.status, component.fatal) == (status, True)
    assert str(error) in component.detail


def test_an_unreadable_world_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envs.registry.worlds", lambda: ("no-such-world",))
    component = guarded("worlds", components.bundled_worlds)
    assert component.status is Status.BROKEN and "no-such-world" in component.detail


@pytest.mark.parametrize(
    "missing", wide(["gymnasium", "numpy", "tarski", "clingo", "tyro"], "numpy", "clingo", "tyro")
)
def test_the_doctor_runs_where_a_package_is_missing_and_fails_without_a_traceback(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from experiments import doctor\nfrom experiments.driver import components\n"
        f"components.requirements = lambda: ({missing!r},)\n"
        "sys.exit(doctor.main([]))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert result.returncode == 1 and result.stderr == ""
    assert result.stdout.splitlines()[-1].startswith("not ready: ")
    assert missing in result.stdout


def test_a_line_is_one_line_whatever_the_detail_holds() -> None:
    line = doctor._line(Component("x", Status.BROKEN, detail="first\n  second"))
    assert line.endswith("first second")


def test_an_unknown_flag_ends_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        doctor.main(["--no-such-flag"])
    assert ended.value.code == 2 and "--no-such-flag" in capsys.readouterr().err


def random_words() -> Callable[..., str]:
    count = iter(range(1000))
    return lambda messages, index, seed: f"words {next(count)}"


def by_name(answered: tuple[Component, ...]) -> dict[str, Component]:
    return {component.name: component for component in answered}


def test_an_endpoint_that_honours_everything_is_ok_throughout() -> None:
    with StubServer(lambda messages, index, seed: f"words {index} {seed}", model="tiny") as stub:
        answered = by_name(examine(stub.url, None, "OPENAI_API_KEY"))
    assert list(answered) == ["endpoint", "endpoint n", "endpoint seed"]
    assert {component.status for component in answered.values()} == {Status.OK}
    assert "tiny" in answered["endpoint"].detail


def test_an_endpoint_that_ignores_n_and_seed_is_told_and_not_fatal() -> None:
    with StubServer(random_words(), Behaviour(ignore_n=True)) as stub:
        answered = by_name(examine(stub.url, None, "OPENAI_API_KEY"))
    for name in ("endpoint n", "endpoint seed"):
        assert answered[name].status is Status.MISSING and not answered[name].fatal


def test_an_endpoint_that_refuses_n_is_told_and_not_fatal() -> None:
    with StubServer(("words",), Behaviour([Fault.ONE_CHOICE_ONLY])) as stub:
        answered = by_name(examine(stub.url, None, "OPENAI_API_KEY"))
    assert answered["endpoint n"].status is Status.MISSING and not answered["endpoint n"].fatal
    assert answered["endpoint seed"].status is Status.OK


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.GARBAGE, Fault.AUTH, Fault.QUOTA])
def test_an_endpoint_that_does_not_answer_is_fatal(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-CANARY")
    with StubServer(("words",), Behaviour(always=fault)) as stub:
        answered = examine(stub.url, "tiny", "SOME_KEY")
    assert any(component.fatal for component in answered)
    assert "CANARY" not in str(answered)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "not a url", "http://user:secret@127.0.0.1:9/v1"])
def test_an_endpoint_that_cannot_be_reached_is_fatal(url: str) -> None:
    (answered,) = examine(url, None, "OPENAI_API_KEY")
    assert answered.fatal and answered.status is Status.BROKEN
    assert "secret" not in answered.detail


@pytest.mark.usefixtures("whole")
def test_the_command_line_reaches_the_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    with StubServer(("words",)) as stub:
        assert doctor.main(["--json", "--endpoint", stub.url, "--model", "tiny"]) == 0
        assert {body["model"] for body in stub.seen.bodies} == {"tiny"}
    assert found(capsys)["endpoint seed"]["version"] == "tiny"

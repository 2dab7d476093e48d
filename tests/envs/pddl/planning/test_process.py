"""Children: how they end, what is left of them, and what they never get to see."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envs.pddl.process import ChildResult, ChildStatus, child_environment, run_child

LINUX = sys.platform.startswith("linux")
needs_proc = pytest.mark.skipif(not LINUX, reason="only /proc tells the memory and the members of a session")


def python(code: str, folder: Path, wall_s: float = 240.0, **more: object) -> ChildResult:
    return run_child([sys.executable, "-c", code], cwd=folder, wall_s=wall_s, **more)  # type: ignore[arg-type]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def cut_short(code: str, folder: Path, began: Callable[[ChildResult], bool]) -> ChildResult:
    """The child at a limit of time that let it begin: a busy machine takes longer, to start Python even."""
    for wall_s in (0.5, 2.0, 8.0, 32.0):
        result = python(code, folder, wall_s=wall_s)
        if began(result):
            break
    return result


def wait_until_gone(pids: list[int]) -> bool:
    for _ in range(6000):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


#: Starts a grandchild in a process group of its own, and writes both pids into the working folder.
FAMILY = """
import os, signal, subprocess, sys, time
{prelude}
grandchild = subprocess.Popen([sys.executable, "-c", "import os, time; os.setpgid(0, 0); time.sleep(600)"])
with open("pids.part", "w", encoding="utf-8") as file:
    file.write(f"{{os.getpid()}} {{grandchild.pid}}")
os.rename("pids.part", "pids")
{ending}
"""


def pids_in(folder: Path) -> list[int]:
    return [int(word) for word in (folder / "pids").read_text(encoding="utf-8").split()]


def test_exit_code_and_both_streams_come_back(tmp_path: Path) -> None:
    result = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path)
    assert (result.status, result.returncode, result.stdout, result.stderr) == (
        ChildStatus.EXITED,
        7,
        "out\n",
        "err\n",
    )
    assert not result.succeeded and not result.truncated
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 (our own bytes)


@pytest.mark.parametrize("given", ["naïve\nπ", "naïve\nπ".encode(), "x" * 3_000_000])
def test_standard_input_arrives_whole_and_comes_back_whole(tmp_path: Path, given: str | bytes) -> None:
    echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    result = python(echo, tmp_path, stdin=given)
    assert result.succeeded
    assert result.stdout == (given if isinstance(given, str) else given.decode())


def test_without_input_the_child_reads_an_empty_stream(tmp_path: Path) -> None:
    assert python("import sys; print(len(sys.stdin.read()))", tmp_path).stdout == "0\n"


def test_endless_output_on_both_streams_neither_blocks_nor_fills_memory(tmp_path: Path) -> None:
    code = """
import sys
print("first")
for _ in range(200):
    sys.stdout.write("o" * 100_000)
    sys.stderr.write("e" * 100_000)
print("last")
"""
    result = python(code, tmp_path, output_limit=10_000)
    assert result.succeeded and result.truncated
    assert len(result.stdout) < 11_000 and len(result.stderr) < 11_000
    assert result.stdout.startswith("first") and result.stdout.endswith("last\n")
    assert "bytes left out" in result.stdout


@pytest.mark.parametrize("length", [0, 1, 9, 10, 11, 100])
def test_output_up_to_the_limit_is_untouched(tmp_path: Path, length: int) -> None:
    result = python(f"print('a' * {length}, end='')", tmp_path, output_limit=10)
    assert result.truncated == (length > 10)
    if not result.truncated:
        assert result.stdout == "a" * length


def test_output_that_is_no_text_is_replaced_not_raised(tmp_path: Path) -> None:
    code = "import sys; sys.stdout.buffer.write(bytes([255, 65]))"
    assert python(code, tmp_path).stdout == "\ufffdA"


def test_the_wall_limit_ends_the_child(tmp_path: Path) -> None:
    result = python("import time; time.sleep(600)", tmp_path, wall_s=0.3)
    assert result.status is ChildStatus.TIMEOUT


def test_a_child_that_closes_its_streams_is_still_bounded(tmp_path: Path) -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(600)"
    assert python(code, tmp_path, wall_s=0.3).status is ChildStatus.TIMEOUT


def test_what_was_said_before_the_limit_is_kept(tmp_path: Path) -> None:
    code = "import time; print('here', flush=True); time.sleep(600)"
    result = cut_short(code, tmp_path, lambda result: bool(result.stdout))
    assert (result.status, result.stdout) == (ChildStatus.TIMEOUT, "here\n")


@needs_proc
@pytest.mark.parametrize(
    "prelude", ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"], ids=["polite", "ignores SIGTERM"]
)
def test_a_timeout_leaves_no_descendant(tmp_path: Path, prelude: str) -> None:
    code = FAMILY.format(prelude=prelude, ending="time.sleep(600)")
    result = cut_short(code, tmp_path, lambda _: (tmp_path / "pids").exists())
    assert result.status is ChildStatus.TIMEOUT
    assert wait_until_gone(pids_in(tmp_path))


@needs_proc
def test_a_child_that_exits_leaves_no_descendant(tmp_path: Path) -> None:
    assert python(FAMILY.format(prelude="", ending=""), tmp_path).succeeded
    assert wait_until_gone(pids_in(tmp_path))


@needs_proc
def test_an_interrupt_in_the_caller_leaves_no_descendant(tmp_path: Path) -> None:
    (tmp_path / "child.py").write_text(FAMILY.format(prelude="", ending="time.sleep(600)"), encoding="utf-8")
    caller = f"""
import sys
from envs.pddl.process import run_child
run_child([sys.executable, "child.py"], cwd={str(tmp_path)!r}, wall_s=600)
"""
    with subprocess.Popen([sys.executable, "-c", caller], stderr=subprocess.DEVNULL) as process:
        for _ in range(6000):
            if (tmp_path / "pids").exists():
                break
            time.sleep(0.02)
        process.send_signal(2)
        process.wait(120)
    assert wait_until_gone(pids_in(tmp_path))


@needs_proc
def test_the_memory_limit_holds_for_the_child_and_its_children_together(tmp_path: Path) -> None:
    code = """
import subprocess, sys, time
hoard = "import time; kept = bytearray(b'1') * 60_000_000; time.sleep(600)"
children = [subprocess.Popen([sys.executable, "-c", hoard]) for _ in range(3)]
time.sleep(600)
"""
    result = python(code, tmp_path, memory_mb=130)
    assert result.status is ChildStatus.MEMORY


def test_a_child_below_its_memory_limit_is_left_alone(tmp_path: Path) -> None:
    assert python("import time; time.sleep(0.2); print(1)", tmp_path, memory_mb=500).succeeded


@pytest.mark.skipif(os.name != "posix", reason="signals of this kind are POSIX")
def test_a_signal_that_was_not_ours_is_told_apart(tmp_path: Path) -> None:
    result = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", tmp_path)
    assert (result.status, result.returncode) == (ChildStatus.KILLED, -9)


def test_a_program_that_cannot_be_executed_is_missing_and_not_a_failure_of_the_task(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("not a program", encoding="utf-8")
    for program in ["no-such-program", str(tmp_path), str(text), str(text / "below")]:
        result = run_child([program], cwd=tmp_path, wall_s=5)
        assert result.status is ChildStatus.MISSING
        assert result.returncode is None and program in result.stderr


def test_a_folder_that_is_not_there_is_the_callers_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make it first"):
        python("print(1)", tmp_path / "absent")


def test_secrets_stay_out_of_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "other_api_key", "HF_TOKEN", "AWS_SECRET", "DB_PASSWORD"):
        monkeypatch.setenv(name, "sk-CANARY")
    monkeypatch.setenv("GROUNDWALK_HARMLESS", "kept")
    seen = python("import os; print(dict(os.environ))", tmp_path).stdout
    assert "CANARY" not in seen and "GROUNDWALK_HARMLESS" in seen


def test_temporary_files_of_the_child_land_in_its_folder(tmp_path: Path) -> None:
    made = python("import tempfile; print(tempfile.mkstemp()[1])", tmp_path).stdout.strip()
    assert Path(made).parent == tmp_path.resolve()


def test_a_given_environment_is_the_whole_environment(tmp_path: Path) -> None:
    environment = {**child_environment(tmp_path), "ONLY_HERE": "yes"}
    assert python("import os; print(os.environ['ONLY_HERE'])", tmp_path, env=environment).stdout == "yes\n"


def test_hostile_arguments_never_reach_a_shell(tmp_path: Path) -> None:
    hostile = "; touch owned $(touch owned) `touch owned`"
    result = run_child(
        [sys.executable, "-c", "import sys; print(sys.argv[1])", hostile], cwd=tmp_path, wall_s=20
    )
    assert result.stdout.strip() == hostile
    assert not list(tmp_path.iterdir())


def test_children_of_many_threads_do_not_meet(tmp_path: Path) -> None:
    def call(number: int) -> str:
        return python(f"print({number})", tmp_path, memory_mb=500).stdout

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(16))) == [f"{n}\n" for n in range(16)]


def test_no_thread_is_left_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    python("print(1)", tmp_path)
    assert threading.active_count() == before

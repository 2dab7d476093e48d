"""Rules about the source text itself: portability and safety."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("envs", "agents", "ew", "search", "experiments")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
FORBIDDEN_CALLS = {"eval", "exec", "os.system", "os.popen", "signal.alarm"}
FORBIDDEN_CALLS |= {"pickle.load", "pickle.loads", "yaml.load"}
FORBIDDEN_TEXT = re.compile(r"""SIGALRM|["']/tmp\b|(get_context|set_start_method)\(["']fork["']\)""")


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_source_runs_no_text_and_works_on_every_platform(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not FORBIDDEN_TEXT.search(text)
    for name, call in calls(ast.parse(text)):
        assert name not in FORBIDDEN_CALLS, f"{name} at line {call.lineno}"
        keywords = {k.arg: k.value for k in call.keywords}
        shell = keywords.get("shell")
        assert not (isinstance(shell, ast.Constant) and shell.value), f"shell=True at line {call.lineno}"
        assert not lacks_encoding(name, call, keywords), f"no encoding at line {call.lineno}"


def lacks_encoding(name: str, call: ast.Call, keywords: dict[str | None, ast.expr]) -> bool:
    if name.rpartition(".")[2] in ("read_text", "write_text"):
        return "encoding" not in keywords
    if name not in ("open", "gzip.open") and not name.endswith("path.open"):
        return False
    constants = [a for a in (*call.args, *keywords.values()) if isinstance(a, ast.Constant)]
    mode = next((a.value for a in constants if is_mode(a)), "r")
    return "b" not in str(mode) and "encoding" not in keywords and not (name == "gzip.open" and mode == "r")


def is_mode(constant: ast.Constant) -> bool:
    return isinstance(constant.value, str) and bool(re.fullmatch(r"[rwaxbt+]{1,3}", constant.value))


@pytest.mark.parametrize("blocked", ["ray", "openai"])
def test_the_core_imports_neither_ray_nor_openai(blocked: str) -> None:
    code = (
        f"import sys; sys.modules[{blocked!r}] = None\n"
        "import envs, envs.world, envs.environment, ew.score.score\n"
        "import ew.counterexample.disagreement, ew.counterexample.feedback\n"
        "import envs.pddl.diagnosis.diagnose, envs.pddl.simulation.compile\n"
        "import envs.pddl.planning.validate, envs.pddl.planning.planner\n"
        "import search.loop, search.executors, agents.refine\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)

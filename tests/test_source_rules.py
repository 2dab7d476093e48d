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
            yield dotted(node.func), node


def dotted(function: ast.expr) -> str:
    """What is called, as it is written; what is no name in it, such as a call, is "…"."""
    if isinstance(function, ast.Attribute):
        return f"{dotted(function.value)}.{function.attr}"
    return function.id if isinstance(function, ast.Name) else "…"


def test_source_runs_no_text_and_works_on_every_platform() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {breach}"
        for path in SOURCES
        for breach in breaches(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)
    assert len(SOURCES) > 30  # a walk that finds nothing would pass everything


def breaches(text: str) -> Iterator[str]:
    """What a module's text may not hold."""
    if forbidden := FORBIDDEN_TEXT.search(text):
        yield f"{forbidden[0]} in its text"
    for name, call in calls(ast.parse(text)):
        if name in FORBIDDEN_CALLS:
            yield f"{name} at line {call.lineno}"
        keywords = {k.arg: k.value for k in call.keywords}
        shell = keywords.get("shell")
        if isinstance(shell, ast.Constant) and shell.value:
            yield f"shell=True at line {call.lineno}"
        if lacks_encoding(name, call, keywords):
            yield f"no encoding at line {call.lineno}"


@pytest.mark.parametrize(
    "text",
    [
        "import signal\nsignal.alarm(3)",
        "signal.signal(signal.SIGALRM, f)",
        "p = '/tmp/x'",
        "get_context('fork')",
        "eval(text)",
        "pickle.loads(data)",
        "run(command, shell=True)",
        "path.read_text()",
        "Path(name).read_text()",
        "found[0].path.open()",
        "open(name)",
        "gzip.open(name, 'rt')",
        "self.path.open('w')",
    ],
)
def test_a_breach_is_found(text: str) -> None:
    assert list(breaches(text))


@pytest.mark.parametrize(
    "text",
    [
        "path.read_text(encoding='utf-8')",
        "open(name, 'rb')",
        "gzip.open(name)",
        "run(command, shell=False)",
        "open(name, 'w', encoding='utf-8')",
        "evaluate(text)",
        "tempfile.gettempdir()",
    ],
)
def test_what_is_in_order_is_none(text: str) -> None:
    assert not list(breaches(text))


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

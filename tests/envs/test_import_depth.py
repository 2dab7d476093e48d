"""How deep the imports of the kernel and of the worlds go: what one has to read to read a module.

The depth of a module is one more than the deepest module that it imports when it is loaded.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEEPEST = {
    "envs.pddl.equivalence.deadline": 1,
    "envs.pddl.equivalence.compare": 15,
    "envs.source": 13,
    "envs.environment": 16,
    "envs.planetarium.source": 17,
}


def _file(module: str) -> Path | None:
    plain = ROOT / Path(*module.split("."))
    return next((f for f in (plain.with_suffix(".py"), plain / "__init__.py") if f.is_file()), None)


def _imported(module: str) -> set[str]:
    """The modules of ours that a module imports outside of functions."""
    file = _file(module)
    assert file is not None, module
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "envs":
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if _file(name) else name.rpartition(".")[0] for name in names}


@cache
def depth(module: str) -> int:
    """As the text above says; an endless recursion is a cycle of imports."""
    return 1 + max(map(depth, _imported(module)), default=0)


@pytest.mark.parametrize(("module", "deepest"), DEEPEST.items())
def test_imports_go_no_deeper_than_this(module: str, deepest: int) -> None:
    assert depth(module) <= deepest


def test_the_walk_follows_what_it_measures() -> None:
    assert depth("envs.pddl.language.vocabulary") == 1 < depth("envs.pddl.language.structure")
    assert "envs.pddl.language.structure" in _imported("envs.pddl.language.domain")

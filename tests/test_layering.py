"""The import rule: which package may import which of ours, and who opens each third-party door."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("envs", "agents", "ew", "search", "experiments")
MAY_IMPORT = {
    "envs.pddl": set(),
    "envs": {"envs.pddl"},
    "ew": {"envs.pddl"},
    "agents": {"envs.pddl", "ew"},
    "search": set(),
    "experiments": {"envs.pddl", "envs", "ew", "agents", "search"},
}
#: Third-party package → the places (dotted prefixes) that may import it.
DOORS = {
    "tarski": ("envs.pddl", "experiments.doctor"),
    "clingo": ("envs.pddl", "agents", "experiments.doctor"),
    "gymnasium": ("envs", "experiments"),
    "igraph": ("envs.pddl.equivalence",),
    "minigrid": ("envs.adapters.minigrid",),
    "pddlgym": ("envs",),
    "pyarrow": ("envs.planetarium.files",),
    "openai": ("agents.llm",),
    "ray": ("search.ray_connection", "search.ray_executor"),
    "tyro": ("experiments",),
    "rich": ("experiments",),
    "matplotlib": ("experiments",),
    "pandas": ("experiments.reporting", "experiments.runs.frames", "experiments.studies"),
    "scipy": ("experiments.reporting.statistics",),
    "jinja2": ("experiments.reporting.html",),
    "mlflow": ("experiments.runs.tracking",),
    "tensorboardX": ("experiments.runs.tracking",),
    "wandb": ("experiments.runs.tracking",),
    "subprocess": ("envs.pddl.process",),
}
MODULES = sorted(p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))


def dotted(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> str | None:
    if module == "envs.pddl" or module.startswith("envs.pddl."):
        return "envs.pddl"
    top = module.split(".")[0]
    return top if top in PACKAGES else None


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below a node; no import stands within an expression."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, ast.expr):
            yield from statements(child)


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a module imports, relative imports resolved."""
    name, is_package = dotted(path), path.name == "__init__.py"
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                here = name.split(".") if is_package else name.split(".")[:-1]
                here = here[: len(here) - node.level + 1]
                base = ".".join([*here, base]) if base else ".".join(here)
            # `from envs import pddl` names the sub-package, not only its parent
            yield from (f"{base}.{alias.name}" for alias in node.names)


@cache
def imports_by_module() -> dict[str, tuple[str, ...]]:
    """Module → what it imports; each is read once, and none where no test asks."""
    return {dotted(path): tuple(imports(path)) for path in MODULES}


def test_modules_import_only_what_their_layers_may() -> None:
    breaches = [
        f"{name} imports {target}"
        for name, targets in imports_by_module().items()
        for target in targets
        if not may_import(layer(name), layer(target))
    ]
    assert not breaches, "\n".join(breaches)


def may_import(mine: str | None, theirs: str | None) -> bool:
    assert mine is not None
    return theirs in (None, mine) or theirs in MAY_IMPORT[mine]


def test_third_party_packages_come_in_through_their_doors() -> None:
    breaches = [
        f"{name} imports {target}; only {', '.join(DOORS[target.split('.')[0]])} may"
        for name, targets in imports_by_module().items()
        for target in targets
        if not may_open(name, target)
    ]
    assert not breaches, "\n".join(breaches)


def may_open(name: str, target: str) -> bool:
    doors = DOORS.get(target.split(".")[0])
    return doors is None or any(name == d or name.startswith(f"{d}.") for d in doors)


@pytest.mark.parametrize(
    ("mine", "target", "allowed"),
    [
        ("envs.pddl", "envs.world", False),
        ("ew", "envs.pddl.simulation.atoms", True),
        ("agents", "envs.world", False),
        ("search", "ew.score.score", False),
        ("experiments", "search.loop", True),
        ("search", "json", True),
    ],
)
def test_a_breach_between_layers_is_seen(mine: str, target: str, allowed: bool) -> None:
    assert may_import(mine, layer(target)) is allowed


@pytest.mark.parametrize(
    ("name", "target", "allowed"),
    [
        ("agents.repair.search", "clingo", True),
        ("ew.score.score", "clingo.ast", False),
        ("search.ray_executor_of_another", "ray", False),
        ("envs.world", "subprocess", False),
        ("envs.world", "json", True),
    ],
)
def test_a_package_beside_its_door_is_seen(name: str, target: str, allowed: bool) -> None:
    assert may_open(name, target) is allowed


def test_the_walk_sees_the_imports_it_judges() -> None:
    # a walk that finds nothing would pass everything
    assert "envs.pddl" in {
        layer(t) for name, found in imports_by_module().items() if name.startswith("ew") for t in found
    }
    assert len(imports_by_module()) > 30

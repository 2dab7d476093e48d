"""The import rule: which package may import which of ours, and who opens each third-party door."""

import ast
from collections.abc import Iterator
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
    "pddlgym": ("envs",),
    "pyarrow": ("envs.planetarium.files",),
    "openai": ("agents.llm",),
    "ray": ("search.ray_connection", "search.ray_executor"),
    "tyro": ("experiments",),
    "rich": ("experiments",),
    "matplotlib": ("experiments",),
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


def imports(path: Path) -> Iterator[str]:
    """Every dotted name that a module imports, relative imports resolved."""
    name, is_package = dotted(path), path.name == "__init__.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_module_imports_only_what_its_layer_may(path: Path) -> None:
    mine = layer(dotted(path))
    assert mine is not None
    for target in imports(path):
        theirs = layer(target)
        assert theirs in (None, mine) or theirs in MAY_IMPORT[mine], f"{dotted(path)} imports {target}"


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_third_party_packages_come_in_through_their_doors(path: Path) -> None:
    name = dotted(path)
    for target in imports(path):
        allowed = DOORS.get(target.split(".")[0])
        assert allowed is None or any(name == d or name.startswith(f"{d}.") for d in allowed), (
            f"{name} imports {target}; only {', '.join(allowed)} may"
        )


def test_the_walk_sees_the_imports_it_judges() -> None:
    # a walk that finds nothing would pass everything
    assert "envs.pddl" in {layer(t) for p in MODULES if dotted(p).startswith("ew") for t in imports(p)}
    assert len(MODULES) > 30

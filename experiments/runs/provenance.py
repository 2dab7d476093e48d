"""What a run ran on: versions, platform, planner, the state of the source, the prompts' hashes.

Written once, when a run directory is made. Nothing here changes a result, so nothing here is compared
when a run is resumed.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from envs.pddl.process import run_child

_PACKAGES = (
    "groundwalk", "clingo", "gymnasium", "igraph", "matplotlib", "msgspec", "numpy", "openai",
    "pddlgym", "ray", "rich", "tarski", "tyro", "up-fast-downward",
)  # fmt: skip
_GIT_SECONDS, _GIT_MEMORY_MB = 10.0, 1000


def provenance(planner_version: str) -> dict[str, Any]:
    """Plain data for `config.json`."""
    return {
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "planner": planner_version,
        "source": _git_state(Path(__file__).resolve().parent),
        "prompts": _hashes(Path(str(resources.files("agents") / "prompts"))),
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache  # of the first run of this process, for all: what is edited later is mostly not what runs
def _git_state(folder: Path) -> dict[str, str | None]:
    """The commit, and a hash of what differs from it (None if nothing does); both None outside a checkout."""
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "diff", "HEAD") if commit else None
    dirty = hashlib.sha256(changes.encode("utf-8")).hexdigest() if changes else None
    return {"commit": commit, "dirty": dirty}


def _git(folder: Path, *arguments: str) -> str | None:
    child = run_child(["git", *arguments], cwd=folder, wall_s=_GIT_SECONDS, memory_mb=_GIT_MEMORY_MB)
    return child.stdout.strip() if child.succeeded else None


def _hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every data file below `folder`, by its path there."""
    files = (p for p in folder.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".typed"))
    return {p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

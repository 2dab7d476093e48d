"""Print the Python versions that pyproject.toml claims, the lowest first, one a line."""

import tomllib
from pathlib import Path

PREFIX = "Programming Language :: Python :: 3."
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
minors = sorted(int(c.removeprefix(PREFIX)) for c in project["classifiers"] if c.startswith(PREFIX))
for minor in minors:
    print(f"3.{minor}")

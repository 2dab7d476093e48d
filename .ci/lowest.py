"""Print the lowest version of each dependency that pyproject.toml allows, as constraints for pip.

python .ci/lowest.py > lowest.txt && pip install -c lowest.txt -e .
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """`numpy==1.26` of `numpy>=1.26,<3; marker`. Exits where no lower bound is stated."""
    found = re.fullmatch(r"([\w.-]+)>=([\w.]+)(,[^;]*)?(;.*)?", requirement.replace(" ", ""))
    if found is None:
        sys.exit(f"{PYPROJECT.name}: {requirement!r} states no lowest version")
    return f"{found[1]}=={found[2]}"


def main() -> None:
    """One line for each dependency of the package itself."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        print(lowest(requirement))


if __name__ == "__main__":
    main()

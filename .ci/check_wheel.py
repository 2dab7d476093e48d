"""Import every module of an installed wheel and open every data file it carries.

python check_wheel.py SITE      SITE: the folder that the wheel was installed into
"""

import importlib
import importlib.resources
import pkgutil
import sys
from pathlib import Path

#: Modules behind an extra, and the package that they need.
BEHIND_EXTRAS = {"envs.adapters.minigrid": "minigrid"}
PACKAGES = ("envs", "agents", "ew", "search", "experiments")


def main() -> None:
    """Exit non-zero, naming the culprit, if anything is missing."""
    site = Path(sys.argv[1]).resolve()
    modules = data = 0
    for name in PACKAGES:
        package = importlib.import_module(name)
        if site not in Path(package.__file__ or "").resolve().parents:
            sys.exit(f"{name} was imported from {package.__file__}, not from the wheel")
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not info.name.endswith("__main__"):
                modules += imported(info.name)
        data += read_all(importlib.resources.files(name))
    if not data:
        sys.exit("the wheel carries no data files")
    print(f"wheel: {modules} modules imported, {data} data files read")


def imported(name: str) -> int:
    """Import a module; 0 for one whose extra is not installed, else 1."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != BEHIND_EXTRAS.get(name):
            raise
        return 0
    return 1


def read_all(folder) -> int:  # type: ignore[no-untyped-def]
    """Read every file below `folder` that is not Python; how many there were."""
    count = 0
    for entry in folder.iterdir():
        if entry.is_dir():
            count += read_all(entry)
        elif not entry.name.endswith((".py", ".pyc")):
            entry.read_bytes()
            count += 1
    return count


if __name__ == "__main__":
    main()

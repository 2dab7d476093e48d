"""What the tests of heavy extras found, with the versions they found it with, as Markdown.

python extras_seen.py JUNIT_XML
"""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from xml.etree import ElementTree

PACKAGES = ("groundwalk", "amlgym", "offlam", "nolam", "n-sam", "mlflow", "tensorboardX", "wandb")


def main() -> None:
    """Write both tables to standard output."""
    print("Made by `.ci/extras`, which installs the heavy extras and runs the tests marked `extras`.\n")
    print("| package | version |\n| --- | --- |")
    print(f"| Python | {platform.python_version()} |")
    for name in PACKAGES:
        print(f"| {name} | {installed(name)} |")
    print("\n| test | result |\n| --- | --- |")
    for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
        outcome = next((child.tag for child in case), "passed")
        print(f"| {case.get('name')} | {outcome} |")


def installed(name: str) -> str:
    """The version of a package, or that it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()

"""The README's Python is executed, top to bottom, and its two commands stand where CI looks for them."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_readme_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL))
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102
    printed = capsys.readouterr().out
    assert "EWScore(" in printed
    assert "disagree" in printed


def test_readme_has_its_two_commands() -> None:
    for comment, command in (
        ("run the main job", "pip install -e . && python -m experiments.run"),
        ("run the tests", "pip install -e '.[test]' && pytest"),
    ):
        assert f"# {comment}\n{command}\n" in README

"""Every fix that a diagnosis prints leads out: a program that does what the words say is rid of the issue."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from fix_samples import SAMPLES
from fixes import Texts, apply
from pddl_faults import CODES, TABLE, WARNINGS

import envs.pddl
from envs.pddl.diagnosis.diagnose import diagnose
from envs.pddl.language.issues import Code, Issue
from envs.pddl.language.sexpr import Source

CASES: dict[str, tuple[str, str]] = {
    **{name: texts for table in (TABLE, CODES, WARNINGS) for name, (texts, _) in table.items()},
    **SAMPLES,
}
#: Fixes that may follow one another before nothing is left to be fixed.
MOST_STEPS = 40


def issues_of(texts: Texts) -> tuple[Issue, ...]:
    return diagnose(texts.domain, texts.problem).issues


def places(texts: Texts, like: Issue) -> list[tuple[int, int]]:
    """Where issues stand that say the same as this one."""
    alike = (i for i in issues_of(texts) if (i.source, i.message) == (like.source, like.message))
    return [(i.line, i.column) for i in alike]


@pytest.mark.parametrize("name", CASES)
def test_each_alternative_of_a_fix_removes_its_issue(name: str) -> None:
    texts = Texts(*CASES[name])
    for issue in issues_of(texts):
        before, fixed = places(texts, issue), apply(texts, issue)
        assert fixed, issue.render()
        for alternative in fixed:
            left = places(alternative, issue)
            # A name that is wrong in many places is one issue, which then stands at the next of them.
            moved = len(left) == len(before) and left[-1] > before[-1]
            assert len(left) < len(before) or moved, f"{issue.render()}\n{alternative}"


@pytest.mark.parametrize("name", CASES)
def test_following_the_first_fix_again_and_again_leads_out(name: str) -> None:
    texts = Texts(*CASES[name])
    for _ in range(MOST_STEPS):
        issues = issues_of(texts)
        if not issues:
            return
        texts = apply(texts, issues[0])[0]
    pytest.fail(f"{texts.domain}\n{texts.problem}\n{diagnose(texts.domain, texts.problem).render()}")


KERNEL = Path(envs.pddl.__path__[0])
FILES = [*sorted((KERNEL / "diagnosis").glob("*.py")), KERNEL / "language" / "sexpr.py"]


def places_with_a_fix() -> set[tuple[Path, int, int]]:
    """File, first and last line of every call that makes an issue."""
    found = set()
    for path in FILES:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or function.name in ("_add", "error", "warning"):
                continue
            for call in ast.walk(function):
                if not isinstance(call, ast.Call) or len(call.args) < 4:
                    continue
                name = (
                    call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                )
                if name in ("error", "warning", "issue", "report"):
                    found.add((path, call.lineno, call.end_lineno or call.lineno))
    return found


def test_every_place_that_prints_a_fix_has_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    met: set[tuple[Path, int]] = set()
    codes: set[Code] = set()
    make = Source.issue

    def noted(self: Source, code: Code, *arguments: object) -> Issue:
        codes.add(code)
        frame = inspect.currentframe()
        while frame := frame.f_back if frame else None:
            met.add((Path(frame.f_code.co_filename), frame.f_lineno))
            if frame.f_code.co_name in ("check_domain", "check_problem"):
                break
        return make(self, code, *arguments)

    monkeypatch.setattr(Source, "issue", noted)
    for texts in CASES.values():
        diagnose(*texts)
    missing = {
        (file, first)
        for file, first, last in places_with_a_fix()
        if not any((file, line) in met for line in range(first, last + 1))
    }
    assert not missing
    assert codes == set(Code)

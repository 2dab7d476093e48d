"""Issues in PDDL text: a code, a place (line and column), a message and a fix.

Users and language models read the same messages; `tests/envs/pddl/golden` keeps them byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """An error makes the text unusable; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """The closed set of issue codes."""

    SYNTAX = "syntax"
    UNBALANCED = "unbalanced"
    TOO_LARGE = "too_large"
    ENCODING = "encoding"
    MULTIPLE_DEFINE = "multiple_define"
    UNDECLARED_PREDICATE = "undeclared_predicate"
    UNDECLARED_TYPE = "undeclared_type"
    UNDECLARED_OBJECT = "undeclared_object"
    UNDECLARED_VARIABLE = "undeclared_variable"
    UNDECLARED_FUNCTION = "undeclared_function"
    ARITY = "arity"
    TYPE_MISMATCH = "type_mismatch"
    DUPLICATE = "duplicate"
    CYCLIC_TYPES = "cyclic_types"
    MISSING_REQUIREMENT = "missing_requirement"
    UNSUPPORTED_FEATURE = "unsupported_feature"
    ZERO_GROUNDINGS = "zero_groundings"
    DOMAIN_NAME_MISMATCH = "domain_name_mismatch"
    EMPTY_EFFECT = "empty_effect"
    NAME_CLASH = "name_clash"


@dataclass(frozen=True)
class Issue:
    """One fault: its place (1-based line and column, in which text), the line itself, and a fix."""

    severity: Severity
    code: Code
    message: str  #: what is wrong and what was expected, one sentence
    fix: str  #: what to write instead, one sentence
    source: str  #: "domain" or "problem", or a file's name
    line: int
    column: int
    snippet: str  #: the source line without its line break; of a long one only a part
    caret: int = 0  #: the 1-based place in `snippet` that `column` stands for; 0: they are the same

    def render(self) -> str:
        """`domain:4:12: error[arity]: …`, the line with a caret under the column, and the fix."""
        text, caret = _window(self.snippet, self.caret or self.column)
        return (
            f"{self.source}:{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}\n"
            f"    {text}\n    {caret}\n  fix: {self.fix}"
        )

    def brief(self) -> str:
        """Place, message and fix in one line, for a shell."""
        return f"{self.source}:{self.line}:{self.column}: {self.message}; {self.fix}"


@dataclass(frozen=True)
class Diagnosis:
    """All issues of a domain and, if given, a problem, in the order of the text."""

    issues: tuple[Issue, ...] = ()

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The issues that make the text unusable."""
        return tuple(i for i in self.issues if i.severity is Severity.ERROR)

    @property
    def valid(self) -> bool:
        """Whether there is no error; warnings may remain."""
        return not self.errors

    def render(self) -> str:
        """Every issue's text, a blank line between."""
        return "\n\n".join(i.render() for i in self.issues)


class PDDLError(ValueError):
    """PDDL text that cannot be used; `issues` say where and why. Survives pickling."""

    def __init__(self, issues: Sequence[Issue]):
        super().__init__(tuple(issues))
        self.issues = tuple(issues)

    def __str__(self) -> str:
        return Diagnosis(self.issues).render()

    def brief(self) -> str:
        """The first issue in one line, and how many more there are."""
        more = f" (and {len(self.issues) - 1} more)" if len(self.issues) > 1 else ""
        return self.issues[0].brief() + more


def refuse_errors(issues: Iterable[Issue]) -> None:
    """Raise PDDLError with the errors among the issues, if there are any."""
    errors = Diagnosis(tuple(issues)).errors
    if errors:
        raise PDDLError(errors)


def _window(line: str, column: int, width: int = 100) -> tuple[str, str]:
    """The part of `line` around `column` that fits in `width`, and the caret line under it."""
    start = max(0, column - 1 - width // 2) if len(line) > width else 0
    return line[start : start + width], " " * (column - 1 - start) + "^"

"""Effects under many conditions are built once each, or refused with their size before they are built."""

import re

import pytest
from wide import wide

from envs.pddl.diagnosis.formulas import written_size
from envs.pddl.language.domain import read_domain
from envs.pddl.language.formulas import FormulaBuilder
from envs.pddl.language.issues import Code, PDDLError
from envs.pddl.language.render import render_domain
from envs.pddl.language.sexpr import MAX_CHARACTERS, Source, read_sexprs


def domain(effect: str) -> str:
    return f"""(define (domain d) (:requirements :adl) (:predicates (p ?x) (q))
    (:action a :parameters (?x ?y) :effect {effect}))"""


def nested(depth: int, conditions: int, changes: int) -> str:
    """`when` in `when`, each level with so many conditions and changes of its own."""
    effect = "(and " + "(p ?x) " * changes + ")"
    for _ in range(depth):
        effect = f"(when (and {'(p ?y) ' * conditions}) (and {'(q) ' * changes} {effect}))"
    return effect


QUANTIFIED = "(when (exists (?x) (p ?x)) " * 40 + "(and " + "(forall (?x) (p ?x)) " * 60 + ")" + ")" * 40


@pytest.mark.parametrize("effect", [nested(90, 10, 2), nested(1, 200, 200), nested(3, 2, 1), QUANTIFIED])
def test_each_condition_is_built_once(effect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    build = FormulaBuilder._condition
    monkeypatch.setattr(
        FormulaBuilder, "_condition", lambda self, *given: built.append(1) or build(self, *given)
    )
    read_domain(domain(effect))
    assert len(built) <= effect.count("(") + 1


@pytest.mark.parametrize(
    "effect", wide([nested(60, 5, 2), nested(1, 50, 50), QUANTIFIED], nested(1, 50, 50), QUANTIFIED)
)
def test_what_is_read_can_be_written_and_read_again(effect: str) -> None:
    text = render_domain(read_domain(domain(effect)))
    assert render_domain(read_domain(text)) == text


def test_the_counted_size_grows_with_the_written_one() -> None:
    for effect in (nested(5, 3, 2), nested(40, 10, 2), nested(1, 90, 80), "(and (p ?x) (not (q)))"):
        (node,) = read_sexprs(Source(effect, "effect"))
        written = render_domain(read_domain(domain(effect))).partition(":effect")[2]
        assert 0.7 < written_size(node)[1] / len(re.sub(r"\s+", " ", written)) < 1.5


@pytest.mark.parametrize(
    "effect",
    wide(
        [nested(95, 140, 5), nested(1, 3000, 3000), nested(90, 100, 20)],
        nested(1, 3000, 3000),
        nested(90, 100, 20),
    ),
)
def test_what_would_be_too_long_is_refused_with_its_size(effect: str) -> None:
    with pytest.raises(PDDLError) as caught:
        read_domain(domain(effect))
    (issue,) = caught.value.issues
    (node,) = read_sexprs(Source(effect, "effect"))
    assert issue.code is Code.TOO_LARGE and f"{written_size(node)[1]:,} characters" in issue.message
    assert written_size(node)[1] > MAX_CHARACTERS and "(when ...)" in issue.fix

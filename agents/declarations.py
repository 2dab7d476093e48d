"""Short PDDL texts of an edit: one predicate declaration, one condition or one effect a string.

A text passes if it is exactly one balanced form; what it means is judged later, in the whole domain. So a
string can never smuggle a second section into the domain's text.
"""

from __future__ import annotations

from envs.pddl.language.issues import PDDLError
from envs.pddl.language.sexpr import Group, Source, Word, read_sexprs


class NotOneForm(ValueError):
    """The text is not one balanced form; the message says what it is instead."""


def read_declaration(text: str) -> tuple[str, str]:
    """Name and canonical text of a declaration such as `(at ?r - robot ?p - place)`.

    A missing outer pair of parentheses is forgiven. Raises NotOneForm.
    """
    form = _one_form(text if text.lstrip().startswith(("(", ";")) else f"({text})")
    if not form.head or form.head.startswith(("?", ":", "-")):
        raise NotOneForm(f"{_shown(text)} declares no predicate: write it as (name ?variable - type ...)")
    if any(isinstance(item, Group) and item.head != "either" for item in form.items):
        raise NotOneForm(f"{_shown(text)} holds more than one declaration: write one declaration a string")
    return form.head, str(form)


def read_forms(text: str) -> tuple[str, ...]:
    """Canonical text of one condition or effect, in a tuple; an empty one for blank text, `()` and `(and)`.

    Raises NotOneForm.
    """
    if not text.strip():
        return ()
    form = _one_form(text)
    if not form.items or str(form) == "(and)":
        return ()
    if not form.head:
        raise NotOneForm(
            f"{_shown(text)} does not start with a predicate or a connective after its parenthesis"
        )
    if form.head.startswith((":", "?")):
        raise NotOneForm(
            f"{_shown(text)} starts with {form.head}, which is neither a predicate nor a connective"
        )
    return (str(form),)


def _one_form(text: str) -> Group:
    """The one group that `text` consists of."""
    try:
        nodes = read_sexprs(Source(text, "edit"))
    except PDDLError as fault:
        raise NotOneForm(f"{_shown(text)} is not one PDDL form: {fault.issues[0].message}") from fault
    match nodes:
        case [Group() as form]:
            return form
        case [Word(), *_]:
            raise NotOneForm(f"{_shown(text)} has to be one PDDL form in parentheses")
    raise NotOneForm(f"{_shown(text)} holds {len(nodes)} PDDL forms: write one a string")


def _shown(text: str) -> str:
    """The text in quotes, cut to a readable length."""
    return repr(text if len(text) <= 200 else f"{text[:200]}...")

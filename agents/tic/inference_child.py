"""The program of a child that infers: it grounds and solves what an IR and our own rules come to.

Its standard input is the program; what it writes is a `Reply` as JSON. The program is ground until nothing
more is made (`agents.tic.completion`), then solved: two models that differ in what they show are looked for.
If there is none, the fewest statements are looked for that stand in the way.

It imports little, so that it starts quickly, and enables no scripts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field

import clingo
from clingo import Function

from agents.tic.completion import Additions, Grounded, Wrong, split_term

#: A program that asks for more rounds has no answer.
_ROUNDS = 8
#: More atoms than this are not handed back.
MAX_ATOMS = 500_000


@dataclass(frozen=True)
class Facts:
    """A model, in constants (`agents.tic.knowledge`); everything sorted. Picklable."""

    objects: tuple[tuple[str, str], ...]  #: (object, type), every type of each
    init: tuple[tuple[str, ...], ...]  #: (predicate, argument, ...)
    goal: tuple[tuple[bool, tuple[str, ...]], ...]  #: (True if it has to hold, (predicate, argument, ...))

    def statements(self) -> Iterator[str]:
        """Each fact as an IR would state it."""
        yield from (f"object({thing}, {kind})" for thing, kind in self.objects)
        yield from (f"init({show_fact(fact)})" for fact in self.init)
        yield from (show_goal(holds, fact) for holds, fact in self.goal)


def show_fact(fact: Sequence[str]) -> str:
    """`on(a, b)`, or `has_block`."""
    predicate, *arguments = fact
    return f"{predicate}({', '.join(arguments)})" if arguments else predicate


def show_goal(holds: bool, fact: Sequence[str]) -> str:
    """`goal(on(a, b))`, or `goal(-on(a, b))`."""
    return f"goal({'' if holds else '-'}{show_fact(fact)})"


@dataclass
class Reply:
    """What became of a request. With `wrong`, one model shows what is true where these are overlooked."""

    models: list[Facts] = field(default_factory=list)  #: two at the most
    wrong: list[Wrong] = field(default_factory=list)
    refused: bool = False  #: clingo does not take the program; `notes` say why
    too_many: bool = False  #: more atoms than are handed back
    notes: list[tuple[int, str]] = field(default_factory=list)  #: line of the program, and what clingo says


def answer(program: str) -> Reply:
    """The models of a program, or what is wrong with it."""
    reply = Reply()
    try:
        control, made, settled = _settled(program, reply)
    except RuntimeError:
        reply.refused = True
        return reply
    if not settled:
        reply.wrong = [("unsettled",)]
    elif made.wrong:
        reply.wrong = list(made.wrong)
    else:
        _solve(control, reply)
    return reply


def _settled(program: str, reply: Reply) -> tuple[clingo.Control, Additions, bool]:
    """The program ground with all that has to be made, and whether that came to an end."""
    made = Additions()
    for _ in range(_ROUNDS):
        reply.notes = []
        control = _ground(program, made, reply)
        following = made.after(Grounded.of(control.symbolic_atoms))
        if (following.objects, following.pairs) == (made.objects, made.pairs):
            return control, following, True
        made = following
    return control, made, bool(made.wrong)


def _ground(program: str, made: Additions, reply: Reply) -> clingo.Control:
    def log(_code: clingo.MessageCode, message: str) -> None:
        place, _, words = message.partition(": ")
        numbers = place.split(":")[1:2]
        reply.notes.append((int(numbers[0]) if numbers else 0, " ".join(words.split())))

    control = clingo.Control(["--project=show", "--opt-mode=ignore"], logger=log, message_limit=1000)
    control.add("base", [], f"{program}{made.facts()}")
    control.ground([("base", [])], context=made)
    return control


def _solve(control: clingo.Control, reply: Reply) -> None:
    """The first two models; if there is none, the one in which the fewest things are wrong."""
    control.assign_external(Function("tic_strict"), True)
    for terms in _models(control, 2):
        reply.models.append(_model(terms))
        reply.wrong += [("open", what) for what in _about(terms, "tic_open")]
        reply.too_many |= len(terms) > MAX_ATOMS
    if not reply.models:
        control.assign_external(Function("tic_strict"), False)
        control.configuration.solve.opt_mode = "opt"
        for terms in _models(control, 0):  # each is better than the one before
            reply.models = [_model(terms)]
            reply.wrong = [tuple(split_term(what)) for what in _about(terms, "tic_wrong")]
        reply.wrong = reply.wrong or [("denied",)]


def _about(terms: Iterable[str], predicate: str) -> list[str]:
    """What a predicate of the schema says, sorted."""
    return sorted(term[len(predicate) + 1 : -1] for term in terms if term.startswith(f"{predicate}("))


def _models(control: clingo.Control, limit: int) -> Iterator[list[str]]:
    control.configuration.solve.models = limit
    with control.solve(yield_=True) as handle:
        for model in handle:
            yield list(map(str, model.symbols(shown=True)))


def _model(terms: Iterable[str]) -> Facts:
    """A model out of its terms' texts: to ask clingo for their parts takes far longer."""
    objects, init, goal = [], [], []
    for term in terms:
        name, _, inner = term[:-1].partition("(")
        if name == "object":
            thing, kind = split_term(term)[1:]
            objects.append((thing, kind))
        elif name == "goal":
            goal.append((not inner.startswith("-"), tuple(split_term(inner.removeprefix("-")))))
        elif name == "init" and not inner.startswith("-"):
            init.append(tuple(split_term(inner)))
    return Facts(tuple(sorted(objects)), tuple(sorted(init)), tuple(sorted(goal)))


def main() -> None:
    """Answer for the program on standard input."""
    json.dump(asdict(answer(sys.stdin.read())), sys.stdout)


if __name__ == "__main__":
    main()

"""The program of a child that infers: it grounds and solves what an IR and our own rules come to.

Each line of its standard input is a request, `{"program": text}`, and is answered by a line, a `Reply` as JSON.
The program is ground until nothing more is made (`agents.tic.completion`), then solved: two models that differ
in what they show are looked for. If there is none, the fewest statements are looked for that stand in the way.

It imports little, so that it starts quickly, and enables no scripts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field

import clingo
from clingo import Function, Symbol, SymbolType

from agents.tic.completion import Completion, Seen, Wrong

#: A program that asks for more rounds has no answer.
_ROUNDS = 8
#: More atoms than this are not handed back.
MAX_ATOMS = 500_000

Fact = list[str]


@dataclass
class Model:
    """What one model shows, sorted: objects with types, facts as predicate and arguments, goals with a sign."""

    objects: list[tuple[str, str]] = field(default_factory=list)
    init: list[Fact] = field(default_factory=list)
    goal: list[tuple[bool, Fact]] = field(default_factory=list)


@dataclass
class Reply:
    """What became of a request. With `wrong`, one model shows what is true where these are overlooked."""

    models: list[Model] = field(default_factory=list)  #: two at the most
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


def _settled(program: str, reply: Reply) -> tuple[clingo.Control, Completion, bool]:
    """The program ground with all that has to be made, and whether that came to an end."""
    made = Completion()
    for _ in range(_ROUNDS):
        reply.notes = []
        control = _ground(program, made, reply)
        following = made.after(Seen.of(control.symbolic_atoms))
        if following.makes_the_same(made):
            return control, following, True
        made = following
    return control, made, bool(made.wrong)


def _ground(program: str, made: Completion, reply: Reply) -> clingo.Control:
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
    for symbols in _models(control, 2):
        reply.models.append(_model(symbols))
        reply.wrong += [("open", str(s.arguments[0])) for s in symbols if s.match("tic_open", 1)]
        reply.too_many |= len(symbols) > MAX_ATOMS
    if not reply.models:
        control.assign_external(Function("tic_strict"), False)
        control.configuration.solve.opt_mode = "opt"
        for symbols in _models(control, 0):  # each is better than the one before
            reply.models = [_model(symbols)]
            reply.wrong = [_wrong(s.arguments[0]) for s in symbols if s.match("tic_wrong", 1)]
        reply.wrong = reply.wrong or [("denied",)]


def _models(control: clingo.Control, limit: int) -> Iterator[list[Symbol]]:
    control.configuration.solve.models = limit
    with control.solve(yield_=True) as handle:
        for model in handle:
            yield sorted(model.symbols(shown=True))


def _model(symbols: Iterable[Symbol]) -> Model:
    model = Model()
    for symbol in symbols:
        first = symbol.arguments[0]
        if symbol.name == "object":
            model.objects.append((str(first), str(symbol.arguments[1])))
        elif symbol.name == "goal":
            model.goal.append((_is_positive(first), _fact(first)))
        elif symbol.name == "init" and _is_positive(first):
            model.init.append(_fact(first))
    return model


def _is_positive(fact: Symbol) -> bool:
    return fact.type is not SymbolType.Function or not fact.negative


def _fact(fact: Symbol) -> Fact:
    """Predicate and arguments; what is no fact is all predicate."""
    if fact.type is SymbolType.Function and fact.name:
        return [fact.name, *map(str, fact.arguments)]
    return [str(fact)]


def _wrong(thing: Symbol) -> Wrong:
    return (thing.name, *map(str, thing.arguments))


def main() -> None:
    """Serve requests from standard input until it ends."""
    for line in sys.stdin:
        json.dump(asdict(answer(json.loads(line)["program"])), sys.stdout)
        sys.stdout.write("\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

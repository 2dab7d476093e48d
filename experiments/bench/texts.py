"""Texts: those that are made to cost time, and the programs that task texts are translated to.

Replies without end, and effects that are products of their parts. Inference and compilation of task texts'
programs (TIC): time, memory, and what stops a program that explodes. Single tasks are inferred in this
process, since what a child adds is its start, which is shown beside. Large ones and the bomb go through a
child with the limits that they have to keep.
"""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial

from agents.tic.allow import read_ir
from agents.tic.compile import compile_problem
from agents.tic.infer import Ending, InferenceLimits, infer
from agents.tic.inference_child import answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.intermediate.gold_ir import gold_ir
from envs.intermediate.knowledge import read_knowledge, worlds_with_rules
from envs.pddl.language.domain import read_domain
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from envs.reading import read_facts
from envs.source import read_texts
from experiments.bench.measure import BenchSettings, Figure, at_most, median_seconds, seconds, timed

_REPLY_S = 0.2
_DOMAIN_S, _DOMAIN_MB = 2.0, 200.0


def texts_figures(settings: BenchSettings) -> Iterator[Figure]:
    """A reply of 1 MB, cut into forms; a domain of 100 KB with conditional effects, read or refused."""
    small = median_seconds(partial(extract_pddl, "(define " * 12_500), settings.repeats)
    for name, reply in _REPLIES.items():
        taken = median_seconds(partial(extract_pddl, reply), settings.repeats)
        beside = f"{taken / small:.0f}x the time of a tenth of (define ... alone"
        yield at_most(f"1 MB of {name}", taken, _REPLY_S, "s", beside)
    for name, effect in _effects():
        domain = (
            "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q))\n"
            f"    (:action a :parameters (?x) :effect {effect}))"
        )
        taken, megabytes = median_seconds(partial(_read, domain), settings.repeats), _peak(domain)
        beside = f"{megabytes:.0f} MB of {_DOMAIN_MB:.0f}"
        what = f"{len(domain) // 1000} KB of {name}, {_read(domain)}"
        yield at_most(what, taken, _DOMAIN_S, "s", beside, only_if=megabytes <= _DOMAIN_MB)


_REPLIES = {
    "(define without an end": "(define " * 125_000,
    "forms": "(define (domain d) (:predicates (p)))\n" * 25_000,
    "parentheses in one form": "(define (domain d) " + "()" * 490_000,
    "comments in one form": "(define (domain d) " + "; a comment\n" * 83_000,
}


def _effects() -> Iterator[tuple[str, str]]:
    yield "when in when, short conditions", _nested(95, 2, 1)
    yield "when in when, long conditions", _nested(95, 140, 5)
    yield "one when, many changes", _nested(1, 6000, 6000)
    yield "many when side by side", f"(and {'(when (p ?x) (q)) ' * 5500})"


def _nested(depth: int, conditions: int, changes: int) -> str:
    effect = f"(and {'(p ?x) ' * changes})"
    for _ in range(depth):
        effect = f"(when (and {'(p ?x) ' * conditions}) (and {'(q) ' * changes} {effect}))"
    return effect


def _read(domain: str) -> str:
    try:
        read_domain(domain)
    except PDDLError:
        return "refused"
    return "read"


def _peak(domain: str) -> float:
    """The most memory that Python's objects take while a domain is read, in MiB."""
    tracemalloc.start()
    _read(domain)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


TASKS = (*(f"p{n:02}" for n in range(1, 11)), *(f"g{n}" for n in range(1, 11)))
_OBJECTS = 10_000
_MEMORY_MB = 200
_BOMB = "b(1..400,1..400,1..400)."
_BOMB_LIMIT_S = 2.0


def tic_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """Every figure of it."""
    yield single_tasks(TASKS)
    yield large_task("10,000 objects by number", by_number)
    yield large_task("10,000 objects one by one", one_by_one)
    yield bomb()


def single_tasks(stems: tuple[str, ...]) -> Figure:
    """The median time of the gold IRs of some tasks of each world that has rules."""
    known = {world: _knowledge(world) for world in worlds_with_rules()}
    times = {
        (world, stem): median_seconds(_translation(known[world], world, stem), 1)
        for world in known
        for stem in stems
    }
    slowest = max(times, key=times.__getitem__)
    anything = next(iter(known.values()))
    start = seconds(lambda: infer(read_ir("goal(a).", anything), anything))
    beside = f"{slowest[0]} {1e3 * times[slowest]:.0f} ms at most; a child's start {1e3 * start:.0f} ms"
    median = statistics.median(times.values())
    return at_most(f"infer and compile, {len(times)} tasks", 1e3 * median, 60, "ms", beside)


def _knowledge(world: str) -> Knowledge:
    return Knowledge(**asdict(read_knowledge(world)))


def _translation(known: Knowledge, world: str, stem: str) -> Callable[[], None]:
    """From the text of a task's gold IR to its problem."""
    facts = read_facts(read_texts(world, stem).problem, known.vocabulary)
    knowledge = replace(known, objects=tuple(facts.objects))
    text = gold_ir(world, facts, knowledge.names.asp)

    def translate() -> None:
        reply = answer(program_of(read_ir(text, knowledge), knowledge).text)
        compiled = compile_problem(reply.models[0], knowledge)
        assert compiled.problem is not None, compiled.faults

    return translate


def by_number(objects: int) -> str:
    """A task of grippers of which only the numbers of objects are stated, and who is paired with what."""
    each = objects // 4
    numbers = "; ".join(f"{kind}, {each}" for kind in ("robot", "gripper", "obj", "room"))
    maps = "map(robot, at_robby, room); map(robot, free, gripper); map(obj, at, room)"
    return f"cardinality({numbers}). init({maps}). goal(at(X, room1)) :- object(X, obj)."


def one_by_one(objects: int) -> str:
    """A task of grippers in which every object and every fact is stated."""
    balls = (f"init(at(ball{n}, room{n % 9})). goal(at(ball{n}, room{n % 7}))." for n in range(objects))
    return "\n".join((*balls, "init(at_robby(robot1, room1)). init(free(robot1, left))."))


def large_task(what: str, text_of: Callable[[int], str], objects: int = _OBJECTS) -> Figure:
    """The time of a large task through a child with little memory, and how it grows."""
    try:
        half, whole = (seconds(partial(_translate_large, text_of(size))) for size in (objects // 2, objects))
    except RuntimeError as error:
        return Figure(what, "failed", "<= 10 s", False, str(error))
    beside = f"in {_MEMORY_MB} MiB; {whole / half:.1f} times as long as half of it"
    return at_most(what, whole, 10, "s", beside)


def _translate_large(text: str) -> None:
    """From the text of an IR of grippers to its problem. Raises RuntimeError if there is none."""
    knowledge = _knowledge("grippers")
    found = infer(read_ir(text, knowledge), knowledge, InferenceLimits(wall_s=60.0, memory_mb=_MEMORY_MB))
    if found.facts is None or compile_problem(found.facts, knowledge).problem is None:
        raise RuntimeError(f"no problem: {found.ending}")


def bomb() -> Figure:
    """How long a program that explodes in grounding is let run, and what becomes of it."""
    knowledge = _knowledge("grippers")
    ir = read_ir(_BOMB, knowledge)
    found, taken = timed(lambda: infer(ir, knowledge, InferenceLimits(wall_s=_BOMB_LIMIT_S)))
    ended = found.ending is Ending.TIMEOUT
    what = f"{_BOMB} with {_BOMB_LIMIT_S:g} s"
    return at_most(what, taken, 2 * _BOMB_LIMIT_S, "s", found.ending, only_if=ended)

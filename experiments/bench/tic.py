"""Inference and compilation of task texts' programs: time, memory, and what stops a program that explodes.

Single tasks are inferred in this process, since what a child adds is its start, which is told beside. Large
ones and the bomb go through a child with the limits that they have to keep.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

from agents.tic.allow import read_ir
from agents.tic.compile import Facts, compile_problem
from agents.tic.infer import Limits, Outcome, infer
from agents.tic.inference_child import answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.intermediate.ideal import ideal_ir
from envs.intermediate.knowledge import read_knowledge, worlds_with_rules
from envs.reading import read_facts
from envs.source import read_texts
from experiments.bench.measure import Figure, seconds

TASKS = (*(f"p{n:02}" for n in range(1, 11)), *(f"g{n}" for n in range(1, 11)))
_OBJECTS = 10_000
_MEMORY_MB = 200
_BOMB = "b(1..400,1..400,1..400)."
_BOMB_LIMIT_S = 2.0


def bench_tic() -> Iterator[Figure]:
    """Every figure of it."""
    yield single_tasks(TASKS)
    yield large_task("10,000 objects by number", by_number)
    yield large_task("10,000 objects one by one", one_by_one)
    yield bomb()


def single_tasks(stems: tuple[str, ...]) -> Figure:
    """The median time of the ideal IRs of some tasks of each world that has rules."""
    times: dict[str, list[float]] = {}
    for world in worlds_with_rules():
        known = Knowledge(**asdict(read_knowledge(world)))
        for stem in stems:
            times.setdefault(world, []).append(_time_of(known, world, stem))
    median = statistics.median(taken for of_world in times.values() for taken in of_world)
    slowest, taken = max(((world, max(of_world)) for world, of_world in times.items()), key=lambda t: t[1])
    start = seconds(lambda: infer(read_ir("goal(a).", known), known))
    beside = f"{slowest} {1000 * taken:.0f} ms at most; a child's start {1000 * start:.0f} ms"
    what = f"infer and compile, {sum(map(len, times.values()))} tasks"
    return Figure(what, f"{1000 * median:.0f} ms", "60 ms", median <= 0.06, beside)


def _time_of(known: Knowledge, world: str, stem: str) -> float:
    """Seconds from the text of a task's ideal IR to its problem."""
    facts = read_facts(read_texts(world, stem).problem, known.vocabulary)
    knowledge = replace(known, objects=tuple(facts.objects))
    text = ideal_ir(world, facts, knowledge.names.asp)

    def translate() -> None:
        reply = answer(program_of(read_ir(text, knowledge), knowledge).text)
        compiled = compile_problem(Facts.of(asdict(reply.models[0])), knowledge)
        assert compiled.problem is not None, compiled.faults

    translate()
    return seconds(translate)


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
    half, whole = (_time_of_large(text_of(size)) for size in (objects // 2, objects))
    if half is None or whole is None:
        return Figure(what, "failed", "10 s", False)
    beside = f"in {_MEMORY_MB} MiB; {whole / half:.1f} times as long as half of it"
    return Figure(what, f"{whole:.1f} s", "10 s", whole <= 10, beside)


def _time_of_large(text: str) -> float | None:
    """Seconds from the text of an IR of grippers to its problem; None if there is none."""
    knowledge = Knowledge(**asdict(read_knowledge("grippers")))
    started = time.perf_counter()
    found = infer(read_ir(text, knowledge), knowledge, Limits(wall_s=60.0, memory_mb=_MEMORY_MB))
    if found.facts is None or compile_problem(found.facts, knowledge).problem is None:
        return None
    return time.perf_counter() - started


def bomb() -> Figure:
    """How long a program that explodes in grounding is let run, and what becomes of it."""
    knowledge = Knowledge(**asdict(read_knowledge("grippers")))
    ir, limits = read_ir(_BOMB, knowledge), Limits(wall_s=_BOMB_LIMIT_S)
    started = time.perf_counter()
    found = infer(ir, knowledge, limits)
    taken, target = time.perf_counter() - started, 2 * _BOMB_LIMIT_S
    met = found.outcome is Outcome.TIMEOUT and taken <= target
    return Figure(f"{_BOMB} with {_BOMB_LIMIT_S:g} s", f"{taken:.1f} s", f"{target:g} s", met, found.outcome)

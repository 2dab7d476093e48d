"""Comparing problems, from two texts to the answer, on one core; and certificates of problems.

The pairs are Blocksworld and Gripper tasks of 40 to 80 atoms and, under other names and in another order,
the same with the goal as it was, with an atom of the goal less, or with one of the initial state less. The
symmetric ones are 40 blocks or balls that are all alike, compared as such and as placeholders.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from envs.pddl.equivalence.certificate import certificate
from envs.pddl.equivalence.compare import Verdict, compare_texts
from envs.pddl.language.domain import Domain, GroundAtom, read_domain, read_problem
from envs.source import read_texts
from envs.tasks import Literal, TaskFacts, generator_module, problem_text, shuffled
from experiments.bench.measure import Figure, median_seconds
from experiments.runs.seeds import stream

#: World → sizes whose tasks have 40 to 80 atoms.
SIZES = {
    "blocksworld": ({"blocks": 23}, {"blocks": 28}, {"blocks": 36}),
    "gripper": (
        {"rooms": 3, "balls": 12, "grippers": 2},
        {"rooms": 4, "balls": 15, "grippers": 3},
        {"rooms": 5, "balls": 20, "grippers": 4},
    ),
}
ALIKE = 40


@dataclass(frozen=True)
class Pair:
    """Two texts of one domain."""

    domain: Domain
    one: str
    other: str
    atoms: int  #: of the first text


def bench_equivalence(repeats: int) -> Iterator[Figure]:
    """Pairs that occur, the worst symmetric pairs, and certificates."""
    pairs = drawn_pairs(5)
    times = [median_seconds(partial(_compared, pair, False), repeats) * 1e3 for pair in pairs]
    reading = [median_seconds(partial(_read, pair), repeats) * 1e3 for pair in pairs]
    sizes = [pair.atoms for pair in pairs]
    median = statistics.median(times)
    yield Figure(
        f"comparing two texts, {min(sizes)} to {max(sizes)} atoms",
        f"{median:.2f} ms",
        "3 ms",
        median <= 3,
        f"slowest {max(times):.1f} ms; reading alone {statistics.median(reading):.2f} ms",
    )
    for placeholder in (False, True):
        worst = max(median_seconds(partial(_compared, p, placeholder), repeats) * 1e3 for p in alike_pairs())
        what = f"{ALIKE} blocks or balls alike{', as placeholders' if placeholder else ''}"
        yield Figure(f"comparing {what}", f"{worst:.1f} ms", "200 ms", worst <= 200)
    certified = [median_seconds(partial(_certified, pair), repeats) * 1e3 for pair in pairs]
    each = statistics.mean(certified)
    yield Figure(
        "reading and certifying one problem",
        f"{each:.2f} ms",
        "5 ms",
        each <= 5,
        f"132,037 in {each * 132.037 / 60:.1f} min on one core",
    )


def drawn_pairs(each: int) -> list[Pair]:
    """Pairs of both worlds, `each` of every size, of three kinds in turn."""
    pairs = []
    for world, sizes in SIZES.items():
        domain = read_domain(read_texts(world, 1).domain)
        rng = stream(0, "equivalence bench", world)
        for number in range(each * len(sizes)):
            module = generator_module(world)
            size = module.Size(**sizes[number % len(sizes)])  # type: ignore[attr-defined]
            facts = module.generate(rng, size)
            pairs.append(_pair(domain, facts, disguised(_changed(facts, number % 3, rng), rng)))
    return pairs


def alike_pairs() -> list[Pair]:
    """All blocks on the table, to stay there; all balls in one room, to be brought to another."""
    blocks, gripper = (read_domain(read_texts(world, 1).domain) for world in SIZES)
    names = [f"x{i}" for i in range(ALIKE)]
    flat = [("ontable", n) for n in names] + [("clear", n) for n in names]
    rooms, hands = ("here", "there"), ("left", "right")
    static = [("ball", n) for n in names] + [("room", r) for r in rooms] + [("gripper", h) for h in hands]
    lying: list[GroundAtom] = [*static, ("at-robby", "here"), *(("free", h) for h in hands)]
    lying += [("at", n, "here") for n in names]
    tower = _facts(names, [*flat, ("handempty",)], [("ontable", n) for n in names])
    moved = _facts([*names, *rooms, *hands], lying, [("at", n, "there") for n in names])
    rng = stream(0, "equivalence bench", "alike")
    cases = ((blocks, tower), (gripper, moved))
    pairs = [_pair(domain, facts, disguised(facts, rng)) for domain, facts in cases]
    fewer = [replace(facts, goal=facts.goal[1:]) for _, facts in cases]
    return pairs + [_pair(d, f, disguised(g, rng)) for (d, f), g in zip(cases, fewer, strict=True)]


def disguised(facts: TaskFacts, rng: np.random.Generator) -> TaskFacts:
    """The same task under other names and in another order."""
    numbers = rng.permutation(len(facts.objects)).tolist()
    names = {name: f"y{number}" for name, number in zip(facts.objects, numbers, strict=True)}

    def renamed(atom: GroundAtom) -> GroundAtom:
        return (atom[0], *(names[name] for name in atom[1:]))

    return TaskFacts(
        {names[name]: facts.objects[name] for name in shuffled(rng, list(facts.objects))},
        tuple(renamed(atom) for atom in shuffled(rng, facts.init)),
        tuple((sign, renamed(atom)) for sign, atom in shuffled(rng, facts.goal)),
    )


def _changed(facts: TaskFacts, kind: int, rng: np.random.Generator) -> TaskFacts:
    """The task as it is, with an atom of the goal less, or with one of the initial state less."""
    if kind == 1:
        return replace(facts, goal=tuple(shuffled(rng, facts.goal)[1:]))
    if kind == 2:
        return replace(facts, init=tuple(shuffled(rng, facts.init)[1:]))
    return facts


def _facts(objects: Sequence[str], init: Sequence[GroundAtom], goal: Sequence[GroundAtom]) -> TaskFacts:
    wanted: tuple[Literal, ...] = tuple((True, atom) for atom in goal)
    return TaskFacts(dict.fromkeys(objects, "object"), tuple(init), wanted)


def _pair(domain: Domain, one: TaskFacts, other: TaskFacts) -> Pair:
    first, second = (problem_text("bench", domain.vocabulary, facts) for facts in (one, other))
    return Pair(domain, first, second, len(one.init) + len(one.goal))


def _compared(pair: Pair, placeholder: bool) -> None:
    found = compare_texts(pair.one, pair.other, pair.domain, placeholder=placeholder)
    if found.verdict not in (Verdict.EQUIVALENT, Verdict.DIFFERENT):
        raise RuntimeError(f"a pair of the bench is {found.verdict}: {found.witness}")


def _read(pair: Pair) -> None:
    for text in (pair.one, pair.other):
        read_problem(text, pair.domain)


def _certified(pair: Pair) -> None:
    certificate(read_problem(pair.one, pair.domain))

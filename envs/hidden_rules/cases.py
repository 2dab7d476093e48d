"""Cases: a hidden rule in a base world, with tasks to be seen and tasks not to be seen.

A case is named by its base world, the kind of its rule and a seed, and follows from these; cases of one base
world and kind have different rules. Its tasks are the first that the rule is good in, of a pool that follows
from the base world and the seed: for a bundled world two tasks each of its generator's first sizes, twice,
for any other its own first tasks. Every other one is to be seen: a rule about all robots but one cannot be
told from another rule where there are but two, so tasks of a size are shared out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np

from envs.folder import HIDDEN_PREFIX, HIDDEN_SEEN, TaskTexts, WorldNotFound, read_file, task_texts, words_in
from envs.hidden_rules.checks import TASKS, TaskLook, chosen_tasks
from envs.hidden_rules.draw import RuleDrawing
from envs.hidden_rules.rules import Drawn, HiddenRule, RuleKind, kept_cases
from envs.pddl.language.render import render_domain, render_problem
from envs.reading import DomainText, ProblemText
from envs.registry import WORLDS, WORLDS_FOLDER
from envs.source import WRITERS, read_texts
from envs.tasks import Pool, generator_of, make_facts, problem_text
from envs.variants import Level
from envs.verbalisation.description import verbalise_domain

#: The base worlds of the standard cases.
BASES: tuple[str, ...] = (
    "blocksworld", "childsnack", "driverlog", "grippers", "hiking", "logistics", "miconic", "storage",
)  # fmt: skip
#: Seeds of the standard cases of a base world and a kind: 0, 1, …
SEEDS = 3
#: Tasks that those of a case are chosen from.
_POOL = 24
_SIZES = 6
_DRAWS = 3000


@dataclass(frozen=True)
class CaseName:
    """What a case follows from. As text, `grippers/quantified/0`."""

    base: str  #: a world with files
    kind: RuleKind
    seed: int

    def __str__(self) -> str:
        return f"{self.base}/{self.kind}/{self.seed}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The name in a text. Raises WorldNotFound if it is none."""
        try:
            base, kind, seed = text.rsplit("/", 2)
            return cls(base, RuleKind(kind), int(seed))
        except ValueError:
            kinds = ", ".join(RuleKind)
            raise WorldNotFound(
                f"{text} names no case: write BASE/KIND/SEED, with a kind among {kinds}"
            ) from None

    @property
    def world(self) -> str:
        """The name that opens its tasks, 1 to 6, as worlds."""
        return f"{HIDDEN_PREFIX}{self}"


@dataclass(frozen=True, eq=False)
class HiddenCase:
    """A hidden rule, or none, and the base world's tasks that belong to it."""

    name: CaseName
    rule: HiddenRule | None  #: None for a control
    tasks: tuple[TaskTexts, ...]  #: by the model, without the rule

    #: Numbers of the tasks to be seen, and of those not to be seen.
    seen = tuple(range(1, HIDDEN_SEEN + 1))
    unseen = tuple(range(HIDDEN_SEEN + 1, TASKS + 1))

    def rules(self, number: int) -> ProblemText:
        """Task `number` (from 1) by the rules that its world obeys."""
        task = self.tasks[number - 1].pddl
        if self.rule is None:
            return task
        domain = self.rule.domain(task.problem.domain)
        problem = self.rule.problem(task.problem, domain)
        return ProblemText(DomainText(render_domain(domain)), render_problem(problem))


@lru_cache(maxsize=256)
def hidden_case(name: CaseName) -> HiddenCase:
    """The case of that name: a kept one, or drawn. Raises as `draw_case`."""
    earlier = (hidden_case(replace(name, seed=seed)).rule for seed in range(name.seed))
    drawn = kept_cases().get(str(name)) or draw_case(name, frozenset(earlier))
    texts = (_texts(name.base, name.seed)[place] for place in drawn.places)
    return HiddenCase(name, drawn.rule, tuple(_without(drawn.rule, task) for task in texts))


def draw_case(name: CaseName, taken: Collection[HiddenRule | None] = ()) -> Drawn:
    """The first rule of that kind, in the order of drawing, that is good in enough tasks and not `taken`.

    Raises WorldNotFound if there is no such base world, if it has too few tasks, or if no rule was found;
    PlannerMissing.
    """
    if name.kind is RuleKind.NONE:
        return Drawn(None, (*range(0, TASKS, 2), *range(1, TASKS, 2)))
    looks = _looks(name.base, name.seed)
    drawing = RuleDrawing(looks[0].problem.domain, np.random.default_rng(_entropy(name)))
    tried = set(taken)
    for _ in range(_DRAWS):
        try:
            rule = drawing.draw(name.kind)
        except LookupError:
            continue
        if rule not in tried and (chosen := chosen_tasks(rule, looks)):
            return Drawn(rule, chosen)
        tried.add(rule)
    raise WorldNotFound(f"{name}: of {len(tried)} rules drawn, none is good in {TASKS} of {_POOL} tasks")


@lru_cache(maxsize=64)
def _texts(base: str, seed: int) -> tuple[TaskTexts, ...]:
    """The tasks that those of a base world's cases of that seed are chosen from. Raises WorldNotFound."""
    texts = tuple(_generated(base, seed)) if base in WORLDS else tuple(_own(base))
    if len(texts) < TASKS:
        raise WorldNotFound(f"{base} has {len(texts)} tasks; a case takes {TASKS}")
    return texts


@lru_cache(maxsize=8)
def _looks(base: str, seed: int) -> tuple[TaskLook, ...]:
    return tuple(TaskLook(task.pddl.problem, place) for place, task in enumerate(_texts(base, seed)))


def _generated(base: str, seed: int) -> Iterator[TaskTexts]:
    """New tasks of a bundled world."""
    folder = WORLDS_FOLDER / base
    domain, words = DomainText(read_file(folder / "domain.pddl")), words_in(folder)
    for place in range(_POOL):
        size = generator_of(base).sizes()[place // 2 % _SIZES]
        facts = make_facts(base, Pool.HIDDEN_RULES, seed * _POOL + place + 1, size)
        stem = f"h{place + 1:02}"
        pddl = ProblemText(domain, problem_text(f"{base}-{stem}", domain.vocabulary, facts))
        said = WRITERS[Level.EXPLICIT](pddl.facts, domain.vocabulary, words).text
        yield task_texts(folder, stem, pddl, said, str(folder))


def _without(rule: HiddenRule | None, task: TaskTexts) -> TaskTexts:
    """A task of the base world as the model has it, its description too."""
    if rule is None or not rule.own:
        return task
    domain = rule.model(task.pddl.problem.domain)
    pddl = ProblemText(DomainText(render_domain(domain)), task.problem)
    return replace(task, pddl=pddl, description=verbalise_domain(domain, task.words))


def _own(base: str) -> Iterator[TaskTexts]:
    """The first tasks that any other world has. Raises WorldNotFound if it has none."""
    yield read_texts(base, 1)
    for number in range(2, _POOL + 1):
        try:
            yield read_texts(base, number)
        except WorldNotFound:
            return


def world_files(world: str, problem: int | str) -> TaskTexts:
    """Task `problem`, from 1, of `hidden:<base>/<kind>/<seed>`; those to be seen are `f01`, … too.

    Raises WorldNotFound, PlannerMissing.
    """
    case = hidden_case(CaseName.read(world.removeprefix(HIDDEN_PREFIX)))
    feedback = {f"f{number:02}": number for number in case.seen}
    number = problem if isinstance(problem, int) else feedback.get(problem, 0)
    if not 1 <= number <= len(case.tasks):
        raise WorldNotFound(f"{world} has the tasks 1 to {len(case.tasks)}, and no task {problem!r}")
    return replace(case.tasks[number - 1], rules=case.rules(number), implied=None)


def _entropy(name: CaseName) -> int:
    return int.from_bytes(hashlib.sha256(str(name).encode()).digest()[:16], "big")

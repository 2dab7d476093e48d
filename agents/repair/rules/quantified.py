"""Preconditions that quantify over one variable, proposed for what no literal excludes.

`(not (exists (?x - t) (and l1 l2)))`, `(forall (?x - t) (imply l1 l2))` and their like are one family: each
object of a type satisfies one of two literals. `(exists (?x - t) (and l1 l2))` is the other: some object
satisfies both. A literal is over ?x, the action's parameters and the domain's constants; it may be an
equality of ?x and a parameter, and one of a family's two may be left out. With no variable at all, the first
family is `(or l1 l2)`. A rule takes the place of those parts of the precondition, not literals, that
operators which the world executed refute. A literal that is refuted may become `(or l1 l2)`, by one edit.

Rules are proposed only for actions of which the world refuses operators that nothing excludes. A rule has to
hold in every example that the world executed, and exclude some of those that would run wrongly. All of them
are tried, on a part of the examples where there are many: as matrices of literals and of pairs, of an example
and an object that ?x may be. Those that exclude most come first, and of these the simplest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, islice

import numpy as np

from agents.repair.candidate import Candidate
from agents.repair.examples import HoldsAt, Mask, Numbers, Tables
from agents.repair.model import EQUAL, Editable, Fit, Model, literals_over, opposite, terms_of
from agents.repair.rules.variants import Variant, changed_repairs, thinned, with_tree
from agents.repair.search import Repairs
from agents.repair.text import literal_tree, shown
from envs.pddl.language.terms import Part, Tree, conjunct_trees, literal_of, show, tree_of, with_part
from envs.pddl.language.vocabulary import OBJECT
from envs.pddl.simulation.lifted import Literal

#: Rules that are proposed for one action, for each thing that they may be wanted for.
MAX_RULES = 6
#: Of these, rules that exclude the same examples.
MAX_ALIKE = 2
#: Rules that are extended by a second one.
MAX_EXTENDED = 3
#: Pairs of an example and an object that rules are tried on at first, of executed and wrongly running ones.
MAX_EXECUTED, MAX_WRONG = 20_000, 10_000
#: Literals over ?x of one type; more are left out, those with constants first.
MAX_LITERALS = 250
#: Rules of one type of which it is counted what they exclude.
MAX_COUNTED = 4000
_PART = Part.PRECONDITION
_NOTHING: Numbers = np.zeros(0, dtype=np.int64)
#: The name of the variable, with a number behind it where an action's parameter has this name.
VARIABLE = "?x"


@dataclass(frozen=True)
class Quantified:
    """A rule: `literals` are one or two, and their variable has the number that follows the action's own."""

    kind: str  #: a type of the model; empty where there is no variable
    universal: bool  #: whether each object satisfies one of the literals; else some object satisfies all
    literals: tuple[Literal, ...]

    @property
    def size(self) -> int:
        """How many edits it counts as; what has to be somewhere is rarer a rule than what must be nowhere."""
        return len(self.literals) + bool(self.kind) + (not self.universal)

    def widened(self, refuted: Sequence[Literal]) -> Literal | None:
        """The refuted literal that it is a disjunction of, with another one."""
        return None if self.kind else next((one for one in self.literals if one in refuted), None)


def quantified_preconditions(
    repairs: Repairs, found: Candidate, stop: Callable[[], bool]
) -> Iterator[Variant]:
    """Variants with one such precondition more, those of one action after those of another.

    Where no rule is all that an action lacks, those that leave least come with a second one.
    """
    for name, fitted in sorted(found.fits.items()):
        if not fitted.left or stop():
            continue
        kept, refuted = _sorted_out(repairs, name, found)
        start = _Precondition(name, kept, tuple(refuted))
        left = start.left(repairs, found)
        if not left:
            continue
        singles = [(one.left(repairs, found), one) for one in start.with_one_more(repairs, found)]
        yield from (one.variant(repairs.model, found) for _, one in singles)
        if any(still == 0 for still, _ in singles):
            continue
        least = sorted((own for own in singles if own[0] < left), key=lambda own: own[0])
        for _, one in least[:MAX_EXTENDED]:
            if stop():
                return
            yield from (two.variant(repairs.model, found) for two in one.with_one_more(repairs, found))


@dataclass(frozen=True)
class _Precondition:
    """One action's precondition: what is kept of the model's own, and the rules that come."""

    action: str
    kept: Tree
    refuted: tuple[Tree, ...]  #: the parts that are not kept
    words: tuple[str, ...] = ()  #: of each rule
    size: int = 0  #: of the rules together

    def left(self, repairs: Repairs, found: Candidate) -> int:
        """How many of the action's examples nothing explains."""
        changed = changed_repairs(repairs, self.variant(repairs.model, found))
        return changed.candidate(found.edits).fit_of(changed.model.actions[self.action]).left

    def with_one_more(self, repairs: Repairs, found: Candidate) -> Iterator[_Precondition]:
        """With each of the best rules for what is left."""
        base = changed_repairs(repairs, self.variant(repairs.model, found))
        action, fitted = base.model.actions[self.action], base.candidate(found.edits)
        refuted = fitted.fit_of(action).refuted
        for rule in rules(base, action, fitted, base.tables(found.edits)):
            tree = rule_tree(repairs.model, action, rule)
            own, parts = rule.widened(refuted), conjunct_trees(self.kept)
            literal = None if own is None else literal_of(shown(repairs.model, self.action, own))
            gone = [literal] if literal in parts else []  # one of a negated disjunction stays, as refuted
            kept = ("and", *(part for part in parts if part != literal))
            words = f"add {show(tree)} to"
            if replaced := (*self.refuted, *gone):
                words = f"write {show(tree)} for {' '.join(map(show, replaced))} in"
            yield replace(
                self,
                kept=with_part(kept, tree),
                refuted=(),
                words=(*self.words, f"{words} the {_PART} of {self.action}"),
                size=self.size + rule.size - len(gone),
            )

    def variant(self, model: Model, found: Candidate) -> Variant:
        """The model with it, and the edits of a candidate."""
        problems = with_tree(model, self.action, _PART, self.kept)
        return Variant("\n".join(self.words), problems, self.size, found.edits, (self.action,))


def _sorted_out(repairs: Repairs, name: str, found: Candidate) -> tuple[Tree, list[Tree]]:
    """An action's precondition without the parts that are no literals and that are refuted; and these."""
    whole = tree_of(repairs.model.domain).part(name, _PART)
    parts = conjunct_trees(whole)
    tables, positive = repairs.tables(found.edits), repairs.seen.of[name].positive
    refuted: list[Tree] = []
    for part in parts if repairs.model.actions[name].fixed else ():
        problems = with_tree(repairs.model, name, _PART, part)
        alone = changed_repairs(repairs, Variant("", problems, actions=(name,))).model.actions[name]
        if alone.fixed and not repairs.satisfied(alone, alone.fixed, tables)[positive].all():
            refuted.append(part)
    return ("and", *(part for part in parts if part not in refuted)), refuted


def rules(repairs: Repairs, action: Editable, found: Candidate, tables: Tables) -> list[Quantified]:
    """The best rules for an action, `MAX_RULES` at the most for each thing that they may be wanted for.

    That is what its own literals leave, so that a rule may take the place of those that come; and what these
    leave as well. Literals come to a new action anyhow, so there it is the latter alone.
    """
    fitted = found.fit_of(action)
    wanted = [] if action.is_empty else [action.preconditions]
    if action.is_empty or fitted.added:
        wanted.append(fitted.preconditions(action))
    return [
        *dict.fromkeys(r for literals in wanted for r in _rules(repairs, action, fitted, tables, literals))
    ]


def _rules(
    repairs: Repairs, action: Editable, fitted: Fit, tables: Tables, literals: Sequence[Literal]
) -> list[Quantified]:
    """The best rules for what some literals leave, but for those that are refuted; see the module."""
    examples = repairs.seen.of[action.name]
    parts = [p for p in literals if p not in fitted.refuted]
    runs = repairs.satisfied(action, (*parts, *action.fixed), tables)
    wrongly = examples.negative[runs[examples.negative]]
    trials = [_Trial(repairs, action, tables, kind, wrongly) for kind in kinds_of_objects(repairs.model)]
    ranked = [(trial, rule, excluded) for trial in trials for rule, excluded in trial.rules()]

    def promise(rule: Quantified, excluded: Mask) -> float:
        size = rule.size - 2 * (rule.widened(fitted.refuted) is not None)
        return size - float(np.mean(excluded)) * len(wrongly)

    ranked.sort(key=lambda one: promise(one[1], one[2]))
    return _different(ranked)


def _different(ranked: Sequence[tuple[_Trial, Quantified, Mask]]) -> list[Quantified]:
    """The first that nothing refutes, not too many of which exclude the same."""
    alike: Counter[bytes] = Counter()
    chosen: list[Quantified] = []
    for trial, rule, excluded in ranked:
        key = excluded.tobytes()
        if alike[key] < MAX_ALIKE and trial.holds(rule):
            alike[key] += 1
            chosen.append(rule)
        if len(chosen) == MAX_RULES:
            break
    return chosen


def rule_tree(model: Model, action: Editable, rule: Quantified) -> Tree:
    """A rule as PDDL, its negative literals as what must not be or as what implies the other."""
    names = [str(p.symbol) for p in model.domain.actions[action.name].parameters]
    variable = next(v for v in (VARIABLE, *(f"{VARIABLE}{i}" for i in range(len(names)))) if v not in names)
    variables = {~v: name for v, name in enumerate(names)} | {~len(action.schemas[0].members): variable}
    literals = sorted(rule.literals, key=lambda literal: literal.positive)
    trees = [literal_tree(literal, variables, model.objects) for literal in literals]
    contrary = [literal_tree(opposite(literal), variables, model.objects) for literal in literals]
    bound: Tree = (variable, "-", rule.kind)
    if not rule.kind:
        return ("or", *trees)
    if not rule.universal:
        return ("exists", bound, trees[0] if len(trees) == 1 else ("and", *trees))
    if not any(literal.positive for literal in literals):
        return ("not", ("exists", bound, contrary[0] if len(trees) == 1 else ("and", *contrary)))
    if len(trees) == 1:
        return ("forall", bound, trees[0])
    if literals[0].positive:
        return ("forall", bound, ("or", *trees))
    return ("forall", bound, ("imply", contrary[0], trees[1]))


def kinds_of_objects(model: Model) -> list[str]:
    """The types that ?x may be of, of those that have the same objects the first; and no variable at all."""
    found: dict[object, str] = {None: ""}
    for kind in model.domain.types or (OBJECT,):
        members = tuple(tuple(own) for own in _members(model, kind))
        if any(members):
            found.setdefault(members, kind)
    return list(found.values())


def _members(model: Model, kind: str) -> list[Numbers]:
    """The numbers of the objects of a type, by task; any one where there is no variable."""
    if not kind:
        return [np.zeros(1, dtype=np.int64) for _ in model.problems]
    is_subtype, objects = model.domain.is_subtype, model.objects
    return [
        np.array(
            [
                i
                for i, name in enumerate(objects)
                if name in own.objects and is_subtype(own.objects[name], kind)
            ],
            dtype=np.int64,
        )
        for own in model.problems
    ]


class _Trial:
    """All rules over one type, tried on some examples of one action; `wrongly` are those that would run."""

    def __init__(self, repairs: Repairs, action: Editable, tables: Tables, kind: str, wrongly: Numbers):
        self._repairs, self._action, self._tables, self._kind = repairs, action, tables, kind
        self._variable = ~len(action.schemas[0].members)
        self._members = _members(repairs.model, kind)
        self._literals = self._candidates()
        self._positive = repairs.seen.of[action.name].positive
        self._executed = self._pairs(self._some(self._positive, MAX_EXECUTED))
        self._wrong = self._pairs(self._some(wrongly, MAX_WRONG))
        self._held = self._truth(self._literals, self._executed)
        self._held_wrong = self._truth(self._literals, self._wrong)

    def rules(self) -> Iterator[tuple[Quantified, Mask]]:
        """Each rule that these examples do not refute and that excludes something, with what it excludes."""
        families = [(True, self._never_both_false())]
        families += [(False, self._always_together())] if self._kind else []
        for universal, pairs in families:
            for pair in pairs:
                numbers = list(dict.fromkeys(pair))
                rule = Quantified(self._kind, universal, tuple(self._literals[k] for k in numbers))
                excluded = ~_satisfied(rule, self._held_wrong[numbers], self._wrong)
                if excluded.any() and any(literal.predicate != EQUAL for literal in rule.literals):
                    yield rule, excluded

    def holds(self, rule: Quantified) -> bool:
        """Whether a rule holds in all examples that the world executed."""
        for part in np.array_split(self._positive, 1 + len(self._positive) // self._fitting(MAX_EXECUTED)):
            pairs = self._pairs(part)
            if not _satisfied(rule, self._truth(rule.literals, pairs), pairs).all():
                return False
        return True

    def _candidates(self) -> list[Literal]:
        """What rules are made of: literals over ?x, parameters and constants, without constants first."""
        if not self._kind:
            return [*dict.fromkeys((*self._action.preconditions, *self._action.tests))][:MAX_LITERALS]
        model, x = self._repairs.model, self._variable
        domain = model.domain
        terms = terms_of(self._action.name, domain, model.objects)
        over = [one for one in literals_over(domain, {**terms, x: self._kind}) if x in one.terms]
        over.sort(key=lambda literal: sum(term >= 0 for term in literal.terms))
        equal = [
            Literal(EQUAL, (x, term), sign)
            for term, kind in terms.items()
            if term < 0 and (domain.is_subtype(kind, self._kind) or domain.is_subtype(self._kind, kind))
            for sign in (False, True)
        ]
        return [*over[: MAX_LITERALS - len(equal)], *equal]

    def _fitting(self, pairs: int) -> int:
        """How many examples make so many pairs."""
        return max(1, pairs // max(1, *map(len, self._members)))

    def _some(self, examples: Numbers, pairs: int) -> Numbers:
        """Examples that make at most so many pairs, from all over."""
        return thinned(examples, self._fitting(pairs))

    def _pairs(self, examples: Numbers) -> _Pairs:
        """Each of these examples, which are ascending, with each object that ?x may be."""
        own = self._repairs.seen.of[self._action.name]
        tasks = self._repairs.seen.walks.task[own.nodes[examples]]
        objects = [self._members[task] for task in tasks.tolist()]
        which = np.repeat(np.arange(len(examples)), [len(members) for members in objects])
        columns = dict(enumerate(own.arguments[examples][which].T))
        columns[~self._variable] = np.concatenate([_NOTHING, *objects])
        return _Pairs(which, len(examples), own.nodes[examples][which], columns)

    def _truth(self, literals: Sequence[Literal], pairs: _Pairs) -> Mask:
        """Which literals hold for which pairs; shape (literals, pairs)."""
        holds = HoldsAt(pairs.nodes, self._tables, self._action.schemas[0], self._repairs.model.base)
        rows = [holds.rows(literal, pairs.columns, len(pairs.nodes)) for literal in literals]
        return np.array(rows, dtype=np.bool_).reshape(len(rows), len(pairs.nodes))

    def _never_both_false(self) -> list[tuple[int, int]]:
        """Pairs of literals one of which at least holds of each object where it ran.

        Those that may exclude most come first. A literal that holds of each object is a pair with itself
        alone.
        """
        false, wrong = ((~held).astype(np.float32) for held in (self._held, self._held_wrong))
        refuted = false @ false.T > 0
        promise = np.where(refuted, 0, wrong @ wrong.T)
        alone, same = ~np.diagonal(refuted), np.eye(len(refuted), dtype=np.bool_)
        promise[(alone[:, None] | alone[None, :]) & ~same] = 0
        rows, columns = np.triu_indices(len(promise))
        order = np.argsort(-promise[rows, columns], kind="stable")[:MAX_COUNTED]
        order = order[promise[rows, columns][order] > 0]
        return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))

    def _always_together(self) -> list[tuple[int, int]]:
        """Literals, and pairs of them, that hold of some object together wherever it ran."""
        some = [i for i, row in enumerate(self._held) if self._executed.some(row).all()]
        pairs = islice(combinations_with_replacement(some, 2), MAX_COUNTED)
        return [(i, j) for i, j in pairs if self._executed.some(self._held[i] & self._held[j]).all()]


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Examples, each with each object of a type."""

    example: Numbers  #: of each pair, ascending
    examples: int  #: how many there are
    nodes: Numbers
    columns: dict[int, Numbers]  #: those of the parameters and of ?x

    def some(self, held: Mask | np.bool_) -> Mask:
        """For which examples some pair is held."""
        found: Mask = np.bincount(self.example[np.asarray(held)], minlength=self.examples) > 0
        return found


def _satisfied(rule: Quantified, truth: Mask, pairs: _Pairs) -> Mask:
    """Which examples satisfy a rule whose literals have these truths, one a row."""
    together: Mask = np.logical_and.reduce(~truth if rule.universal else truth, axis=0)
    return ~pairs.some(together) if rule.universal else pairs.some(together)

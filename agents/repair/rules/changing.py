"""The model of a repair as rules change it: what was taken, and what takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from agents.repair.candidate import UNEDITED, Candidate, Edit, InitialEdit
from agents.repair.disabling import disabled_actions
from agents.repair.model import Model
from agents.repair.rivals import EditedModel
from agents.repair.rules.for_goal import rule_for_goal
from agents.repair.rules.kinds import (
    NEW_PREDICATE,
    QUICK,
    JudgedVariant,
    Structure,
    best_variant,
    like_another,
    rank_of,
    stand_ins,
    with_fewer_arguments,
)
from agents.repair.rules.new_predicate import new_predicates
from agents.repair.rules.variants import Proposer, Variant, parameter_lists
from agents.repair.session import TO_DOUBT, UNSETTLED, RepairSession
from agents.repair.signatures import widened
from envs.pddl.language.domain import Problem
from envs.pddl.simulation.lifted import Literal

#: What may stand in the place of a rule: the structural edits, and the model that they make.
Alternatives = list[tuple[Structure, Model]]
#: The problems, what was done to them in words, edits, and the alternatives to the rule that was taken last.
Taken = tuple[tuple[Problem, ...], Structure, Candidate, Alternatives]


class ChangingModel:
    """The model of a session, the structural edits that made it, and the best edits of literals by now."""

    def __init__(self, session: RepairSession, fitted: tuple[str, ...]):
        """`fitted` is what was done to the model to be given, in words."""
        self._session = session
        self._best = UNEDITED
        self._structure = self._plain_structure = Structure(fitted)
        self._plain = session.model  #: the model without rules that were changed
        self._alternatives: Alternatives = []
        #: what the repair had come to before it took a rule for the sake of the goal
        self._without_rule: Taken | None = None
        #: literals that name an argument twice, and for which parameters were looked for
        self._named_twice = frozenset[tuple[str, Literal]]()

    @property
    def _taken(self) -> Taken:
        """What the repair has come to."""
        return self._session.model.problems, self._structure, self._best, self._alternatives

    @_taken.setter
    def _taken(self, taken: Taken) -> None:
        problems, self._structure, self._best, self._alternatives = taken
        if problems is not self._session.model.problems:
            self._session.edit(problems)

    def _take(self, variant: Variant, before: Structure) -> None:
        """Go on with a structural edit on top of those from before."""
        self._session.edit(variant.problems)
        self._alternatives = []
        self._structure = before.and_with(variant)
        self._best = self._session.repairs().candidate(variant.edits)

    def _changes_structure(
        self,
        found: Candidate,
        most: float | None,
        only: Sequence[Proposer] = (),
        spared: AbstractSet[str] = frozenset(),
        first: Sequence[Proposer] = (),
    ) -> bool:
        """Take the best structural edit that is better than `found`; or that explains all for `most` at most.

        It comes on top of those that were taken before. Where all is explained by then, or nothing helps, one
        in the place of those may be better. `only` are the kinds to be asked, where these are not all, and
        `spared` the actions that it must not disable; `first` as for `best_variant`.
        """
        repairs, before = self._session.repairs(), self._structure
        program_s = self._session.config.program_s

        def admits(one: JudgedVariant) -> bool:
            if not spared:
                return True
            return spared.isdisjoint(
                disabled_actions(self._session, one.candidate, Model.of(*one.variant.problems))
            )

        best = best_variant(repairs, found, self._own_time(found, most), most, program_s, only, admits, first)
        many = most is None and not only and not found.unexplained and found.cost >= 2 * NEW_PREDICATE
        if best is None and many:  # literals may stand for facts that the model does not name
            new = (new_predicates,)
            best = best_variant(repairs, found, self._own_time(found, most), None, program_s, new, admits)
        if before.size and not only and (best is None or not best.candidate.unexplained):
            unexplained, cost, _ = rank_of(found) if best is None else best.rank
            given = self._session.repairs_of(self._plain, repairs.seen)
            kinds = () if unexplained else QUICK
            plain = given.candidate(frozenset())
            alone = best_variant(
                given, plain, self._own_time(found, most), program_s=program_s, only=kinds, admits=admits
            )
            if alone is not None and alone.rank[:2] < (unexplained, cost + before.size):
                best, before = alone, self._plain_structure
        if best is None:
            return False
        self._take(best.variant, before)
        self._alternatives = [(before.and_with(one), Model.of(*one.problems)) for one in best.equals]
        return True

    def _changes_parameters(self, found: Candidate) -> bool:
        """Take a parameter more or less, for which literals may stand in that name an argument twice.

        That is not asked again for the same literals.
        """
        new = with_fewer_arguments(self._session.repairs(), found) - self._named_twice
        self._named_twice |= new
        return bool(new) and self._changes_structure(found, None, (parameter_lists,))

    def _rules_for_goal(self, task: int, stop: Callable[[], bool]) -> bool:
        """Take a rule that only the goal reads, in place of the one that was taken before, if any was."""
        session, now = self._session, self._taken
        self._taken = before = self._without_rule or now
        variant = rule_for_goal(session, self._best, task, stop)
        if variant is None:
            self._taken = now
            return False
        self._without_rule = before
        self._take(variant, self._structure)
        return True

    def _own_time(self, found: Candidate, most: float | None) -> Callable[[], bool]:
        """Each search for rules has a share of the time of its own.

        It is larger where the fewest edits are not known, or some may stand in for a rule.
        """
        doubtful = most is not None or stand_ins(self._session.repairs(), found)
        share = UNSETTLED if doubtful else TO_DOUBT
        return self._session.is_late if found.unexplained else self._session.has_spent(share)

    def _other_rules(self) -> Iterator[EditedModel]:
        """The model with other rules in the place of the one that was taken last, where they explain all."""
        for structure, model in self._alternatives:
            if all(_can_be_made(edit, model) for edit in self._best.edits):
                seen = self._session.repairs().seen
                found = self._session.repairs_of(model, seen).candidate(self._best.edits)
                if not found.unexplained and found.cost <= self._best.cost:
                    yield EditedModel.of(model, found, structure.words)

    def _typed(self, before: Candidate) -> Candidate:
        """The same candidate, in a model whose types allow all that the world was seen to execute."""
        strange = self._session.untyped()
        if any(strange):
            self._alternatives = []
            fitted = widened(self._session.model.problems, strange)
            self._session.edit(fitted.problems)
            self._structure = self._structure.fitted(fitted.words)
            self._plain_structure = self._plain_structure.fitted(fitted.words)
            self._plain = Model.of(*widened(self._plain.problems, strange).problems)
            return self._session.repairs().candidate(before.edits)
        return before

    def _writes_like_another(self, edits: frozenset[Edit]) -> bool:
        """Give a new action the rules of another one, where that is better than with `edits` alone."""
        session, best = self._session, None
        # it counts as what the world asks for anyhow, so none is given on top of another structural edit
        if not self._structure.size and any(own.is_empty for own in session.model.actions.values()):
            best = like_another(session.repairs(), session.repairs().candidate(edits), session.is_late)
        if best is None:
            return False
        session.edit(best.variant.problems)
        self._structure = self._plain_structure = self._structure.fitted((best.variant.words,))
        self._plain = session.model
        self._best = session.repairs().candidate(best.variant.edits)
        return True


def _can_be_made(edit: Edit, model: Model) -> bool:
    """Whether an edit that was made in one model can be made in another, with other rules."""
    if isinstance(edit, InitialEdit):
        return len(model.domain.predicates.get(edit.predicate, ())) == len(edit.arguments)
    action = model.actions[edit.action]
    return edit.effect in (action.candidates if edit.present else action.effects)

"""A policy within a budget: what another policy would have found by the time its budget was used up.

Nodes are counted in the order of rounds, and within a round in the order of ids, roots first. Each adds its
cost; a node counts as long as the sum up to and with it is within the limit. The first that does not fit ends
the search: it and all later ones are made, as their round had been asked for, but are never shown to the
policy inside. So methods that are compared at equal budgets are compared by what they had found within them,
whatever the number of workers and whichever answer came first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from search.nodes import Expansion, Node, order_of
from search.policies import Policy, S, unasked


@dataclass(frozen=True)
class BudgetedState(Generic[S]):
    """The inner policy's state after the last complete round, and the round that is under way."""

    inner: S
    spent: int  #: cost of all nodes of complete rounds, those beyond the limit included
    asked: tuple[Expansion, ...] = ()  #: the current round
    told: tuple[tuple[Node, ...] | None, ...] = ()  #: the children of each, None as long as they are awaited


@dataclass(frozen=True)
class Budgeted(Generic[S]):
    """`policy` until `limit` is used up; an infinite limit changes nothing.

    `cost` is called once for each node, roots too, and is never negative.
    """

    policy: Policy[S]
    limit: float
    cost: Callable[[Node], int]

    def start(self, roots: Sequence[Node]) -> BudgetedState[S]:
        """The inner policy starts from the roots that are within the limit."""
        counted, spent = self._count(roots, 0)
        return BudgetedState(self.policy.start(counted), spent)

    def ask(self, state: BudgetedState[S]) -> tuple[BudgetedState[S], tuple[Expansion, ...]]:
        """The inner policy's next round, unless the limit is used up."""
        if state.asked or self._used_up(state):
            return state, ()
        inner, wishes = self.policy.ask(state.inner)
        return replace(state, inner=inner, asked=wishes, told=(None,) * len(wishes)), wishes

    def tell(
        self, state: BudgetedState[S], expansion: Expansion, children: Sequence[Node]
    ) -> BudgetedState[S]:
        """Keeps the children until the round is complete; then the inner policy is told what counts of it."""
        keys = [
            wish.key if told is None else None for wish, told in zip(state.asked, state.told, strict=True)
        ]
        if expansion.key not in keys:
            raise unasked(expansion)
        i = keys.index(expansion.key)
        told = (*state.told[:i], tuple(children), *state.told[i + 1 :])
        complete = [made for made in told if made is not None]
        return replace(state, told=told) if len(complete) < len(told) else self._close(state, complete)

    def finished(self, state: BudgetedState[S]) -> bool:
        """Whether no round is under way and none may follow."""
        return not state.asked and (self._used_up(state) or self.policy.finished(state.inner))

    def best(self, state: BudgetedState[S]) -> Node | None:
        """The inner policy's best node among those that count."""
        return self.policy.best(state.inner)

    def _close(self, state: BudgetedState[S], told: Sequence[tuple[Node, ...]]) -> BudgetedState[S]:
        counted, spent = self._count([node for made in told for node in made], state.spent)
        ids = {node.id for node in counted}
        inner = state.inner
        for wish, made in zip(state.asked, told, strict=True):
            inner = self.policy.tell(inner, wish, [node for node in made if node.id in ids])
        return BudgetedState(inner, spent)

    def _count(self, nodes: Sequence[Node], spent: int) -> tuple[tuple[Node, ...], int]:
        """Those of the nodes that are within the limit, by id, and what is spent after all of them."""
        counted = []
        for node in sorted(nodes, key=order_of):
            spent += self.cost(node)
            if spent <= self.limit:
                counted.append(node)
        return tuple(counted), spent

    def _used_up(self, state: BudgetedState[S]) -> bool:
        return state.spent >= self.limit

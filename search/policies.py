"""Search policies: which nodes get children next. Algorithm 1, best of n, best-first, beam; within a budget.

A policy's settings are a frozen dataclass. A search by it is a generator: it yields the expansions of a
round, is sent the children of each when all of them are known, and returns the best node.

So what is asked depends on finished rounds alone, and so does the set of nodes that are known at that moment:
neither changes with the order in which answers come, nor with the number of workers. Proposals may
depend on both. A round in which a node is solved is finished, then the search stops: a lucky first branch no
longer saves the others' turns of that round, but all their later ones, and a round's answers are waited for
together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import chain, count
from typing import Any, Protocol

from search.nodes import Expansion, Node, Ordered, order_of

#: The rounds of one search: their expansions out, `Families` in, and at last the best node.
Rounds = Generator[Sequence[Expansion], Any, Node | None]
#: The children of each expansion of a round, in the order in which it names them.
Families = Sequence[Sequence[Node]]
#: What a node is worth, of nothing but itself; the highest is expanded first.
Ranking = Callable[[Node], Ordered]


class Policy(Protocol):
    """A search as its rounds."""

    def rounds(self, roots: Sequence[Node]) -> Rounds:
        """The rounds from roots that are evaluated already. A round has at least one expansion.

        An expansion may bring fewer children than asked for, or none. The best node is none of the roots;
        None if nothing was made.
        """


def by_rating(node: Node) -> Ordered:
    """The rating of its evaluation: the ranking of an open list unless another is given."""
    rating: Ordered = node.evaluation.rating
    return rating


def best_first(nodes: Iterable[Node], ranking: Ranking = by_rating) -> tuple[Node, ...]:
    """The nodes in an order that no two share: by rank, highest first, then shallower, then by id."""
    by_place = sorted(nodes, key=lambda node: (node.depth, order_of(node)))
    # sorting keeps the order of equals
    return tuple(sorted(by_place, key=ranking, reverse=True))


def first_best(nodes: Iterable[Node | None]) -> Node | None:
    """The node of the highest rating, the first of equals; None if there is none."""
    best: Node | None = None
    for node in nodes:
        if node is not None and (best is None or best.evaluation.rating < node.evaluation.rating):
            best = node
    return best


def solved(node: Node | None) -> bool:
    """Whether there is a node and it is solved."""
    return node is not None and node.evaluation.solved


@dataclass(frozen=True)
class _Counts:
    """Settings that are all at least 1."""

    def __post_init__(self) -> None:
        if any(isinstance(setting, int | float) and setting < 1 for setting in vars(self).values()):
            raise ValueError(f"{self}: every setting must be at least 1")


@dataclass(frozen=True)
class Algorithm1(_Counts):
    """A branch for every root, best of n in every turn, the best ever kept. Settings are at least 1.

    In a turn a branch makes `children` children of its current node. The best of them becomes the branch's
    current node, even if it is worse than the one before: the conversation continues from it. The best node
    of the branch and of all branches is kept beside that, the first of equals. A branch ends early if the
    best of its turn cannot be expanded, or if a turn brings no children at all: the same question would
    get the same answer.

    The published pseudo-code runs branch after branch and stops as soon as a candidate is solved. Here the
    branches advance together, turn by turn.

    Source: Mahdavi et al. 2024, Algorithm 1: `children` is n_d, `turns` is c_max; n_p is the number of roots.
    """

    children: int = 10
    turns: int = 4

    def rounds(self, roots: Sequence[Node]) -> Rounds:
        """A turn of all open branches a round; roots that cannot be expanded are no branches."""
        current = {root.id: root for root in roots if root.evaluation.expandable}
        best: dict[str, Node | None] = dict.fromkeys(current)
        for _ in range(self.turns):
            if not current or any(map(solved, best.values())):
                break
            made: Families = yield [Expansion(node, self.children) for node in current.values()]
            chosen = dict(zip(current, map(first_best, made), strict=True))
            best |= {branch: first_best((best[branch], node)) for branch, node in chosen.items()}
            current = {
                b: node for b, node in chosen.items() if node is not None and node.evaluation.expandable
            }
        return first_best(best.values())


@dataclass(frozen=True)
class Samples(_Counts):
    """Best of n: independent children of the roots, and nothing is built on any of them.

    What refinement has to beat: the same number of proposals without feedback. A batch is a round: `children`
    of every root that can be expanded. Settings are at least 1.
    """

    children: int = 10
    batches: int = 4

    def rounds(self, roots: Sequence[Node]) -> Rounds:
        """A batch of every root a round. The best is that of all children, the first root's of equals."""
        usable = [root for root in roots if root.evaluation.expandable]
        best: list[Node | None] = [None] * len(usable)
        for batch in range(self.batches):
            if not usable or solved(first_best(best)):
                break
            first = 1 + batch * self.children
            made: Families = yield [Expansion(root, self.children, first) for root in usable]
            best = [first_best((kept, *children)) for kept, children in zip(best, made, strict=True)]
        return first_best(best)


@dataclass(frozen=True)
class _OpenList(_Counts, ABC):
    """A round takes nodes from the open list, those that may be expanded, and their children join it.

    `BestFirst` takes the best of all nodes that were ever made and not yet expanded, so a branch that
    disappoints is left for another one, and may be returned to. `Beam` takes the best of the newest
    generation and forgets the others: it always goes deeper. Roots are the first generation. Their order
    among nodes (`best_first`) knows no equals; the `ranking` says which open node is the best. The best node
    ever made, by its rating, is kept, whether or not it can be expanded.

    Source: Russell and Norvig, Artificial Intelligence, 4th edition: best-first search, local beam search.
    """

    children: int  #: of one expansion
    _: KW_ONLY
    ranking: Ranking = field(default=by_rating, repr=False)

    def rounds(self, roots: Sequence[Node]) -> Rounds:
        """Each round takes the best open nodes. Of equals the shallowest is the best, then the first."""
        left, best, expanded = self._expandable(roots), None, 0
        for number in count():
            taken, left = self._split(left, number, expanded)
            if not taken or solved(best):
                break
            expanded += len(taken)
            families: Families = yield [Expansion(node, self.children) for node in taken]
            made = list(chain(*families))
            left = self._expandable((*left, *made))
            best = next(iter(best_first(made if best is None else (best, *made))), None)
        return best

    def _expandable(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return best_first((node for node in nodes if node.evaluation.expandable), self.ranking)

    @abstractmethod
    def _split(
        self, open_list: tuple[Node, ...], rounds: int, expanded: int
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The nodes of the next round, and those that stay open, after so many rounds and expansions."""


@dataclass(frozen=True)
class BestFirst(_OpenList):
    """Every round expands the `width` best open nodes, up to `expansions` in all. Settings are at least 1."""

    expansions: int
    width: int = 1

    def _split(
        self, open_list: tuple[Node, ...], rounds: int, expanded: int
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        number = min(self.width, self.expansions - expanded)
        return open_list[:number], open_list[number:]


@dataclass(frozen=True)
class Beam(_OpenList):
    """Each of `turns` rounds expands the `width` best of the newest generation, or all if it has fewer."""

    turns: int
    width: int

    def _split(
        self, open_list: tuple[Node, ...], rounds: int, expanded: int
    ) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        return (open_list[: self.width], ()) if rounds < self.turns else ((), ())


@dataclass(frozen=True)
class Budgeted:
    """Wraps a policy; stops after `limit` cost, counted in breadth-first order.

    Nodes are counted in the order of rounds, and within a round in the order of ids, roots first. Each adds
    its cost; a node counts as long as the sum up to and with it is within the limit. The first that does not
    fit ends the search: it and all later ones are made, as their round had been asked for, but are never
    shown to the policy inside. So methods that are compared at equal budgets are compared by what they had
    found within them, whatever the number of workers and whichever answer came first.

    `cost` is called once for each node, roots too, and is never negative.
    """

    policy: Policy
    limit: float
    cost: Callable[[Node], int]

    def rounds(self, roots: Sequence[Node]) -> Rounds:
        """The rounds of the inner policy. Once the limit is used up, it is sent no more children."""
        counted, spent = self._count(roots, 0)
        inner = self.policy.rounds(counted)
        shown: Families | None = None
        while True:
            try:
                asked = inner.send(shown)
            except StopIteration as ended:
                best: Node | None = ended.value
                return best
            shown = [()] * len(asked)
            if spent < self.limit:
                made: Families = yield asked
                counted, spent = self._count(chain(*made), spent)
                ids = {node.id for node in counted}
                shown = [[node for node in children if node.id in ids] for children in made]

    def _count(self, nodes: Iterable[Node], spent: int) -> tuple[tuple[Node, ...], int]:
        """Those of the nodes that are within the limit, by id, and what is spent after all of them."""
        counted = []
        for node in sorted(nodes, key=order_of):
            spent += self.cost(node)
            if spent <= self.limit:
                counted.append(node)
        return tuple(counted), spent

"""Search trees whose ratings are drawn, and a driver that tells one expansion at a time."""

import pickle
from dataclasses import dataclass

from hypothesis import strategies as st

from search.fakes import NumberEvaluation, NumberPayload
from search.nodes import Expansion, Node, order_of, roots_of


@dataclass(frozen=True)
class Ratings:
    """What the n-th child of a node is worth: drawn by hypothesis, looked up by the child's path.

    Every rating that ends in a 7 belongs to a node that cannot be expanded.
    """

    table: tuple[int, ...]

    def children(self, expansion: Expansion) -> list[Node]:
        parent = expansion.parent
        ids = [f"{parent.id}.{expansion.first + i}" for i in range(expansion.count)]
        return [Node(i, parent.id, NumberPayload(0), self.evaluation(i)) for i in ids]

    def of(self, path: str) -> int:
        place = sum(7**i * int(part) for i, part in enumerate(path.split(".")))
        return self.table[place % len(self.table)]

    def evaluation(self, path: str) -> NumberEvaluation:
        rating = self.of(path)
        return NumberEvaluation(rating, rating % 10 != 7)


tables = st.lists(st.integers(0, 99), min_size=1, max_size=40).map(lambda t: Ratings(tuple(t)))


def roots(count: int, expandable: bool = True) -> tuple[Node, ...]:
    evaluations = [NumberEvaluation(0, expandable)] * count
    return roots_of([NumberPayload(i) for i in range(count)], evaluations)


def run(policy, start, ratings, pick=lambda pending: 0, reload=False):
    """(all nodes, best), telling one expansion at a time; `pick` chooses which pending one ends next."""
    state, pending, asked, nodes = policy.start(start), [], [], []
    while True:
        in_a_round = bool(pending)
        state, wishes = policy.ask(state)
        assert not (in_a_round and wishes)
        asked += [w.key for w in wishes]
        pending += wishes
        if reload:
            policy, state, pending = pickle.loads(pickle.dumps((policy, state, pending)))  # noqa: S301 (ours)
        assert policy.finished(state) == (not pending)
        if not pending:
            assert len(asked) == len(set(asked))
            return sorted(nodes, key=order_of), policy.best(state)
        expansion = pending.pop(pick(pending))
        children = ratings.children(expansion)
        nodes += children
        state = policy.tell(state, expansion, children)


def in_any_order(policy, start, ratings, random):
    """As `run`, with the expansions ending in an order that `random` draws."""
    return run(policy, start, ratings, lambda pending: random.randrange(len(pending)))

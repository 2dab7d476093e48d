"""Search trees whose ratings are drawn, and the obvious driver of a policy."""

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


def run(policy, start, ratings):
    """(all nodes, best) of a search whose trees are drawn."""
    rounds, made, asked, nodes = policy.rounds(start), None, [], []
    while True:
        try:
            expansions = rounds.send(made)
        except StopIteration as ended:
            assert len(asked) == len(set(asked))
            return sorted(nodes, key=order_of), ended.value
        assert expansions, "a round has an expansion"
        asked += [(e.parent.id, e.first) for e in expansions]
        made = [ratings.children(expansion) for expansion in expansions]
        nodes += [child for children in made for child in children]


def after(policy, start, *answers):
    """(the parents of the next round or None at the end, best if it ended) after some rounds' children."""
    rounds = policy.rounds(start)
    try:
        asked = rounds.send(None)
        for made in answers:
            asked = rounds.send(made)
    except StopIteration as ended:
        return None, ended.value
    return [expansion.parent.id for expansion in asked], None

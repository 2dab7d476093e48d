"""What a search may still spend: the budgets of a unit, shared by all searches of its episode.

A reply costs its tokens, prompt and answer, whatever it brought; evaluating a candidate costs the questions
that the world was asked. Equal candidates are evaluated once, so only the first of them costs questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.llm.interface import Usage
from agents.llm.tokens import most_prompt_tokens, most_tokens
from agents.proposal import Proposal
from experiments.evaluation.evaluate import CandidateEvaluation
from experiments.runs.units import Unit
from search.budgeted import Budgeted
from search.nodes import Node
from search.policies import Policy


class Purse:
    """The budgets of one episode. Used by one thread, one search after another."""

    def __init__(self, unit: Unit):
        replies, questions = _Tally(_tokens), _Tally(_Questions())
        budgets = ((unit.budget_tokens, replies), (unit.budget_queries, questions))
        self._budgets = [(limit, tally) for limit, tally in budgets if limit is not None]

    @property
    def empty(self) -> bool:
        """Whether a budget is used up."""
        return any(tally.spent >= limit for limit, tally in self._budgets)

    def hold(self, policy: Policy[Any]) -> Policy[Any]:
        """`policy` within what is left; itself if there is no budget."""
        for limit, tally in self._budgets:
            policy = Budgeted(policy, limit - tally.spent, tally)
        return policy


@dataclass
class _Tally:
    """Prices nodes, each once, and adds up."""

    price: Callable[[Node], int]
    spent: int = 0

    def __call__(self, node: Node) -> int:
        cost = self.price(node)
        self.spent += cost
        return cost


def _tokens(node: Node) -> int:
    """Of the replies that the node was read from; of a server that counts none, our estimate of the last."""
    proposal: Proposal = node.payload
    usage = proposal.usage
    if usage == Usage() and proposal.read_from:
        *prompt, reply = proposal.read_from
        usage = Usage(most_prompt_tokens(prompt), most_tokens(reply.content))
    return usage.prompt_tokens + usage.completion_tokens


class _Questions:
    """World queries of nodes; an evaluation that was made already costs nothing."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, node: Node) -> int:
        if node.payload.key in self._seen:
            return 0
        self._seen.add(node.payload.key)
        evaluation: CandidateEvaluation = node.evaluation
        return evaluation.score.world_queries

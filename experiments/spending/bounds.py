"""The most that an episode may ask for, known before anything is asked.

Calls and world queries are bounds. Tokens are an estimate from above: prompts are made of the world's real
texts, every answer is taken to be as long as answers may be, every conversation to go on to its last turn,
and every sample to be paid with a prompt of its own, as with servers that make one at a time. The bound is
that of one start: an answer that was cut off is asked for anew when a run is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from agents.llm.interface import Message, Usage, most_prompt_tokens, most_tokens
from agents.requests import (
    domain_request,
    feedback_turn,
    next_task_request,
    plan_request,
    problem_from_proposal_request,
    problem_request,
    proposal_request,
)
from agents.texts import WorldTexts
from agents.tic.knowledge import Knowledge
from agents.tic.translate import in_context_request
from envs.registry import WORLDS
from envs.variants import split_variant
from envs.world import open_world
from ew.counterexample.doubting import MAX_GOAL_QUERIES
from ew.counterexample.explained import COMPARED, MAX_FURTHER, MAX_SHRINKING
from ew.lifted.sampled_score import PASSES
from ew.probes.further import FurtherLook
from ew.score.config import EWConfig
from experiments.config import shared
from experiments.runs.units import Unit
from experiments.spending.caps import Bound

#: Tokens that the failure in one feedback turn may take.
FAILURE_TOKENS = 2000


def asked(messages: Iterable[Message], longest: int, samples: int = 1, more: int = 0) -> Bound:
    """So many samples of one request, with answers of up to `longest` tokens.

    `more` are tokens of the prompt that are not known yet, such as those of earlier answers.
    """
    prompt = most_prompt_tokens(tuple(messages)) + more
    return Bound(samples, Usage(samples * prompt, samples * longest))


def problems_asked(unit: Unit, longest: int, *, from_draft: bool) -> Bound:
    """The problem candidates, each from a drafted domain of its own if `from_draft`."""
    texts = texts_at(unit.env, unit.refined_on[0])
    if not from_draft:
        return asked(problem_request(texts), longest, unit.np)
    drafts = asked(proposal_request(texts), longest, unit.np)
    return drafts + asked(problem_from_proposal_request(texts, ""), longest, unit.np, more=longest)


def domains_asked(unit: Unit, longest: int, more_a_turn: int = 0) -> Bound:
    """The domain candidates of a full tree: `np * nd` in each turn, each turn hearing all before it.

    An earlier turn adds its answer, and the feedback with the domain as it then stands: the template with
    what all answers so far have written into it; and `more_a_turn` tokens more.
    """
    texts = texts_at(unit.env, unit.refined_on[0])
    first, heard = domain_request(texts, ""), feedback_turn("", (), texts.draft)
    total = Bound()
    more = longest + most_tokens(texts.problem_template)  # the problem, which was an answer too
    for turn in range(unit.turns):
        total += asked(first, longest, unit.np * unit.nd, more)
        more += longest + most_prompt_tokens([heard]) + FAILURE_TOKENS + (turn + 1) * longest + more_a_turn
    return total


def translations_asked(unit: Unit, longest: int, attempts: int = 1) -> Bound:
    """The problem of every counted task, up to `attempts` times each; one that the model was refined on has
    the first already.

    Every further attempt hears the answer before it, its failure, and the domain.
    """
    first = texts_at(unit.env, unit.refined_on[0])
    wanted = [task for task in unit.evaluation_tasks if task.name not in unit.refined_on]
    # a domain that was written in as many answers as there are turns; and the first problem
    domain = longest * unit.turns
    more = most_tokens(first.problem_template) + longest + domain
    tasks = [texts_at(unit.env, task.name) for task in wanted]
    if unit.translator == "llm":
        requests = [next_task_request(first, "", first.draft, task) for task in tasks]
    else:
        requests = [in_context_request(Knowledge("", example_task=first.task), t.task) for t in tasks]
        more += more  # an IR writes `init(...).` around each fact of a problem
    again = longest + FAILURE_TOKENS + most_prompt_tokens([feedback_turn("", (), first.draft)]) + domain
    bounds = (
        asked(request, longest, more=more + attempt * again)
        for request in requests
        for attempt in range(attempts)
    )
    refined_on = (
        asked(problem_request(texts_at(unit.env, n)), longest, more=more + attempt * again)
        for n in unit.refined_on
        for attempt in range(1, attempts)
        if isinstance(n, int)
    )
    return sum((*bounds, *refined_on), Bound())


def plans_asked(unit: Unit, longest: int, *, reasons: bool) -> Bound:
    """A plan of the language model's own for every task."""
    requests = (plan_request(texts_at(unit.env, task.name), reasons) for task in unit.evaluation_tasks)
    return sum((asked(request, longest) for request in requests), Bound())


def candidate_queries(unit: Unit, *, further: bool = False) -> int:
    """World queries of one evaluation of a candidate, on all tasks it is refined on, as its record counts;
    `further`: where models whose EW is 1 are looked at further."""
    config = EWConfig(**shared(unit, EWConfig))
    walked = config.most_queries * (PASSES if config.by.scores_lifted else 1)
    explaining = MAX_FURTHER
    if unit.feedback == "shortest":
        explaining += MAX_SHRINKING + _compared(config)
    # what a further look finds may be longer than a walk: it is compared along that, too
    looking = FurtherLook().most + 2 * FurtherLook().probes.queries if further else 0
    return len(unit.refined_on) * (walked + looking + explaining)


def task_queries(unit: Unit, *, explained: bool = False) -> int:
    """World queries of one attempt at an evaluation task: its score, and its failure with its causes."""
    config = EWConfig(**shared(unit, EWConfig))
    causes = max(MAX_SHRINKING + _compared(config), MAX_GOAL_QUERIES)
    return config.most_queries + (causes if explained else 0)


def _compared(config: EWConfig) -> int:
    """World queries of comparing all actions along a disagreement and a few other walks."""
    return 2 * (config.longest + 1 + COMPARED.walks * COMPARED.t_max)


def one_evaluation(unit: Unit, *, further: bool = False) -> int:
    """World queries of the dearest single evaluation of an episode: of a candidate, or of a task."""
    return max(candidate_queries(unit, further=further), task_queries(unit, explained=True))


def either_told(unit: Unit, longest: int) -> int:
    """Tokens that a feedback turn takes more where the problem is shown too, with the task in words."""
    texts = [texts_at(unit.env, task) for task in unit.refined_on]
    return longest + max(most_tokens(t.task) + most_tokens(t.problem_template) for t in texts)


def texts_at(env: str, task: int | str) -> WorldTexts:
    """The texts of a task. Those of a bundled world, whose files stay as they are, are read once a process.

    Raises as `open_world`.
    """
    return _bundled_texts(env, task) if split_variant(env)[0] in WORLDS else _opened_texts(env, task)


def _opened_texts(env: str, task: int | str) -> WorldTexts:
    return WorldTexts.of(open_world(env, task))


_bundled_texts = cache(_opened_texts)

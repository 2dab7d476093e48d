"""The search loop: proposals wait for the language model in threads, evaluations run on the executor.

    policy.ask ──expansions──► propose (thread) ──payloads──► evaluate (executor) ──nodes──► policy.tell

A payload is evaluated as soon as it is there, while its siblings are still being written; no expansion waits
for another, except where the policy wants it to. Waiting threads take no CPU slot of the executor. Ids are
paths: the n-th child of node 2.1 is 2.1.n. Equal payloads (by key) are evaluated once. An
expansion is told when all of its children are evaluated.

Threads and executor only report: every report is a call that is put into a queue and made by the caller's
thread, one after another, so nothing here needs a lock.

Determinism: which call ends first may change the order of `observe` and of tells, never the nodes, as ids
follow the proposals' order and policies do not depend on the order of tells. Policies ask in rounds, so the
nodes that `propose` is shown are those of all finished rounds, whatever came first in them.

Errors: whatever `propose`, `evaluate` or `observe` raises, KeyboardInterrupt included, stops the search:
nothing new is started, what has not begun is cancelled, what runs is waited for, and the error is raised.
Proposals that are being drawn are drawn to their end, as they may be paid for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic

from search.executors import Executor
from search.nodes import Evaluation, Expansion, Node, Payload, order_of
from search.policies import Policy, S

Propose = Callable[[Expansion, tuple[Node, ...]], Iterable[Payload]]
Evaluate = Callable[[Any], Evaluation]
Observe = Callable[[Node], None]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search."""

    best: Node | None  #: the policy's best node; None if no node was made
    nodes: tuple[Node, ...]  #: all nodes but the roots, in the order of their ids


def run_search(
    policy: Policy[S],
    roots: Sequence[Node],
    propose: Propose,
    evaluate: Evaluate,
    executor: Executor,
    observe: Observe | None = None,
    threads: int = 64,
    stall_s: float = 60.0,
    name: str = "search",
) -> SearchResult:
    """Run `policy` from `roots` to its end.

    `propose` gets an expansion and all nodes that were known when the policy asked for it (roots first, then
    the others in the order of their ids). It returns or yields at most `count` payloads; it is called, and
    its iterable drawn, in one of up to `threads` threads of this process. `evaluate` is called with one
    payload and must be picklable; an error in it arrives as WorkerError. `observe` is called in this thread,
    once per node, as soon as the node is evaluated. After `stall_s` seconds without progress a warning says
    in which search (`name`), and what is being waited for.
    """
    with ThreadPoolExecutor(threads, thread_name_prefix="propose") as pool:
        run = _Run(policy, policy.start(roots), tuple(roots), propose, evaluate, executor, pool, observe)
        try:
            while run.expand():
                run.settle(stall_s, name)
        finally:
            run.abandon()
        return SearchResult(policy.best(run.state), run.in_order())


@dataclass(eq=False)
class _Family:
    """The children of one expansion while they are being proposed and evaluated."""

    expansion: Expansion
    payloads: list[Payload] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)
    drawn: bool = False  #: whether there are no more payloads to come

    @property
    def complete(self) -> bool:
        return self.drawn and len(self.children) == len(self.payloads)

    def add(self, index: int, evaluation: Evaluation) -> Node:
        parent = self.expansion.parent
        number = self.expansion.first + index
        node = Node(f"{parent.id}.{number}", parent.id, self.payloads[index], evaluation)
        self.children[index] = node
        return node


@dataclass(eq=False)
class _Run(Generic[S]):
    """What is under way. Futures are kept in the order in which they were started."""

    policy: Policy[S]
    state: S
    roots: tuple[Node, ...]
    propose: Propose
    evaluate: Evaluate
    executor: Executor
    pool: ThreadPoolExecutor
    observe: Observe | None
    nodes: list[Node] = field(default_factory=list)
    proposing: dict[Future[None], _Family] = field(default_factory=dict)
    evaluating: dict[Future[Any], list[tuple[_Family, int]]] = field(default_factory=dict)
    by_key: dict[str, Future[Any]] = field(default_factory=dict)
    reports: SimpleQueue[Callable[[], None]] = field(default_factory=SimpleQueue)

    def expand(self) -> bool:
        """Start what the policy asks for. False if nothing is under way any more."""
        self.state, expansions = self.policy.ask(self.state)
        known = (*self.roots, *self.in_order()) if expansions else ()
        for expansion in expansions:
            family = _Family(expansion)
            future = self.pool.submit(self._draw, family, known)
            self.proposing[future] = family
            future.add_done_callback(lambda done: self.reports.put(partial(self._drawn, done)))
        return bool(self.proposing or self.evaluating)

    def settle(self, stall_s: float, name: str) -> None:
        """Wait for the next report and carry on with it."""
        try:
            carry_on = self.reports.get(timeout=stall_s)
        except Empty:
            log.warning(
                "%s: no progress for %g s: waiting for %d proposals and %d evaluations",
                name,
                stall_s,
                len(self.proposing),
                len(self.evaluating),
            )
        else:
            carry_on()

    def in_order(self) -> tuple[Node, ...]:
        """The nodes made so far, in the order of their ids."""
        return tuple(sorted(self.nodes, key=order_of))

    def abandon(self) -> None:
        """Cancel what has not begun and wait for what runs. Nothing to do after a search that ended well."""
        under_way: list[Future[Any]] = [*self.proposing, *self.evaluating]
        wait([future for future in under_way if not future.cancel()])

    def _draw(self, family: _Family, known: tuple[Node, ...]) -> None:
        """In a thread of the pool: report every payload as soon as it is there."""
        for payload in self.propose(family.expansion, known):
            self.reports.put(partial(self._evaluate, family, payload))

    def _evaluate(self, family: _Family, payload: Payload) -> None:
        future = self.by_key.get(payload.key)
        if future is None:
            future = self.by_key[payload.key] = self.executor.submit(self.evaluate, payload)
        if future not in self.evaluating:
            self.evaluating[future] = []
            future.add_done_callback(lambda done: self.reports.put(partial(self._give_birth, done)))
        self.evaluating[future].append((family, len(family.payloads)))
        family.payloads.append(payload)

    def _drawn(self, future: Future[None]) -> None:
        family = self.proposing.pop(future)
        future.result()
        family.drawn = True
        self._tell_if_complete(family)

    def _give_birth(self, future: Future[Any]) -> None:
        evaluation = future.result()
        for family, index in self.evaluating.pop(future):
            node = family.add(index, evaluation)
            self.nodes.append(node)
            if self.observe is not None:
                self.observe(node)
            self._tell_if_complete(family)

    def _tell_if_complete(self, family: _Family) -> None:
        if family.complete:
            children = [family.children[i] for i in range(len(family.payloads))]
            self.state = self.policy.tell(self.state, family.expansion, children)

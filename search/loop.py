"""The search loop: proposals wait for the language model in threads, evaluations run on the executor.

    policy ──expansions──► propose (thread) ──payloads──► evaluate (executor) ──nodes──► policy

A payload is evaluated as soon as it is there, while its siblings are still being written; no expansion waits
for another of its round. Waiting threads take no CPU slot of the executor. Ids are
paths: the n-th child of node 2.1 is 2.1.n. Equal payloads (by key) are evaluated once.

Threads and executor only report: every report is a call that is put into a queue and made by the caller's
thread, one after another, so nothing here needs a lock.

Determinism: which call ends first may change the order of `observe`, never the nodes, as ids follow the
proposals' order. Policies ask in rounds, so the nodes that `propose` is shown are those of all finished
rounds, whatever came first in them.

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
from typing import Any

from search.executors import Executor
from search.nodes import Evaluation, Expansion, Node, Payload, order_of
from search.policies import Policy

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
    policy: Policy,
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
        run = _Run(tuple(roots), propose, evaluate, executor, pool, observe, stall_s, name)
        rounds, made = policy.rounds(run.roots), None
        try:
            while True:
                try:
                    asked = rounds.send(made)
                except StopIteration as ended:
                    return SearchResult(ended.value, run.in_order())
                made = run.children(asked)
        finally:
            run.abandon()


@dataclass(eq=False)
class _Family:
    """The children of one expansion while they are being proposed and evaluated."""

    expansion: Expansion
    payloads: list[Payload] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)

    def add(self, index: int, evaluation: Evaluation) -> Node:
        parent = self.expansion.parent
        number = self.expansion.first + index
        node = Node(f"{parent.id}.{number}", parent.id, self.payloads[index], evaluation)
        self.children[index] = node
        return node


@dataclass(eq=False)
class _Run:
    """What is under way. Futures are kept in the order in which they were started."""

    roots: tuple[Node, ...]
    propose: Propose
    evaluate: Evaluate
    executor: Executor
    pool: ThreadPoolExecutor
    observe: Observe | None
    stall_s: float
    name: str
    nodes: list[Node] = field(default_factory=list)
    proposing: set[Future[None]] = field(default_factory=set)
    evaluating: dict[Future[Any], list[tuple[_Family, int]]] = field(default_factory=dict)
    by_key: dict[str, Future[Any]] = field(default_factory=dict)
    reports: SimpleQueue[Callable[[], None]] = field(default_factory=SimpleQueue)

    def children(self, expansions: Sequence[Expansion]) -> list[list[Node]]:
        """The children of each expansion of a round."""
        known = (*self.roots, *self.in_order())
        families = [_Family(expansion) for expansion in expansions]
        for family in families:
            future = self.pool.submit(self._draw, family, known)
            self.proposing.add(future)
            future.add_done_callback(lambda done: self.reports.put(partial(self._drawn, done)))
        while self.proposing or self.evaluating:
            self._settle()
        return [[child for _, child in sorted(family.children.items())] for family in families]

    def _settle(self) -> None:
        """Wait for the next report and act on it."""
        try:
            report = self.reports.get(timeout=self.stall_s)
        except Empty:
            waiting = len(self.proposing), len(self.evaluating)
            said = "%s: no progress for %g s: waiting for %d proposals and %d evaluations"
            log.warning(said, self.name, self.stall_s, *waiting)
        else:
            report()

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
            future.add_done_callback(lambda done: self.reports.put(partial(self._evaluated, done)))
        self.evaluating[future].append((family, len(family.payloads)))
        family.payloads.append(payload)

    def _drawn(self, future: Future[None]) -> None:
        self.proposing.remove(future)
        future.result()

    def _evaluated(self, future: Future[Any]) -> None:
        evaluation = future.result()
        for family, index in self.evaluating.pop(future):
            node = family.add(index, evaluation)
            self.nodes.append(node)
            if self.observe is not None:
                self.observe(node)

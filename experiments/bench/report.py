"""The report of a large run: how long the page takes to make, and how large it is.

`made_run` invents a run of any size from a seed: texts of the usual length that hardly repeat themselves,
conversations in the journal, every outcome, and repairs among them. What it says of a page's size is an upper
estimate: texts that models write compress better than words drawn at random.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from agents.llm.interface import Completion, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile, conversation_key
from agents.mending import MAX_ENTRIES
from ew.score.rating import Outcome
from experiments.bench.measure import Figure
from experiments.reporting.html.page import page
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, NodeRecord, Repair, Score, Spent, Story, StoryStep

NODES = 5000
#: One candidate in so many was made by a repair.
_REPAIRED = 10
#: Children of a candidate; the first root has WIDE.
_CHILDREN, _WIDE, _ROOTS = 12, 200, 5
_WORDS = tuple(
    a + b + c
    for a in ("gr", "r", "b", "m", "c", "fr", "dr", "pl", "st", "w")
    for b in ("i", "oo", "a", "o", "ea", "u")
    for c in ("p", "m", "ll", "ve", "rry", "e", "ps", "ned", "ting", "d")
)
_PROFILE = Profile("made", "made")
_UNUSABLE = (Outcome.NO_EDIT, Outcome.REFUSED_EDIT, Outcome.INVALID_DOMAIN, Outcome.NO_INITIAL_ACTION)
_UNIT, _BEST = "u", "1.7.3"


def bench_report() -> Iterator[Figure]:
    """The page of a run with NODES candidates: how long it takes to make, and its size."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        run, ledger = made_run(Path(folder), NODES)
        started = time.perf_counter()
        size = len(page(run, ledger, ())) / 1e6
        seconds = time.perf_counter() - started
    yield Figure(f"page of {NODES} candidates", f"{seconds:.1f} s", "20 s", seconds <= 20)
    yield Figure("  its size", f"{size:.1f} MB", "20 MB", size <= 20)


def made_run(folder: Path, nodes: int, seed: int = 0) -> tuple[RunDirectory, Ledger]:
    """A finished run of one episode with `nodes` candidates."""
    rng = np.random.default_rng(seed)
    run = RunDirectory.open(folder, {"made": nodes}, {})
    ledger = Ledger(run)
    ledger.begin(_UNIT, "made-tree-0")
    with Journal(run.journal_path) as journal:
        for node in made_nodes(nodes, rng, journal):
            ledger.add_node(node)
    spent = Spent(nodes, nodes, nodes)
    ledger.add_episode(
        EpisodeRecord(_UNIT, "made", "tree", 0, _BEST, "SOLVED", 1.0, True, nodes, 0, 0, spent, 0, 1.0)
    )
    run.close()
    return run, ledger


def made_nodes(count: int, rng: np.random.Generator, journal: Journal | None = None) -> Iterator[NodeRecord]:
    """The candidates of one episode, level by level, and their conversations in the journal."""
    conversations: dict[str, tuple[Message, ...]] = {}
    domains: dict[str, list[str]] = {}
    for name in _ids(count):
        yield _node(name, conversations, domains, journal, rng)


def _ids(count: int) -> list[str]:
    """Ids level by level."""
    found = [str(i) for i in range(1, _ROOTS + 1)]
    for above in found:
        if len(found) >= count:
            break
        width = _WIDE if above == "1" else _CHILDREN
        found += [f"{above}.{i}" for i in range(1, width + 1)]
    return found[:count]


def _node(
    name: str,
    conversations: dict[str, tuple[Message, ...]],
    domains: dict[str, list[str]],
    journal: Journal | None,
    rng: np.random.Generator,
) -> NodeRecord:
    parent, _, _ = name.rpartition(".")
    problem = f"(define (problem p{name.partition('.')[0]})\n" + "  (at ball room)\n" * 40 + ")"
    if not parent:
        conversations[name] = (Message("system", _prose(rng, 500)), Message("user", _prose(rng, 500)))
        domains[name] = [f"  ({_prose(rng, 6)})" for _ in range(80)]
        return NodeRecord(_UNIT, name, name, "NO_EDIT", Score(), None, "NoEdit", "", problem, None, None, 0.0)
    asked, reply, feedback = conversations[parent], _prose(rng, 350), _prose(rng, 130)
    request = _PROFILE.request(asked, 0.7, 0)
    if journal is not None and name.endswith(".1"):  # one row for each request is enough
        journal.record(request, {0: Completion(reply)})
    conversations[name] = (*asked, Message("assistant", reply), Message("user", feedback))
    domains[name] = _edited(domains[parent], rng)
    domain, key = "\n".join(domains[name]), conversation_key(request["messages"], None)
    made = NodeRecord(
        _UNIT, name, name, "WALKED", Score(), None, "Disagreement", feedback, problem, domain, reply, 0.01,
        Spent(1, 4000, 900), key, "1", _story(rng),
    )  # fmt: skip
    if rng.integers(_REPAIRED) == 0:
        made = replace(made, reply=None, asked=None, spent=Spent(), repair=_repair(rng))
    return _rated(made, rng)


def _rated(node: NodeRecord, rng: np.random.Generator) -> NodeRecord:
    """With an outcome and, where it has one, a score."""
    if node.id == _BEST:
        return replace(
            node, outcome="SOLVED", score=Score(1.0, 1.0, 1.0, 0.0, 300, "scored", 0.9, 1.0), story=None
        )
    walked = rng.random() < 0.5
    outcome = Outcome.WALKED if walked else _UNUSABLE[int(rng.integers(len(_UNUSABLE)))]
    if outcome is not Outcome.WALKED:
        return replace(node, outcome=outcome.name, failure="EditsRefused", story=None)
    ew = round(float(rng.random()), 3)
    return replace(
        node, score=Score(ew, ew, ew, 0.04, 300, "scored", max(0.0, ew - 0.08), min(1.0, ew + 0.08))
    )


def _edited(lines: list[str], rng: np.random.Generator) -> list[str]:
    made = list(lines)
    for at in rng.integers(0, len(lines), 4):
        made[at] = f"  ({_prose(rng, 6)})"
    return made


def _story(rng: np.random.Generator) -> Story:
    steps = (
        StoryStep(
            f"(move {i} {_prose(rng, 2)})", True, i < 5, (_prose(rng, 5),), (_prose(rng, 5),), ("(at a b)",)
        )
        for i in range(6)
    )
    return Story("forward", tuple(_prose(rng, 5) for _ in range(8)), tuple(steps))


def _repair(rng: np.random.Generator) -> Repair:
    """A repair with the largest ledger that is kept."""
    rows = (
        ("move", "effect", f"({_prose(rng, 3)})", "kept", "120", "0", "needed", f"After {_prose(rng, 15)}.")
        for _ in range(MAX_ENTRIES)
    )
    return Repair(True, tuple(_prose(rng, 8) for _ in range(3)), 1200, tuple(rows), left_out=20)


def _prose(rng: np.random.Generator, words: int) -> str:
    return " ".join(_WORDS[i] for i in rng.integers(0, len(_WORDS), words))

"""Runs as a whole: the report of a large one, opening one again, and the default job from start to end.

`made_run` invents a run of any size from a seed: texts of the usual length that hardly repeat themselves,
conversations in the journal, every outcome, and repairs among them. What it says of a page's size is an upper
estimate: texts that models write compress better than words drawn at random. `write_run` writes the events of
any number of candidates as a run with many episodes at once does: episodes take turns, tasks stand between
candidates, and texts differ from one candidate to the next, so that nothing is saved by keeping equal ones
once.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.llm.interface import Completion, Message
from agents.llm.journal import Journal
from agents.llm.keys import Profile, conversation_key
from agents.repair.proposals import MAX_ENTRIES
from envs.pddl.process import run_child
from ew.score.rating import Outcome
from experiments.bench.measure import BenchSettings, Figure, at_most, in_child, timed
from experiments.reporting.html.page import page
from experiments.runs import records
from experiments.runs.details import Repair
from experiments.runs.directory import RunDirectory
from experiments.runs.ledger import Ledger
from experiments.runs.records import NodeRecord, Score, Spent, Story, StoryStep

#: Candidates of the run whose page is made, and of the run that is opened.
NODES, CANDIDATES = 5000, 100_000
_JOB_LIMIT_S, _JOB_MEMORY_MB = 600.0, 8000
#: One candidate in so many was made by a repair.
_REPAIRED = 10
#: Children of a candidate; the first root has WIDE.
_CHILDREN, _WIDE, _ROOTS = 12, 200, 5
#: Episodes that take turns, candidates between two tasks, and candidates that all others are made of.
_AT_ONCE, _BETWEEN, _SAMPLES = 200, 10, 60
_WORDS = tuple(
    a + b + c
    for a in ("gr", "r", "b", "m", "c", "fr", "dr", "pl", "st", "w")
    for b in ("i", "oo", "a", "o", "ea", "u")
    for c in ("p", "m", "ll", "ve", "rry", "e", "ps", "ned", "ting", "d")
)
_PROFILE = Profile("made", "made")
_ROOT = NodeRecord("u", "", "", "NO_EDIT", Score(), None, "NoEdit", "", None, None, None, 0.0)
_UNUSABLE = (Outcome.NO_EDIT, Outcome.REFUSED_EDIT, Outcome.INVALID_DOMAIN, Outcome.NO_INITIAL_ACTION)
_BEST = "1.7.3"
#: So many words.
Prose = Callable[[int], str]


def report_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """The page of a run with NODES candidates: how long it takes to make, and its size."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        run, ledger = made_run(Path(folder), NODES)
        text, spent = timed(lambda: page(run, ledger, ()))
    yield at_most(f"page of {NODES} candidates", spent, 20, "s")
    yield at_most("  its size", len(text) / 1e6, 20, "MB")


def ledger_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """A run with CANDIDATES candidates, and beside it a tenth of it, each read in a process of its own."""
    opened = []
    for candidates in (CANDIDATES // 10, CANDIDATES):
        with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
            write_run(Path(folder), candidates)
            opened.append(in_child("open-ledger", folder))
    tenth, whole = opened
    beside = f"{whole.seconds / tenth.seconds:.1f} times a tenth of them"
    yield at_most(f"events of {CANDIDATES:,} candidates read", whole.seconds, 20, "s", beside)
    yield at_most("  memory", whole.megabytes, 1500, "MB")


def job_figures(_settings: BenchSettings) -> Iterator[Figure]:
    """The default job in a new directory and process, Ray's start included, then resumed."""
    with tempfile.TemporaryDirectory(prefix="groundwalk-bench-") as folder:
        for what, limit_s in (("default job", 60), ("default job again", 5)):
            command = [sys.executable, "-m", "experiments.run", "--out", f"{folder}/run"]
            child = run_child(command, cwd=folder, wall_s=_JOB_LIMIT_S, memory_mb=_JOB_MEMORY_MB)
            said = "" if child.succeeded else f"failed: {(child.stderr or child.stdout)[-200:].strip()}"
            yield at_most(what, child.wall_s, limit_s, "s", said, only_if=child.succeeded)


def made_run(folder: Path, nodes: int, seed: int = 0) -> tuple[RunDirectory, Ledger]:
    """A finished run of one episode with `nodes` candidates."""
    run = RunDirectory.open(folder, {"made": nodes}, {})
    ledger = Ledger(run)
    ledger.begin("u", "made-tree-0")
    with Journal(run.journal_path) as journal:
        for node in made_nodes(nodes, np.random.default_rng(seed), journal):
            ledger.add_node(node)
    spent = Spent(nodes, nodes, nodes)
    ledger.add_episode(
        records.EpisodeRecord("u", "made", "tree", 0, _BEST, "SOLVED", 1.0, True, nodes, 0, 0, spent, 0, 1.0)
    )
    run.close()
    return run, ledger


def made_nodes(count: int, rng: np.random.Generator, journal: Journal | None = None) -> Iterator[NodeRecord]:
    """The candidates of one episode, level by level, and their conversations in the journal."""
    say = partial(_prose, rng)
    conversations: dict[str, tuple[Message, ...]] = {}
    domains: dict[str, list[str]] = {}
    for name in _ids(count):
        parent, _, _ = name.rpartition(".")
        problem = f"(define (problem p{name.partition('.')[0]})\n" + "  (at ball room)\n" * 40 + ")"
        node = replace(_ROOT, id=name, key=name, problem=problem)
        if not parent:
            conversations[name] = Message("system", say(500)), Message("user", say(500))
            domains[name] = [f"  ({say(6)})" for _ in range(80)]
            yield node
            continue
        asked, node = conversations[parent], replace(node, reply=say(350), feedback=say(130))
        request = _PROFILE.request(asked, 0.7, 0)
        if journal is not None and name.endswith(".1"):  # one row for each request is enough
            journal.record(request, {0: Completion(node.reply or "")})
        conversations[name] = (*asked, Message("assistant", node.reply or ""), Message("user", node.feedback))
        changed = dict.fromkeys(rng.integers(0, 80, 4).tolist(), f"  ({say(6)})")
        domains[name] = [changed.get(at, line) for at, line in enumerate(domains[parent])]
        node = replace(node, domain="\n".join(domains[name]), wall_s=0.01, task="1")
        if rng.integers(_REPAIRED) == 0:
            node = replace(node, reply=None, details=(_repair(say),))
        else:
            key = conversation_key(request["messages"], None)
            node = replace(node, spent=Spent(1, 4000, 900), asked=key)
        yield _rated(node, say, rng)


def _rated(node: NodeRecord, say: Prose, rng: np.random.Generator) -> NodeRecord:
    """With an outcome and, where it has one, a score and a disagreement."""
    if node.id == _BEST:
        best = Score(1.0, 1.0, 1.0, 0.0, 300, "scored", 0.9, 1.0)
        return replace(node, outcome="SOLVED", failure="Disagreement", score=best)
    if rng.random() < 0.5:
        outcome = _UNUSABLE[int(rng.integers(len(_UNUSABLE)))]
        return replace(node, outcome=outcome.name, failure="EditsRefused")
    ew = round(float(rng.random()), 3)
    score = Score(ew, ew, ew, 0.04, 300, "scored", max(0.0, ew - 0.08), min(1.0, ew + 0.08))
    steps = [
        StoryStep(f"(move {i} {say(2)})", True, i < 5, (say(5),), (say(5),), ("(at a b)",)) for i in range(6)
    ]
    story = Story("forward", tuple(say(5) for _ in range(8)), tuple(steps))
    return replace(node, outcome="WALKED", failure="Disagreement", score=score, story=story)


def _repair(say: Prose) -> Repair:
    """A repair with the largest ledger that is kept."""
    rows = [
        ("move", "effect", f"({say(3)})", "kept", "120", "0", "needed", f"After {say(15)}.")
        for _ in range(MAX_ENTRIES)
    ]
    return Repair(True, tuple(say(8) for _ in range(3)), 1200, tuple(rows), left_out=20)


def _ids(count: int) -> list[str]:
    """Ids level by level."""
    found = [str(i) for i in range(1, _ROOTS + 1)]
    for above in found:
        if len(found) >= count:
            break
        width = _WIDE if above == "1" else _CHILDREN
        found += [f"{above}.{i}" for i in range(1, width + 1)]
    return found[:count]


def _prose(rng: np.random.Generator, words: int) -> str:
    return " ".join(_WORDS[i] for i in rng.integers(0, len(_WORDS), words))


def write_run(folder: Path, candidates: int) -> None:
    """The events of a run in `folder`, a line each."""
    with RunDirectory(folder).events_path.open("w", encoding="utf-8") as file:
        for event, data in _events(candidates):
            file.write(json.dumps({"event": event.value, **data}, ensure_ascii=False) + "\n")


def _events(candidates: int) -> Iterator[tuple[records.Event, dict[str, Any]]]:
    samples = [node.to_json() for node in made_nodes(_SAMPLES, np.random.default_rng(0))]
    for unit in range(min(_AT_ONCE, candidates)):
        yield records.Event.STARTED, {"unit": f"u{unit}", "name": f"made-tree-{unit}"}
    for number in range(candidates):
        place, unit = divmod(number, _AT_ONCE)
        sample = samples[number % _SAMPLES]
        own = {key: sample[key] for key in ("problem", "domain", "reply", "feedback") if sample[key]}
        texts = {key: f"; {number}\n{text}" for key, text in own.items()}
        yield (
            records.Event.NODE,
            {**sample, **texts, "unit": f"u{unit}", "id": str(place + 1), "key": f"k{number}"},
        )
        if number % _BETWEEN == 0:
            task = records.TaskRecord(
                f"u{unit}", "made", "tree", 0, place + 1, records.TaskOutcome.SOLVED, Score(), 5, None, "",
                Spent(1, 2, 3), 0.2,
            )  # fmt: skip
            yield records.Event.TASK, task.to_json()

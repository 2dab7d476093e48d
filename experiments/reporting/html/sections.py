"""The parts of the page that stand there at once: what was run, what came of it, tables, tasks, faults."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ew.score.shown import shown
from experiments.reporting.charts import Chart
from experiments.reporting.display import marked
from experiments.reporting.faults import Unexplained
from experiments.reporting.html.markup import Child, Markup, el, joined
from experiments.reporting.html.svg import gallery
from experiments.reporting.tables import Table
from experiments.runs.ledger import Ledger
from experiments.runs.records import EpisodeRecord, TaskRecord

#: More charts than this are folded away, all but these.
_SHOWN_CHARTS = 5
#: More episodes than this are folded by environment.
_SHOWN_EPISODES = 12
_NUMBER = re.compile(r"[-+–]?[\d.,]+.*")


def verdict(ledger: Ledger, unexplained: Sequence[Unexplained]) -> Markup:
    """The run in a few words."""
    done, solved = len(ledger.episodes), sum(t.solved for t in ledger.tasks)
    open_ones, undecided = len(ledger.begun) - done, sum(t.undecided for t in ledger.tasks)
    parts = [
        f"{solved} of {len(ledger.tasks)} tasks solved",
        *([f"{undecided} undecided by the planner"] if undecided else []),
        f"{done} episode{'' if done == 1 else 's'} finished",
        *([f"{open_ones} not finished"] if open_ones > 0 else []),
        f"{len(unexplained) or 'no'} unexplained outcome{'' if len(unexplained) == 1 else 's'}",
    ]
    return el("p", " · ".join(parts), class_="verdict")


def configuration(config: Mapping[str, Any], provenance: Mapping[str, Any]) -> Markup:
    """What was asked for and what it ran on, folded."""
    return joined(_facts("Configuration", config), _facts("Versions", provenance))


def table(made: Table) -> Markup:
    """A table; one that is wider than the page scrolls by itself."""
    head = el("tr", *(el("th", c, scope="col") for c in made.columns))
    rows = (el("tr", *(_cell(c) for c in row)) for row in made.rows)
    body = el("table", el("caption", made.title), el("thead", head), el("tbody", *rows))
    notes = (el("p", note, class_="quiet") for note in made.notes)
    return joined(el("div", body, class_="wide", tabindex=0, role="region", aria_label=made.title), *notes)


def charts(drawn: Sequence[Chart]) -> Markup:
    """The charts; if there are many, most of them folded."""
    few, rest = drawn[:_SHOWN_CHARTS], drawn[_SHOWN_CHARTS:]
    if not rest:
        return gallery(few)
    return joined(gallery(few), _folded(f"{len(rest)} more charts", gallery(rest)))


def tasks(ledger: Ledger) -> Markup:
    """Every episode with its tasks, folded; if there are many, by environment."""
    rows: dict[str, list[TaskRecord]] = {}
    for task in sorted(ledger.tasks, key=lambda t: t.task):
        rows.setdefault(task.unit, []).append(task)
    envs: dict[str, list[EpisodeRecord]] = {}
    for episode in sorted(ledger.episodes, key=lambda e: (e.env, e.arm, e.seed)):
        envs.setdefault(Path(episode.env).name, []).append(episode)
    parts = {
        env: joined(*(_episode(e, rows.get(e.unit, []), ledger.simulated) for e in found))
        for env, found in envs.items()
    }
    if len(ledger.episodes) > _SHOWN_EPISODES:
        parts = {env: _folded(_of_environment(env, envs[env]), part) for env, part in parts.items()}
    return joined(*parts.values()) if parts else el("p", "none yet")


def _of_environment(env: str, episodes: Sequence[EpisodeRecord]) -> str:
    solved, of = sum(e.solved for e in episodes), sum(e.tasks for e in episodes)
    return f"{env}: {len(episodes)} episodes, solved {solved} of {of}"


def faults(given_up: Sequence[Mapping[str, Any]]) -> Markup:
    """Episodes that were given up for reasons that are known."""
    return el(
        "ul",
        *(el("li", el("b", str(f["name"])), f" ({f['kind']}): ", _block(f["message"])) for f in given_up),
    )


def unexplained(found: Sequence[Unexplained]) -> Markup:
    """What no class of outcomes has a place for."""
    if not found:
        return el("p", "none")
    return el("ul", *(el("li", el("b", item.where), ": ", _block(item.what)) for item in found))


def _episode(episode: EpisodeRecord, rows: Sequence[TaskRecord], label: str) -> Markup:
    """`label` is the mark of simulated results, see `experiments.runs.marks`."""
    name = f"{Path(episode.env).name} · {episode.arm} · seed {episode.seed}"
    best = "" if episode.ew is None else f", best candidate {episode.best} with EW {shown(episode.ew, 3)}"
    columns = ("task", "outcome", "EW", "plan", "attempts", "tokens", "seconds", "detail")
    tried = marked(Table(name, columns, tuple(map(_task, rows))), label)
    return _folded(f"{name}: solved {episode.solved} of {episode.tasks}{best}", table(tried))


def _task(task: TaskRecord) -> tuple[str, ...]:
    outcome = str(task.outcome).replace("_", " ")
    refused = "" if task.failed_step is None else f"step {task.failed_step} refused. "
    return (
        str(task.task),
        f"{'✓' if task.solved else '?' if task.undecided else '✗'} {outcome}",
        shown(task.score.ew, 3),
        "–" if task.plan_length is None else f"{task.plan_length} steps",
        str(task.attempts),
        f"{task.spent.tokens:,}",
        f"{task.wall_s:.1f}",
        refused + task.detail[:500],
    )


def _cell(text: str) -> Markup:
    return el("td", text, class_="number" if _NUMBER.fullmatch(text) else None)


def _facts(title: str, values: Mapping[str, Any]) -> Markup:
    pairs: list[Child] = []
    for key, value in values.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        pairs += [el("dt", key), el("dd", _block(text) if "\n" in text else text)]
    return _folded(title, el("dl", *pairs, class_="facts")) if pairs else joined()


def _folded(summary: str, body: Markup) -> Markup:
    return el("details", el("summary", summary), body)


def _block(text: object) -> Markup:
    return el("pre", str(text))

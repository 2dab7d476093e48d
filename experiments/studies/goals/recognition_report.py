"""The records of `goals --study` as tables: top-1, pairs with cost difference, spread and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from experiments.reporting.statistics import mean
from experiments.reporting.tables import Table, write_csv
from experiments.studies.study import Record

_COLUMNS = (
    "method", "rules", "env", "number", "seen", "noise", "observed", "top", "spread", "probability",
    "no_answer", "seconds", "fault",
)  # fmt: skip
#: Aim: so many points below cost difference at most, by the interval's lower end, at this share of its time.
TARGET, TIME_TARGET, TARGET_PAIRS = -0.03, 0.01, 1000
_BASELINE = ("cost-difference", "true")
_TOP = (
    "Top-1: the agent's goal is the likeliest; tied candidates share. With a 95 % interval (bootstrap over "
    "tasks). n: observations; cost difference is given fewer, so only pairs compare it."
)


class Recognised:
    """The records of a study, by method, rules and what was seen."""

    def __init__(self, records: Sequence[Record]):
        self.cells = sorted(
            {(r["seen"], r["noise"]) for r in records}, key=lambda cell: (cell[1] > 0, cell[0])
        )
        self._of: dict[tuple[str, str, int, float], dict[tuple[str, int], Record]] = {}
        for r in records:
            own = self._of.setdefault((r["method"], r["rules"], r["seen"], r["noise"]), {})
            own[r["env"], r["number"]] = r
        self.methods = tuple(dict.fromkeys((r["method"], r["rules"]) for r in records))

    def of(self, who: tuple[str, str], cell: tuple[int, float]) -> Mapping[tuple[str, int], Record]:
        """The records of a cell, by task."""
        return self._of.get((*who, *cell), {})

    def pairs(self, who: tuple[str, str], cell: tuple[int, float]) -> list[tuple[Record, Record]]:
        """The records of tasks that cost difference was given as well, beside its own."""
        own, theirs = self.of(who, cell), self.of(_BASELINE, cell)
        return [(own[task], theirs[task]) for task in own if task in theirs]


def recognition_csv(records: Sequence[Record]) -> str:
    """`recognition.csv`: one row a method and observation."""
    return write_csv(_COLUMNS, [[r[column] for column in _COLUMNS] for r in records])


def recognition_tables(records: Sequence[Record]) -> tuple[Table, ...]:
    """All tables."""
    found = Recognised(records)
    titles = ("method", "domain", *(_named(cell) for cell in found.cells))
    paired = tuple(_paired(found))
    return (
        Table("Goals recognised, top-1", titles, tuple(_rows(found, _top)), (_TOP,)),
        Table(
            "Candidates tied at the top", titles, tuple(_rows(found, lambda own: _average(own, "spread", 1)))
        ),
        Table("Milliseconds for an observation", titles, tuple(_rows(found, _milliseconds))),
        *([Table("Paired with cost difference", _PAIRED, paired, (_AIM,))] if paired else []),
        Table("Goals recognised by domain, all that was seen, top-1", *_by_domain(found)),
    )


_PAIRED = (
    "method",
    "domain",
    "seen",
    "pairs",
    "top-1",
    "cost difference",
    "difference",
    "target",
    "its time",
)
_AIM = (
    f"Target: the difference's lower end is at least {TARGET:+.2f} on {TARGET_PAIRS} pairs, at 1/"
    f"{1 / TIME_TARGET:.0f} of the time. With fewer pairs it is met or not so far. All: a task's mean over "
    "what was seen counts once. Of a task whose candidates have not all an answer, the others are ranked."
)
#: What a cell shows of its records.
Show = Callable[[Sequence[Record]], str]


def _rows(found: Recognised, show: Show) -> Iterator[tuple[str, ...]]:
    for who in found.methods:
        yield (*who, *(show(list(found.of(who, cell).values())) for cell in found.cells))


def _top(own: Sequence[Record]) -> str:
    return f"{mean(r['top'] for r in own)} (n {len(own)})" if own else "–"


def _milliseconds(own: Sequence[Record]) -> str:
    return f"{1000 * fmean(r['seconds'] for r in own):.0f}" if own else "–"


def _average(own: Sequence[Record], what: str, places: int) -> str:
    return f"{fmean(r[what] for r in own):.{places}f}" if own else "–"


def _paired(found: Recognised) -> Iterator[tuple[str, ...]]:
    """A row for each method and share, and one for all shares together."""
    for who in found.methods:
        if who == _BASELINE:
            continue
        every: list[tuple[Record, Record]] = []
        for cell in found.cells:
            if pairs := found.pairs(who, cell):
                every += pairs
                yield (*who, _named(cell), *_compared(pairs))
        if every:
            yield (*who, "all", *_compared(every))


def _compared(pairs: Sequence[tuple[Record, Record]]) -> tuple[str, ...]:
    by_task: dict[tuple[str, int], list[tuple[Record, Record]]] = {}
    for pair in pairs:
        by_task.setdefault((pair[0]["env"], pair[0]["number"]), []).append(pair)
    tops = [[fmean(pair[side]["top"] for pair in own) for side in (0, 1)] for own in by_task.values()]
    gap = mean(ours - theirs for ours, theirs in tops)
    ours, theirs = (mean(side) for side in zip(*tops, strict=True))
    times = [fmean(r["seconds"] for r in side) for side in zip(*pairs, strict=True)]
    faster = times[1] / times[0]
    met = gap.low is not None and gap.low >= TARGET and faster >= 1 / TIME_TARGET
    verdict = ("met" if met else "not met") + (" so far" if len(tops) < TARGET_PAIRS else "")
    return str(len(pairs)), str(ours), str(theirs), gap.signed(), verdict, f"1/{faster:.0f}"


def _by_domain(found: Recognised) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    envs = sorted({env for who in found.methods for cell in found.cells for env, _ in found.of(who, cell)})
    rows = []
    for env in envs:
        cells = []
        for who in found.methods:
            own = [r["top"] for cell in found.cells for (e, _), r in found.of(who, cell).items() if e == env]
            cells.append(f"{fmean(own):.2f} ({len(own)})" if own else "–")
        rows.append((env, *cells))
    return ("world", *(f"{method}, {rules}" for method, rules in found.methods)), tuple(rows)


def _named(cell: tuple[int, float]) -> str:
    seen, noise = cell
    return f"{seen} %, noise" if noise else f"{seen} %"

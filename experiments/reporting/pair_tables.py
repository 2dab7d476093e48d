"""How far translations came: parseable, solvable, correct, and broken down as in the published figures.

A *group* is all pairs of one condition (a method, or a file of predictions) that share something: the world,
how abstract their text is, their size, the layout of their goal. Shares come with Wilson's interval. What is
correct counts as solvable, as the truth is; what could not be decided counts as neither. The figure has the
same groups as the tables.
Source: Zuo et al. 2024, section 5, Figures 2, 3 and 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from envs.planetarium.pairs import SIZE_BOUNDS, size_class
from experiments.reporting.display import Axes, new_figure, save
from experiments.reporting.statistics import Estimate, rate
from experiments.reporting.tables import Table, write_csv
from experiments.runs.details import JudgedTranslation
from experiments.runs.marks import file_name, title
from experiments.runs.records import TaskRecord

#: What is measured, in this order: the column, and which pairs count.
MEASURES: tuple[tuple[str, Callable[[JudgedTranslation], bool]], ...] = (
    ("parseable", lambda pair: pair.parseable),
    ("solvable", lambda pair: pair.solvable),
    ("correct", lambda pair: pair.correct),
)
_SIZES = tuple(size_class(bound) for bound in (*SIZE_BOUNDS, SIZE_BOUNDS[-1] + 1))
_CSV = (
    "arm", "run", "pair", "world", "text", "layouts", "size", "answer", "planner", "plan", "plan_length",
    "verdict", "part", "mistakes", "fault", "difference",
)  # fmt: skip
_ALL = "all"
_COLOURS = ("tab:blue", "tab:orange", "tab:green")
_WIDTH = 0.27


@dataclass(frozen=True)
class Judgement:
    """A judged pair and where it comes from."""

    condition: str
    run: int  #: its seed; 0 for predictions
    pair: JudgedTranslation


@dataclass(frozen=True)
class PairGroup:
    """The pairs of a condition that share something."""

    condition: str
    what: str
    pairs: tuple[JudgedTranslation, ...]

    def share(self, counts: Callable[[JudgedTranslation], bool]) -> Estimate:
        """The share of the pairs that count."""
        return rate(sum(map(counts, self.pairs)), len(self.pairs))


def judgements_of(tasks: Iterable[TaskRecord]) -> tuple[Judgement, ...]:
    """The judged pairs among the tasks of a run, in a fixed order."""
    ordered = sorted(tasks, key=lambda t: (t.condition, t.env, t.seed, t.task))
    found = ((task, task.added(JudgedTranslation)) for task in ordered)
    return tuple(Judgement(t.condition, t.seed, pair) for t, pair in found if pair is not None and pair.id)


def groups_by(found: Sequence[Judgement], what: Callable[[JudgedTranslation], str]) -> tuple[PairGroup, ...]:
    """The groups of each condition, sizes and levels of abstraction in their own order, all else by name."""
    parts: dict[tuple[str, str], list[JudgedTranslation]] = {}
    for one in found:
        parts.setdefault((one.condition, what(one.pair)), []).append(one.pair)
    keys = sorted(parts, key=lambda key: (key[0], _place(key[1]), key[1]))
    return tuple(PairGroup(*key, tuple(parts[key])) for key in keys)


def by_style(found: Sequence[Judgement]) -> tuple[PairGroup, ...]:
    """By how abstract the text is."""
    return groups_by(found, lambda pair: pair.style)


def by_size(found: Sequence[Judgement]) -> tuple[PairGroup, ...]:
    """By the number of atoms of the truth."""
    return groups_by(found, lambda pair: size_class(pair.size))


def pair_tables(found: Sequence[Judgement]) -> tuple[Table, ...]:
    """All tables about judged pairs; none if there are none."""
    if not found:
        return ()
    worlds = (*groups_by(found, lambda pair: pair.world), *groups_by(found, lambda pair: _ALL))
    goals = groups_by([one for one in found if one.pair.layouts], lambda pair: pair.layouts.split(" to ")[1])
    undecided = sum(one.pair.undecided for one in found)
    notes = (
        "parseable: a problem of the domain can be cut from the answer. solvable: it has a plan. correct: it "
        f"is the same planning problem as the truth; undecided, and not counted: {undecided}.",
        "Where a text leaves open which object is which, a right translation may choose other names than the "
        "environment has, and its plan then fails there: tasks solved do not measure translations.",
        "published, on other pairs, the best of four language models without fine-tuning: parseable 0.88, "
        "solvable 0.82, correct 0.35.",
    )
    return (
        _table("Translations, judged", "world", worlds, notes),
        _table("Translations by abstractness, initial state to goal", "text", by_style(found)),
        _table("Translations by size, in atoms", "size", by_size(found)),
        _table("Translations by goal", "goal", goals),
        mistakes_table(found),
    )


def mistakes_table(found: Sequence[Judgement]) -> Table:
    """What went wrong, by condition: what answers lack, why there was no plan, and kinds of mistakes."""
    rows = []
    for group in groups_by(found, lambda pair: pair.world):
        counted = Counter(kind for pair in group.pairs for kind in _wrong(pair))
        rows += [(group.condition, group.what, kind, str(n)) for kind, n in sorted(counted.items())]
    note = "A translation may have several mistakes."
    return Table("What went wrong with translations", ("arm", "world", "what", "pairs"), tuple(rows), (note,))


def pairs_csv(found: Iterable[Judgement]) -> str:
    """One row a pair."""
    return write_csv(_CSV, [_csv_row(one) for one in found])


def _table(title: str, what: str, groups: Sequence[PairGroup], notes: tuple[str, ...] = ()) -> Table:
    columns = ("arm", what, "n", *(name for name, _ in MEASURES))
    rows = [
        (g.condition, g.what, str(len(g.pairs)), *(str(g.share(counts)) for _, counts in MEASURES))
        for g in groups
    ]
    return Table(title, columns, tuple(rows), notes)


def _wrong(pair: JudgedTranslation) -> tuple[str, ...]:
    if not pair.parseable:
        return (pair.outcome,)
    if pair.correct:
        return ()
    planless = () if pair.solvable else (f"plan: {pair.plan}",)
    return (*planless, *(pair.mistakes or (f"{pair.meaning} in {pair.part}" if pair.part else pair.meaning,)))


def _csv_row(one: Judgement) -> tuple[str, ...]:
    pair = one.pair
    own = {"arm": one.condition, "run": one.run, "pair": pair.id, "text": pair.style}
    own |= {"answer": pair.outcome, "verdict": pair.meaning}
    row = {**asdict(pair), **own, "mistakes": " ".join(pair.mistakes)}
    return tuple("" if row[column] is None else str(row[column]) for column in _CSV)


def _place(what: str) -> int:
    """Sizes from the smallest; `all` after everything else."""
    if what in _SIZES:
        return _SIZES.index(what)
    return len(_SIZES) if what == _ALL else 0


def draw_pairs(found: Sequence[Judgement], path: Path, mark: str = "") -> tuple[Path, ...]:
    """A panel each for all pairs, abstractness and size; conditions beside each other. Returns the files.

    The figure and its files carry the mark of the simulated language model `mark`, if there is one.
    """
    panels = (
        ("world", groups_by(found, lambda pair: pair.world)),
        ("initial state to goal", by_style(found)),
        ("atoms", by_size(found)),
    )
    figure = new_figure(4.2 * len(panels), 4.2)
    for place, (label, groups) in enumerate(panels, start=1):
        axes, conditions = figure.add_subplot(1, len(panels), place), {group.condition for group in groups}
        _bars(axes, label, groups, one_condition=len(conditions) == 1)
    if mark:
        figure.suptitle(title("Judged pairs", mark))
    return save(figure, path.with_name(file_name(path.name, mark)))


def _bars(axes: Axes, label: str, groups: Sequence[PairGroup], *, one_condition: bool) -> None:
    """Three bars a group, with Wilson's intervals."""
    for shift, ((name, counts), colour) in enumerate(zip(MEASURES, _COLOURS, strict=True)):
        shares = [group.share(counts) for group in groups]
        means = [s.mean or 0.0 for s in shares]
        low = [mean - (s.low or 0.0) for mean, s in zip(means, shares, strict=True)]
        high = [(s.high or 0.0) - mean for mean, s in zip(means, shares, strict=True)]
        places = [place + (shift - 1) * _WIDTH for place in range(len(groups))]
        axes.bar(places, means, _WIDTH, yerr=[low, high], label=name, color=colour, alpha=0.8, capsize=2)
    names = [group.what if one_condition else f"{group.condition}\n{group.what}" for group in groups]
    axes.set_xticks(range(len(groups)), names, rotation=45, ha="right")
    axes.set_ylim(0, 1.03)
    axes.set(xlabel=label, ylabel="share of pairs")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(MEASURES), fontsize="small")

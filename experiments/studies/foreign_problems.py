"""How many comparisons of problems of domains that are not bundled are undecided?

`python -m experiments.studies.foreign_problems` compares pairs of problems of pddlgym's domains
(`foreign_cases`) and prints, for each domain, the verdicts, the share that is undecided, and the seconds of
processor time, those of the planner among them if it was not ended. A verdict that contradicts how a pair was
made makes the exit code 1.

A deadline is wall time: on a busy machine `--seconds` has to be larger for the same verdicts. Without
`--domain` no domain is picked: see `foreign_cases.foreign_domains`.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic

import tyro
from rich.box import SIMPLE
from rich.table import Table

from envs.pddl.equivalence.compare import DEADLINE_S, Verdict, compare
from envs.pddlgym_suite import domains, missing
from experiments.config import EXIT_CONFIG, fail, pick
from experiments.driver.command import run_command
from experiments.reporting.display import wide_console
from experiments.studies.foreign_problem_cases import ForeignPair, foreign_domains, foreign_pairs


@dataclass(frozen=True)
class ForeignStudy:
    """Compare pairs of problems of domains that are not bundled."""

    domain: tuple[str, ...] = ()
    """Domains of pddlgym; none: all that can be read and whose rules are not those of a bundled world."""
    pairs: int = 7
    """Pairs of each domain."""
    largest: int = 100
    """Objects of a problem at most."""
    seconds: float = DEADLINE_S
    """Time for one comparison."""
    seed: int = 0
    """Seed of the pairs."""
    shard: tuple[int, int] = (1, 1)
    """Which of how many processes this is: it takes every so many-th domain."""
    undecided: bool = False
    """Print each undecided pair with the reason."""


@dataclass
class Row:
    """What became of the pairs of a domain."""

    domain: str
    objects: str  #: fewest and most
    verdicts: dict[Verdict, int] = field(default_factory=lambda: dict.fromkeys(Verdict, 0))
    wrong: int = 0  #: verdicts that contradict how the pair was made
    times: list[float] = field(default_factory=list)  #: seconds of processor time
    waits: list[float] = field(default_factory=list)  #: seconds by the clock

    @property
    def undecided(self) -> int:
        """Pairs without a verdict."""
        return self.verdicts[Verdict.UNSUPPORTED] + self.verdicts[Verdict.TIMEOUT]


def study(domain: str, pairs: Iterable[ForeignPair], seconds: float, explain: bool) -> Row:
    """Compare the pairs of a domain, each within `seconds`."""
    drawn = list(pairs)
    counts = [len(pair.one.objects) for pair in drawn]
    row = Row(domain, f"{min(counts)}-{max(counts)}")
    for pair in drawn:
        began, started = monotonic(), _processor_s()
        found = compare(pair.one, pair.other, deadline_s=seconds)
        row.times.append(_processor_s() - started)
        row.waits.append(monotonic() - began)
        row.verdicts[found.verdict] += 1
        decided = found.verdict in (Verdict.EQUIVALENT, Verdict.DIFFERENT)
        row.wrong += decided and pair.expected not in (None, found.verdict)
        if explain and not decided:
            size = len(pair.one.objects)
            times = f"{row.times[-1]:.1f} s of processor time, {row.waits[-1]:.1f} s by the clock"
            print(f"{domain}, {size} objects, {pair.kind}, {times}: {found.witness}", flush=True)
    return row


def _processor_s() -> float:
    """Processor time of this process and of the children that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and print; exit code 1 if a verdict is wrong, 2 if a domain or pddlgym is missing."""
    config = tyro.cli(ForeignStudy, prog="python -m experiments.studies.foreign_problems", args=arguments)
    rows = []
    try:
        chosen = config.domain or foreign_domains()
    except LookupError as error:
        return fail(missing() or str(error), EXIT_CONFIG)
    number, processes = config.shard
    for domain in chosen[number - 1 :: processes]:
        try:
            pairs = foreign_pairs(
                pick("domain", domain, domains()), config.pairs, config.seed, config.largest
            )
            rows.append(study(domain, pairs, config.seconds, config.undecided))
        except (LookupError, OSError, ValueError) as error:
            if config.domain:
                return fail(missing() or f"{domain}: {error}", EXIT_CONFIG)
            print(f"{domain}: left out: {error}", flush=True)
    _show(rows)
    return int(any(row.wrong for row in rows))


def _show(rows: Sequence[Row]) -> None:
    table = Table(box=SIMPLE)
    counted = ("pairs", "equivalent", "different", "undecided", "wrong")
    for column in ("domain", "objects", *counted, "median", "slowest", "by the clock"):
        table.add_column(column, justify="left" if column == "domain" else "right")
    for row in rows:
        table.add_row(*_cells(row))
    total = Row("all", "")
    for row in rows:
        total.verdicts = {verdict: total.verdicts[verdict] + count for verdict, count in row.verdicts.items()}
        total.wrong += row.wrong
        total.times += row.times
        total.waits += row.waits
    table.add_section()
    table.add_row(*_cells(total))
    wide_console().print(table)


def _cells(row: Row) -> tuple[str, ...]:
    pairs = len(row.times)
    return (
        row.domain,
        row.objects,
        f"{pairs:,}",
        f"{row.verdicts[Verdict.EQUIVALENT]:,}",
        f"{row.verdicts[Verdict.DIFFERENT]:,}",
        f"{row.undecided:,} ({row.undecided / pairs:.1%})",
        f"{row.wrong:,}",
        f"{statistics.median(row.times):.2f} s",
        f"{max(row.times):.1f} s",
        f"{max(row.waits):.1f} s",
    )


if __name__ == "__main__":
    run_command(main)

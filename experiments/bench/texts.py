"""Texts that are made to cost time: replies without end, and effects that are products of their parts."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

from envs.pddl.language.domain import read_domain
from envs.pddl.language.extract import extract_pddl
from envs.pddl.language.issues import PDDLError
from experiments.bench.measure import Figure, median_seconds

_REPLY_S = 0.2
_DOMAIN_S, _DOMAIN_MB = 2.0, 200.0


def bench_texts(repeats: int) -> Iterator[Figure]:
    """A reply of 1 MB, cut into forms; a domain of 100 KB with conditional effects, read or refused."""
    small = median_seconds(lambda: extract_pddl("(define " * 12_500), repeats)
    for name, reply in _replies():
        taken = median_seconds(lambda reply=reply: extract_pddl(reply), repeats)  # type: ignore[misc]
        beside = f"{taken / small:.0f}x the time of a tenth of (define ... alone"
        yield Figure(f"1 MB of {name}", f"{taken:.3f} s", f"{_REPLY_S} s", taken <= _REPLY_S, beside)
    for name, domain in _domains():
        taken = median_seconds(lambda domain=domain: _read(domain), repeats)  # type: ignore[misc]
        megabytes = _peak(lambda domain=domain: _read(domain))  # type: ignore[misc]
        met = taken <= _DOMAIN_S and megabytes <= _DOMAIN_MB
        what = f"{len(domain) // 1000} KB of {name}, {_read(domain)}"
        beside = f"{megabytes:.0f} MB of {_DOMAIN_MB:.0f}"
        yield Figure(what, f"{taken:.2f} s", f"{_DOMAIN_S:.0f} s", met, beside)


def _replies() -> Iterator[tuple[str, str]]:
    yield "(define without an end", "(define " * 125_000
    yield "forms", "(define (domain d) (:predicates (p)))\n" * 25_000
    yield "parentheses in one form", "(define (domain d) " + "()" * 490_000
    yield "comments in one form", "(define (domain d) " + "; a comment\n" * 83_000


def _domains() -> Iterator[tuple[str, str]]:
    yield "when in when, short conditions", _domain(_nested(95, 2, 1))
    yield "when in when, long conditions", _domain(_nested(95, 140, 5))
    yield "one when, many changes", _domain(_nested(1, 6000, 6000))
    yield "many when side by side", _domain(f"(and {'(when (p ?x) (q)) ' * 5500})")


def _nested(depth: int, conditions: int, changes: int) -> str:
    effect = f"(and {'(p ?x) ' * changes})"
    for _ in range(depth):
        effect = f"(when (and {'(p ?x) ' * conditions}) (and {'(q) ' * changes} {effect}))"
    return effect


def _domain(effect: str) -> str:
    return f"""(define (domain d) (:requirements :adl) (:predicates (p ?x) (q))
    (:action a :parameters (?x) :effect {effect}))"""


def _read(domain: str) -> str:
    try:
        read_domain(domain)
    except PDDLError:
        return "refused"
    return "read"


def _peak(call: Callable[[], object]) -> float:
    """The most memory that Python's objects take during a call, in MiB."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20

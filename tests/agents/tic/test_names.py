"""Names survive the way to ASP and back, whatever else there is."""

from __future__ import annotations

import pickle

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tic.knowledge import NameTable
from envs.pddl.language.domain import read_domain, read_problem

NAMES = st.text(alphabet="abAB_-019.x", min_size=1, max_size=5) | st.sampled_from(
    [
        "not",
        "map",
        "not_",
        "NEIGHBOR",
        "neighbor",
        "a-b",
        "a_b",
        "a_b_2",
        "3d",
        "x3d",
        "_1",
        "(either a)",
        "é",
    ]
)
SYMBOLS = st.sampled_from(["a_b", "aB", "ab", "tile(1,2)", "tile_1_2", "3", "x3", "-p(a)", "f((1,2))", "a'b"])


@given(st.lists(NAMES))
def test_every_name_comes_back_and_no_two_share_a_constant(names: list[str]) -> None:
    table = NameTable.of(names)
    assert [table.pddl(table.asp(name)) for name in names] == names
    assert len(set(table.constants.values())) == len(set(names))


@given(st.lists(NAMES))
def test_every_constant_is_one_for_clingo(names: list[str]) -> None:
    for constant in NameTable.of(names).constants.values():
        symbol = clingo.parse_term(constant)
        assert symbol.type is clingo.SymbolType.Function and str(symbol) == constant and not symbol.arguments


@given(st.lists(NAMES), st.randoms())
def test_the_order_of_the_names_changes_nothing(names: list[str], random: object) -> None:
    shuffled = sorted(names, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert NameTable.of(shuffled).constants == NameTable.of(names).constants


@given(st.lists(NAMES), st.lists(SYMBOLS))
def test_symbols_get_names_of_their_own_and_known_ones_keep_theirs(
    names: list[str], symbols: list[str]
) -> None:
    table = NameTable.of(names)
    more = table.with_symbols(symbols)
    assert len({more.pddl(s) for s in symbols}) == len(set(symbols))
    assert all(more.pddl(table.asp(name)) == name for name in names)
    assert more.constants == table.with_symbols(reversed(symbols)).constants


@pytest.mark.parametrize(
    ("name", "constant"),
    [("at-robby", "at_robby"), ("NEIGHBOR", "neighbor"), ("3d", "x3d"), ("not", "not_"), ("t_0-1", "t_0_1")],
)
def test_a_name_becomes_what_a_reader_expects(name: str, constant: str) -> None:
    assert NameTable.of([name]).asp(name) == NameTable.of([]).asp(name) == constant


def test_a_name_that_is_a_constant_keeps_it() -> None:
    table = NameTable.of(["a-b", "a_b", "a.b"])
    assert table.constants == {"a_b": "a_b", "a-b": "a_b_2", "a.b": "a_b_3"}


@pytest.mark.parametrize("symbol", ["tile(1,2)", "3", "aB", "__x", "f(f(f(a)))", "define'd", "either"])
def test_a_name_made_of_a_symbol_is_one_of_pddl(symbol: str) -> None:
    name = NameTable.of([]).with_symbols([symbol]).pddl(symbol)
    problem = f"(define (problem p) (:domain d) (:objects {name}) (:init) (:goal (q {name})))"
    read_problem(problem, read_domain("(define (domain d) (:predicates (q ?x)))"))


def test_a_table_survives_pickling_after_use() -> None:
    table = NameTable.of(["a-b"])
    table.pddl("a_b")
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301 (our own bytes)

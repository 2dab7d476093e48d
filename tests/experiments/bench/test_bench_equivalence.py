"""The pairs of the bench are what it says they are."""

from envs.pddl.equivalence.compare import ProblemPart, Verdict, compare_texts
from experiments.bench.equivalence import ALIKE, alike_pairs, drawn_pairs, equivalence_figures
from experiments.bench.measure import BenchSettings


def test_pairs_are_of_the_sizes_and_kinds_that_are_told():
    pairs = drawn_pairs(5)
    found = [compare_texts(pair.one, pair.other, pair.domain) for pair in pairs]
    assert all(40 <= pair.atoms <= 80 for pair in pairs)
    assert {(one.verdict, one.part) for one in found} == {
        (Verdict.EQUIVALENT, None),
        (Verdict.DIFFERENT, ProblemPart.INIT),
        (Verdict.DIFFERENT, ProblemPart.GOAL),
    }


def test_symmetric_pairs_are_decided_both_ways():
    found = [
        compare_texts(pair.one, pair.other, pair.domain, placeholder=placeholder).verdict
        for pair in alike_pairs()
        for placeholder in (False, True)
    ]
    assert found == [Verdict.EQUIVALENT] * 4 + [Verdict.DIFFERENT] * 4
    assert all(pair.one.count("x") >= ALIKE for pair in alike_pairs())


def test_the_bench_has_its_lines():
    assert len(list(equivalence_figures(BenchSettings(1)))) == 4

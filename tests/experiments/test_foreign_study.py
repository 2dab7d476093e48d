"""The study of domains that are not bundled: its pairs are as they say, and bad flags are named."""

from envs.pddl.equivalence.compare import Verdict
from experiments.foreign_cases import Kind, foreign_pairs
from experiments.foreign_study import main, study


def test_small_pairs_are_all_decided_and_none_contradicts_how_it_was_made():
    pairs = list(foreign_pairs("hanoi", 7, 0, 6))
    assert {pair.kind for pair in pairs} == set(Kind)
    row = study("hanoi", pairs, 600, explain=False)
    assert (row.undecided, row.wrong, sum(row.verdicts.values())) == (0, 0, 7)
    assert row.verdicts[Verdict.EQUIVALENT] and row.verdicts[Verdict.DIFFERENT]


def test_a_domain_that_is_not_there_or_has_no_small_problem_is_named(capsys):
    assert main(["--domain", "nowhere", "--pairs", "1"]) == 2
    assert main(["--domain", "casino", "--pairs", "1", "--largest", "5"]) == 2
    assert "casino has no problem of at most 5 objects" in capsys.readouterr().err

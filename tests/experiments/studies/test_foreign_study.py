"""The study of domains that are not bundled: its pairs are as they say, and bad flags are named."""

from envs.pddl.equivalence.compare import Verdict
from experiments.studies.foreign_problems import PairChange, foreign_domains, foreign_pairs, main, study


def test_small_pairs_are_all_decided_and_none_contradicts_how_it_was_made():
    pairs = list(foreign_pairs("hanoi", 7, 0, 6))
    assert {pair.kind for pair in pairs} == set(PairChange)
    row = study("hanoi", pairs, 600, explain=False)
    assert (row.undecided, row.wrong, sum(row.verdicts.values())) == (0, 0, 7)
    assert row.verdicts[Verdict.EQUIVALENT] and row.verdicts[Verdict.DIFFERENT]


def test_a_domain_that_is_not_there_or_has_no_small_problem_is_named(capsys):
    assert main(["--domain", "nowhere", "--pairs", "1"]) == 2
    assert main(["--domain", "casino", "--pairs", "1", "--largest", "5"]) == 2
    assert "casino has no problem of at most 5 objects" in capsys.readouterr().err


def test_without_a_choice_all_domains_that_can_be_read_and_are_not_bundled_are_taken():
    chosen = foreign_domains()
    assert {"footwear", "fridge", "snake", "visit_all", "quantifiedblocks"} <= set(chosen)
    assert not {"depot", "gripper", "movie"} & set(chosen)  # bundled
    assert not {"tireworld", "explodingblocks", "derivedblocks"} & set(chosen)  # cannot be read
    assert chosen == tuple(sorted(set(chosen)))


def test_domains_are_shared_out_between_processes(capsys):
    for number in (1, 2):
        arguments = ["--domain", "tsp", "equalityblocks", "--pairs", "1", "--shard", str(number), "2"]
        assert main(arguments) == 0
    first, second = capsys.readouterr().out.split("domain", 2)[1:]
    assert ("tsp" in first, "equalityblocks" in first) == (True, False)
    assert ("tsp" in second, "equalityblocks" in second) == (False, True)

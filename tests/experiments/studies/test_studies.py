"""The studies: small ones from end to end, resumed, and equal whoever works on them."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from wide import wide

from envs.pddl.language.terms import terms, without_terms
from envs.pddl.mutation.faults import sample_terms
from envs.pddl.planning.planner import Planner, PlanOutcome
from ew.score.score import EWScore, EWVerdict, harmonic_mean
from experiments.reporting.tables import markdown
from experiments.run import main
from experiments.runs.seeds import stream
from experiments.studies import detection
from experiments.studies.candidates import truth
from experiments.studies.detection import (
    BUDGETS,
    WAYS,
    Detection,
    MutantUnit,
    MutationPool,
    detection_csv,
    detection_tables,
)
from experiments.studies.removal import study as removal
from experiments.studies.removal.report import (
    Removal,
    correlation_csv,
    ew_csv,
    exact_csv,
    pnf_csv,
    summary_table,
)
from experiments.studies.removal.study import (
    PairUnit,
    PlanUnit,
    RemovalConfig,
    TermsUnit,
    drawn_terms,
    removable,
    score_over_tasks,
)

PLANNER = Planner(wall_s=5.0)
MUTANT = MutantUnit("childsnack", 1, MutationPool.SAMPLE, 0, 6, 120, 1, 200, 0, None, 5.0)
SMALL_REMOVAL = ["study-removal", "--env", "grippers", "--samples", "1", "--pairs", "2"]
SMALL_DETECTION = [
    "study-detection", "--env", "grippers", "--mutants", "3", "--budget", "60", "--repeats", "1",
    "--max-states", "500", "--saturated", "grippers",
]  # fmt: skip


def records(out):
    lines = [json.loads(line) for line in (out / "events.jsonl").read_text("utf-8").splitlines()]
    return sorted((line for line in lines if line["event"] == "unit"), key=lambda line: line["key"])


def run(arguments, out, executor="serial"):
    return main([*arguments, "--executor", executor, "--out", str(out)])


@pytest.fixture(scope="module")
def removal_studied(tmp_path_factory, figures_of_shared_runs):
    out = tmp_path_factory.mktemp("studies") / "removal"
    assert run(SMALL_REMOVAL, out) == 0
    return out


@pytest.fixture(scope="module")
def detection_studied(tmp_path_factory, figures_of_shared_runs):
    out = tmp_path_factory.mktemp("studies") / "detection"
    assert run(SMALL_DETECTION, out) == 0
    return out


@pytest.mark.slow
def test_a_study_leaves_its_tables_data_and_figures(removal_studied, detection_studied):
    names = {path.name for path in removal_studied.iterdir()}
    assert {"pnf.csv", "exact.csv", "ew.csv", "correlation.csv", "table.md", "config.json"} <= names
    assert {f"{figure}.{kind}" for figure in ("pnf", "ew", "ew-all") for kind in ("png", "svg")} <= names
    names = {path.name for path in detection_studied.iterdir()}
    assert {"detection.csv", "detection.png", "detection.svg", "table.md", "config.json"} <= names


@pytest.mark.parametrize(
    ("name", "arguments", "executor"),
    [("removal", SMALL_REMOVAL, ["serial"]), ("detection", SMALL_DETECTION, ["process", "--workers", "2"])],
)
@pytest.mark.slow  # test_goals_job resumes a study, and test_resume a run to the same bytes
def test_an_interrupted_study_goes_on_whoever_works_on_it_and_ends_in_the_same_bytes(
    request, tmp_path, name, arguments, executor
):
    whole = request.getfixturevalue(f"{name}_studied")
    half = tmp_path / name
    half.mkdir()
    lines = (whole / "events.jsonl").read_text("utf-8").splitlines(keepends=True)
    # most of it is kept, and the rest is done anew; where other processes do that, they do more of it
    cut = 4 * len(lines) // 5 if executor == ["serial"] else len(lines) // 2
    torn = lines[cut][: len(lines[cut]) // 2]
    (half / "events.jsonl").write_text("".join(lines[:cut]) + torn, "utf-8")
    (half / "config.json").write_bytes((whole / "config.json").read_bytes())
    assert main([*arguments, "--executor", *executor, "--out", str(half)]) == 0
    assert records(half) == records(whole)
    for path in whole.iterdir():
        if path.suffix in (".csv", ".md", ".svg"):
            assert path.read_bytes() == (half / path.name).read_bytes(), path.name


def test_a_study_of_other_settings_is_not_mixed_in(tmp_path, capsys):
    few = ["study-detection", "--env", "grippers", "--mutants", "1", "--budget", "20", "--repeats", "1"]
    few += ["--max-states", "100", "--saturated", "grippers"]
    assert run(few, tmp_path) == 0
    assert run([*few, "--seed", "1"], tmp_path) == 2
    assert "seed: was 0, now 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [["study-removal", "--pairs", "0"], ["study-detection", "--env", "nowhere"]]
)
def test_what_cannot_be_meant_is_refused_in_a_line(wrong, tmp_path, capsys):
    assert run(wrong, tmp_path) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_without_a_term_removed_the_plan_is_found_and_works():
    found = removal.work(PlanUnit("grippers", 1, 0, 3, 0, None, 5.0))
    assert found["found"] == [True] and found["works"] == [True]
    assert found["outcomes"] == [PlanOutcome.SOLVED]


@pytest.mark.parametrize("env", wide(["grippers", "urnsong", "household"], "grippers", "urnsong"))
def test_domains_that_differ_in_nothing_score_1(env):
    assert removal.work(PairUnit(env, 1, 0, 3, 0))["scores"] == [1.0] * 3


def test_units_of_equal_content_have_equal_keys_and_kinds_are_told_apart():
    pair = PairUnit("grippers", 1, 2, 3, 0)
    assert pair.key == PairUnit("grippers", 1, 2, 3, 0).key != replace(pair, seed=1).key
    assert pair.key != PlanUnit("grippers", 1, 2, 3, 0, None, 5.0).key


def test_a_mutant_s_record_is_the_same_whenever_it_is_made():
    one = detection.work(MUTANT)
    assert one == detection.work(MUTANT)
    assert set(one["ways"]) == set(WAYS)
    assert one != detection.work(replace(MUTANT, seed=1))


def test_no_way_spends_more_than_its_budget():
    for runs in detection.work(MUTANT)["ways"].values():
        assert all(run["chosen"] is None or run["chosen"] <= MUTANT.budget for run in runs)


def test_a_removal_that_the_score_sees_is_not_walked():
    units = [replace(MUTANT, env="grippers", pool=MutationPool.REMOVALS, number=i) for i in range(6)]
    for record in map(detection.work, units):
        walked = record["ew"] == 1.0 and not record["works"]
        assert ("ways" in record) == walked


def test_the_truth_of_a_world_plans_and_works():
    outcome, plan, works = truth("grippers", 1).plan(truth("grippers", 1).domain_text, PLANNER)
    assert outcome is PlanOutcome.SOLVED and plan and works


def run_record(ways, **fields):
    base = {
        "env": "e", "pool": "sample", "kind": "remove", "mutation": "m", "exploded": False,
        "outcome": "solved", "works": False, "ew": 0.5, "difference": "executable",
    }  # fmt: skip
    made = {way: [{"chosen": ways, "listed": ways, "steps": 1}] for way in WAYS}
    return {**base, "ways": made, **fields}


def test_shares_are_among_the_wrong_mutations_only():
    found = Detection(
        [
            run_record(50),
            run_record(200),
            run_record(None),
            run_record(None, difference="none"),
            run_record(None, difference="unknown"),
            {"env": "e", "pool": "sample", "kind": "add", "mutation": "m", "exploded": True},
        ]
    )
    shares = [found.share("paper", "chosen", q) for q in BUDGETS]
    assert [s.n for s in shares] == [3] * 3
    assert [s.mean for s in shares] == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    text = "\n".join(map(markdown, detection_tables(found)))
    assert "6 mutations" in text and "too large to ground | 1" in text
    assert len(detection_csv(found).splitlines()) == 1 + 5 * len(WAYS)


def test_the_recommended_way_exposes_most_at_300_queries():
    best = run_record(400)
    best["ways"]["coverage"] = [{"chosen": 250, "listed": 250, "steps": 1}]
    assert Detection([best]).recommended == "coverage"


def test_a_saturated_candidate_has_a_score_of_1_and_no_working_plan():
    found = Detection([run_record(1, ew=1.0), run_record(2, ew=1.0, works=True), run_record(3)])
    assert len(found.saturated) == 1


def test_removal_tables_hold_rates_means_errors_and_correlations():
    plans = [
        (0, [True], [True]),
        (1, [True, False], [False] * 2),
        (3, [False], [False]),
        (10, [False], [False]),
    ]
    pairs = [(0, [1.0, 1.0]), (1, [0.5, 0.25, None])]
    found = Removal.of(
        [{"kind": "plan", "env": "w", "removed": k, "found": f, "works": w} for k, f, w in plans]
        + [{"kind": "plan", "env": "w", "removed": 1, "found": [True] * 2, "works": [False] * 2}]  # task 2
        + [{"kind": "terms", "env": "w", "found": [True, False, False, True]}]
        + [{"kind": "pair", "env": "w", "differing": n, "scores": scores} for n, scores in pairs]
    )
    assert found.pnf("w", 1) == 0.25 and found.exact_pnf("w") == 0.5
    assert found.mean_failing(1) == (1.0, 0.0)
    assert found.ew("w") == [(0, 1.0, 0.0), (1, 0.375, 0.125)]
    assert found.rho("w")[1] == pytest.approx(-1.0)
    assert pnf_csv(found).splitlines()[2].startswith("w,1,4,0.2500,")
    assert exact_csv(found).splitlines() == ["env,n,pnf", "w,4,0.5000"]
    assert ew_csv(found).splitlines()[2] == "w,1,2,0.3750,0.1250"
    assert correlation_csv(found).splitlines()[1].endswith(",1")  # one pair without a score
    table = summary_table(found)
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert [row[:3] for row in table.rows[:2]] == [("w", "0.50", "0.25"), ("mean", "0.50", "0.25")]
    assert table.rows[2][2:4] == ("0.14", "0.30")


def test_removing_every_term_once_is_what_sampling_one_term_estimates():
    every = removal.work(TermsUnit("grippers", 1, None, 5.0))
    assert len(every["found"]) == len(terms(truth("grippers", 1).domain))
    exact = Removal.of([every, {"kind": "pair", "env": "grippers", "differing": 0, "scores": [1.0]}])
    share = exact.exact_pnf("grippers")
    assert share is not None and 0 < share < 1
    texts = {
        without_terms(truth("grippers", 1).domain, [term]): found
        for term, found in zip(terms(truth("grippers", 1).domain), every["found"], strict=True)
    }
    sampled = removal.work(PlanUnit("grippers", 1, 1, 6, 0, None, 5.0))
    for sample, found in enumerate(sampled["found"]):
        drawn = sample_terms(truth("grippers", 1).domain, 1, stream(0, "plan", "grippers", 1, sample))
        assert texts[without_terms(truth("grippers", 1).domain, drawn)] is found


def test_the_published_setting_is_one_flag():
    units = RemovalConfig(env=("grippers",), published=True).sized().units()
    plans = [unit for unit in units if isinstance(unit, PlanUnit)]
    assert {(unit.samples, unit.planner_wall_s) for unit in plans} == {(100, 300.0)}
    assert {unit.problem for unit in plans} == {1, 2, 3} and len(plans) == 33
    pairs = [unit for unit in units if isinstance(unit, PairUnit)]
    assert {(unit.samples, unit.problem, unit.tasks) for unit in pairs} == {(100, 1, 3)}
    singles = [unit.problem for unit in units if isinstance(unit, TermsUnit)]
    assert singles == [1, 2, 3] and all(unit.keeps_one for unit in units)


@pytest.mark.parametrize("env", ["grippers", "barman", "movie", "household"])
@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_no_precondition_or_effect_loses_its_last_term(env, count):
    domain = truth(env, 1).domain
    halves = Counter((term.action, term.part) for term in terms(domain))
    for seed in range(5):
        drawn = drawn_terms(domain, count, np.random.default_rng(seed), keeps_one=True)
        lost = Counter((term.action, term.part) for term in drawn)
        assert all(lost[half] < size for half, size in halves.items())
        assert len(drawn) == min(count, sum(halves.values()) - len(halves)) and len(set(drawn)) == len(drawn)
        assert list(drawn) == [term for term in terms(domain) if term in drawn]
    alone = set(terms(domain)) - set(removable(domain))
    assert all(halves[term.action, term.part] == 1 for term in alone)


def test_every_term_that_may_go_alone_is_drawn_alike():
    domain = truth("grippers", 1).domain
    rng = np.random.default_rng(1)
    drawn = Counter(drawn_terms(domain, 1, rng, keeps_one=True)[0] for _ in range(2000))
    expected = 2000 / len(removable(domain))
    assert set(drawn) == set(removable(domain))
    assert all(abs(found - expected) < 6 * expected**0.5 for found in drawn.values())


def test_score_over_tasks_takes_the_mean_of_each_direction_first():
    def score(forward, backward):
        return EWScore(EWVerdict.SCORED, forward, backward, harmonic_mean(forward, backward))

    one, other = score(1.0, 0.5), score(0.5, 1.0)
    assert score_over_tasks([one]) == one.score
    assert score_over_tasks([one, other]) == pytest.approx(0.75)  # the mean of the scores is 2 / 3
    assert score_over_tasks([one, None]) is None
    assert score_over_tasks([one, EWScore(EWVerdict.NO_INITIAL_ACTION)]) is None


def test_pairs_over_several_tasks_differ_in_nothing_or_are_below_1():
    same, different = (removal.work(PairUnit("grippers", 1, n, 3, 0, tasks=2)) for n in (0, 6))
    assert same["scores"] == [1.0] * 3 and all(s is None or s < 1 for s in different["scores"])

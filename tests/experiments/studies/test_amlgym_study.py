"""What the comparison on AMLGym's domains makes of files, without AMLGym; with it, see tests/extras."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from envs.pddl.language.domain import read_domain, read_vocabulary
from envs.pddl.traces.trajectories import import_trajectory, trajectory_text
from envs.source import read_texts
from experiments.config import ConfigError
from experiments.studies.amlgym import learners
from experiments.studies.amlgym.benchmark import Benchmark, benchmarks, degraded, without_rules
from experiments.studies.amlgym.learners import learned

BLOCKS = """(define (domain blocks) (:requirements :strips :typing) (:types block)
(:predicates (on ?x ?y - block) (clear ?x - block) (table ?x - block)) ; a comment with (:effect
(:action lift :parameters (?x ?y - block) :precondition (and (on ?x ?y) (clear ?x))
 :effect (and (not (on ?x ?y)) (table ?x) (clear ?y)))
(:action drop :parameters (?x ?y - block) :precondition (clear ?x) :effect (on ?x ?y)))"""
STATES = [("(on a b)", "(on b c)", "(clear a)"), ("(table a)", "(on b c)", "(clear a)", "(clear b)")]
STATES += [("(table a)", "(table b)", "(clear a)", "(clear b)", "(clear c)")]


@pytest.fixture
def blocks(tmp_path):
    (tmp_path / "blocks.pddl").write_text(BLOCKS, encoding="utf-8")
    path = tmp_path / "0_blocks_traj"
    path.write_text(trajectory_text(STATES, ["(lift a b)", "(lift b c)"]), encoding="utf-8")
    return Benchmark("blocks", tmp_path / "blocks.pddl", (path,), ())


@pytest.mark.parametrize("text", [BLOCKS, *(read_texts(w, 1).domain for w in ("barman", "hiking", "movie"))])
def test_a_domain_without_rules_declares_the_same(text):
    empty = without_rules(text)
    assert read_vocabulary(empty) == replace(read_vocabulary(text), costs={})  # costs are effects
    assert empty.count("(and)") == 2 * len(read_domain(text).actions)
    assert without_rules(empty) == empty


def test_hidden_observations_are_left_out_and_flipped_ones_turned(blocks, tmp_path):
    vocabulary = read_vocabulary(BLOCKS)
    (true,) = import_trajectory(blocks.trajectories[0], vocabulary).traces
    (tmp_path / "out").mkdir()

    def read(**shares):
        paths = degraded(blocks, tmp_path / "out", np.random.default_rng(0), **shares)
        (trace,) = import_trajectory(paths[0], vocabulary).traces
        assert [s.operator for s in trace.steps] == [s.operator for s in true.steps]
        return [trace.state(n) for n in range(len(trace.whole))]

    states = [true.state(n) for n in range(len(true.whole))]
    assert read() == states
    half = read(hidden=0.5)
    assert all(not seen.whole and seen.allows(state) for seen, state in zip(half, states, strict=True))
    assert 0 < sum(len(s.true) for s in half) < sum(len(s.true) for s in states)
    turned = read(flipped=0.3)
    assert turned != states and all(seen.whole for seen in turned)
    assert read(flipped=0.3) == turned


def test_our_learner_leaves_an_action_that_never_ran_unable_to_run(blocks):
    found = learned("groundwalk", blocks.domain, blocks.trajectories, 0.0)
    assert not found.failure and found.seconds >= 0
    domain = read_domain(found.domain)
    assert list(domain.actions) == list(read_domain(BLOCKS).actions)
    assert "(table ?x)" in found.domain.partition("action drop")[2].partition(":effect")[0]


def test_what_a_published_learner_raises_is_its_failure(blocks, monkeypatch):
    def ends(*_):
        Path("left-behind").write_text("x", encoding="utf-8")
        raise SystemExit("no such trace")

    monkeypatch.setattr(learners, "LEARNERS", {"ends": ends})
    here = Path.cwd()
    found = learned("ends", blocks.domain, blocks.trajectories, 0.0)
    assert found.domain is None and "no such trace" in found.failure
    assert Path.cwd() == here and not Path("left-behind").exists()


def test_without_amlgym_the_message_names_the_extra(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("experiments.studies.amlgym.benchmark.files", missing)
    with pytest.raises(ConfigError, match=r"groundwalk\[amlgym\]"):
        benchmarks()

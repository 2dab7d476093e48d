"""The loop gives the same tree on every executor and stops cleanly on any error."""

import logging
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from search.boundary import WorkerError
from search.executors import SerialExecutor
from search.fakes import NumberEvaluation, NumberEvaluator, NumberPayload, number_roots, propose_numbers
from search.loop import run_search
from search.policies import Algorithm1


class Outage(ConnectionError):
    pass


POLICY = Algorithm1(children=4, turns=3)


def search(executor, propose=propose_numbers, evaluate=None, **options):
    return run_search(POLICY, number_roots(3), propose, evaluate or NumberEvaluator(), executor, **options)


def test_the_tree_is_the_same_on_every_executor_and_under_any_number_of_threads(executor):
    assert search(executor) == search(SerialExecutor(), threads=1)


def test_a_node_s_line_is_its_ancestors_and_itself_and_no_sibling_of_a_like_number():
    (root,) = number_roots(1)
    assert root.line == ("1",) and replace(root, id="1.12.3").line == ("1", "1.12", "1.12.3")


def test_the_order_in_which_answers_come_changes_nothing():
    def slow_first(expansion, known):
        time.sleep(0.02 * (3 - int(expansion.parent.id[0])))
        return propose_numbers(expansion, known)

    seen = []
    assert search(SerialExecutor(), slow_first, observe=seen.append) == search(SerialExecutor())
    assert seen[0].id.startswith("3.")


def test_a_proposal_is_shown_the_nodes_of_all_finished_rounds_whoever_was_first():
    def told(slow_root):
        shown = {}

        def propose(expansion, known):
            time.sleep(0.02 if expansion.parent.id[0] == slow_root else 0)
            shown[expansion.parent.id] = [node.id for node in known]
            return propose_numbers(expansion, known)

        search(SerialExecutor(), propose)
        return shown

    shown = told("1")
    assert shown == told("3")
    assert shown["2"] == ["1", "2", "3"]
    second_round = [f"{root}.{child}" for root in (1, 2, 3) for child in (1, 2, 3, 4)]
    assert [ids for parent, ids in shown.items() if parent.count(".") == 1] == [
        ["1", "2", "3", *second_round]
    ] * 3


def test_what_is_proposed_may_depend_on_what_other_branches_found(executor):
    def propose(expansion, known):
        shift = sum(node.payload.value for node in known)
        return [NumberPayload(p.value + shift) for p in propose_numbers(expansion, known)]

    assert search(executor, propose) == search(SerialExecutor(), propose, threads=1)


def test_a_proposal_is_evaluated_while_its_siblings_are_still_being_written():
    first_is_seen = threading.Event()

    def propose(expansion, known):
        first, *others = propose_numbers(expansion, known)
        yield first
        assert first_is_seen.wait(10)
        yield from others

    assert search(SerialExecutor(), propose, observe=lambda _: first_is_seen.set()) == search(
        SerialExecutor()
    )


def test_proposals_that_trickle_in_give_the_same_tree_as_those_that_come_together(executor):
    def trickle(expansion, known):
        for payload in propose_numbers(expansion, known):
            time.sleep(0.001 * int(expansion.parent.id[0]))
            yield payload

    assert search(executor, trickle) == search(SerialExecutor())


def test_an_error_after_some_proposals_ends_the_search_and_those_are_still_drawn_elsewhere():
    drawn, one_failed, all_run = [], threading.Event(), threading.Barrier(3)

    def propose(expansion, known):
        all_run.wait()
        first, *others = propose_numbers(expansion, known)
        yield first
        if expansion.parent.id == "1":
            one_failed.set()
            raise Outage("no line")
        assert one_failed.wait(10)
        for payload in others:
            time.sleep(0.01)
            drawn.append(expansion.parent.id)
            yield payload

    with pytest.raises(Outage, match="no line"):
        search(SerialExecutor(), propose)
    assert sorted(drawn) == ["2"] * 3 + ["3"] * 3


def test_every_node_is_observed_once_in_the_caller_s_thread(executor):
    seen = []
    result = search(executor, observe=lambda node: seen.append((node, threading.current_thread())))
    assert {thread for _, thread in seen} == {threading.current_thread()}
    assert sorted(node.id for node, _ in seen) == sorted(node.id for node in result.nodes)
    assert result.best in result.nodes
    assert [n.id for n in result.nodes if n.depth == 1][:5] == ["1.1", "1.2", "1.3", "1.4", "2.1"]


def test_an_error_in_an_evaluation_is_the_same_on_every_executor(executor):
    refused = search(SerialExecutor()).nodes[7].payload.value
    with pytest.raises(WorkerError) as caught:
        search(executor, evaluate=NumberEvaluator(refused))
    with pytest.raises(WorkerError) as expected:
        search(SerialExecutor(), evaluate=NumberEvaluator(refused))
    assert caught.value == expected.value
    assert "insufficient_quota" in str(caught.value)
    assert caught.value.retryable


@pytest.mark.parametrize("error", [Outage, KeyboardInterrupt])
def test_an_error_in_a_proposal_is_raised_after_what_runs_has_ended(executor, error):
    ended, all_run = [], threading.Barrier(3)

    def propose(expansion, known):
        all_run.wait()
        if expansion.parent.id == "1":
            raise error("no line")
        time.sleep(0.1)
        ended.append(expansion.parent.id)
        return propose_numbers(expansion, known)

    with pytest.raises(error, match="no line"):
        search(executor, propose, threads=3)
    assert sorted(ended) == ["2", "3"]


def test_an_interrupt_while_observing_stops_the_search(executor):
    started = []

    def propose(expansion, known):
        started.append(expansion.parent.id)
        return propose_numbers(expansion, known)

    def interrupt(node):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(executor, propose, observe=interrupt)
    assert set(started) <= {"1", "2", "3"}
    assert search(executor) == search(SerialExecutor())


def test_equal_payloads_are_evaluated_once():
    calls = []

    def evaluate(payload):
        calls.append(payload)
        return NumberEvaluation(50)

    result = search(SerialExecutor(), lambda e, known: [NumberPayload(7)] * e.count, evaluate)
    assert len(calls) == 1
    assert len(result.nodes) == 36


def test_fewer_proposals_than_asked_for_are_no_gap():
    result = search(SerialExecutor(), lambda e, known: propose_numbers(replace(e, count=2), known))
    assert [n.id for n in result.nodes if n.depth == 1] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert search(SerialExecutor(), lambda e, known: []).best is None


def test_waiting_without_progress_is_said(caplog):
    def slow(expansion, known):
        deadline = time.monotonic() + 60
        while "no progress" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
        return []

    with caplog.at_level(logging.WARNING, "search.loop"):
        search(SerialExecutor(), slow, stall_s=0.05, name="grippers-tree-0")
    assert "grippers-tree-0: no progress for 0.05 s: waiting for 3 proposals and 0 ev" in caplog.text


def test_no_roots_are_no_search():
    result = run_search(POLICY, [], propose_numbers, NumberEvaluator(), SerialExecutor())
    assert (result.best, result.nodes) == (None, ())


def test_the_tree_does_not_depend_on_the_hash_seed():
    code = (
        "from search.policies import Algorithm1\n"
        "from search.executors import SerialExecutor\n"
        "from search.fakes import *\n"
        "from search.loop import run_search\n"
        "print(run_search(Algorithm1(4, 3), number_roots(3), propose_numbers, NumberEvaluator(),"
        " SerialExecutor()))"
    )
    trees = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert trees == {f"{search(SerialExecutor())}\n".encode()}

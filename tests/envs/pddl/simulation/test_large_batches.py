"""Answers about many states are those about each state alone, also where they are laid out otherwise."""

import numpy as np
import pytest
from kernel_samples import random_states

from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.simulation import simulator
from envs.pddl.simulation.compile import compile_task
from envs.source import read_texts


@pytest.mark.parametrize("large", [1, 1 << 40])
@pytest.mark.parametrize("batch", [2, 7, 8, 9, 64, 101])
def test_a_batch_is_answered_like_each_of_its_states(
    batch: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulator, "_LARGE", large)
    texts = read_texts("termes", 1)
    task = compile_task(read_problem(texts.problem, read_domain(texts.domain)))
    states = np.resize(random_states(task, 60), (batch, task.initial(1).shape[1]))
    alone = np.concatenate([task.applicable(states[i : i + 1]) for i in range(batch)])
    found = task.applicable(states)
    assert found.dtype == np.bool_ and found.shape == (batch, len(task.operators))
    assert (found == alone).all()

"""Errors are plain data."""

import pickle

import pytest

from agents.llm.errors import CallFailure, ErrorKind, LLMError


@pytest.mark.parametrize("kind", ErrorKind)
def test_every_error_survives_pickling_whole(kind):
    error = LLMError(CallFailure(kind, "what, where, how to mend it", 418, "seed", 2.5, 3))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert type(again) is LLMError
    assert again.failure == error.failure
    assert str(again) == str(error)
    assert again.retryable == error.retryable


def test_an_error_names_its_kind_so_that_it_can_be_searched_for():
    assert "insufficient_quota" in str(LLMError(CallFailure(ErrorKind.QUOTA, "no money")))


def test_only_what_may_pass_is_retryable():
    retryable = {k for k in ErrorKind if CallFailure(k, "").retryable}
    assert retryable == {
        ErrorKind.RATE_LIMIT,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.SERVER,
        ErrorKind.BAD_REPLY,
    }

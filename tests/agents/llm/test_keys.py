"""A call's key: every field counts, nothing else does."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.interface import Message
from agents.llm.keys import Profile, call_key, canonical, conversation_key, sample_seed, wire_seed

PROFILE = Profile("http://host/v1", "m", {"max_tokens": 10, "extra_body": {"top_p": 0.9}})
CHAT = (Message("system", "s"), Message("user", "u"))


def key(profile=PROFILE, chat=CHAT, temperature=0.7, seed=1, sample=0):
    return call_key(profile.request(chat, temperature, seed), sample)


CHANGES = {
    "endpoint": {"profile": Profile("http://other/v1", "m", PROFILE.parameters)},
    "model": {"profile": Profile("http://host/v1", "m2", PROFILE.parameters)},
    "max_tokens": {"profile": Profile("http://host/v1", "m", {**PROFILE.parameters, "max_tokens": 11})},
    "extra": {"profile": Profile("http://host/v1", "m", {"max_tokens": 10, "extra_body": {"top_p": 1.0}})},
    "fewer parameters": {"profile": Profile("http://host/v1", "m", {"max_tokens": 10})},
    "temperature not sent": {"profile": Profile("http://host/v1", "m", PROFILE.parameters, False)},
    "content": {"chat": (CHAT[0], Message("user", "u "))},
    "role": {"chat": (CHAT[0], Message("assistant", "u"))},
    "order": {"chat": CHAT[::-1]},
    "more messages": {"chat": (*CHAT, CHAT[1])},
    "split messages": {"chat": (Message("system", "su"),)},
    "temperature": {"temperature": 0.8},
    "seed": {"seed": 2},
    "sample": {"sample": 1},
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_changed_field_is_another_call(change):
    assert key(**CHANGES[change]) != key()


def test_all_changes_differ_from_each_other():
    assert len({key(**change) for change in CHANGES.values()}) == len(CHANGES)


def test_order_of_parameters_and_kind_of_number_do_not_matter():
    turned = Profile("http://host/v1", "m", {"extra_body": {"top_p": 0.9}, "max_tokens": 10})
    assert key(profile=turned) == key()
    assert key(temperature=1) == key(temperature=1.0)


def test_keys_are_equal_in_other_processes():
    program = (
        "from agents.llm.keys import *; from agents.llm.interface import Message;"
        "p = Profile('http://host/v1', 'm', {'max_tokens': 10, 'extra_body': {'top_p': 0.9}});"
        "print(call_key(p.request([Message('system', 's'), Message('user', 'u')], 0.7, 1), 0))"
    )
    for hash_seed in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        )
        assert run.stdout.decode().strip() == key()


@given(st.text(), st.integers(), st.floats(0, 2))
def test_a_profile_is_read_back_from_its_requests(text, seed, temperature):
    for profile in (PROFILE, Profile("e", "m", {}, sends_temperature=False)):
        request = profile.request([Message("user", text)], temperature, seed)
        assert Profile.of(request) == profile
        assert canonical(request).isascii()


def test_a_conversation_key_does_not_ask_who_is_asked():
    one = PROFILE.request(CHAT, 0.5, 1)
    other = Profile("elsewhere", "x").request(CHAT, 0.5, 2)
    keys = [conversation_key(r["messages"], r["temperature"]) for r in (one, other)]
    assert keys[0] == keys[1]
    assert keys[0] != conversation_key(one["messages"], 0.6)


@given(st.integers(0, 2**70), st.integers(0, 50))
def test_sample_seeds_fit_into_31_bits_and_sample_0_keeps_the_callers(seed, index):
    assert 0 <= sample_seed(seed, index) < 2**31
    assert sample_seed(seed, 0) == wire_seed(seed) == seed % 2**31


def test_sample_seeds_of_near_requests_do_not_overlap():
    seeds = [sample_seed(seed, index) for seed in range(100) for index in range(10)]
    assert len(set(seeds)) == len(seeds)

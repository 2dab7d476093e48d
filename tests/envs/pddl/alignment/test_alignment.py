"""Alignment: names and order do not count, every fault counts once, and no alignment has fewer errors."""

import os
import subprocess
import sys
from itertools import permutations, product

import numpy as np
import pytest
from disguise import disguise, undisguised
from kernel_samples import SAMPLES, WORLDS
from wide import wide

from envs.pddl.alignment.errors_of import ModelErrorKind, align
from envs.pddl.alignment.program import TooManyLiterals
from envs.pddl.language.domain import read_domain
from envs.pddl.language.terms import Part, canonical, terms, tree_of
from envs.pddl.mutation.faults import BreakKind, MutationKind, break_domain, mutated, sample_mutations

TRUE = {
    path.parent.name: read_domain(path.read_text(encoding="utf-8"))
    for path in sorted(WORLDS.glob("*/domain.pddl"))
}
#: Of which an alignment takes longest.
LARGE = {"barman", "depot", "household", "minecraft", "storage"}
TOOLS = """(define (domain tools) (:requirements :strips :typing :negative-preconditions)
  (:types tool box)
  (:predicates (in ?t - tool ?b - box) (held ?t - tool) (open ?b - box))
  (:action take :parameters (?t - tool ?b - box)
    :precondition (and (in ?t ?b) (open ?b)) :effect (and (held ?t) (not (in ?t ?b))))
  (:action shut :parameters (?b - box) :precondition (open ?b) :effect (not (open ?b))))"""


def test_the_suite_is_there():
    assert len(TRUE) > 20


@pytest.mark.parametrize("seed", wide(range(2), 0))
@pytest.mark.parametrize("name", wide(TRUE, *sorted(set(TRUE) - {"household", "minecraft"})[::2]))
def test_a_renamed_and_reordered_domain_has_no_errors(name, seed):
    hidden = disguise(TRUE[name], np.random.default_rng(seed))
    found = align(
        TRUE[name],
        read_domain(hidden.text),
        actions=hidden.actions,
        types=hidden.types,
        constants=hidden.constants,
    )
    assert found.errors == () and found.exact


@pytest.mark.parametrize("name", SAMPLES)
def test_every_feature_of_the_language_aligns_with_itself(name):
    domain = read_domain(SAMPLES[name][0])
    hidden = disguise(domain, np.random.default_rng(1))
    found = align(
        domain,
        read_domain(hidden.text),
        actions=hidden.actions,
        types=hidden.types,
        constants=hidden.constants,
    )
    assert found.errors == ()


@pytest.mark.parametrize(
    ("name", "count"),
    wide(
        [(name, count) for name in TRUE for count in (2, 5) if count < 5 or name not in LARGE],
        *((name, 2) for name in sorted(set(TRUE) - LARGE)),
    ),
)
def test_a_mutation_of_one_literal_counts_one(name, count):
    for mutation in sample_mutations(TRUE[name], count, np.random.default_rng(0)):
        changed = read_domain(mutated(TRUE[name], mutation))
        found = align(TRUE[name], changed)
        assert found.exact
        if mutation.kind is MutationKind.SWAP and not found.errors:
            # The predicate just takes its arguments in another order, everywhere.
            assert same_rules(TRUE[name], undisguised(changed, found))
        else:
            assert len(found.errors) == 1, mutation
            assert found.errors[0].place == mutation.action


def same_rules(true, tree):
    own = tree_of(true)
    return all(
        canonical(plain(own.part(action, part))) == canonical(plain(tree.part(action, part)))
        for action in own.actions
        for part in Part
    )


def plain(tree):
    """Equalities with sorted terms, and no costs."""
    if isinstance(tree, str):
        return tree
    kept = tuple(plain(part) for part in tree if part[0] != "increase")
    return (kept[0], *sorted(kept[1:])) if kept[0] == "=" else kept


@pytest.mark.parametrize(
    "name",
    wide(
        ["household", "logistics", "tyreworld", "urnsong", "dimhollow"], "logistics", "urnsong", "dimhollow"
    ),
)
@pytest.mark.parametrize("faults", [3, 15])
def test_several_faults_count_no_more_than_they_are_under_any_names(name, faults):
    broken = break_domain(TRUE[name], BreakKind.MIXED, faults, np.random.default_rng(faults))
    hidden = disguise(read_domain(broken.domain), np.random.default_rng(2))
    found = align(TRUE[name], read_domain(hidden.text), actions=hidden.actions, types=hidden.types)
    assert found.exact and len(found.errors) <= len(broken.faults)
    assert sum(found.counts().values()) == len(found.errors)


@pytest.mark.parametrize(
    "name", wide(["household", "logistics", "tyreworld", "grippers"], "logistics", "grippers")
)
def test_a_predicate_with_an_argument_too_few_or_too_many_is_one_error(name):
    for seed in range(4):
        broken = break_domain(TRUE[name], BreakKind.PARAMETER, 1, np.random.default_rng(seed))
        found = align(TRUE[name], read_domain(broken.domain))
        assert [e.kind for e in found.errors] in (
            [ModelErrorKind.MISSING_ARGUMENT],
            [ModelErrorKind.EXTRA_ARGUMENT],
        )


@pytest.mark.parametrize(("seed", "pairs"), wide([(7, 3), (8, 3)], (7, 3)))
def test_no_other_alignment_has_fewer_errors_than_the_one_found(seed, pairs):
    rng = np.random.default_rng(seed)
    for _ in range(pairs):
        one, other = (read_domain(random_domain(rng)) for _ in range(2))
        found = align(one, other)
        assert len(found.errors) == found.at_least == fewest_by_trying(one, other)


def random_domain(rng):
    """An action with two parameters over predicates of one and two places."""
    predicates = [("p", 1), ("q", 1), ("r", 2)]

    def literals():
        drawn = []
        for _ in range(int(rng.integers(1, 4))):
            name, arity = predicates[rng.integers(3)]
            atom = f"({name} {' '.join(rng.choice(['?x', '?y'], arity))})"
            drawn.append(f"(not {atom})" if rng.random() < 0.4 else atom)
        return f"(and {' '.join(drawn)})"

    actions = "".join(
        f"(:action {name} :parameters (?x ?y) :precondition {literals()} :effect {literals()})"
        for name in ("go",)
    )
    return f"(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x) (r ?x ?y)) {actions})"


def fewest_by_trying(one, other):
    """The fewest errors over every way to pair predicates, places and parameters."""
    sizes = {"p": 1, "q": 1, "r": 2}
    best = None
    for pairs in partial_maps(sizes, sizes):
        for maps in product(*(place_maps(sizes[p], sizes[q]) for p, q in pairs.items())):
            places = dict(zip(pairs, maps, strict=True))
            total = sum(abs(sizes[p] - sizes[q]) for p, q in pairs.items())
            total += sum(
                min(
                    2 * (2 - len(names)) + literal_errors(one, other, action, pairs, places, names)
                    for names in partial_maps(("?x", "?y"), ("?x", "?y"))
                )
                for action in one.actions
            )
            best = total if best is None else min(best, total)
    return best


def partial_maps(keys, values):
    keys = list(keys)
    if not keys:
        yield {}
        return
    for rest in partial_maps(keys[1:], values):
        yield rest
        yield from ({keys[0]: v, **rest} for v in values if v not in rest.values())


def place_maps(mine, yours):
    if mine > yours:
        return [{k: place for place, k in back.items()} for back in place_maps(yours, mine)]
    return [dict(enumerate(order)) for order in permutations(range(yours), mine)]


def literal_errors(one, other, action, pairs, places, names):
    total = 0
    for part in Part:
        mine, yours = literals_by_predicate(one, action, part), literals_by_predicate(other, action, part)
        met = {pairs[p] for p in mine if p in pairs}
        total += sum(len(group) for q, group in yours.items() if q not in met)
        for p, group in mine.items():
            theirs = yours.get(pairs.get(p), [])
            total += fewest_in_group(group, theirs, places.get(p, {}), names)
    return total


def fewest_in_group(mine, yours, places, names):
    padded = [*yours, *[None] * len(mine)]
    return min(
        sum(
            pair is None or not same_literal(own, pair, places, names)
            for own, pair in zip(mine, order, strict=True)
        )
        + len(yours)
        - sum(pair is not None for pair in order)
        for order in permutations(padded, len(mine))
    )


def same_literal(mine, yours, places, names):
    if (mine[0] == "not") != (yours[0] == "not"):
        return False
    own, their = (literal[1] if literal[0] == "not" else literal for literal in (mine, yours))
    return all(names.get(own[k + 1]) == their[place + 1] for k, place in places.items())


def literals_by_predicate(domain, action, part):
    groups = {}
    found = dict.fromkeys(t.literal for t in terms(domain) if (t.action, t.part) == (action, part))
    for literal in found:
        groups.setdefault((literal[1] if literal[0] == "not" else literal)[0], []).append(literal)
    return groups


def test_an_action_without_counterpart_counts_with_all_that_it_holds():
    true = read_domain(TOOLS)
    lacking = read_domain(TOOLS[: TOOLS.index("(:action shut")] + ")")
    found = align(true, lacking)
    assert [str(error) for error in found.errors] == [
        "shut: missing parameter ?b - box",
        "shut: missing precondition (open ?b)",
        "shut: missing effect (not (open ?b))",
    ]
    assert found.exact
    assert {error.kind for error in align(lacking, true).errors} == {
        ModelErrorKind.EXTRA_PARAMETER,
        ModelErrorKind.EXTRA_PRECONDITION,
        ModelErrorKind.EXTRA_EFFECT,
    }


def test_errors_say_what_is_there_and_what_should_be():
    changes = {
        "(in ?t - tool": "(in ?t - object",
        "(held ?t - tool)": "(held ?t)",
        "(held ?t) (not": "(held ?t) (open ?b) (not",
        ":effect (not (open ?b))": ":effect (not (held ?b))",
        ":parameters (?t - tool": ":parameters (?t - box",
    }
    made = TOOLS
    for before, after in changes.items():
        assert before in made
        made = made.replace(before, after)
    assert [str(error) for error in align(read_domain(TOOLS), read_domain(made)).errors] == [
        "take: wrong type ?t - box for ?t - tool",
        "take: extra effect (open ?b)",
        "shut: missing effect (not (open ?b))",
        "shut: extra effect (not (held ?b))",
    ]


def test_parameters_may_be_held_to_their_order():
    made = TOOLS.replace("(?t - tool ?b - box)\n", "(?b - box ?t - tool)\n")
    assert align(read_domain(TOOLS), read_domain(made)).errors == ()
    held = align(read_domain(TOOLS), read_domain(made), in_order=True)
    assert held.counts()[ModelErrorKind.WRONG_TYPE] == 2


def test_or_for_and_is_an_error():
    made = TOOLS.replace("(and (in ?t ?b) (open ?b))", "(or (in ?t ?b) (open ?b))")
    made = made.replace(":negative-preconditions", ":disjunctive-preconditions")
    assert align(read_domain(TOOLS), read_domain(made)).errors


@pytest.mark.parametrize("name", wide(["grippers", "household"], "grippers"))
def test_little_effort_still_gives_an_alignment_and_says_what_is_not_proved(name):
    hidden = disguise(
        read_domain(break_domain(TRUE[name], BreakKind.MIXED, 40, np.random.default_rng(4)).domain),
        np.random.default_rng(4),
    )
    made = read_domain(hidden.text)
    hasty = align(TRUE[name], made, actions=hidden.actions, types=hidden.types, max_conflicts=1)
    careful = align(TRUE[name], made, actions=hidden.actions, types=hidden.types)
    assert hasty.at_least <= careful.at_least == len(careful.errors) <= len(hasty.errors)
    assert careful.exact and hasty.exact == (len(hasty.errors) == hasty.at_least)


def test_an_absurdly_long_action_is_refused_in_words():
    many = " ".join(f"(in ?t{i} ?b)" for i in range(600))
    listed = " ".join(f"?t{i} - tool" for i in range(600))
    made = TOOLS.replace("(?t - tool ?b - box)\n", f"({listed} ?b - box)\n")
    made = made.replace(
        "(and (in ?t ?b) (open ?b)) :effect (and (held ?t) (not (in ?t ?b)))",
        f"(and {many}) :effect (held ?t0)",
    )
    with pytest.raises(TooManyLiterals, match="far too many literals"):
        align(read_domain(made), read_domain(made))


def test_the_alignment_is_the_same_under_any_hash_seed():
    code = (
        "from envs.pddl.alignment.errors_of import align; from envs.pddl.language.domain import read_domain\n"
        f"print(align(read_domain({TOOLS!r}), read_domain({TOOLS.replace('held', 'grabbed')!r})))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(printed) == 1

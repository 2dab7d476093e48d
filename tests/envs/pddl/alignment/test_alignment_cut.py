"""Predicates cut by types: one name for several things, or several names for one, is no error."""

from itertools import product

import numpy as np
import pytest
from disguise import disguise
from kernel_samples import WORLDS
from merging import mergeable, merged, renamed
from wide import wide

from envs.pddl.alignment.clauses import Leaf, pieces_of, within
from envs.pddl.alignment.errors_of import align
from envs.pddl.alignment.program import Side
from envs.pddl.equivalence.aligned import compare_aligned
from envs.pddl.equivalence.compare import Verdict
from envs.pddl.language.domain import read_domain, read_problem
from envs.pddl.language.terms import parsed, show
from envs.pddl.language.vocabulary import Types, Vocabulary, union_of
from envs.pddl.mutation.faults import mutated, sample_mutations
from envs.source import read_texts

TRUE = {
    path.parent.name: read_domain(path.read_text(encoding="utf-8"))
    for path in sorted(WORLDS.glob("*/domain.pddl"))
}
NAMES = {world: names for world, names in ((w, mergeable(d)) for w, d in TRUE.items()) if names}


def test_most_worlds_have_predicates_that_can_go_by_one_name():
    assert {"tyreworld", "logistics", "household", "barman"} < set(NAMES) and len(NAMES) > 15


@pytest.mark.parametrize("world", wide(NAMES, *sorted(set(NAMES) - {"household", "minecraft"})[::2]))
def test_one_name_for_predicates_of_disjoint_types_is_no_error(world):
    true = TRUE[world]
    hidden = disguise(read_domain(merged(true, NAMES[world])), np.random.default_rng(1))
    found = align(
        true,
        read_domain(hidden.text),
        actions=hidden.actions,
        types=hidden.types,
        constants=hidden.constants,
    )
    assert found.errors == () and found.exact


@pytest.mark.parametrize("world", wide(NAMES, *sorted(set(NAMES) - {"household", "minecraft"})[::2]))
def test_a_name_for_each_type_is_no_error(world):
    found = align(read_domain(merged(TRUE[world], NAMES[world])), TRUE[world])
    assert found.errors == () and found.exact
    assert {m.true for m in found.predicates} <= {*TRUE[world].predicates, *NAMES[world].values()}


@pytest.mark.parametrize(
    ("counts", "mutations", "at_least"), wide([((1,), 1, 5), ((3,), 1, 5)], ((1,), 1, 5))
)
def test_faults_beside_merged_names_count_no_more_than_they_are(counts, mutations, at_least):
    """As long as no predicate of the faulty domain falls into pieces itself."""
    judged = 0
    for world in sorted(set(NAMES) - {"minecraft", "household"}):
        for faults, mutation in product(counts, range(mutations)):
            domain = TRUE[world]
            for step in range(faults):
                rng = np.random.default_rng((faults, mutation, step))
                domain = read_domain(mutated(domain, sample_mutations(domain, 4, rng)[-1]))
            if not Side(domain).can_be_cut and not Side(TRUE[world]).can_be_cut:
                found = align(TRUE[world], read_domain(merged(domain, NAMES[world])))
                assert len(found.errors) <= faults and found.exact
                judged += 1
    assert judged >= at_least


def leaf(kinds):
    return Leaf("", "p", ("?x",) * len(kinds), kinds, True, ())


def random_types(rng, unions):
    """Six types, each below some before it, or below a union of them, or below the root."""
    names = [f"t{i}" for i in range(6)]
    parents = {}
    for i, name in enumerate(names):
        above = rng.permutation(names[:i])[: rng.integers(0, 3 if unions else 2)]
        parents[name] = union_of(above) if len(above) else "object"
    return Types(parents)


@pytest.mark.parametrize("unions", [False, True])
def test_each_literal_lies_in_its_piece_and_no_tuple_of_objects_in_two(unions):
    rng = np.random.default_rng(3)
    several = 0
    for _ in range(60):
        types = random_types(rng, unions)
        names = [*types.parents, "object"]
        drawn = [*names, *(union_of(rng.choice(names[:-1], 2)) for _ in range(4))] if unions else names
        used = [tuple(rng.choice(drawn, 2).tolist()) for _ in range(rng.integers(2, 6))]
        words = Vocabulary(types=types, predicates={"p": (("?a", "object"), ("?b", "object"))})
        pieces = pieces_of(words, map(leaf, used), cut=True)
        several += len(pieces) > 1
        for objects in product(drawn, repeat=2):
            assert sum(within(types, objects, piece.kinds) for piece in pieces) <= 1
        assert all(any(within(types, kinds, piece.kinds) for piece in pieces) for kinds in used)
    assert several > 10


def test_pieces_of_a_predicate_of_one_place_are_the_widest_types_used():
    rng = np.random.default_rng(4)
    for _ in range(60):
        types = random_types(rng, unions=False)
        used = dict.fromkeys(rng.choice([*types.parents], 4).tolist())
        widest = {k for k in used if not any(o != k and types.is_subtype(k, o) for o in used)}
        words = Vocabulary(types=types, predicates={"p": (("?a", "object"),)})
        found = {piece.kinds for piece in pieces_of(words, (leaf((k,)) for k in used), cut=True)}
        assert found == ({(k,) for k in widest} if len(widest) > 1 else {("object",)})


def test_a_union_links_what_it_shares_objects_with_also_through_a_third():
    types = Types({"a": "object", "b": "object", "c": "object", "d": "object"})
    words = Vocabulary(types=types, predicates={"p": (("?x", "object"),)})
    used = [("(either a b)",), ("c",), ("d",), ("(either b c)",)]
    found = pieces_of(words, map(leaf, used), cut=True)
    assert sorted(piece.kinds for piece in found) == [("(either a b c)",), ("d",)]


def problems(world, change=lambda text: text):
    """A problem of a world, and the same one in the words of the merged domain, changed."""
    texts, names = read_texts(world, 1), NAMES[world]
    true = read_problem(texts.problem, TRUE[world])
    sections = parsed(texts.problem.lower())
    told = []
    for section in sections:
        if section[0] == ":init":
            section = (":init", *(renamed(atom, names) for atom in section[1:]))
        elif section[0] == ":goal":
            section = (":goal", renamed(section[1], names))
        told.append(section)
    return true, read_problem(change(show(tuple(told))), read_domain(merged(TRUE[world], names)))


@pytest.mark.parametrize("world", ["logistics", "tyreworld", "grippers", "miconic"])
def test_problems_in_merged_words_are_those_in_the_true_ones(world):
    true, made = problems(world)
    assert compare_aligned(true, made).verdict is Verdict.EQUIVALENT
    assert compare_aligned(made, true).verdict is Verdict.EQUIVALENT
    gone = sorted(atom for atom in made.init if atom[0] in NAMES[world].values())[0]
    _, changed = problems(world, lambda text: text.replace(show(gone), "", 1))
    found = compare_aligned(true, changed)
    assert found.verdict is Verdict.DIFFERENT and "merged-" not in found.witness


def test_a_goal_of_no_one_type_is_not_judged():
    name = NAMES["logistics"]["package-at"]

    def general(text):
        start = text.index("(:goal")
        return text[:start] + f"(:goal (exists (?x ?l) ({name} ?x ?l))))"

    found = compare_aligned(*problems("logistics", general))
    assert found.verdict is Verdict.UNSUPPORTED
    assert f"({name} ?x ?l)" in found.witness and "arguments of type object, object" in found.witness


def test_an_atom_with_two_meanings_is_not_judged():
    """The made domain does not have one type below the other, the true one does."""
    text = """(define (domain d) (:requirements :typing) (:types a - object b - {above})
      (:predicates {predicates})
      (:action one :parameters (?x - a) :precondition ({q} ?x) :effect (not ({q} ?x)))
      (:action two :parameters (?x - b) :precondition ({r} ?x) :effect (not ({r} ?x))))"""
    true = read_domain(text.format(above="a", predicates="(q ?x - a) (r ?x - b)", q="q", r="r"))
    made = read_domain(text.format(above="object", predicates="(p ?x)", q="p", r="p"))
    problem = "(define (problem x) (:domain d) (:objects o - b) (:init ({r} o)) (:goal ({r} o)))"
    pair = read_problem(problem.format(r="r"), true), read_problem(problem.format(r="p"), made)
    found = compare_aligned(*pair)
    assert found.verdict is Verdict.UNSUPPORTED and "(q o) or (r o)" in found.witness

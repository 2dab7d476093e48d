"""The invariants that a world's folder may hold."""

from envs.pddl.equivalence.goals.derive import Derivation, Means
from envs.pddl.equivalence.goals.goal import Goal
from envs.pddl.language.domain import read_domain, read_problem
from envs.source import INVARIANTS, read_texts, world_invariants

#: True, and known without: no ball is in two rooms.
RULE = ':- holds("at", B, R), holds("at", B, S), R < S.\n'


def test_a_folder_gives_its_invariants(folder):
    assert world_invariants(str(folder)) == ""
    (folder / INVARIANTS).write_text(RULE, encoding="utf-8")
    assert world_invariants(str(folder)) == world_invariants(f"{folder}+compact") == RULE
    assert world_invariants(f"{folder}+anonymised") == ""


def test_they_can_be_used(folder):
    (folder / INVARIANTS).write_text(RULE, encoding="utf-8")
    texts = read_texts(str(folder), 1)
    problem = read_problem(texts.problem, read_domain(texts.domain))
    ball = min(name for name, kind in problem.objects.items() if kind == "obj")
    rooms = sorted(name for name, kind in problem.objects.items() if kind == "room")
    derivation = Derivation(problem, Means(invariants=world_invariants(str(folder))))
    twice = frozenset({("at", ball, rooms[0]), ("at", ball, rooms[1])})
    assert derivation.implied(Goal(twice)) is None
    assert derivation.implied(Goal(frozenset({("at", ball, rooms[0])}))) is not None

"""The terse level: of every task it leaves out what the rules give back, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import pytest
from terse_reader import TerseReader
from wide import wide

from agents.tic.allow import read_ir
from agents.tic.compile import compile_problem
from agents.tic.infer import with_names_of
from agents.tic.inference_child import answer
from agents.tic.knowledge import Knowledge
from agents.tic.program import program_of
from envs.intermediate.gold_ir import terse_ir
from envs.intermediate.implied import IMPLIED, Implied, read_implied
from envs.intermediate.knowledge import helpers_of, read_knowledge, worlds_with_rules
from envs.intermediate.outline import outlined, with_helpers
from envs.pddl.language.domain import GroundAtom
from envs.reading import read_facts
from envs.registry import WORLDS_FOLDER
from envs.source import read_texts
from envs.tasks import Pool, TaskFacts, make_facts
from envs.variants import Level
from envs.verbalisation.terse import REST, terse
from envs.verbalisation.text import TaskText
from envs.verbalisation.words import read_words
from experiments.methods.translation import knowledge_of

#: Worlds of which a task says outright all that is true of it: only names and numbers can be left out.
SAID_OUTRIGHT = ("logistics",)
every_world = pytest.mark.parametrize("world", worlds_with_rules())
#: Every sixth of a world's tasks, one of each kind, or every second.
some_tasks = pytest.mark.parametrize("every", wide([14, 2], 14))


@cache
def _knowledge(world: str) -> Knowledge:
    return Knowledge(**asdict(read_knowledge(world)))


@cache
def _implied(world: str) -> Implied:
    return read_implied((WORLDS_FOLDER / world / IMPLIED).read_text(encoding="utf-8"))


@cache
def _tasks(world: str) -> tuple[tuple[str, TaskFacts], ...]:
    return tuple(_read_tasks(world))


def _read_tasks(world: str) -> Iterator[tuple[str, TaskFacts]]:
    """The example, the counted tasks, tasks on demand, and new ones."""
    for stem in ("example", *(f"p{n:02}" for n in range(1, 11)), *(f"g{n}" for n in range(1, 11))):
        yield stem, read_facts(read_texts(world, stem).problem, _knowledge(world).vocabulary)
    for index in range(1, 6):
        yield f"feedback {index}", make_facts(world, Pool.FEEDBACK, index)


def _text(world: str, facts: TaskFacts) -> TaskText:
    words = read_words((WORLDS_FOLDER / world / "words.json").read_text(encoding="utf-8"))
    return terse(facts, _knowledge(world).vocabulary, words, _implied(world))


def _follows(program: str, knowledge: Knowledge) -> TaskFacts:
    """The task that follows from a program, in this process."""
    reply = answer(program_of(read_ir(program, knowledge), knowledge).text)
    assert len(reply.models) == 1 and not reply.wrong, reply.wrong
    compiled = compile_problem(reply.models[0], knowledge)
    assert compiled.problem is not None, compiled.faults
    return read_facts(compiled.problem, knowledge.vocabulary)


def _content(facts: TaskFacts) -> tuple[object, ...]:
    return dict(facts.objects), frozenset(facts.init), frozenset(facts.goal)


def _program(world: str, facts: TaskFacts, knowledge: Knowledge) -> str:
    return terse_ir(facts, knowledge.vocabulary, _implied(world), knowledge.names.asp)


@some_tasks
@every_world
def test_every_task_follows_from_what_its_terse_text_states(world: str, every: int) -> None:
    for name, facts in _tasks(world)[::every]:
        knowledge = with_names_of(_knowledge(world), " ".join(facts.objects))
        assert _content(_follows(_program(world, facts, knowledge), knowledge)) == _content(facts), name


@some_tasks
@every_world
def test_the_program_states_what_the_text_states_and_no_more(world: str, every: int) -> None:
    """Read back from the text alone, facts and cells are those that the program is made of."""
    domain = _knowledge(world).vocabulary
    for name, facts in _tasks(world)[::every]:
        text, outline = _text(world, facts), outlined(facts, domain, _implied(world))
        assert set(text.stated_init) == {(True, atom) for atom in outline.init}, name
        assert set(text.stated_goal) == set(outline.goal), name
        read = TerseReader(world, facts.objects).read(text.text)
        assert read.init == set(text.stated_init) and read.goal == set(text.stated_goal), name
        cells = {(cell.within, cell.row, cell.column, cell.name) for cell in outline.cells}
        assert _from_zero(read.cells) == _from_zero(cells), name
        for number, noun in re.findall(r"(\d+) ([a-z ]+)", text.text.split("\n")[0]):
            assert read.counts.get(noun, int(number)) == int(number), name


def _from_zero(cells: set[tuple[str, int, int, str]]) -> set[tuple[str, int, int, str]]:
    """The cells of each place, rows and columns counted from its first ones."""
    first = {
        w: (min(c[1] for c in cells if c[0] == w), min(c[2] for c in cells if c[0] == w)) for w, *_ in cells
    }
    return {(w, row - first[w][0], column - first[w][1], name) for w, row, column, name in cells}


@some_tasks
@every_world
def test_a_name_that_a_program_needs_is_in_the_text_or_made_by_counting(world: str, every: int) -> None:
    for name, facts in _tasks(world)[::every]:
        knowledge = with_names_of(_knowledge(world), " ".join(facts.objects))
        text, program = _text(world, facts).text, _program(world, facts, knowledge)
        named = set(re.findall(r"[a-z][\w]*", re.sub(r"object\((\w+), \w+\)\.", r"\1", program)))
        for thing, kind in facts.objects.items():
            made = re.fullmatch(rf"{re.escape(kind)}\d+", thing)
            shown = re.search(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", text)
            assert made or shown or knowledge.names.asp(thing) not in named, (name, thing)


@some_tasks
@every_world
def test_nothing_is_stated_that_is_declared_to_follow_without_a_condition(world: str, every: int) -> None:
    implied, domain = _implied(world), _knowledge(world).vocabulary
    always = {rule.fact[0] for rule in implied.facts if not rule.when}
    left_out = set[GroundAtom]()
    for name, facts in _tasks(world)[::every]:
        outline = outlined(facts, domain, implied)
        assert always.isdisjoint(atom[0] for atom in outline.init), name
        left_out |= set(facts.init) - set(outline.init)
    assert bool(left_out) == (world not in SAID_OUTRIGHT)
    ordered = {order.fact[0] for order in implied.orders}
    assert always | ordered <= {atom[0] for atom in left_out} | {"unfastened", "free", "closed"}


@every_world
def test_of_what_may_be_left_out_nothing_is_stated_that_the_task_follows_without(world: str) -> None:
    implied, facts = _implied(world), dict(_tasks(world))["p02"]
    knowledge = with_names_of(_knowledge(world), " ".join(facts.objects))
    outline = outlined(facts, knowledge.vocabulary, implied)
    patterns = [*(rule.fact for rule in implied.facts), *(order.fact for order in implied.orders)]
    patterns += [pattern for grid in implied.grids for pattern in (*grid.above, *grid.right)]
    declared = {pattern[0] for pattern in patterns} | {*implied.symmetric, *implied.transitive}
    in_grids = {cell.name for cell in outline.cells}
    program = _program(world, facts, knowledge)
    for atom in outline.init:
        term = ", ".join(map(knowledge.names.asp, atom[1:]))
        line = f"init({knowledge.names.asp(atom[0])}({term}))."
        if atom[0] in declared and line in program and atom[1] not in in_grids:
            less = _follows(program.replace(line, ""), knowledge)
            assert _content(less) != _content(facts), line


@every_world
def test_without_the_rules_a_terse_program_is_not_the_task(world: str) -> None:
    facts = dict(_tasks(world))["p02"]
    knowledge = replace(with_names_of(_knowledge(world), " ".join(facts.objects)), rules="")
    reply = answer(program_of(read_ir(_program(world, facts, knowledge), knowledge), knowledge).text)
    compiled = compile_problem(reply.models[0], knowledge) if not reply.wrong else None
    same = (
        compiled is not None
        and compiled.problem is not None
        and _content(read_facts(compiled.problem, knowledge.vocabulary)) == _content(facts)
    )
    assert same == (world in SAID_OUTRIGHT)


@every_world
def test_a_terse_text_is_shorter_and_the_same_each_time(world: str) -> None:
    text = read_texts(f"{world}+terse", "p10").task
    assert text == read_texts(f"{world}+terse", "p10").task
    assert len(text) < len(read_texts(f"{world}+compact", "p10").task)


@every_world
def test_methods_are_shown_a_terse_example_with_an_ir_that_states_no_more(world: str) -> None:
    known, usual = knowledge_of(f"{world}+terse"), knowledge_of(world)
    assert known.example_task == read_texts(f"{world}+terse", "example").task
    facts = read_facts(known.example_problem, known.vocabulary)
    assert _content(_follows(known.example_ir, with_names_of(known, " ".join(facts.objects)))) == _content(
        facts
    )
    assert (known.rules, known.types, known.predicates) == (usual.rules, usual.types, usual.predicates)
    assert usual.example_task == read_texts(f"{world}+compact", "example").task
    assert set(usual.helpers) <= set(known.helpers)


def test_a_helper_of_one_level_is_explained_at_that_level_alone() -> None:
    rules = "%% a(X): x\n%%terse b(N): n\n%%terse more\n%% c(X): z"
    assert helpers_of(rules) == helpers_of(rules, Level.COMPACT) == {"a(X)": "x", "c(X)": "z"}
    every = {"a(X)": "x", "b(N)": "n more", "c(X)": "z"}
    assert helpers_of(rules, Level.TERSE) == helpers_of(rules, Level.GIVEN) == every
    assert "max_height(N)" in knowledge_of("termes+terse").helpers
    assert "max_height(N)" not in knowledge_of("termes").helpers


def test_where_names_do_not_tell_an_order_or_a_grid_the_facts_are_stated() -> None:
    for world in ("barman", "floortile", "miconic", "storage", "termes"):
        facts = dict(_tasks(world))["p03"]
        kept = _knowledge(world).vocabulary.constants
        names = {name: name if name in kept else f"thing{n}x" for n, name in enumerate(facts.objects)}
        silent = TaskFacts(
            {names[name]: kind for name, kind in facts.objects.items()},
            tuple((p, *(names[x] for x in rest)) for p, *rest in facts.init),
            tuple((holds, (p, *(names[x] for x in rest))) for holds, (p, *rest) in facts.goal),
        )
        knowledge = with_names_of(_knowledge(world), " ".join(silent.objects))
        outline = outlined(silent, knowledge.vocabulary, _implied(world))
        assert not outline.cells and not outline.counted
        assert _content(_follows(_program(world, silent, knowledge), knowledge)) == _content(silent)


def test_what_is_declared_to_follow_and_is_not_so_is_refused() -> None:
    facts = dict(_tasks("blocksworld"))["p01"]
    odd = replace(facts, init=tuple(atom for atom in facts.init if atom[0] != "handempty"))
    with pytest.raises(ValueError, match=r"makes \(handempty\) follow, which is not so"):
        outlined(odd, _knowledge("blocksworld").vocabulary, _implied("blocksworld"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "is not JSON"),
        ("[]", "Expected `object`, got `array`"),
        ('{"fact": []}', "unknown field `fact`; the module envs.intermediate.implied shows"),
        ('{"facts": {}}', r"Expected `array`, got `object` - at `\$.facts`"),
        ('{"conventions": [1]}', r"Expected `str`, got `int` - at `\$.conventions\[0\]`"),
        ('{"facts": [3]}', r"Expected `object`, got `int` - at `\$.facts\[0\]`"),
        ('{"facts": [{"fact": "p ?x", "if": []}]}', r"unknown field `if` - at `\$.facts\[0\]`"),
        (
            '{"facts": [{"fact": "p ?x", "when": "q ?x"}]}',
            r"Expected `array`, got `str` - at `\$.facts\[0\].when`",
        ),
        (
            '{"orders": [{"type": "t", "first": "t1", "fact": "n ?a ?b", "every_pair": "yes"}]}',
            r"Expected `bool`, got `str` - at `\$.orders\[0\].every_pair`",
        ),
        ('{"facts": [{"when": []}]}', r"missing required field `fact` - at `\$.facts\[0\]`"),
        (
            '{"facts": [{"fact": "goal p ?x"}]}',
            r"'goal p \?x' cannot look at the goal.* - at `\$.facts\[0\].fact`",
        ),
        ('{"facts": [{"fact": ""}]}', r"'' names no predicate - at `\$.facts\[0\].fact`"),
        (
            '{"facts": [{"fact": "p ?x", "unless": ["goal"]}]}',
            r"'goal' names no predicate - at `\$.facts\[0\].unless\[0\]`",
        ),
        (
            '{"helpers": [{"helper": "", "from": ["p ?x"], "text": ""}]}',
            r"names no predicate - at `\$.helpers\[0\].helper`",
        ),
        ('{"helpers": [{"helper": "h ?x", "from": ["p ?x"], "text": "{1}"}]}', r"\{1\}; it may hold \{0\}"),
        (
            '{"orders": [{"type": "t", "first": "t1", "fact": "n ?a ?b", "text": "Up to {n}"}]}',
            r"has \{n\}; it may hold \{top\} - at `\$.orders\[0\]`",
        ),
        (
            '{"grids": [{"type": "t", "helper": "g", "text": "{rows"}]}',
            r"'{rows' has a wrong slot.* - at `\$.grids\[0\]`",
        ),
    ],
)
def test_a_wrong_declaration_is_refused_with_its_place(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_implied(text)


def test_a_declaration_that_does_not_fit_the_domain_is_refused() -> None:
    facts, domain = dict(_tasks("blocksworld"))["p01"], _knowledge("blocksworld").vocabulary
    for entry in ('{"fact": "on ?a"}', '{"fact": "clear ?a", "unless": ["below ?a ?"]}'):
        with pytest.raises(ValueError, match="is no fact of the domain blocks"):
            outlined(facts, domain, read_implied(f'{{"facts": [{entry}]}}'))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"symmetric": ["an"]}', "'an' is no predicate of the domain blocks; it has clear"),
        ('{"transitive": ["abov"]}', "'abov' is no predicate"),
        ('{"orders": [{"type": "level", "first": "l0", "fact": "on ?a ?b"}]}', "'level' is no type"),
        ('{"grids": [{"type": "tile", "helper": "g", "text": ""}]}', "'tile' is no type"),
        (
            '{"grids": [{"type": "object", "helper": "g", "text": "", "within": "in"}]}',
            "'in' is no predicate",
        ),
    ],
)
def test_names_that_the_domain_has_not_are_refused(text: str, fault: str) -> None:
    facts, domain = dict(_tasks("blocksworld"))["p01"], _knowledge("blocksworld").vocabulary
    with pytest.raises(ValueError, match=fault):
        outlined(facts, domain, read_implied(text))


def test_helper_predicates_have_the_types_of_what_they_stand_for() -> None:
    domain = with_helpers(_knowledge("grippers").vocabulary, _implied("grippers"))
    assert domain.predicates["has_gripper"] == (("?r", "robot"), ("?g", "gripper"))


def test_the_documented_text_is_that_of_the_task() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tic_rules.md").read_text(encoding="utf-8")
    quoted = next(part.strip("\n") for part in page.split("```") if part.startswith("\nThe world has"))
    assert read_texts("floortile+terse", 2).task.startswith(quoted) and quoted.endswith(REST)

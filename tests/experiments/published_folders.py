"""Folders in the layout of LLM+P, of our own making: one a domain, `p01` to `p20`, some with `p_example`.

The texts are in the published manner: they give counts, rows and columns, name a part of the facts, and leave
the rest to whoever knows the domain. There is no `words.json`, no `rules.lp` and no program. Blocksworld has
other predicates than the built-in world and storage other types, so these two are nobody's twin; grippers has
no example, the one of floortile names objects that it does not declare, the one of termes has no text, and
beside the tasks lie files that are none.

`answer` stands in for a language model that knows all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from agents.llm.interface import Completion, Message, Usage
from envs.intermediate.gold_ir import gold_ir, plain_ir
from envs.pddl.language.domain import read_vocabulary
from envs.pddl.language.sexpr import Group, Source, read_sexprs
from envs.pddl.language.vocabulary import Vocabulary, show_typed
from envs.registry import WORLDS_FOLDER
from envs.tasks import Pool, TaskFacts, generator_of, make_facts, problem_text

DOMAINS = ("barman", "blocksworld", "floortile", "grippers", "storage", "termes", "tyreworld")
#: Those that declare what the built-in world of their name does.
TWINS = ("barman", "floortile", "grippers", "termes", "tyreworld")
TASKS = 20
_RENAMED = {"ontable": "on-table", "handempty": "arm-empty", "pick-up": "pickup", "put-down": "putdown"}
#: What a problem says of costs; nobody who has to find the domain can know of them.
_NO_COST = "(= (total-cost) 0)"
_CELL = re.compile(r"[-_](\d+)-(\d+)$")


@dataclass(frozen=True)
class _Prose:
    """How the tasks of a domain are told."""

    opening: str  #: with the number of objects by type, and of rows and columns of a grid
    told: Mapping[str, str]  #: predicate → the sentence on an initial fact; others are left out
    goal: Mapping[str, str]


_PROSE = {
    "barman": _Prose(
        "You have {shaker} shaker with {level} levels, {shot} shot glasses, {dispenser} dispensers for "
        "{ingredient} ingredients. The shaker and shot glasses are clean, empty, and on the table.",
        {"cocktail-part1": "{0} starts with {1}.", "cocktail-part2": "{0} goes on with {1}."}
        | {"dispenses": "{0} gives {1}."},
        {"contains": "{0} contains {1}."},
    ),
    "blocksworld": _Prose(
        "You have {object} blocks.",
        {
            "on": "{0} is on top of {1}.",
            "on-table": "{0} is on the table.",
            "arm-empty": "Your arm is empty.",
        },
        {"on": "{0} should be on top of {1}."},
    ),
    "floortile": _Prose(
        "You have {rows} rows and {columns} columns of unpainted floor tiles, tile_0-1 to the lower left, "
        "and {robot} robots that paint in {color} colors.",
        {"robot-at": "{0} is at {1}.", "robot-has": "{0} has the color {1}."},
        {"painted": "{0} should be {1}."},
    ),
    "grippers": _Prose(
        "You control {robot} robots, each with a left and a right gripper that are free. There are "
        "{room} rooms and {obj} balls.",
        {"at-robby": "{0} is in {1}.", "at": "{0} is in {1}."},
        {"at": "{0} should be in {1}."},
    ),
    "storage": _Prose(
        "You have {depot} depots and {container} containers with {storearea} store areas, {hoist} hoists and "
        "{crate} crates. Store areas side by side are connected.",
        {"on": "{0} is on {1}.", "at": "{0} is in {1}."},
        {"in": "{0} should be in {1}."},
    ),
    "termes": _Prose(
        "The robot is on a grid with {rows} rows and {columns} columns, pos-0-0 to the lower left. There are "
        "{numb} heights. No blocks are placed yet.",
        {"at": "The robot is at {0}.", "is-depot": "The depot is at {0}."},
        {"height": "The height at {0} should be {1}.", "has-block": "The robot may hold a block."},
    ),
    "tyreworld": _Prose(
        "You have {hub} hubs, {nut} nuts, {wheel} wheels and {tool} tools; the tools are in the boot.",
        {"on": "{0} is on {1}.", "tight": "{0} is tight on {1}.", "inflated": "{0} has air."},
        {
            "on": "{0} should be on {1}.",
            "tight": "{0} should be tight on {1}.",
            "in": "{0} should be in {1}.",
        },
    ),
}


@dataclass(frozen=True)
class Told:
    """A task in words and in PDDL, and what a model that makes no mistake answers."""

    domain: str
    facts: TaskFacts
    text: str
    problem: str
    ir: str


def write_folders(root: Path) -> dict[str, Path]:
    """A folder for each domain in `root`, by its name."""
    assert _all(), "checked before anybody is asked"
    return {name: _write_folder(name, root / name) for name in DOMAINS}


def _write_folder(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True)
    files = {
        "domain.pddl": domain_of(name),
        "domain.nl": _description(name),
        "README": "notes of the author\n",
        "predicate_descriptor.py": "raise SystemExit('never run')\n",
    }
    for number in range(1, TASKS + 1):
        task = told(name, number)
        files |= {f"p{number:02}.pddl": task.problem, f"p{number:02}.nl": f"{task.text}\n"}
    if name != "grippers":
        example = told(name, 0)
        broken = name == "floortile"
        text = example.problem.replace("tile_0-1 ", "", 1) if broken else example.problem
        files |= {"p_example.pddl": text, "p_example.sol": "(none)\n"}
        files |= {} if name == "termes" else {"p_example.nl": f"{example.text}\n"}
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


def _description(name: str) -> str:
    return (WORLDS_FOLDER / name / "domain.nl").read_text(encoding="utf-8")


@cache
def domain_of(name: str) -> str:
    """The domain's PDDL."""
    text = (WORLDS_FOLDER / name / "domain.pddl").read_text(encoding="utf-8")
    if name == "blocksworld":
        for ours, theirs in _RENAMED.items():
            text = re.sub(rf"\({ours}(?=[\s)])|(?<=action ){ours}\b", lambda m, t=theirs: _like(m, t), text)
    if name == "storage":
        text = text.replace("(in ?x - surface", "(in ?x - (either storearea crate)")
    return text


def _like(match: re.Match[str], name: str) -> str:
    return f"({name}" if match[0].startswith("(") else name


@cache
def told(name: str, number: int) -> Told:
    """Task `number` of a domain, from 1; 0 is its example."""
    sizes = generator_of(name).sizes()
    pool = Pool.ON_DEMAND if number else Pool.EXAMPLE
    facts = make_facts(name, pool, max(1, number), sizes[number % 3])
    ir = ""
    if name in TWINS:
        ir = gold_ir(name, facts)
    if name == "blocksworld":
        init = tuple((_RENAMED.get(atom[0], atom[0]), *atom[1:]) for atom in facts.init)
        facts = replace(facts, init=init)
    vocabulary = read_vocabulary(domain_of(name))
    problem = problem_text(f"{name}-{number}", vocabulary, facts)
    return Told(name, facts, _text(name, number, facts), problem, ir or plain_ir(facts, vocabulary))


def _text(name: str, number: int, facts: TaskFacts) -> str:
    prose = _PROSE[name]
    cells = [match for thing in facts.objects if (match := _CELL.search(thing))]
    counts = {
        "rows": len({c[1] for c in cells}),
        "columns": len({c[2] for c in cells}),
        **Counter(facts.objects.values()),
    }
    state = [prose.told[atom[0]].format(*atom[1:]) for atom in facts.init if atom[0] in prose.told]
    goal = [_goal(prose, holds, atom) for holds, atom in facts.goal]
    opening = f"Problem {number}. {prose.opening.format_map(counts)}"
    return "\n".join([opening, *state, "Your goal is the following.", *goal])


def _goal(prose: _Prose, holds: bool, atom: Sequence[str]) -> str:
    plain = f"{' and '.join(atom[1:])} should be {atom[0].replace('-', ' ')}."
    sentence = prose.goal[atom[0]].format(*atom[1:]) if atom[0] in prose.goal else plain
    return sentence if holds else f"This should not be so: {sentence}"


def answer(messages: Sequence[Message], index: int, seed: int) -> Completion:
    """The right reply to a conversation, with made-up token counts."""
    asked = "\n".join(message.content for message in messages if message.role == "user")
    text = _domain_reply(asked) if "def modify_action" in messages[-1].content else _reply(asked)
    return Completion(text, usage=Usage(len(asked) // 4, len(text) // 4), model="hand")


def _reply(asked: str) -> str:
    task = asked_about(asked)
    if "PDDL problem" in asked:
        problem = task.problem if "same manner" in asked else task.problem.replace(_NO_COST, "")
        return f"Here it is.\n```pddl\n{problem}```"
    lines = task.ir.splitlines()
    objects = [line for line in lines if line.startswith(("object", "cardinality"))]
    kept: Mapping[str, Callable[[str], bool]] = {
        "Find out how many": lambda line: line.startswith("cardinality"),
        "mentions by name": lambda line: line.startswith("object"),
        "is known already": lambda line: line not in objects,
    }
    wanted = next((keep for sign, keep in kept.items() if sign in asked), lambda _: True)
    return "```asp\n" + "\n".join(filter(wanted, lines)) + "\n```"


def asked_about(asked: str) -> Told:
    """The task whose whole text stands in a request, word for word, behind that of an example."""
    found = {asked.rfind(task.text): task for task in _all() if task.text in asked}
    assert found, "no given text is in the request"
    return found[max(found)]


@cache
def _all() -> tuple[Told, ...]:
    tasks = [told(name, number) for name in DOMAINS for number in range(1, TASKS + 1)]
    assert len({task.text for task in tasks}) == len(tasks), "the texts tell the tasks apart"
    return tuple(tasks)


def _domain_reply(asked: str) -> str:
    """The domain whose description is in a request, as the calls that make it."""
    name = next(name for name in DOMAINS if _description(name).strip() in asked)
    text = domain_of(name)
    (tree,) = read_sexprs(Source(text, "domain"))
    assert isinstance(tree, Group)
    vocabulary = read_vocabulary(text)
    calls = [f"add_or_update_predicates({_predicates(vocabulary)!r})"]
    for action in (part for part in tree.items if isinstance(part, Group) and part.head == ":action"):
        parts = list(map(str, action.items))
        said = {key: action.items[parts.index(key) + 1] for key in (":precondition", ":effect")}
        pre, effect = (_conjuncts(said[key]) for key in (":precondition", ":effect"))
        calls.append(f"modify_action({parts[1]!r}, {pre!r}, {effect!r})")
    return "```python\n" + "\n".join(calls) + "\n```"


def _predicates(vocabulary: Vocabulary) -> list[str]:
    return [f"({name} {show_typed(ps)})".replace(" )", ")") for name, ps in vocabulary.predicates.items()]


def _conjuncts(formula: object) -> list[str]:
    assert isinstance(formula, Group)
    parts = formula.parts if formula.head == "and" else (formula,)
    return [str(part) for part in parts if not str(part).startswith("(increase")]

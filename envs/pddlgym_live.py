"""A live pddlgym environment as a World: pddlgym itself decides what may run and what it does.

    world = open_live("blocks", problem=2)           # or LiveWorld(any pddlgym.core.PDDLEnv)

It is there for comparison and for environments of one's own made with pddlgym; for pddlgym's files alone,
`open_world("pddlgym:blocks")` is much faster. Differences that the World surface shows: an action that is not
possible is refused where pddlgym would change nothing and say nothing, operators that name an object twice do
not exist, and in domains that list action literals as predicates an operator is such a literal,
`(pickup a)`. Probabilistic domains are refused, as are those that need a Prolog that is not installed.

Importing pddlgym imports matplotlib and the old gym, which writes a notice to stderr: it happens when a live
environment is opened, not when this module is imported.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from envs.folder import WorldNotFound
from envs.pddl.interface import ActionSignature, Execution, Parameter, PlanVerdict, Refusal
from envs.pddl.language.operators import format_operator, parse_operator
from envs.pddl.scratch import scratch_folder
from envs.pddlgym_suite import domain_file, missing, problem_files

#: A domain with this comment has action literals, which are pddlgym's actions instead of the operators.
_ACTION_LITERALS = re.compile(r";\s*\(:actions\b")


def open_live(domain: str, problem: int = 1) -> LiveWorld:
    """One problem of a domain that pddlgym ships, in pddlgym's own simulator.

    Raises WorldNotFound if there is none, ValueError if pddlgym cannot be walked in it.
    """
    return LiveWorld(live_environment(domain, problem), name=f"pddlgym-live:{domain}")


def live_environment(domain: str, problem: int = 1) -> Any:
    """pddlgym's own environment (a PDDLEnv) of a problem of a domain that it ships. Raises WorldNotFound."""
    if why := missing():
        raise WorldNotFound(f"pddlgym-live:{domain}: {why}")
    try:
        path, problems = domain_file(domain), problem_files(domain)
        chosen = problems[problem - 1] if problem >= 1 else None
    except LookupError:
        chosen = None
    if chosen is None:
        raise WorldNotFound(f"pddlgym has no problem {problem} of a domain {domain!r}")
    from pddlgym.core import PDDLEnv

    literals = _ACTION_LITERALS.search(path.read_text(encoding="utf-8")) is not None
    # of its own folder pddlgym would read every problem
    with scratch_folder() as folder:
        shutil.copy(chosen, folder)
        return PDDLEnv(str(path), folder, operators_as_actions=not literals, dynamic_action_space=True)


class LiveWorld:
    """The World surface of a pddlgym environment, set to the problem that its `reset` gives.

    The environment is used up by this: it is set to other states whenever something is asked.
    """

    def __init__(self, env: Any, *, name: str = "pddlgym-live", description: str = "", task: str = ""):
        """`description` and `task` are what an agent is told; pddlgym itself has no such texts.

        Raises ValueError for a domain with probabilistic effects, and for one with quantifiers or
        disjunctions if the Prolog that pddlgym asks about those is not installed.
        """
        if env.domain.is_probabilistic:
            raise ValueError(f"{name}: effects are probabilistic, and a World is deterministic")
        if env._inference_mode == "prolog" and shutil.which("swipl") is None:
            raise ValueError(f"{name}: pddlgym needs SWI-Prolog for its conditions: install it (swipl)")
        self.name, self.description, self.task = name, description, task
        self._env = env
        state, _ = env.reset()
        #: the walk asked for last, and the state after each of its prefixes
        self._walk: tuple[str, ...] = ()
        self._states: list[Any] = [state]

    @property
    def types(self) -> Mapping[str, str | None]:
        """Type name to its parent's name, None below the root; `default` where the domain has no types."""
        hierarchy = self._env.domain.type_hierarchy or {}
        parents = {str(child): str(parent) for parent, children in hierarchy.items() for child in children}
        found = {*map(str, self._env.domain.types or {}), *self.objects.values(), *parents}
        return {name: _below_root(parents.get(name)) for name in sorted(found - {"object"})}

    @property
    def objects(self) -> Mapping[str, str]:
        """Object name to the name of its type, sorted."""
        return {str(o.name): str(o.var_type) for o in sorted(self._states[0].objects)}

    @property
    def actions(self) -> tuple[ActionSignature, ...]:
        """The actions that pddlgym takes, sorted by name."""
        signatures = []
        for predicate in sorted(self._env.action_predicates, key=lambda p: str(p.name)):
            types = [str(t) for t in predicate.var_types]
            parameters = tuple(Parameter(f"?x{i}", name) for i, name in enumerate(types, start=1))
            signatures.append(ActionSignature(str(predicate.name), parameters))
        return tuple(signatures)

    def applicable(self, walk: Sequence[str] = ()) -> tuple[str, ...]:
        """The operators that may run after `walk`, sorted. Raises ValueError if `walk` itself is refused."""
        return tuple(sorted(self._possible(self._after(walk))))

    def executable(self, walk: Sequence[str]) -> Execution:
        """How many operators of `walk` run before one is refused."""
        return self._run(walk)[0]

    def verify(self, plan: Sequence[str]) -> PlanVerdict:
        """Whether every step of `plan` runs and pddlgym takes the goal for reached afterwards."""
        from pddlgym.inference import check_goal

        execution, state = self._run(plan)
        return PlanVerdict(execution, bool(check_goal(state, state.goal)))

    def describe(self, walk: Sequence[str] = ()) -> str:
        """The literals that hold after `walk`, one a line. Raises ValueError if `walk` is refused."""
        return "\n".join(sorted(self.atoms(walk)))

    def atoms(self, walk: Sequence[str] = ()) -> frozenset[str]:
        """The literals that hold after `walk`, as texts `(on a b)`. Raises ValueError if it is refused."""
        return frozenset(map(_text, self._after(walk).literals))

    def _after(self, walk: Sequence[str]) -> Any:
        execution, state = self._run(walk)
        if execution.refusal is not None:
            raise ValueError(f"step {execution.steps + 1} of the walk is refused: {walk[execution.steps]}")
        return state

    def _run(self, walk: Sequence[str]) -> tuple[Execution, Any]:
        """Run `walk`, from where the last one asked for parts from it."""
        shared = 0
        while shared < min(len(walk), len(self._walk)) and walk[shared] == self._walk[shared]:
            shared += 1
        del self._states[shared + 1 :]
        self._walk = tuple(walk[:shared])
        for step in range(shared, len(walk)):
            literal = self._possible(self._states[-1]).get(_canonical(walk[step]))
            if literal is None:
                return Execution(step, self._refusal(walk[step])), self._states[-1]
            self._env.set_state(self._states[-1])
            self._states.append(self._env.step(literal)[0])
            self._walk = (*self._walk, walk[step])
        return Execution(len(walk)), self._states[-1]

    def _possible(self, state: Any) -> dict[str, Any]:
        """The actions that pddlgym takes in `state`, by their texts."""
        return {_text(a): a for a in self._env.action_space.all_ground_literals(state, valid_only=True)}

    def _refusal(self, text: str) -> Refusal:
        try:
            name, arguments = parse_operator(text)
        except ValueError:
            return Refusal.UNKNOWN_NAME
        arities = {a.name.lower(): len(a.parameters) for a in self.actions}
        names = {o.lower() for o in self.objects}
        if name not in arities:
            return Refusal.UNKNOWN_NAME
        if len(arguments) != arities[name]:
            return Refusal.WRONG_ARITY
        return Refusal.NOT_EXECUTABLE if names.issuperset(arguments) else Refusal.UNKNOWN_NAME


def _canonical(text: str) -> str:
    """The canonical text of an operator; a text that is none stays as it is, and is found nowhere."""
    try:
        return format_operator(*parse_operator(text))
    except ValueError:
        return text


def _text(literal: Any) -> str:
    return format_operator(str(literal.predicate.name), [str(v.name) for v in literal.variables])


def _below_root(parent: str | None) -> str | None:
    return None if parent == "object" else parent

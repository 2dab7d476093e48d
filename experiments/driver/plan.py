"""From flags to work: which episodes a run is made of, and who answers in each.

Live, an empty flag takes the method's own setting. Recorded, the recording decides: flags choose among the
packaged recordings, and what they leave open is filled in from the one chosen, so that every request of
the run finds its answer. An episode is a `Unit`; its key is the hash of all that its results depend on.

Where neither environment nor method is named, a recorded run is all of the first recording, and beside it
what a repair makes of one recorded proposal (`REPAIRED`).

A run of the main job is one configuration, and what no recording answers is refused. A comparison is made
of cells, one for each environment, method and budget: cells that no recording answers stay empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from envs.pddl.language.domain import read_domain
from envs.pddl.language.issues import PDDLError
from envs.pddl.language.prose import listed
from envs.plugins import BrokenPlugin
from envs.source import WorldNotFound
from experiments.config import (
    SIZE_FLAGS,
    BudgetFlags,
    ConfigError,
    PlannerFlags,
    RunConfig,
    SizeFlag,
    flag,
    is_live,
    pick,
    shared,
)
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import (
    ABLATIONS,
    METHODS,
    NOBODY,
    SEEDED,
    is_method,
    method_named,
    with_prompts,
    without_prompts,
)
from experiments.recordings import Cover, Shelved
from experiments.runs.marks import is_simulated
from experiments.runs.records import condition_of, world_label
from experiments.runs.units import EpisodeSettings, Unit, counted_task, feedback_task
from experiments.simulated.rates import model_label
from experiments.spending.bounds import texts_at

#: What a live run does where no flag says otherwise. Source: Mahdavi et al. 2024, section 5 (tasks).
LIVE_ENV, LIVE_METHOD, LIVE_SEEDS, LIVE_TASKS = "grippers", "tree", (0,), 10

#: Shown beside the first recording: an environment whose first recorded proposal walks find to be wrong.
REPAIRED = ("grippers_ood+undocumented", "llm-once+repair")

#: Of the covers that do not answer, so many are listed, the nearest first.
_SHOWN = 8
#: Settings without which there is none; others that are not given are the recording's.
_BUDGETS = tuple(f.name for f in fields(BudgetFlags))


def resolve(config: RunConfig, shelf: Sequence[Shelved]) -> RunPlan:
    """The plan of a configuration. Raises ConfigError if a name is unknown or no recording answers."""
    _check([config], METHODS)
    return _plan(config, shelf, _live(config) if is_live(config) else _recorded(config, shelf))


def resolve_cells(
    cells: Sequence[RunConfig], shelf: Sequence[Shelved], known: Iterable[str] = METHODS
) -> RunPlan:
    """The plan of a comparison: every environment with every method of each of `cells`, as far as it goes.

    The configurations name environments and methods, and differ in nothing but these and the budgets.
    Recorded, a cell takes the recording with the most of the seeds and tasks asked for; without any it is
    `missing`. Methods are those of `known`, which may hold conditions of a study. Raises ConfigError if a
    name is unknown or there is an answer to no cell at all.
    """
    _check(cells, known)
    plans, missing = [], []
    for config in cells:
        found, lacking = (_live(config), []) if is_live(config) else _recorded_cells(config, shelf)
        plans.append(_plan(config, shelf, found))
        missing += lacking
    units = tuple(unit for plan in plans for unit in plan.units)
    if not units:
        raise ConfigError(_nothing_fits(cells[0], shelf))
    paths = {label: path for plan in plans for label, path in plan.recordings.items()}
    return replace(plans[0], units=units, recordings=paths, missing=tuple(missing))


def _check(configs: Sequence[RunConfig], known: Iterable[str]) -> None:
    """Raises ConfigError if flags cannot be meant together, or a method is none of `known`."""
    methods = [_picked(method, known) for config in configs for method in config.method]
    first = configs[0]
    fixed = [name for name in SIZE_FLAGS if methods and not any(_takes(m, name) for m in methods)]
    if set(fixed) & set(_given(first)):
        names, which = " ".join(dict.fromkeys(methods)), listed(list(map(flag, fixed)))
        are, them = ("are", "them") if len(fixed) > 1 else ("is", "it")
        raise ConfigError(f"{which} {are} fixed for {names}; leave {them} out")
    if first.prompts and not (is_live(first) or first.recording):
        raise ConfigError(
            f"--prompts {first.prompts}: recordings are bypassed, as they answer requests with the packaged "
            "prompts; run live with --model or --base-url, or name a run with these prompts by --recording"
        )


def _picked(method: str, known: Iterable[str]) -> str:
    """`method` if it is known. Raises ConfigError, for a condition of a study with that study's command."""
    names, method = tuple(known), without_prompts(method)
    if method in ABLATIONS and method not in names:
        raise ConfigError(
            f"{method!r} is no method, but a condition of a study: "
            f"python -m experiments.run study-ablation --method refine {method}"
        )
    return pick("method", method, names)


def _given(config: RunConfig) -> list[SizeFlag]:
    """The flags on the size of a search that are given."""
    return [name for name in SIZE_FLAGS if getattr(config, name) is not None]


def _takes(method: str, name: SizeFlag) -> bool:
    """Whether a method takes that flag; one that is no longer there may have taken it."""
    return not is_method(method) or name in method_named(method).takes


def _given_domain(config: RunConfig) -> str:
    """The text of --seed-domain, empty for none. Raises ConfigError if it cannot be begun with."""
    path = config.seed_domain
    if path is None:
        return ""
    others = [method for method in config.method or (LIVE_METHOD,) if without_prompts(method) not in SEEDED]
    if others or not is_live(config):
        raise ConfigError(
            f"--seed-domain is for live runs of {', '.join(sorted(SEEDED))}; leave it out, or name one of "
            "them with --model or --base-url"
        )
    try:
        text = path.read_text(encoding="utf-8")
        read_domain(text, path.name)
    except (OSError, UnicodeDecodeError, PDDLError) as error:
        raise ConfigError(f"--seed-domain {path}: {error}") from error
    return text


def _plan(config: RunConfig, shelf: Sequence[Shelved], chosen: Sequence[tuple[str, Cover]]) -> RunPlan:
    """The plan for these covers, each with the name of who answers."""
    live = is_live(config)
    fixed = {**shared(config, PlannerFlags), "seed_domain": _given_domain(config)}
    units = tuple(
        Unit(**shared(cover, EpisodeSettings), **fixed, seed=seed, answers=answers)
        for answers, cover in chosen
        for seed in cover.seeds
    )
    paths = {} if live else {s.label: s.path for s in shelf if any(u.answers == s.label for u in units)}
    return RunPlan(config, "live" if live else "recorded", config.out or _default_out(units), units, paths)


def _live(config: RunConfig) -> list[tuple[str, Cover]]:
    label = model_label(config.model)
    answers = label if label and is_simulated(label) else f"{label} at {config.base_url or 'OpenAI'}"
    return [
        (answers, _live_cover(config, env, name))
        for env in config.env or (LIVE_ENV,)
        for name in config.method or (LIVE_METHOD,)
    ]


def _live_cover(config: RunConfig, env: str, name: str) -> Cover:
    """The episodes that are asked for: what no flag says is the method's own setting."""
    method = method_named(name)
    there, _ = _leading(env, map(feedback_task, range(1, method.feedback_tasks + 1)), method.asks_model)
    as_published = config.protocol == "paper" and method.published_feedback
    open_settings: dict[str, Any] = {
        **{size: getattr(method, size) for size in SIZE_FLAGS},
        "tasks": config.tasks or tasks_there(env, method.asks_model),
        "estimator": method.estimator,
        "feedback": "paper" if as_published else method.feedback,
        "protocol": "apart" if there else "paper",
        "translator": "llm",
    }
    fixed = [size for size in SIZE_FLAGS if size not in method.takes]
    given = {k: v for k, v in shared(config, EpisodeSettings).items() if v is not None and k not in fixed}
    own = {"env": env, "method": with_prompts(name), "feedback_tasks": max(1, there)}
    return Cover(**{**open_settings, **given, **own}, seeds=config.seeds or LIVE_SEEDS)


def tasks_there(env: str, asks: bool, most: int = LIVE_TASKS) -> int:
    """How many tasks a world has, up to `most`; if a language model is asked, those that are described.

    What cannot be read at all is reported when it is opened.
    """
    there, readable = _leading(env, (counted_task(env, n) for n in range(1, most + 1)), asks)
    return max(1, there) if readable else most


def _leading(env: str, tasks: Iterable[int | str], asks: bool) -> tuple[int, bool]:
    """How many of these tasks are there before the first that is not, and whether that one can be read."""
    names = list(tasks)
    for there, task in enumerate(names):
        try:
            if not _is_there(env, task, asks):
                return there, True
        except (ValueError, OSError, BrokenPlugin):
            return there, False
    return len(names), True


def _is_there(env: str, task: int | str, asks: bool) -> bool:
    """Whether the environment has the task; if a language model is asked, described in words."""
    try:
        return bool(texts_at(env, task).task) or not asks
    except WorldNotFound:
        return False


def _recorded(config: RunConfig, shelf: Sequence[Shelved]) -> list[tuple[str, Cover]]:
    asking = tuple(method for method in config.method if method_named(method).asks_model)
    if asking == config.method:
        return _answered(config, shelf)
    answered = _answered(replace(config, method=asking), shelf) if asking else []
    envs = config.env or tuple(dict.fromkeys(cover.env for _, cover in answered)) or (LIVE_ENV,)
    unasked = [method for method in config.method if not method_named(method).asks_model]
    return [*answered, *((NOBODY, _live_cover(config, env, method)) for env in envs for method in unasked)]


def _answered(config: RunConfig, shelf: Sequence[Shelved]) -> list[tuple[str, Cover]]:
    fitting = [(s.label, c) for s in shelf for c in _offered(s, config) if _answers(c, config)]
    if not fitting:
        raise ConfigError(_nothing_fits(config, shelf))
    beside: list[tuple[str, Cover]] = []
    if not config.env and not config.method:
        first = fitting[0][0]
        pairs = [(c.env, c.method) for name, c in fitting if name == first]
        beside = _repaired_beside(config, shelf)
    else:
        envs = config.env or (fitting[0][1].env,)
        methods = config.method or tuple(dict.fromkeys(c.method for _, c in fitting if c.env in envs))[:1]
        pairs = [(env, method) for env in envs for method in methods]
    chosen = []
    for env, method in pairs:
        hits = [(name, c) for name, c in fitting if (c.env, c.method) == (env, method)]
        if not hits:
            raise ConfigError(_nothing_fits(config, shelf, env, method))
        name, cover = hits[0]
        chosen.append((name, cover.narrowed(config.seeds or cover.seeds, config.tasks or cover.tasks)))
    return chosen + beside


def _repaired_beside(config: RunConfig, shelf: Sequence[Shelved]) -> list[tuple[str, Cover]]:
    """The cell `REPAIRED`, as far as there is an answer to it and it takes the flags that are given."""
    env, method = REPAIRED
    if not all(_takes(method, name) for name in _given(config)):
        return []
    return _recorded_cells(replace(config, env=(env,), method=(method,)), shelf)[0]


def _recorded_cells(
    config: RunConfig, shelf: Sequence[Shelved]
) -> tuple[list[tuple[str, Cover]], list[tuple[str, str]]]:
    """The covers that answer cells of `config`, narrowed to it, and the cells without one."""
    any_number = replace(config, seeds=(), tasks=None)
    chosen, missing = [], []
    for env, method in ((env, method) for env in config.env for method in config.method):
        if not method_named(method).asks_model:
            chosen.append((NOBODY, _live_cover(config, env, method)))
            continue
        one = replace(any_number, env=(env,), method=(method,))
        hits = [(s.label, _within(c, config)) for s in shelf for c in _offered(s, one) if _answers(c, one)]
        if hits := [(label, cover) for label, cover in hits if cover.seeds]:
            chosen.append(max(hits, key=lambda hit: hit[1].worth))
        else:
            missing.append((env, condition_of(method, config.budget_tokens, config.budget_queries)))
    return chosen, missing


def _offered(recording: Shelved, config: RunConfig) -> tuple[Cover, ...]:
    """What a recording covers, and what it answers besides of the methods that are asked for by name."""
    besides = [
        replace(cover, method=name, turns=method_named(name).turns)
        for name in config.method
        for cover in recording.covers
        if with_prompts(method_named(name).answered_by) == cover.method
        and method_named(name).turns <= cover.turns
    ]
    return (*recording.covers, *besides)


def _within(cover: Cover, config: RunConfig) -> Cover:
    """What there is of what is asked for."""
    seeds = [seed for seed in cover.seeds if not config.seeds or seed in config.seeds]
    return cover.narrowed(seeds, min(cover.tasks, config.tasks or cover.tasks))


def _answers(cover: Cover, config: RunConfig) -> bool:
    """Whether a recording of `cover` holds the answer to every request of `config`."""
    unused = [name for name in _given(config) if not _takes(cover.method, name)]
    if unused and not config.method:
        return False
    wanted = {k: v for k, v in _settings(config).items() if k in _BUDGETS or v is not None}
    return (
        (not config.env or cover.env in config.env)
        and (not config.method or cover.method in config.method)
        and cover.method == with_prompts(cover.method)
        and all(value == getattr(cover, name) for name, value in wanted.items() if name not in unused)
        and cover.person is None
        and cover.modelling is None
        and (config.tasks or 0) <= cover.tasks
        and set(config.seeds) <= set(cover.seeds)
    )


def _settings(config: RunConfig) -> dict[str, Any]:
    """The settings of episodes that flags choose among recordings by."""
    cells = ("env", "method", "tasks")
    return {k: v for k, v in shared(config, EpisodeSettings).items() if k not in cells}


def _nothing_fits(config: RunConfig, shelf: Sequence[Shelved], env: str = "", method: str = "") -> str:
    envs, methods = (env,) if env else config.env, (method,) if method else config.method
    asked = {
        "env": " ".join(envs),
        "method": " ".join(methods),
        "seeds": " ".join(map(str, config.seeds)),
        "tasks": config.tasks,
        **_settings(config),
    }
    flags = " ".join(f"{flag(name)} {value}" for name, value in asked.items() if value)
    there = [(s.name, c) for s in shelf for c in s.covers]
    there.sort(key=lambda named: -((named[1].env in envs) + (named[1].method in methods)))
    shown = [f"{name}: {cover}" for name, cover in there[:_SHOWN]] or ["none is packaged"]
    if len(there) > _SHOWN:
        shown.append(f"and {len(there) - _SHOWN} more, see `python -m experiments.recordings show`")
    return (
        f"no recording answers {flags}; recordings: {'; '.join(shown)}. Run live with --model or --base-url"
    )


def _default_out(units: Sequence[Unit]) -> Path:
    envs = dict.fromkeys(world_label(u.env).replace(":", "_") for u in units)
    methods = dict.fromkeys(u.condition for u in units)
    return Path("runs") / f"{'+'.join(envs)}-{'+'.join(methods)}"

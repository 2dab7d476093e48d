"""The command line of the main job, `python -m experiments.run`, and the door to others (`experiments.jobs`).

Exit codes: 0 everything was finished; 1 an error of ours is unexplained, or an episode was not answered; 2 a
flag, a name or a file is wrong; 3 the machine failed (planner, endpoint, worker) or a cap was reached: the
same command again, with a larger cap, resumes the run; 130 stopped by the user.
"""

from __future__ import annotations

import sys

from experiments.config import (
    EXIT_CONFIG,
    EXIT_MACHINE,
    EXIT_UNEXPLAINED,
    ConfigError,
    EpisodeFlags,
    RunConfig,
    answer_help,
    fail,
    parse,
    pick,
)
from experiments.driver.command import lasting_output, run_command

if __name__ == "__main__":
    lasting_output()
    answer_help(sys.argv[1:])  # before the imports below, which take longer than the help

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import EntryPoint

from rich.console import Console

from agents import prompts
from agents.llm.errors import LLMError
from envs.pddl.planning.planner import Planner, PlannerMissing
from envs.pddl.scratch import sweep
from experiments.driver import models, preflight
from experiments.driver.command import EXIT_INTERRUPTED, interruptible
from experiments.driver.engine import blame, make_executor, unfinished
from experiments.driver.job import Job, episodes_at_once
from experiments.driver.plan import resolve
from experiments.driver.run_plan import RunPlan
from experiments.jobs import jobs
from experiments.methods.registry import method_named, with_prompts
from experiments.recordings import Shelved, header_of, shelf
from experiments.reporting.display import exit_code_of, marked, rich_table, wide_console
from experiments.runs.directory import ConfigDrift, RunBusy, RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.marks import MixedResults, is_simulated, label_of
from experiments.runs.progress import Progress, warnings_shown_by
from experiments.runs.provenance import provenance
from experiments.runs.records import FaultKind
from experiments.runs.tracking import check_extra, tracked
from experiments.runs.units import Unit
from experiments.simulated.rates import model_label
from experiments.spending.bounds import one_evaluation
from experiments.spending.capped import CappedExecutor, spent_before
from experiments.spending.caps import BudgetReached
from experiments.spending.dry_run import bounds_table, caps_that_bite, upper_bounds
from search.boundary import WorkerError
from search.executors import Executor, ExecutorUnavailable
from search.memoised import MemoisedExecutor

#: Errors that end a command with one line; those of the machine are not the user's.
_OF_MACHINE = (PlannerMissing, ExecutorUnavailable, BudgetReached)
_OF_USER = (ConfigError, ConfigDrift, MixedResults, RunBusy, RunUnreadable)
_EXPECTED = (*_OF_USER, WorkerError, LLMError, *_OF_MACHINE)
#: Which episodes a configuration comes to, given the recordings there are. Raises ConfigError.
Resolving = Callable[[RunConfig, Sequence[Shelved]], RunPlan]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of a command line; returns the exit code. Errors become one line each."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    sweep()
    try:
        if given and not given[0].startswith("-"):
            known = jobs()
            return int(loaded_job(known[pick("job", given[0], known)])(given[1:]))
        return run(parse(given), wide_console())
    except KeyboardInterrupt:
        return fail("stopped; runs and studies resume from what is written", EXIT_INTERRUPTED)
    except _EXPECTED as error:
        return fail(str(error), _exit_code(error))
    except OSError as error:
        return fail(f"{error}; fix that, and give the same command again", EXIT_MACHINE)


def loaded_job(entry: EntryPoint) -> Callable[[Sequence[str]], int]:
    """The function of a job. Raises ConfigError if its package cannot be imported."""
    try:
        job: Callable[[Sequence[str]], int] = entry.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"job {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
    return job


def _exit_code(error: Exception) -> int:
    """The exit code by blame: a flag or a file (2), the machine (3), an internal error (1)."""
    if isinstance(error, WorkerError):
        return EXIT_UNEXPLAINED if blame(error) is FaultKind.PROGRAM else EXIT_MACHINE
    if isinstance(error, LLMError):
        return exit_code_of(error)
    return EXIT_MACHINE if isinstance(error, _OF_MACHINE) else EXIT_CONFIG


def run(flags: EpisodeFlags, console: Console, resolving: Resolving = resolve) -> int:
    """Resolve, check, do what is not done, and report. `resolving` says which episodes there are."""
    config = RunConfig.of(flags)
    with prompts.overridden(preflight.check_prompts(config)):
        return _run(replace(config, method=tuple(map(with_prompts, config.method))), console, resolving)


def _run(config: RunConfig, console: Console, resolving: Resolving) -> int:
    config = preflight.check_names(config)
    check_extra(config.track)
    plan = resolving(config if config.dry_run else models.with_model(config), shelf(config.recording))
    config = plan.config
    prices = models.prices_of(config, models.model_names(plan))
    if config.dry_run:
        return _dry_run(plan, prices, console)
    if config.print_config:
        console.print_json(data={**asdict(config), **plan.science(), "out": str(plan.out)}, default=str)
        return 0
    science = {**plan.science(), **preflight.texts_of_worlds(plan)}
    directory = RunDirectory(plan.out)
    if not config.fresh:
        directory.check(science)
        ledger = Ledger(directory)
        if not unfinished(plan.units, ledger, again=config.retry_unanswered):
            console.print(f"{plan.out}: everything is finished; nothing to do", soft_wrap=True)
            from experiments.report import report_run

            return report_run(directory, ledger, console, drawn=False)
    preflight.check_worlds(plan)
    opened_models = models.open_models(plan)
    label_of(models.profiles_of(opened_models))  # a simulated model's results stand beside no other one's
    origin = {
        **provenance(Planner(config.planner, memory_mb=config.planner_memory_mb).check()),
        **header_of(plan.covers()),
        "asked": plan.asked(),
        "published": plan.published,
        "texts": preflight.task_texts(plan),
        "profiles": models.profiles_of(opened_models),
        "endpoints": models.served_models(opened_models),
        **preflight.prompts_used(),
    }
    with make_executor(config) as executor:
        executor.check()
        with RunDirectory.open(plan.out, science, origin, fresh=config.fresh) as opened:
            for name, text in prompts.active().texts.items():
                opened.write(f"prompts/{name}", f"{text}\n")
            return _work(plan, opened_models, prices, executor, opened, console)


def _dry_run(plan: RunPlan, prices: models.Priced, console: Console) -> int:
    """Show what the run may ask for at most."""
    preflight.check_worlds(plan)
    table, by_answers = prices
    bounds = upper_bounds(plan, by_answers)
    shown = bounds_table(bounds, table)
    label = model_label(plan.config.model) or ""
    console.print(rich_table(marked(shown, label) if is_simulated(label) else shown))
    for line in caps_that_bite(plan, bounds.values()):
        console.print(line, soft_wrap=True)
    return 0


def _work(
    plan: RunPlan,
    answering: models.Models,
    prices: models.Priced,
    executor: Executor,
    directory: RunDirectory,
    console: Console,
) -> int:
    from experiments.report import report_run, write_report  # now, not when hours of work are to be reported

    ledger, config, (table, _) = Ledger(directory), plan.config, prices
    spent = partial(spent_before, plan.units, ledger)
    with (
        tracked(config.track, directory, ledger),
        models.asked_through(directory, answering, config, prices, spent) as (asked, budget),
    ):
        shared = MemoisedExecutor(executor) if plan.has_budgets else executor
        capped = CappedExecutor(shared, budget, max(map(_dearest_call, plan.units)))
        left = len(unfinished(plan.units, ledger, again=config.retry_unanswered))
        at_once = episodes_at_once(config)
        progress = Progress(console, partial(models.counters_of, asked, table, budget), left, at_once)
        for line in _introduction(plan):
            progress.say(line)
        try:
            with progress, warnings_shown_by(progress), interruptible(partial(_stopping, progress)):
                Job(plan, asked, capped, ledger, progress, partial(models.stop_waiting, answering)).run()
        except KeyboardInterrupt:
            ledger.cancel()
            progress.say("cancelled; the same command resumes where this stopped")
            return EXIT_INTERRUPTED
        finally:
            if table.by_model:
                progress.say(f"cost of the run so far: {table.shown(budget.used.cost)}")
            report = write_report(directory, ledger)
    return report_run(directory, ledger, console, drawn=True, report=report)


def _dearest_call(unit: Unit) -> int:
    """World queries of the dearest single call of an episode."""
    method = method_named(unit.method)
    return max(one_evaluation(unit, further=method.looks_further), method.repair_queries(unit))


def _introduction(plan: RunPlan) -> list[str]:
    names = dict.fromkeys(unit.answers for unit in plan.units)
    answers = ", ".join(f"recording {n}" if n in plan.recordings else n for n in names)
    episodes = f"{len(plan.units)} episode{'' if len(plan.units) == 1 else 's'}"
    return [
        f"answers: {answers}",
        f"run directory: {plan.out} ({episodes}, executor {plan.config.executor})",
        *preflight.texts_told(plan),
        *preflight.walks_told(plan),
        *_missing(plan),
        *plan.left_out,
        *preflight.prompts_told(plan.config),
    ]


def _missing(plan: RunPlan) -> list[str]:
    """The cells of a comparison that stay empty, by environment."""
    envs: dict[str, list[str]] = {}
    for env, condition in plan.missing:
        envs.setdefault(env, []).append(condition)
    return [f"no recording of {env}: {', '.join(conditions)}" for env, conditions in envs.items()]


def _stopping(progress: Progress) -> None:
    progress.stop()
    progress.say("stopping: what is under way is finished and kept; ctrl-C again exits now")


if __name__ == "__main__":
    run_command(main)

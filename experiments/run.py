"""The main job's command line: `python -m experiments.run`, and the door to the further ones (`JOBS`).

Exit codes: 0 everything was finished; 1 an error of ours is unexplained, or an episode was not answered; 2 a
flag, a name or a file is wrong; 3 the machine failed (planner, endpoint, worker) or a cap was reached: the
same command again, with a larger cap, goes on where it stopped; 130 stopped by the user.
"""

from __future__ import annotations

import sys

from experiments.config import (
    EXIT_CONFIG,
    EXIT_MACHINE,
    EXIT_UNEXPLAINED,
    ConfigError,
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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module

from rich.console import Console

from agents.llm.errors import LLMError
from agents.llm.journal import Journal
from envs.pddl.planning.planner import PlannerMissing
from envs.pddl.scratch import sweep
from experiments.driver.console import exit_code_of, wide_console
from experiments.driver.interrupt import EXIT_INTERRUPTED, interruptible
from experiments.driver.job import Job, blame, episodes_at_once, make_executor, unfinished
from experiments.driver.models import (
    Models,
    counters_of,
    journaled,
    open_models,
    prices_of,
    profiles_of,
    served_models,
    stop_waiting,
    with_model,
)
from experiments.driver.plan import resolve
from experiments.driver.preflight import (
    check_names,
    check_planner,
    check_worlds,
    task_texts,
    texts_of_worlds,
    texts_told,
)
from experiments.driver.run_plan import RunPlan
from experiments.methods.registry import method_named
from experiments.recordings import Shelved, header_of, shelf
from experiments.reporting.display import marked, rich_table
from experiments.runs.directory import ConfigDrift, RunDirectory, RunUnreadable
from experiments.runs.ledger import Ledger
from experiments.runs.lock import RunBusy
from experiments.runs.marks import MixedResults, is_simulated, label_of
from experiments.runs.progress import Progress, told_by
from experiments.runs.provenance import provenance
from experiments.runs.records import FaultKind
from experiments.runs.tracking import check_extra, tracked
from experiments.runs.units import Unit
from experiments.simulated.rates import model_label
from experiments.spending.bounds import one_evaluation
from experiments.spending.capped import CappedExecutor, open_budget
from experiments.spending.caps import BudgetReached
from experiments.spending.dry_run import bounds_table, caps_that_bite, upper_bounds
from experiments.spending.prices import Price, Prices
from search.boundary import WorkerError
from search.executors import Executor, ExecutorUnavailable
from search.memoised import MemoisedExecutor

#: The further jobs, by the name that stands in the place of the first flag: the module whose
#: `main(arguments)` does it and gives the exit code. Imported on use.
JOBS: Mapping[str, str] = {
    "table2": "experiments.studies.table2",
    "budgets": "experiments.studies.budgets",
    "replay": "experiments.studies.replay",
    "planetarium": "experiments.studies.planetarium.study",
    "planetarium-data": "experiments.studies.planetarium.data",
    "repair": "experiments.studies.repair.job",
    "study-ablation": "experiments.studies.ablation",
    "study-detection": "experiments.studies.detection",
    "learn": "experiments.studies.learn",
    "operators": "experiments.studies.operators.study",
    "goals": "experiments.studies.goals.study",
    "study-removal": "experiments.studies.removal.study",
    "study-repair": "experiments.studies.repair.study",
    "tic": "experiments.studies.tic",
    "worldmodel": "experiments.studies.worldmodel",
}

_Prices = tuple[Prices, Mapping[str, Price | None]]
#: Which episodes a configuration comes to, given the recordings there are. Raises ConfigError.
Resolving = Callable[[RunConfig, Sequence[Shelved]], RunPlan]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of a command line; returns the exit code. Errors become one line each."""
    console = wide_console()
    given = list(sys.argv[1:] if arguments is None else arguments)
    sweep()
    try:
        if given and not given[0].startswith("-"):
            return run_job(pick("job", given[0], JOBS), given[1:])
        return run(parse(given), console)
    except (ConfigError, ConfigDrift, RunBusy, RunUnreadable) as error:
        return fail(str(error), EXIT_CONFIG)
    except WorkerError as error:
        return fail(str(error), EXIT_UNEXPLAINED if blame(error) is FaultKind.PROGRAM else EXIT_MACHINE)
    except (PlannerMissing, ExecutorUnavailable, BudgetReached) as error:
        return fail(str(error), EXIT_MACHINE)
    except KeyboardInterrupt:
        return fail("stopped; the same command goes on from what is written down", EXIT_INTERRUPTED)
    except OSError as error:
        return fail(f"{error}; mend that, and give the same command again", EXIT_MACHINE)
    except LLMError as error:
        return fail(str(error), exit_code_of(error))


def run_job(name: str, arguments: Sequence[str]) -> int:
    """Do a job of `JOBS`; its errors are those of the main job. Raises KeyError for any other name."""
    module = import_module(JOBS[name])
    try:
        code: int = module.main(arguments)
    except KeyboardInterrupt:
        return fail("stopped; the same command goes on where this stopped", EXIT_INTERRUPTED)
    return code


def run(config: RunConfig, console: Console, resolving: Resolving = resolve) -> int:
    """Resolve, check, do what is not done, and report. `resolving` says which episodes there are."""
    config = check_names(config)
    check_extra(config.track)
    plan = resolving(config if config.dry_run else with_model(config), shelf(config.recording))
    config = plan.config
    prices = prices_of(plan)
    if config.dry_run:
        return _dry_run(plan, prices, console)
    if config.print_config:
        console.print_json(data={**asdict(config), **plan.science(), "out": str(plan.out)}, default=str)
        return 0
    science = {**plan.science(), **texts_of_worlds(plan)}
    directory = RunDirectory(plan.out)
    if not config.fresh:
        directory.check(science)
        ledger = Ledger(directory)
        if not unfinished(plan, ledger):
            console.print(f"{plan.out}: everything is finished; nothing to do", soft_wrap=True)
            return _shown(directory, ledger, console)
    check_worlds(plan)
    models = open_models(plan)
    _refuse_mixed(models)
    origin = {
        **provenance(check_planner(plan)),
        **header_of(plan.covers()),
        "asked": plan.asked(),
        "published": plan.published,
        "texts": task_texts(plan),
        "profiles": profiles_of(models),
        "endpoints": served_models(models),
    }
    with make_executor(plan.config) as executor:
        executor.check()
        with RunDirectory.open(plan.out, science, origin, fresh=config.fresh) as opened:
            return _work(plan, models, prices, executor, opened, console)


def _refuse_mixed(models: Models) -> None:
    """Raises ConfigError if a simulated model's results would stand beside another one's."""
    try:
        label_of(profiles_of(models))
    except MixedResults as error:
        raise ConfigError(str(error)) from error


def _dry_run(plan: RunPlan, prices: _Prices, console: Console) -> int:
    """Show what the run may ask for at most."""
    check_worlds(plan)
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
    models: Models,
    prices: _Prices,
    executor: Executor,
    directory: RunDirectory,
    console: Console,
) -> int:
    from experiments.report import report_run, write_report  # now, not when hours of work are to be reported

    ledger = Ledger(directory)
    table, by_answers = prices
    with tracked(plan.config.track, directory, ledger), Journal(directory.journal_path) as journal:
        budget = open_budget(plan.config, plan.units, journal, ledger, table)
        asked = journaled(models, journal, budget, by_answers, plan.config)
        shared = MemoisedExecutor(executor) if plan.has_budgets else executor
        capped = CappedExecutor(shared, budget, max(map(_dearest_call, plan.units)))
        left, at_once = len(unfinished(plan, ledger)), episodes_at_once(plan.config)
        progress = Progress(console, partial(counters_of, asked, table, budget), left, at_once)
        for line in _introduction(plan):
            progress.say(line)
        try:
            with progress, told_by(progress), interruptible(partial(_stopping, progress)):
                Job(plan, asked, capped, ledger, progress, partial(stop_waiting, models)).run()
        except KeyboardInterrupt:
            ledger.cancel()
            progress.say("cancelled; the same command goes on where this stopped")
            return EXIT_INTERRUPTED
        finally:
            if table.by_model:
                progress.say(f"cost of the run so far: {table.shown(budget.used.cost)}")
            write_report(directory, ledger)
    return report_run(directory, ledger, console, drawn=True)


def _shown(directory: RunDirectory, ledger: Ledger, console: Console) -> int:
    """Report a finished run."""
    from experiments.report import report_run

    return report_run(directory, ledger, console, drawn=False)


def _dearest_call(unit: Unit) -> int:
    """World queries of the dearest single call of an episode."""
    return max(one_evaluation(unit), method_named(unit.method).repair_queries(unit))


def _introduction(plan: RunPlan) -> list[str]:
    names = dict.fromkeys(unit.answers for unit in plan.units)
    answers = ", ".join(f"recording {n}" if n in plan.recordings else n for n in names)
    episodes = f"{len(plan.units)} episode{'' if len(plan.units) == 1 else 's'}"
    return [
        f"answers: {answers}",
        f"run directory: {plan.out} ({episodes}, executor {plan.config.executor})",
        *texts_told(plan),
        *_missing(plan),
        *plan.left_out,
    ]


def _missing(plan: RunPlan) -> list[str]:
    """The cells of a comparison that stay empty, by environment."""
    envs: dict[str, list[str]] = {}
    for env, arm in plan.missing:
        envs.setdefault(env, []).append(arm)
    return [f"no recording of {env}: {', '.join(arms)}" for env, arms in envs.items()]


def _stopping(progress: Progress) -> None:
    progress.stop()
    progress.say("stopping: what is under way is finished and kept; ctrl-C again exits now")


if __name__ == "__main__":
    run_command(main)

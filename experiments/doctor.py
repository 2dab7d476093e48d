"""Is this installation whole? One line for each component, and an exit code.

    python -m experiments.doctor [--json] [--planner PATH] [--endpoint URL [--model NAME]]

The exit code is 0 exactly if everything that was asked about, and everything that a run without flags needs,
works. Only the standard library is used here, as this command must run where tyro or rich are missing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain

from experiments.driver.command import run_command
from experiments.driver.components import Component, Status, installation


def main(arguments: Sequence[str] | None = None) -> int:
    """Check everything, print it, and give back the exit code."""
    options = _parser().parse_args(arguments)
    components = installation(options.planner)
    if options.endpoint:
        components = chain(components, _endpoint(options.endpoint, options.model, options.api_key_env))
    if options.json:
        found = list(components)
        whole = not any(c.fatal for c in found)
        print(json.dumps({"ok": whole, "components": [asdict(c) for c in found]}, indent=2))
        return 0 if whole else 1
    return _report(components)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.doctor", description="Check every component of this installation."
    )
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--planner", metavar="PATH", help="your own build of Fast Downward")
    parser.add_argument("--endpoint", metavar="URL", help="an OpenAI-compatible server, http://host:port/v1")
    parser.add_argument("--model", metavar="NAME", help="the model to ask there; default: the first it lists")
    parser.add_argument(
        "--api-key-env",
        metavar="NAME",
        default="OPENAI_API_KEY",
        help="the environment variable that holds the endpoint's key (never the key itself)",
    )
    return parser


def _endpoint(url: str, model: str | None, api_key_env: str) -> Iterator[Component]:
    """The endpoint's lines, or one that says why it cannot be asked; it is asked for the first of them."""
    try:
        from experiments.driver.endpoint_check import examine

        yield from examine(url, model, api_key_env)
    except ImportError as error:
        yield Component("endpoint", Status.BROKEN, detail=f"cannot be asked: {error}")


def _report(components: Iterable[Component]) -> int:
    """Print each component as it comes, then what is not ready; the exit code."""
    fatal = []
    for component in components:
        print(_line(component), flush=True)
        if component.fatal:
            fatal.append(component.name)
    print(f"not ready: {', '.join(fatal)}" if fatal else "ready")
    return 1 if fatal else 0


def _line(component: Component) -> str:
    """`ok       numpy   1.26.4   detail`, in one line whatever the detail holds."""
    detail = " ".join(component.detail.split())
    optional = "" if component.needed else " (optional)"
    return f"{component.status:<8} {component.name + optional:<26} {component.version:<12} {detail}".rstrip()


if __name__ == "__main__":
    run_command(main)

"""Every command in README, CONTRIBUTING and docs/ has flags, choices and names that there are."""

from __future__ import annotations

from typing import Any

import pytest
from documents import DOCUMENTS, DOORS, ROOT, Command, commands_in, commands_of, parsed

from envs.source import has_files
from experiments.driver.preflight import check_name
from experiments.methods.registry import ABLATIONS, METHODS
from experiments.recordings import packaged

#: What names a method, an estimator, a job or a world of an example that has to be installed first.
INSTALLED = {c for text in DOORS.values() for c in commands_in("CONTRIBUTING.md", text)} | {
    command for command in commands_of(ROOT / "docs" / "simulators.md") if "lift" in command.arguments
}
COMMANDS = tuple(
    dict.fromkeys(command for path in DOCUMENTS for command in commands_of(path) if command not in INSTALLED)
)
#: Each as one document shows it.
DISTINCT = tuple({(command.module, command.arguments): command for command in COMMANDS}.values())
#: What stands for a file or folder of the reader's.
_THEIRS = ("path/", "my/", "runs/", "DIR", "NAME")


def test_the_documents_have_commands_of_every_form() -> None:
    shown = {(c.document, c.module, *c.arguments[:1]) for c in COMMANDS}
    assert len(COMMANDS) > 80
    assert ("experiments.md", "experiments.run", "table2") in shown  # a block, over two lines
    assert ("exploration_walk.md", "experiments.run", "study-removal") in shown  # indented
    assert ("cluster.md", "experiments.run", "--executor") in shown  # in a table
    assert ("README.md", "experiments.bench", "steps") in shown  # in a cell of a table


def several(config: Any, name: str) -> tuple[str, ...]:
    """The names that a command gives for a flag of one name or of several."""
    given = getattr(config, name, None) or ()
    return (given,) if isinstance(given, str) else tuple(map(str, given))


@pytest.mark.parametrize("command", DISTINCT, ids=str)
def test_a_documented_command_can_be_given(command: Command) -> None:
    config = parsed(command)
    assert set(several(config, "method")) <= METHODS.keys() | ABLATIONS.keys()
    for env in several(config, "env"):
        if not env.startswith(_THEIRS):
            assert has_files(env) or check_name(env) is None
    recording = getattr(config, "recording", None)
    if recording and not str(recording).startswith(_THEIRS):
        assert recording in {shelved.name for shelved in packaged()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--no-such-flag",), ("no-such-job",), ("tic", "--levels", "unheard"), ("table2", "--tasks", "many"),
        ("study-removal", "--sample", "3"),
    ],
)  # fmt: skip
def test_a_command_that_cannot_be_given_is_found(arguments: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match="refused"):
        parsed(Command("here", "experiments.run", arguments))

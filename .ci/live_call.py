"""One small live run against the stub endpoint: the client, the journal and the loop with what is installed.

python .ci/live_call.py OUT      OUT: the run directory
"""

import sys
from pathlib import Path

from agents.llm.recording import load_recording
from agents.llm.stub import StubServer, replies_from
from experiments.recordings import packaged
from experiments.run import main

FLAGS = (
    "--env", "termes", "--method", "tree", "--np", "2", "--nd", "3", "--tasks", "1", "--executor", "process",
)  # fmt: skip


def live_call(out: Path) -> int:
    """The exit code of the run; 1 if it asked the endpoint nothing."""
    recording = load_recording(next(shelved.path for shelved in packaged() if shelved.name == "default"))
    with StubServer(replies_from(recording), model=recording.profile.model) as server:
        code = main(["--base-url", server.url, "--out", str(out), *FLAGS])
        return code or int(server.seen.requests == 0)


if __name__ == "__main__":
    sys.exit(live_call(Path(sys.argv[1])))

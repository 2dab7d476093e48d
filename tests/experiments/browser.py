"""A headless Chromium driven over its debugging pipe (two file descriptors, no port), for tests of pages."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Chromium reads commands from descriptor 3 and answers on 4; it is started by a step that puts them there.
STEP = "import os, sys; os.dup2({0}, 3); os.dup2({1}, 4); os.execvp(sys.argv[1], sys.argv[1:])"
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--no-first-run", "--remote-debugging-pipe", "--force-color-profile=srgb")  # fmt: skip
ANSWER_S = 60.0
KEYS = {
    "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27,
    "Home": 36, "End": 35, " ": 32, "/": 191,
}  # fmt: skip


def find_browser() -> str | None:
    """The path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page in a browser of its own; a context manager."""

    def __init__(self, program: str, profile: Path):
        self._profile = profile
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_in, theirs_out)]
        command = [sys.executable, "-c", STEP.format(*ends), program, *FLAGS, f"--user-data-dir={profile}"]
        self._child = subprocess.Popen(
            [*command, "about:blank"], pass_fds=ends, stderr=subprocess.DEVNULL, start_new_session=True
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._number = 0
        self._rest = b""
        self._session: str | None = None
        (target, *_) = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.messages: list[str] = []  #: what the page logged, errors of scripts and of the policy with them
        self.requests: list[str] = []  #: what the page asked for
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        self.call("Browser.close")
        self._child.wait(20)
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer. Raises RuntimeError if it is refused, TimeoutError."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + ANSWER_S
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self._note(answer)

    def open(self, page: Path, fragment: str = "") -> None:
        """Open a page from disk and wait until it says that it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.messages.clear()
        self.requests.clear()
        self.call("Page.navigate", url=page.resolve().as_uri() + fragment)
        self.until("document.documentElement?.dataset.ready !== undefined")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until an expression is true. Raises TimeoutError."""
        deadline = time.monotonic() + ANSWER_S
        while not self.run(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.01)

    def press(self, *keys: str) -> None:
        """Press keys one after another, as a user does."""
        for key in keys:
            told = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **told, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    def size(self, width: int, height: int, *, phone: bool = False) -> None:
        """Set the size of the page's window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def scheme(self, name: str, media: str = "screen") -> None:
        """Light or dark, as a system would ask for it; on the screen or in print."""
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def picture(self, path: Path) -> Path:
        """What is seen now, as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
        return path

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.messages.append(str(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.messages.append(str(params["entry"]["text"]))
            case "Runtime.consoleAPICalled":
                self.messages.append(str(params["args"]))
            case "Network.requestWillBeSent":
                self.requests.append(str(params["request"]["url"]))

    def _read(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"the browser has not answered within {ANSWER_S:g} s")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("the browser has closed its pipe")
            self._rest += read
        line, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(line))

"""Drives a headless Chromium through its debugging pipe: loads a page, presses keys, runs scripts, takes pictures.

It speaks Chrome's DevTools protocol: JSON messages, each ended by NUL, on the file descriptors 3 and 4.
"""

import base64
import contextlib
import http.client
import json
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from outflank.tests.support.installation import ROOT
from outflank.tests.support.program import OUTFLANK

CHROMIUM = shutil.which("chromium")
in_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)
AXE = ROOT / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
with_axe = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed (make lint brings it by npm)"
)
_KEY_CODES = {
    "Tab": 9,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "Home": 36,
    "End": 35,
    "Enter": 13,
    " ": 32,
}


class Browser:
    """A browser process with one page; a context manager.

    Attributes:
        errors: the error messages that the browser reported about the page.
        requests: the addresses that the page requested.

    Args:
        folder: the folder of the browser's profile.
    """

    def __init__(self, folder: Path) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        self._buffer = b""
        self._number = 0
        # The shell moves the two pipes to the descriptors that the browser uses.
        script = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            ["bash", "-c", script, str(CHROMIUM), *options, f"--user-data-dir={folder}", "about:blank"],
            pass_fds=(commands, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._session: str | None = None
        target = next(
            each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session = None
        self.call("Browser.close")
        self._process.wait(10)
        os.close(self._commands)
        os.close(self._answers)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]  # type: ignore[no-any-return]

    def load(
        self, address: str, width: int = 1280, height: int = 900, dark: bool = False, media: str = "screen"
    ) -> None:
        """Load a page, and wait until it is complete."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Page.navigate", url=address)
        ready = f"document.readyState === 'complete' && location.href.startsWith({json.dumps(address)})"
        self.wait(ready)

    def clear(self) -> None:
        """Load an empty page, and clear the errors and requests."""
        self.load("about:blank")
        self.errors.clear()
        self.requests.clear()

    def show(self, file: Path, page: str, fragment: str = "", **how: Any) -> None:
        """Write a page to a file, and load the file."""
        file.write_text(page)
        self.clear()
        self.load(file.as_uri() + fragment, **how)

    def wait(self, condition: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < deadline, f"{condition} never came true"
            time.sleep(0.02)

    def run(self, script: str) -> Any:
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def reload(self, condition: str = "true") -> None:
        """Reload the page, and wait until its program has begun and the condition holds."""
        self.run("window.isBeforeReload = true")
        self.call("Page.reload")
        self.wait(f"!window.isBeforeReload && document.body?.dataset.mode !== undefined && {condition}")

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        code = _KEY_CODES.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            typed = text if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **typed)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def square(self, name: str) -> None:
        """Click a square of the page's board, such as f5."""
        self.run("at('board').scrollIntoView({block: 'center'})")
        left, top, width = self.run("(box => [box.x, box.y, box.width])(at('board').getBoundingClientRect())")
        file, line = "abcdefgh".index(name[0]), int(name[1]) - 1
        self.click(left + (32 + 40 * file) * width / 344, top + (32 + 40 * line) * width / 344)

    def violations(self) -> list[str]:
        """Return the serious and critical accessibility violations that axe-core finds on the current page."""
        self.run(
            AXE.read_text() + "; window.found = null; axe.run().then(got => { found = got.violations }); null"
        )
        self.wait("found !== null")
        named = "one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | ')"
        serious = "found.filter(one => ['serious', 'critical'].includes(one.impact))"
        return list(self.run(f"{serious}.map({named})"))

    def picture(self, path: Path, whole: bool = True) -> None:
        """Write a PNG of the whole page, or of its visible part."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))

    def _next(self) -> dict[str, Any]:
        """Return the next message, and record the error or the request that it reports."""
        while b"\0" not in self._buffer:
            data = os.read(self._answers, 1 << 16)
            assert data, "the browser has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        parameters = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        return message


def fetched(url: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Send a GET request, or a POST request if there is a body. Return the status and the answer's body."""
    host = urlsplit(url).netloc
    with contextlib.closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request("GET" if body is None else "POST", url.partition(host)[2], body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


class Served:
    """A process of a command that serves the page on a free port; a context manager.

    Attributes:
        page: the address of the page.
        requests: the address of the socket for analysis requests.
    """

    def __init__(
        self, *arguments: str, command: Sequence[str] = ("analyze", "--web=0"), **environment: str
    ) -> None:
        self.process = subprocess.Popen(
            [OUTFLANK, *command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "BROWSER": "true", **environment},
        )
        assert self.process.stdout is not None
        self.page = self.process.stdout.readline().split()[-1]
        self.requests = self.process.stdout.readline().split()[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def post(self, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Send a POST request to a path below the page's address. Return the status and the answer's body."""
        return fetched(self.page + path, body, **headers)

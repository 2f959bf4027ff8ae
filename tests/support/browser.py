"""Drives a headless Chromium or Firefox: loads a page, presses keys, clicks, runs scripts, opens and saves files.

Chromium speaks Chrome's DevTools protocol through its debugging pipe: JSON messages, each ended by NUL, on the file
descriptors 3 and 4. Firefox speaks WebDriver BiDi over a WebSocket.
"""

import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from outflank.engine import Position
from outflank.tests.support.installation import ROOT
from outflank.tests.support.program import OUTFLANK

CHROMIUM, FIREFOX = shutil.which("chromium"), shutil.which("firefox-esr") or shutil.which("firefox")
in_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)
in_firefox = pytest.mark.skipif(
    FIREFOX is None, reason="Firefox is not installed (Debian package firefox-esr)"
)
in_both_browsers = pytest.mark.parametrize(
    "browser",
    [pytest.param("chromium", marks=in_browser), pytest.param("firefox", marks=in_firefox)],
    indirect=True,
)
AXE = ROOT / "build" / "node" / "node_modules" / "axe-core" / "axe.min.js"
with_axe = pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is not installed (make dev brings it by npm, Debian package npm)"
)
_KEYS = {  # the code in DevTools' messages, and the character in those of BiDi
    "Tab": (9, "\ue004"),
    "ArrowUp": (38, "\ue013"),
    "ArrowDown": (40, "\ue015"),
    "ArrowLeft": (37, "\ue012"),
    "ArrowRight": (39, "\ue014"),
    "Home": (36, "\ue011"),
    "End": (35, "\ue010"),
    "Enter": (13, "\ue007"),
    "Escape": (27, "\ue00c"),
    " ": (32, " "),
}


class Browser(ABC):
    """A browser process with one page; a context manager.

    Attributes:
        errors: the error messages that the browser reported about the page.
        requests: the addresses that the page requested.
        downloads: the folder of the files that the page saved.

    Args:
        folder: the folder of the browser's profile.
    """

    def __init__(self, folder: Path) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        self._number = 0

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __exit__(self, *_: object) -> None: ...

    # The messages of both protocols have the same form.

    @abstractmethod
    def _send(self, message: dict[str, Any]) -> None: ...

    @abstractmethod
    def _receive(self) -> dict[str, Any]: ...

    @abstractmethod
    def _note(self, event: str, parameters: dict[str, Any]) -> None:
        """Record the error or the request that an event reports."""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol, and return its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]  # type: ignore[no-any-return]
            self._note(message.get("method", ""), message.get("params", {}))

    @abstractmethod
    def _navigate(self, address: str) -> None: ...

    @abstractmethod
    def _reload(self) -> None: ...

    @abstractmethod
    def _emulate(self, width: int, height: int, dark: bool, forced: bool, media: str) -> None: ...

    @abstractmethod
    def run(self, script: str) -> Any:
        """Run a script in the page, and return its value."""

    @abstractmethod
    def press(self, key: str) -> None: ...

    @abstractmethod
    def click(self, x: float, y: float) -> None: ...

    @abstractmethod
    def choose_file(self, identifier: str, file: Path) -> None:
        """Choose a file in the page's input with this id."""

    def load(
        self,
        address: str,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        forced: bool = False,
        media: str = "screen",
    ) -> None:
        """Load a page, with dark or forced colours or neither, and wait until it is complete."""
        self._emulate(width, height, dark, forced, media)
        self._navigate(address)
        ready = f"document.readyState === 'complete' && location.href.startsWith({json.dumps(address)})"
        self.wait(ready)

    def clear(self) -> None:
        """Load an empty page unless one is shown, and clear the errors, requests and downloads."""
        if not self._holds("location.href === 'about:blank'"):
            self.load("about:blank")
        for file in self.downloads.iterdir():
            file.unlink()
        self.errors.clear()
        self.requests.clear()

    def show(self, file: Path, page: str, fragment: str = "", **how: Any) -> None:
        """Write a page to a file, and load the file."""
        file.write_text(page)
        self.clear()
        self.load(file.as_uri() + fragment, **how)

    def wait(self, condition: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not self._holds(condition):
            assert time.monotonic() < deadline, f"{condition} never came true"
            time.sleep(0.02)

    def _holds(self, condition: str) -> bool:
        try:
            return bool(self.run(condition))
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            return False  # another page took the place of this one while the script ran

    def reload(self, condition: str = "true") -> None:
        """Reload the page, and wait until its program has begun and the condition holds."""
        self.run("window.isBeforeReload = true")
        self._reload()
        self.wait(f"!window.isBeforeReload && document.body?.dataset.mode !== undefined && {condition}")

    def square(self, name: str) -> None:
        """Click a square of the page's board, such as f5."""
        self.run("at('board').scrollIntoView({block: 'center'})")
        left, top, width = self.run("(box => [box.x, box.y, box.width])(at('board').getBoundingClientRect())")
        file, line = "abcdefgh".index(name[0]), int(name[1]) - 1
        self.click(left + (32 + 40 * file) * width / 344, top + (32 + 40 * line) * width / 344)

    def button(self, selector: str) -> None:
        """Click the middle of an element."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.scrollIntoView({{block: 'center'}})")
        middle = "(box => [box.x + box.width / 2, box.y + box.height / 2])"
        self.click(*self.run(f"{middle}({found}.getBoundingClientRect())"))

    def downloaded(self, name: str) -> bytes:
        """Wait until the page has saved a file with this name, and return its content; the file is removed."""
        file, deadline = self.downloads / name, time.monotonic() + 30
        while not file.exists() or not file.stat().st_size or list(self.downloads.glob("*.part")):
            assert time.monotonic() < deadline, sorted(self.downloads.iterdir())
            time.sleep(0.02)
        content = file.read_bytes()
        file.unlink()
        return content

    def violations(self) -> list[str]:
        """Return the serious and critical accessibility violations that axe-core finds on the current page."""
        self.run(
            AXE.read_text() + "; window.found = null; axe.run().then(got => { found = got.violations }); null"
        )
        self.wait("found !== null")
        named = "one => one.id + ': ' + one.nodes.map(node => node.html.slice(0, 120)).join(' | ')"
        serious = "found.filter(one => ['serious', 'critical'].includes(one.impact))"
        return list(self.run(f"{serious}.map({named})"))


class Chromium(Browser):
    """Chromium."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        self._buffer = b""
        # The shell moves the two pipes to the descriptors that the browser uses.
        script = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        options.append("--process-per-site")  # otherwise each page that is loaded begins a process
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
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def __exit__(self, *_: object) -> None:
        self._session = None
        self.call("Browser.close")
        self._process.wait(10)
        os.close(self._commands)
        os.close(self._answers)

    def _send(self, message: dict[str, Any]) -> None:
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._answers, 1 << 16)
            assert data, "the browser has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))

    def _note(self, event: str, parameters: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        if event == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        if event == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def _navigate(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def _reload(self) -> None:
        self.call("Page.reload")

    def _emulate(self, width: int, height: int, dark: bool, forced: bool, media: str) -> None:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        palette = {"name": "forced-colors", "value": "active" if forced else "none"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme, palette])

    def run(self, script: str) -> Any:
        """Run a script in the page, and return its value."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key: str) -> None:
        text = {"text": key} if len(key) == 1 else {}
        code = _KEYS[key][0] if key in _KEYS else ord(key[0].upper())
        for kind in ("keyDown", "keyUp"):
            typed = text if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **typed)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def choose_file(self, identifier: str, file: Path) -> None:
        """Choose a file in the page's input with this id."""
        found = self.call("Runtime.evaluate", expression=f"document.getElementById('{identifier}')")
        self.call("DOM.setFileInputFiles", files=[str(file)], objectId=found["result"]["objectId"])

    def picture(self, path: Path, whole: bool = True) -> None:
        """Write a PNG of the whole page, or of its visible part."""
        taken = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken["data"]))


class Firefox(Browser):
    """Firefox, which shows its pages on a bright screen."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        saving = {"browser.download.folderList": 2, "browser.download.dir": str(self.downloads)}
        settings = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in saving.items()
        ]
        (folder / "user.js").write_text("".join(settings))
        said = folder / "said"
        with said.open("wb") as output:
            self._process = subprocess.Popen(
                [
                    str(FIREFOX),
                    "--headless",
                    "--profile",
                    str(folder),
                    "--remote-debugging-port=0",
                    "about:blank",
                ],
                env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
                stdout=subprocess.DEVNULL,
                stderr=output,
            )
        self._stack = contextlib.ExitStack()
        # Firefox may start slowly while other tests run, and events may stay unread, and with them the answers to
        # pings.
        socket = connect(
            self._address(said), max_size=None, max_queue=None, ping_interval=None, open_timeout=60
        )
        self._socket = self._stack.enter_context(socket)
        self.call("session.new", capabilities={})
        self._context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])

    def __exit__(self, *_: object) -> None:
        self.call("browser.close")
        self._stack.close()
        self._process.wait(30)

    def _address(self, said: Path) -> str:
        """Return the address of the socket, which Firefox says as soon as it listens."""
        deadline = time.monotonic() + 60
        while not (found := re.search(r"BiDi listening on (ws://\S+)\n", said.read_text())):
            assert self._process.poll() is None, said.read_text()
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.02)
        return f"{found[1]}/session"

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))

    def _receive(self) -> dict[str, Any]:
        return dict(json.loads(self._socket.recv()))

    def _note(self, event: str, parameters: dict[str, Any]) -> None:
        if event == "network.beforeRequestSent" and not parameters["request"]["url"].startswith("data:"):
            self.requests.append(parameters["request"]["url"])
        if event == "log.entryAdded" and parameters["level"] == "error":
            self.errors.append(str(parameters["text"]))

    def _navigate(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def _reload(self) -> None:
        self.call("browsingContext.reload", context=self._context, wait="complete")

    def _emulate(self, width: int, height: int, dark: bool, forced: bool, media: str) -> None:
        assert (dark, forced, media) == (False, False, "screen"), "BiDi has no setting for this"
        size = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self._context, viewport=size)

    def _evaluate(self, script: str) -> dict[str, Any]:
        where = {"context": self._context}
        answer = self.call("script.evaluate", expression=script, target=where, awaitPromise=False)
        assert answer["type"] == "success", answer
        return dict(answer["result"])

    def run(self, script: str) -> Any:
        """Run a script in the page, and return its value."""
        return _plain(self._evaluate(script))

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        source = {"type": kind, "id": kind, "actions": actions}
        self.call("input.performActions", context=self._context, actions=[source])

    def press(self, key: str) -> None:
        value = _KEYS[key][1] if key in _KEYS else key
        self._act("key", [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")])

    def click(self, x: float, y: float) -> None:
        place = {"type": "pointerMove", "x": round(x), "y": round(y)}
        self._act("pointer", [place, *({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))])

    def choose_file(self, identifier: str, file: Path) -> None:
        """Choose a file in the page's input with this id."""
        element = {"sharedId": self._evaluate(f"document.getElementById('{identifier}')")["sharedId"]}
        self.call("input.setFiles", context=self._context, element=element, files=[str(file)])


def _plain(value: dict[str, Any]) -> Any:
    """Return a value of a BiDi message as JSON would have it."""
    content = value.get("value")
    if value["type"] in ("array", "set"):
        return [_plain(each) for each in content or []]
    if value["type"] == "object":
        return {name: _plain(each) for name, each in content or []}
    return content if value["type"] in ("string", "number", "boolean") else None


def fetched(url: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    """Send a GET request, or a POST request if there is a body. Return the status and the answer's body."""
    host = urlsplit(url).netloc
    with contextlib.closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        connection.request("GET" if body is None else "POST", url.partition(host)[2], body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


def start_game(page: Browser, white: str = "level", **fields: str) -> None:
    """Start a game in the form of the page, against level 0 unless `white` names another side, and wait for our turn.

    `fields` are the values of other fields, by their names.
    """
    for name, value in {"white": white, **fields}.items():
        page.run(f"at('{name}').value = {json.dumps(value)}; desk.mode.showForm()")
    page.run("if (!at('white-strength').hidden) at('white-strength').value = 0")
    page.run("at('players').querySelector('.main').click()")
    page.wait("desk.modes.play.isMine")


def play_on(page: Browser, first: Position) -> None:
    """Start a game against level 0 from a position, which is opened and played on, and wait for our turn."""
    page.run("at('tab-study').click()")
    page.wait("desk.modeName === 'study' && desk.search.found")
    page.run(f"desk.read('{first.board_string()}')")
    page.wait(f"desk.viewer.game.record.start === '{first.board_string()[:64]}'")
    page.run("at('play-on').click()")
    start_game(page)


class Served:
    """A process of a command that serves the page on a free port; a context manager.

    Attributes:
        page: the address of the page.
        requests: the address of the socket for analysis requests.
    """

    def __init__(self, *arguments: str, command: Sequence[str] = ("web",), **environment: str) -> None:
        self._state = TemporaryDirectory(
            ignore_cleanup_errors=True
        )  # no other start of the tests is the first
        self.process = subprocess.Popen(
            [OUTFLANK, *command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "BROWSER": "true", "XDG_STATE_HOME": self._state.name, **environment},
        )
        assert self.process.stdout is not None
        self.page = self.process.stdout.readline().split()[-1]
        self.requests = self.process.stdout.readline().split()[-1]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
        self._state.cleanup()

    def post(self, path: str, body: bytes, **headers: str) -> tuple[int, bytes]:
        """Send a POST request to a path below the page's address. Return the status and the answer's body."""
        return fetched(self.page + path, body, **headers)

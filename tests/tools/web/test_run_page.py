"""A run on a page while it is played: what a browser shows, a restart, a delay, viewers, hostile or many."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from starlette.routing import WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from outflank.engine import Colour
from outflank.tests.support import fake_engine
from outflank.tests.support.browser import Browser, fetched, in_browser, with_axe
from outflank.tests.support.processes import children, resident_kib
from outflank.tests.support.program import started
from outflank.tests.support.runs import broken_off, conduct, instant_settings, random_run, replays, store_run
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.events import GameEnded, RunEnded, RunOpened, Thought
from outflank.tools.match.state.store import read_run
from outflank.tools.runtime.address import Address
from outflank.tools.web import run_view
from outflank.tools.web.change_feed import ChangeFeed
from outflank.tools.web.page_process import PageProcess
from outflank.tools.web.run_view import RunView, shown_thought
from outflank.tools.web.server import WebServer

pytestmark = pytest.mark.timeout(180)


class Runner:
    """``outflank tournament --listen`` in a folder; a context manager that leaves nothing of it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        engines: int = 2,
        fault: str = "slow aloud",
        turn: int = 22,
        speak: str = "gtp",
    ) -> None:
        engine = shlex.quote(shlex.join(fake_engine.command(fault, turn, speak)))
        listed = [
            f"--engine=name={shlex.quote(name)} cmd={engine} protocol={speak} tc=60+0"
            for name in ("A & <b>", "B", "C")[:engines]
        ]
        command = ["tournament", "--games", "2", "--seed", "3", "--out", "records", *listed]
        self.folder = folder
        self.process = self._start([*command, *(arguments or ("--listen",))])

    def _start(self, command: list[str]) -> subprocess.Popen[str]:
        process = started(*command, cwd=self.folder, stdout=subprocess.DEVNULL)
        assert process.stderr is not None
        self.said = []
        for line in process.stderr:
            self.said.append(line)
            if line.startswith("The run is shown at "):
                self.url = line.split()[-1]
                break
        else:
            raise AssertionError(self.said)
        return process

    def kill(self) -> None:
        """End it as a failing machine does."""
        self.process.kill()
        self.process.communicate()

    def resume(self) -> None:
        """Go on with the run on the same port."""
        listen = f"--listen={urlsplit(self.url).port}"
        self.process = self._start(["tournament", "--resume", "records", listen])

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)
        return self.process.returncode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        return fetched(self.url + path, None, **headers)

    def watch(self) -> AbstractContextManager["Watcher"]:
        return watched(self.url)


class Watcher:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.values: dict[str, Any] = {}
        self.frames = 0

    def read(self, seconds: float = 30) -> None:
        message = json.loads(self.socket.recv(seconds))
        assert message["version"] == 1
        if message.get("all"):
            self.values.clear()
        self.values.update(message["set"])
        for key in message["drop"]:
            self.values.pop(key, None)  # it may have come and gone between two frames
        self.frames += 1

    def wait(self, condition: Callable[[dict[str, Any]], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not condition(self.values):
            assert time.monotonic() < deadline, {
                key: self.values[key] for key in self.values if "parts" not in key
            }
            self.read()

    def end(self) -> int | None:
        """Read until the connection is closed; the code that came with it."""
        try:
            while True:
                self.read()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None

    def ended(self) -> set[str]:
        return {key for key in self.values if key.startswith("ended/")}


@contextmanager
def watched(url: str) -> Iterator[Watcher]:
    """Connect to a page's feed. The page's process may start slowly while other tests run."""
    with connect(url.replace("http", "ws") + "/feed", max_size=None, open_timeout=60) as socket:
        yield Watcher(socket)


def has_a_game(values: dict[str, Any]) -> bool:
    """Return whether any is played: a late viewer may miss the first."""
    return any(key.startswith("game/") for key in values)


def is_over(values: dict[str, Any]) -> bool:
    return bool(values.get("run", {}).get("state") == "over")


@in_browser
@pytest.mark.alone  # a page sees the moves of a game as they are made only if its browser gets time
def test_a_run_is_watched_from_its_first_moves_to_its_report(browser: Browser, tmp_path: Path) -> None:
    with Runner(tmp_path, engines=3) as runner:
        browser.load(runner.url + "/")
        browser.wait("document.querySelectorAll('.card').length === 1")
        browser.wait("at('next').rows.length >= 1")
        browser.run(
            "window.seen = {}; setInterval(() => { if (viewer.game?.record.playing && mode.isFollowed())"
            " (seen[viewer.game.number] ??= new Set()).add(document.querySelectorAll('#board .disc').length) }, 50)"
        )
        browser.wait("Object.values(seen).some(discs => discs.size >= 4)")  # one game, as it goes on
        browser.wait("document.querySelector('.seat.moves .clock')?.textContent.startsWith('0:')")
        browser.wait("document.querySelector('.card .pv')?.textContent.length === 2")
        for count in range(1, 7):
            browser.wait(f"mode.values.get('run').played >= {count}")
        browser.wait(
            "mode.values.get('run').state === 'over' && at('part-head').textContent.includes('wins')"
        )

        assert browser.run("at('coming').hidden") is True
        assert browser.run("document.querySelectorAll('.card').length") == 0
        assert browser.run("listedRows().map(numberOf).join()") == "6,5,4,3,2,1"
        assert browser.run("document.querySelector('#standing tbody').rows.length") == 3
        assert "A & <b>" in browser.run("at('part-standing').textContent")
        assert browser.run("at('part-cross').querySelectorAll('.met').length") >= 6
        browser.run("listedRows().at(-1).click()")
        browser.wait("viewer.game.number === 1")
        browser.press("Home")
        browser.press("ArrowRight")
        assert browser.run("viewer.mode.address()") == "#game=1&ply=1"
        browser.run("at('table').open = true")
        browser.wait("at('turns').tBodies[0].rows.length === viewer.game.moves.length")
        browser.run("mode.fileText('sgf', true).then(text => { window.saved = text })")
        browser.wait("window.saved !== undefined")
        assert browser.run("saved").count("(;FF[4]") == 6
        assert len(replays(runner.get("/report.html")[1].decode())) == 6
        assert browser.errors == []
        assert {address.startswith(runner.url) for address in browser.requests} == {True}
        assert runner.interrupt() == 0


def test_the_end_of_a_run_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the report has just been made, and a pause of nine times as long begins."""
    monkeypatch.setattr(run_view, "_REST", 1e6)
    run = random_run(["A", "B"], 2)

    async def watch() -> None:
        feed = ChangeFeed("page")
        shown: dict[str, object] = {}
        monkeypatch.setattr(feed, "replace", lambda prefix, parts: shown.update(parts))
        openings = [game.pairing.opening for game in run.games]
        view = RunView(feed, replace(run, games=run.games[:1], finished=False), openings)
        tables = asyncio.create_task(view.renew_tables())
        while not shown:
            await asyncio.sleep(0.01)
        before = shown["head"]
        for game in run.games[1:]:
            view.take(GameEnded(game))
        view.take(RunEnded(run))
        async with asyncio.timeout(60):
            while shown["head"] == before:
                await asyncio.sleep(0.01)
        tables.cancel()

    asyncio.run(watch())


@pytest.mark.parametrize("speak", ["gtp", "nboard", "uci"])
def test_the_thoughts_of_engines_of_each_protocol_are_shown(tmp_path: Path, speak: str) -> None:
    with Runner(tmp_path, turn=1, speak=speak) as runner, runner.watch() as watcher:
        watcher.wait(lambda values: values.get("thought/1", {}).get("X") and values["thought/1"].get("O"))
        thought = watcher.values["thought/1"]

        assert all(len(thought[side]["pv"].split()[0]) == 2 for side in "XO")
        assert thought["X"]["value"] >= 0 >= thought["O"]["value"]  # each is ahead by its own account


@in_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_no_width_is_exceeded_while_games_are_played(browser: Browser, tmp_path: Path, width: int) -> None:
    with Runner(tmp_path, turn=10) as runner:
        browser.load(runner.url + "/", width=width)
        browser.wait("document.querySelectorAll('.card').length === 1")
        browser.wait("document.querySelector('.seats .seat') !== null")

        assert browser.run("document.documentElement.scrollWidth") <= width


GAME_IS_SHOWN = (
    "document.querySelectorAll('.card').length === 1 && document.querySelector('#seats .seat.moves') !== null"
)


@in_browser
@with_axe
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_a_live_page(browser: Browser, tmp_path: Path, dark: bool) -> None:
    with Runner(tmp_path, turn=10) as runner:
        browser.load(runner.url + "/", dark=dark)
        browser.wait(GAME_IS_SHOWN)

        assert browser.violations() == []


@in_browser
def test_discs_and_the_side_to_move_are_told_apart_in_forced_colours(
    browser: Browser, tmp_path: Path
) -> None:
    with Runner(tmp_path, turn=10) as runner:
        browser.load(runner.url + "/", forced=True)
        browser.wait(GAME_IS_SHOWN)
        style = "(one => getComputedStyle(document.querySelector(one)))"
        seats = [f"{style}('#seats .side.{side}').backgroundColor" for side in ("first", "second")]
        discs = [f"{style}('.card .disc[data-side={side}]').fill" for side in "XO"]
        outlined = [f"{style}('{each}').outlineStyle" for each in ("#games tr.shown", ".seat.moves .clock")]

        assert len({browser.run(each) for each in seats}) == 2
        assert len({browser.run(each) for each in discs}) == 2
        assert [browser.run(each) for each in outlined] == ["solid", "solid"]


@in_browser
def test_an_open_page_goes_on_when_the_run_is_resumed(browser: Browser, tmp_path: Path) -> None:
    with Runner(tmp_path) as runner:
        browser.load(runner.url + "/")
        browser.run("window.mark = true")
        browser.wait("[...mode.values.keys()].includes('ended/1')")
        runner.kill()
        browser.wait("!at('line').hidden && at('line').textContent.includes('does not answer')")
        runner.resume()
        browser.wait("at('line').hidden && mode.values.get('run').state === 'over'")

        assert browser.run("window.mark") is True
        assert browser.run("listedRows().length") == 2
        assert [game.pairing.number for game in read_run(tmp_path / "records").games] == [1, 2]


def test_a_resumed_run_that_is_over_is_shown_until_ctrl_c(tmp_path: Path) -> None:
    with Runner(tmp_path, fault="none") as runner:
        with runner.watch() as watcher:
            watcher.wait(is_over)
        assert runner.interrupt() == 0
        runner.resume()
        with runner.watch() as watcher:
            watcher.wait(is_over)

            assert watcher.ended() == {"ended/1", "ended/2"}
            assert runner.interrupt() == 0


def test_an_interrupted_run_says_so_to_those_who_watch(tmp_path: Path) -> None:
    with Runner(tmp_path) as runner, runner.watch() as watcher:
        watcher.wait(has_a_game)
        runner.process.send_signal(signal.SIGINT)
        watcher.wait(lambda values: values["run"]["state"] == "interrupted")

        assert watcher.end() == 1012
        assert runner.process.wait(30) == 130


def test_nothing_is_told_before_its_delay_has_passed(tmp_path: Path) -> None:
    """Neither in messages nor in files, though the game is long over in the runner's records."""
    delay = 6.0
    with (
        Runner(tmp_path, "--listen", "--delay", f"{delay}s", fault="none") as runner,
        runner.watch() as watcher,
    ):
        deadline = time.monotonic() + 60
        while not (tmp_path / "records" / "run.db").exists() or not read_run(tmp_path / "records").games:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        played = time.monotonic()
        paths = ("/games/1.json", "/games/1.sgf", "/games.sgf", "/report.html")
        early = {runner.get(path)[0] for path in paths}
        while not watcher.ended():
            watcher.read()
        waited = time.monotonic() - played
        watcher.wait(is_over)

        assert early == {404}
        assert waited > delay - 1.5
        assert runner.get("/games/1.json")[0] == 200
        assert watcher.values["run"]["delay"] == delay


def test_hostile_viewers_change_nothing_for_the_others(tmp_path: Path) -> None:
    """Messages end a viewer's connection; wrong names and origins get none; a quiet viewer goes on."""
    with Runner(tmp_path, turn=12) as runner, runner.watch() as watcher:
        watcher.wait(lambda values: "game/1" in values)
        address = runner.url.replace("http", "ws") + "/feed"
        for text in ("{}", "x" * 60_000, "x" * 1_000_000):
            with connect(address, max_size=None) as hostile:
                with suppress(ConnectionClosed):
                    for _ in range(50):
                        hostile.send(text)
                assert Watcher(hostile).end() in (1008, 1009, None)
        for _ in range(100):
            with connect(address, max_size=None):
                pass
        with pytest.raises(InvalidStatus, match="403"):
            connect(address, origin=Origin("http://evil.example"))
        assert runner.get("/", Host="evil.example")[0] == 403
        assert [runner.get(path)[0] for path in ("/games/99.json", "/../run.db", "/games/x.sgf")] == [404] * 3
        moves = len(watcher.values["game/1"]["turns"])
        watcher.wait(lambda values: len(values.get("game/1", {"turns": "x" * 9999})["turns"]) > moves)

        assert runner.process.poll() is None


def test_the_page_may_die_and_the_run_goes_on(tmp_path: Path) -> None:
    with Runner(tmp_path) as runner:
        assert runner.process.stderr is not None
        with runner.watch():  # it has started
            commands = {pid: Path(f"/proc/{pid}/cmdline") for pid in children(runner.process.pid)}
            server = next(pid for pid, file in commands.items() if b"tools.web.run_page" in file.read_bytes())
        os.kill(server, signal.SIGKILL)
        said = next(line for line in runner.process.stderr if "the page at" in line)
        deadline = time.monotonic() + 60
        while len(read_run(tmp_path / "records").games) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.1)

        assert "has ended; the run continues without it" in said


def test_a_report_shows_the_page_of_a_run_again_and_plays_nothing(tmp_path: Path) -> None:
    crash = broken_off(Ending.CRASH, Colour.BLACK)
    run = store_run(tmp_path / "run", crash)
    process = started("report", str(run), "--listen", "0", stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        url = next(line for line in process.stderr if line.startswith("The page stays at ")).split()[4]
        with watched(url) as watcher:
            watcher.wait(lambda values: values.get("run", {}).get("state") == "interrupted")
        dialogue = fetched(f"{url}/fault-game-1.txt", None)
        missing = fetched(f"{url}/fault-game-2.txt", None)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    finally:
        process.kill()

    assert dialogue == (200, "\n".join([*crash.dialogue, ""]).encode())
    assert missing[0] == 404
    assert process.returncode == 0


def test_what_engines_say_before_the_run_has_a_folder_is_not_shown(tmp_path: Path) -> None:
    """UCI engines send ``info string`` when they are started, before the first game."""
    conduct(instant_settings(tmp_path, games=2), tmp_path / "run")
    with PageProcess(Address(), 0.0, print) as page:
        page.update(Thought(0, "A", "info string ready"))
        time.sleep(0.3)  # three times as long as the queue waits
        page.observe(RunOpened(tmp_path / "run", read_run(tmp_path / "run")))
        with watched(page.url) as watcher:
            watcher.wait(lambda values: len(watcher.ended()) == 2)


@pytest.mark.parametrize(
    ("line", "value", "depth", "pv"),
    [
        ("info move f5 visits 9 scoreLead 2.5 depth 12 pv f5 d6 c3", 2.5, "12", "f5 d6 c3"),
        ("info move f5 visits 9 info move d3 scoreLead 1", None, "", "f5"),
        ("search E6F4 -3.00 0 10@73%", -3.0, "10@73%", "e6 f4"),
        ("info depth 9 score cp 250 nodes 5 time 3 pv P@f5 P@d6 0000 P@c3", 2.5, "9", "f5 d6 pass c3"),
        ("info depth 9 multipv 2 score cp 250 pv P@f5", None, None, None),
    ],
)
def test_thoughts_are_shown_from_blacks_side(
    line: str, value: float | None, depth: str | None, pv: str | None
) -> None:
    """How they are read is a matter of the drivers."""
    for colour, sign in ((Colour.BLACK, 1), (Colour.WHITE, -1)):
        thought = shown_thought(line, colour)
        expected = None if value is None else sign * value
        assert thought == (None if pv is None else {"value": expected, "depth": depth, "pv": pv})


# --- Values for any number of viewers


class Stage:
    """A feed that is served, and set from here."""

    def __init__(self) -> None:
        self.feed = ChangeFeed("page")
        self.loop: asyncio.AbstractEventLoop | None = None

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        self.loop = asyncio.get_running_loop()
        running = asyncio.create_task(self.feed.publish())
        yield
        running.cancel()

    def set(self, key: str, value: object) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.feed.set, key, value)

    def drop(self, key: str) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(self.feed.drop, key)

    @contextmanager
    def served(self) -> Iterator[str]:
        routes = [WebSocketRoute("/feed", self.feed.serve)]
        with WebServer(routes, Address().listen(), lifespan=self.lifespan) as server:
            with connect(server.url.replace("http", "ws") + "/feed"):
                pass  # the loop runs
            yield server.url.replace("http", "ws") + "/feed"


def test_a_viewer_gets_all_values_first_and_then_changes_alone() -> None:
    stage = Stage()
    with stage.served() as address:
        stage.set("a", 1)
        stage.set("b", [2])
        time.sleep(0.5)
        with connect(address) as viewer:
            first = json.loads(viewer.recv(10))
            stage.set("b", [3])
            stage.set("a", 1)
            second = json.loads(viewer.recv(10))
            stage.drop("a")
            third = json.loads(viewer.recv(10))

    assert (first["all"], first["page"], first["set"]) == (True, "page", {"a": 1, "b": [2]})
    assert (second["set"], second["drop"], "all" in second) == ({"b": [3]}, [], False)
    assert (third["set"], third["drop"]) == ({}, ["a"])


def test_values_that_change_often_are_sent_a_few_times_a_second() -> None:
    stage = Stage()
    with stage.served() as address, connect(address) as viewer:
        began = time.monotonic()
        for number in range(2_000):
            stage.set("n", number)
            time.sleep(0.0005)
        frames, last = 0, -1
        while last < 1_999:
            last = json.loads(viewer.recv(10))["set"].get("n", last)
            frames += 1

    assert frames <= 8 * (time.monotonic() - began) + 2


def test_a_viewer_that_missed_more_than_is_remembered_gets_all_values() -> None:
    feed = ChangeFeed("page")
    for number in range(3_000):
        feed.set(f"key/{number}", number)
        feed.drop(f"key/{number}")
    feed.set("kept", 1)
    late, recent = json.loads(feed._message(10)), json.loads(feed._message(5_990))

    assert (late.get("all"), late["set"]) == (True, {"kept": 1})
    assert ("all" in recent, recent["set"], len(recent["drop"])) == (False, {"kept": 1}, 5)


def test_viewers_that_do_not_read_cost_no_memory_that_grows() -> None:
    """Thirty of them, and 60 MB of values that each of them would have to get."""
    stage = Stage()
    with stage.served() as address:
        host, port = address.removeprefix("ws://").removesuffix("/feed").split(":")
        slow = []
        for _ in range(30):
            peer = socket.create_connection((host, int(port)))
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            key = "dGhlIHNhbXBsZSBub25jZQ=="
            head = f"GET /feed HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            peer.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
            slow.append(peer)
        sizes = []
        with connect(address, max_size=None) as viewer:
            for number in range(20):
                stage.set("big", [number, os.urandom(50_000).hex()])
                message: dict[str, object] = {}
                while not message.get("big"):
                    message = json.loads(viewer.recv(20))["set"]
                sizes.append(resident_kib())
        for peer in slow:
            peer.close()

    assert sizes[-1] - sizes[6] < 8_000, sizes

"""The analysis board in a browser, and requests over WebSockets: ``outflank analyze --web`` and ``--listen``."""

import http.client
import io
import json
import signal
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from outflank.engine import Colour, Game, Position
from outflank.protocol.formats import WRITTEN_FORMATS, ggf, read_games
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.browser import Browser, Served, fetched, in_browser
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.processes import resident_kib
from outflank.tests.support.program import outflank
from outflank.tests.support.transcripts import run
from outflank.tools.archive import build_archive
from outflank.tools.page.replay import Replay
from outflank.tools.runtime.address import Address
from outflank.tools.web.analysis import MOST_OPEN
from outflank.tools.web.server import WebServer

pytestmark = pytest.mark.timeout(180)


def asked(socket: ClientConnection, **request: Any) -> dict[str, Any]:
    """Return the last answer to a request."""
    socket.send(json.dumps(request))
    while (answer := json.loads(socket.recv(60)))["id"] != request["id"] or answer["kind"] == "info":
        pass
    return dict(answer)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with Served() as running:
        yield running


def study(browser: Browser, served: Served) -> None:
    """Load the page and begin to study."""
    browser.load(served.page)
    browser.wait("desk.viewer.game !== null")
    browser.run("desk.enter('study')")


def test_requests_are_answered_over_a_socket_as_on_a_line(served: Served) -> None:
    line = {"id": "a", "moves": "f5d6c3", "depth": 8, "multipv": 2}
    expected = json.loads(outflank("analyze", "-", input=json.dumps(line)).stdout)
    with connect(served.requests) as socket:
        answer = asked(socket, **line)
        version = asked(socket, id="v", action="query_version")

    for changing in ("seconds", "nodes_per_second"):
        del expected[changing], answer[changing]
    assert answer == expected
    assert version["kind"] == "action"


def test_an_unreadable_request_is_refused_and_bytes_end_a_socket(served: Served) -> None:
    with connect(served.requests) as socket:
        socket.send("[" * 50_000)
        refused = json.loads(socket.recv(10))

        assert (refused["kind"], refused["line"]) == ("error", 1)
        assert "expected a JSON object" in refused["error"]
        assert asked(socket, id=2, depth=1)["kind"] == "result"
        socket.send(b"\x00\xff")
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1003


def test_searches_end_with_their_socket_and_with_nobody_elses() -> None:
    """Two sockets, two searchers: what one asks does not end what the other waits for."""
    with Served() as own, connect(own.requests) as patient:
        patient.send(json.dumps({"id": "long", "time": 2}))
        for _ in range(3):
            with connect(own.requests) as gone:
                gone.send(json.dumps({"id": "long", "time": 1000}))
                time.sleep(0.1)
        with connect(own.requests) as other:
            assert asked(other, id="stop", action="terminate_all")["terminated"] == 0
            assert asked(other, id="quick", depth=4)["kind"] == "result"
        answer = json.loads(patient.recv(60))

    assert (answer["id"], answer["stopped"]) == ("long", False)


def test_a_client_that_leaves_more_open_requests_than_are_taken_holds_up_nobody() -> None:
    with Served() as own:
        with connect(own.requests) as gone:
            for number in range(MOST_OPEN + 2):
                gone.send(json.dumps({"id": number, "time": 1000}))
            time.sleep(0.5)
            gone.socket.shutdown(socket.SHUT_RDWR)
        with connect(own.requests) as other:
            assert asked(other, id="quick", depth=4)["kind"] == "result"


def test_requests_are_accepted_as_fast_as_their_answers_are_read() -> None:
    """Each message asks for 23 answers, and none is read."""
    unknown = ",".join(f'"k{number}":1' for number in range(3_000))

    def ask(greedy: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            for number in range(400):
                greedy.send(f'{{"id":"{number:900}","action":"query_version",{unknown}}}')

    with Served() as own, connect(own.requests, compression=None) as greedy:
        before = resident_kib(own.process.pid)
        asking = threading.Thread(target=ask, args=(greedy,), daemon=True)
        asking.start()
        asking.join(2)
        assert resident_kib(own.process.pid) - before < 20_000
        own.process.kill()


@pytest.mark.parametrize("token", ["", "wrong/", "../"])
def test_without_the_token_nothing_is_served(served: Served, token: str) -> None:
    place = urlsplit(served.page)
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://{place.netloc}/{token}analysis").__enter__()
    assert fetched(f"http://{place.netloc}/{token}")[0] == 404


def test_the_address_without_its_last_slash_leads_on_wherever_a_proxy_put_it(served: Served) -> None:
    parts = urlsplit(served.page)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", parts.path.rstrip("/"))
    answer = connection.getresponse()
    connection.close()

    assert answer.status == 307
    assert answer.headers["location"] == parts.path.lstrip("/")


def test_another_origin_is_refused_with_the_right_token(served: Served) -> None:
    with pytest.raises(InvalidStatus, match="403"):
        connect(served.requests, origin=Origin("http://evil.example")).__enter__()
    assert served.post("read", b"f5d6", Origin="http://evil.example")[0] == 403
    assert served.post("read", b"f5d6")[0] == 200


@pytest.mark.parametrize(
    ("text", "games"),
    [
        (str(Position.start().with_side(Colour.WHITE)), 1),
        ("8/8/8/3pP3/3Pp3/8/8/8 w", 1),
        ("f5-d6-c3", 1),
        (f"{'-' * 27}OX------XO{'-' * 27} O;\n{'-' * 27}OX------XO{'-' * 27} X;\n", 2),
    ],
)
def test_boards_and_moves_are_read_as_people_paste_them(served: Served, text: str, games: int) -> None:
    status, answer = served.post("read", text.encode())

    assert (status, len(json.loads(answer)["games"])) == (200, games)
    assert not json.loads(answer).get("bad")


@pytest.mark.parametrize("size", [(4 << 20) + 1, 15 << 20])
def test_too_large_a_file_is_refused_in_words(served: Served, size: int) -> None:
    status, answer = served.post("read", b"f" * size, connection="close")

    assert (status, answer) == (413, b"expected a file of at most 4 MB")


def test_a_game_is_saved_in_every_format_that_convert_writes(served: Served) -> None:
    record = replace(AnnotatedGame.of(Game.from_transcript(WITH_PASSES)), black="A", white="B")
    game = json.dumps(Replay.of(record).facts()).encode()
    for name in WRITTEN_FORMATS:
        status, content = served.post(f"save?format={name}", game)
        assert status == 200, content
        if name == "wthor":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                assert sorted(archive.namelist()) == ["game.jou", "game.trn", "game.wtb"]
                content = archive.read("game.wtb")
        saved = next(read_games(io.BytesIO(content)))
        assert isinstance(saved, AnnotatedGame)
        if name != "obf":  # which has positions
            assert saved.game().transcript() == WITH_PASSES

    assert served.post("save?format=pgn", game)[0] == 404
    assert served.post("save?format=sgf", json.dumps({**json.loads(game), "turns": "a1"}).encode())[0] == 400


@pytest.fixture(scope="module")
def with_archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("archive") / "some.archive"
    lines = ("f5d6c3d3c4", "f5d6c3d3c4f4", "f5f6e6", "f5d6c7")
    build_archive(path, (AnnotatedGame.of(Game.from_transcript(line)) for line in lines))
    with Served("--archive", str(path)) as running:
        yield running


def test_the_games_of_an_archive_are_told_for_a_position(served: Served, with_archive: Served) -> None:
    def archive(where: Served, **asked: str) -> Any:
        return json.loads(where.post("about", json.dumps(asked).encode())[1])["archive"]

    told = archive(with_archive, moves="d3c5")

    assert told["games"] == 3
    assert [(move["move"], move["games"]) for move in told["moves"]] == [("f6", 2), ("b6", 1)]
    assert archive(with_archive, moves="", rules="obversi") == {"games": 0, "moves": []}
    assert archive(served, moves="") is None
    assert with_archive.post("about", b'{"moves": "a1"}')[0] == 400


@in_browser
def test_the_games_of_an_archive_stand_beside_the_board(browser: Browser, with_archive: Served) -> None:
    study(browser, with_archive)
    browser.wait("at('reached').textContent === '4 games in the archive'")
    browser.run("at('played').querySelector('button').click()")
    browser.wait("desk.viewer.ply === 1 && at('played').tBodies[0].rows.length === 2")
    browser.run("desk.mode.line(desk.viewer.ply, ['f4'])")
    browser.wait(
        "desk.viewer.ply === 2 && at('reached').textContent === 'No game in the archive' && at('played').hidden"
    )

    assert browser.errors == []


@in_browser
def test_a_board_is_played_on_and_searched(browser: Browser, served: Served) -> None:
    study(browser, served)
    browser.wait("desk.search.found?.depth >= 4")
    browser.wait("document.querySelectorAll('.score-mark').length === 4")
    browser.wait("at('book').textContent.startsWith('Book: ')")
    browser.square("f5")
    browser.wait("desk.viewer.ply === 1 && desk.viewer.game.moves.join() === 'f5'")
    browser.run("desk.mode.line(desk.viewer.ply, ['d6'])")
    browser.wait("desk.viewer.ply === 2 && at('called').textContent === 'Perpendicular Opening'")
    browser.wait(
        "desk.search.found && at('lines').rows.length > 2 && at('depth').textContent.startsWith('Black to move')"
    )
    browser.wait("desk.viewer.game.column('review').every(value => value !== null)")
    browser.press("Home")
    browser.wait("desk.viewer.ply === 0 && desk.search.found")

    assert browser.run("document.querySelectorAll('.score-mark.best').length") >= 1
    assert browser.errors == []
    origins = {urlsplit(address).netloc for address in browser.requests}
    assert origins == {urlsplit(served.page).netloc}


@in_browser
def test_a_pasted_game_is_reviewed_on_one_click(browser: Browser, served: Served) -> None:
    whole = AnnotatedGame.of(Game.from_transcript(WITH_PASSES)).moves
    late = ggf.write(AnnotatedGame(whole[44].before, whole[44:]))
    study(browser, served)
    browser.run(f"at('text').value = {json.dumps(late)}; at('take').click()")
    browser.wait("desk.viewer.game.moves.length === 18")
    browser.run("at('engine').click(); at('review').click()")
    browser.wait("desk.viewer.game.isReviewed", 100)

    assert browser.run("desk.viewer.game.column('lost').length === desk.viewer.game.moves.length")
    assert browser.run("at('slips').hidden") is False
    assert browser.run("document.querySelectorAll('#graph .curve.review').length") == 1
    moves = browser.run("desk.viewer.game.moves.join()")
    browser.run(
        "desk.viewer.go(2); desk.mode.line(2,"
        " [desk.viewer.position.moves.find(move => move !== desk.viewer.game.moves[2])])"
    )
    browser.wait("desk.viewer.game.trunk && desk.viewer.ply >= 3 && !at('trunk').hidden")
    browser.run("at('trunk').click()")
    assert browser.run(
        "[desk.viewer.game.moves.join(), desk.viewer.ply, desk.viewer.game.column('lost').length]"
    ) == [moves, 2, 18]
    browser.run("at('text').value = 'what is this'; at('take').click()")
    browser.wait("!at('trouble').hidden")
    assert browser.run("desk.viewer.game.moves.length") == 18


@in_browser
def test_no_page_of_another_site_gets_in(browser: Browser, served: Served) -> None:
    """A hostile page that knows the whole address, token included, in the same browser."""
    script = f"""
      const page = {json.dumps(served.page)};
      window.got = {{}};
      fetch(page + "first").then(() => got.read = "in", () => got.read = "out");
      fetch(page + "read", {{method: "POST", body: "f5"}}).then(() => got.sent = "in", () => got.sent = "out");
      fetch(page + "read", {{method: "POST", body: "f5", mode: "no-cors"}}).then(answer => answer.text())
        .then(text => got.blind = text.length ? "in" : "out", () => got.blind = "out");
      const socket = new WebSocket(page.replace("http", "ws") + "analysis");
      socket.onopen = () => got.socket = "in";
      socket.onclose = () => got.socket ??= "out";
      const frame = document.createElement("iframe");
      frame.src = page;
      frame.onload = () => {{
        try {{ got.frame = frame.contentDocument.body ? "in" : "out"; }} catch {{ got.frame = "out"; }}
      }};
      document.body.append(frame);
    """

    def hostile(request: Request) -> Response:
        page = f"<!doctype html><body><script>{script}</script>"
        return HTMLResponse(page, headers={"content-security-policy": "default-src * 'unsafe-inline'"})

    with WebServer([Route("/", hostile)], Address().listen()) as site:
        browser.load(site.url + "/")
        browser.wait("Object.keys(got).length === 5")

        assert set(browser.run("Object.values(got)")) == {"out"}


@pytest.mark.parametrize("words", [("--web", "f5d6"), ("--web=127.0.0.1:0", "f5d6"), ("f5d6", "--web")])
def test_the_page_takes_an_address_as_other_pages_do_and_a_position_after_it(words: tuple[str, ...]) -> None:
    with Served(command=["analyze", *words]) as own:
        first = json.loads(fetched(own.page + "first")[1])
        own.process.send_signal(signal.SIGINT)
        assert own.process.wait(20) == 130

    assert [game["turns"] for game in first["games"]] == ["f5 d6"]


def test_a_port_that_is_taken_and_an_archive_without_a_board_are_named(served: Served) -> None:
    port = urlsplit(served.page).port
    said = run("analyze", "--listen", port, code=1).stderr

    assert f"can't listen on 127.0.0.1, port {port}: Address already in use" in said
    assert "needs --web" in run("analyze", "f5", "--archive", __file__, code=2).stderr

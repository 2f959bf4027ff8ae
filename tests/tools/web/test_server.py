"""The web server: where it listens, whom it answers, what peers may take, how it ends."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from outflank.engine import NotationError, SettingsError
from outflank.tools.web.server import STRICT_POLICY, Address, Certificate, Limits, WebServer


def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


@contextmanager
def serving(limits: Limits | None = None, names: tuple[str, ...] = ()) -> Iterator[WebServer]:
    routes = [Route("/", hello), WebSocketRoute("/echo", echo)]
    with WebServer(routes, Address().listen(), limits=limits, names=names) as server:
        yield server


def port_of(server: WebServer) -> int:
    return int(server.url.rpartition(":")[2])


def answer(server: WebServer, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=10)
    connection.request("GET", "/", headers=headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response


def echo_url(server: WebServer) -> str:
    return server.url.replace("http", "ws") + "/echo"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8000", Address(port=8000)),
        ("0.0.0.0:80", Address("0.0.0.0", 80)),
        ("arena", Address("arena")),
        ("[::1]:9", Address("::1", 9)),
        ("127.0.0.1:8000,Live.Example.org", Address(port=8000, names=("live.example.org",))),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert Address.parse(text) == address


@pytest.mark.parametrize(
    "text", ["", "a b", "127.0.0.1:x", "127.0.0.1:70000", "8000,", "8000,http://x", "[::1"]
)
def test_an_address_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected HOST:PORT"):
        Address.parse(text)


def test_a_port_that_is_taken_is_refused_in_words() -> None:
    with (
        Address().listen() as listener,
        pytest.raises(SettingsError, match=r"port \d+: Address already in use"),
    ):
        Address(port=listener.getsockname()[1]).listen()


def test_only_loopback_addresses_are_called_so() -> None:
    assert [Address(host).is_loopback for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "arena")] == [
        *(True, True, True),
        *(False, False),
    ]


def test_every_answer_has_the_strict_policy() -> None:
    with serving() as server:
        response = answer(server)

    assert response.status == 200
    assert response.headers["content-security-policy"] == STRICT_POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "server" not in response.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [("evil.example", 403), ("localhost:1", 200), ("10.0.0.1", 200), ("live.example.org", 200), ("]", 403)],
)
def test_a_request_for_another_name_is_refused(host: str, status: int) -> None:
    with serving(names=("live.example.org",)) as server:
        assert answer(server, Host=host).status == status


def test_a_socket_opens_for_its_own_page_and_for_programs_alone() -> None:
    with serving() as server:
        for origin in (None, Origin(server.url)):
            with connect(echo_url(server), origin=origin) as peer:
                peer.send("f5")
                assert peer.recv(10) == "f5"
        for other in ("http://evil.example", "null", f"http://127.0.0.1:{port_of(server) - 1}"):
            with pytest.raises(InvalidStatus, match="403"):
                connect(echo_url(server), origin=Origin(other))


def test_a_message_that_is_too_long_ends_its_connection() -> None:
    with serving(Limits(message_bytes=1000)) as server, connect(echo_url(server)) as peer:
        peer.send("x" * 1000)
        assert peer.recv(10) == "x" * 1000
        peer.send("x" * 1001)
        with pytest.raises(ConnectionClosed) as closed:
            peer.recv(10)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_connections_beyond_the_limit_are_refused_in_words() -> None:
    with serving(Limits(connections=3)) as server, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(connect(echo_url(server)))
        refused = answer(server)
        stack.close()
        deadline = time.monotonic() + 10
        while (again := answer(server)).status != 200 and time.monotonic() < deadline:
            time.sleep(0.05)

    assert (refused.status, again.status) == (503, 200)


def test_half_a_request_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.tools.web.server._IDLE_SECONDS", 0.2)
    with serving() as server, socket.create_connection(("127.0.0.1", port_of(server)), 10) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert peer.recv(100) == b""


def test_nothing_is_left_when_it_ends() -> None:
    with serving() as server, connect(echo_url(server)) as peer:
        server.stop()
        with pytest.raises(ConnectionClosed) as closed:
            peer.recv(10)
        port = port_of(server)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert not [thread for thread in threading.enumerate() if thread.name == "web server"]
    Address(port=port).listen().close()


def test_a_certificate_that_cannot_be_used_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("no key")
    certificate = Certificate(tmp_path / "none.pem", tmp_path / "key.pem")
    with Address().listen() as listener, pytest.raises(SettingsError, match="can't use the certificate"):
        WebServer([], listener, certificate=certificate)

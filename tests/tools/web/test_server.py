"""The web server: where it listens, whom it answers, what peers may take, how it ends."""

import asyncio
import http.client
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from outflank.engine import NotationError, SettingsError
from outflank.tests.support.arenas import wait
from outflank.tests.support.processes import resident_kib
from outflank.tests.support.program import certificate
from outflank.tools.runtime.address import Address
from outflank.tools.web.listener import Limits
from outflank.tools.web.server import STRICT_POLICY, WebServer, is_own_origin

HOST = socket.gethostname().partition(".")[0].lower()
LARGE = 40_000_000  # bytes; the C library returns freed blocks of more than 32 MB to the system at once


def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)


async def length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def large(request: Request) -> PlainTextResponse:
    return PlainTextResponse("x" * LARGE)


@contextmanager
def serving(
    limits: Limits | None = None,
    names: tuple[str, ...] = (),
    host: str = "127.0.0.1",
    certificate: tuple[Path, Path] | None = None,
    other_names: list[str] | None = None,
) -> Iterator[WebServer]:
    routes = [
        Route("/", hello),
        Route("/large", large),
        Route("/length", length, methods=["POST"]),
        Route("/games/{number:int}.json", hello),
        WebSocketRoute("/echo", echo),
    ]
    listener, others = Address(host).listen(), other_names if other_names is not None else []
    bounds: Any = {"limits": limits, "names": names, "on_other_name": others.append}
    with WebServer(routes, listener, certificate=certificate, **bounds) as server:
        yield server


def port_of(server: WebServer) -> int:
    return int(server._listener.getsockname()[1])


def answer(server: WebServer, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=10)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    assert len(response.read()) == int(response.headers["content-length"])
    connection.close()
    return response


def stranger(server: WebServer, *, upgraded: bool = False) -> socket.socket:
    """Return a connection that has sent nothing, or asked for a WebSocket."""
    peer = socket.create_connection(("127.0.0.1", port_of(server)), 10)
    if upgraded:
        peer.sendall(
            b"GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        assert peer.recv(12) == b"HTTP/1.1 101"
    return peer


def frame(opcode: int, data: bytes, *, is_last: bool = True) -> bytes:
    return bytes([is_last << 7 | opcode, 0x80 | len(data)]) + bytes(4) + data


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
        ("::1", Address("::1")),
        ("fe80::1%eth0", Address("fe80::1%eth0")),
        ("http://127.0.0.1:18905/", Address(port=18905)),
        ("127.0.0.1:18905/,live.example.org", Address(port=18905, names=("live.example.org",))),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert Address.parse(text) == address
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text", ["", "a b", "127.0.0.1:x", "127.0.0.1:70000", "8000,", "8000,http://x", "[::1", "127.0.0.1:80/x"]
)
def test_an_address_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="expected HOST:PORT"):
        Address.parse(text)


def test_a_taken_port_and_a_bad_certificate_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("no key")
    certificate = tmp_path / "none.pem", tmp_path / "key.pem"
    with Address().listen() as listener:
        with pytest.raises(SettingsError, match=r"port \d+: Address already in use"):
            Address(port=listener.getsockname()[1]).listen()
        with pytest.raises(SettingsError, match="can't use the certificate"):
            WebServer([], listener, certificate=certificate)


def test_only_loopback_addresses_are_called_so() -> None:
    hosts = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "arena")
    assert [Address(host).is_loopback for host in hosts] == [True, True, True, False, False]


def test_every_answer_has_the_strict_policy_and_a_path_that_no_page_can_have_is_not_found() -> None:
    with serving() as server:
        response = answer(server)
        assert answer(server, "/games/1.json").status == 200
        assert answer(server, f"/games/{5_000 * '9'}.json").status == 404

    assert response.status == 200
    assert response.headers["content-security-policy"] == STRICT_POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "server" not in response.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("localhost:1", 200),
        ("localhost.:1", 200),
        ("10.0.0.1", 200),
        ("[::1]:8000", 200),
        ("live.example.org", 200),
        (f"{HOST}.local:18800", 200),
        (f"{HOST}.fritz.box", 200),
        (f"{HOST}.example", 403),
        ("evil.local", 403),
        ("a@localhost", 403),
        ("[::1].evil", 403),
        ("]", 403),
    ],
)
def test_a_request_for_another_name_is_refused(host: str, status: int) -> None:
    with serving(names=("live.example.org",)) as server:
        assert answer(server, Host=host).status == status


def test_a_name_that_is_refused_is_told_once_with_what_lets_it_in() -> None:
    told: list[str] = []
    with serving(other_names=told) as server:
        for host in (
            "live.example.org:80",
            "live.example.org",
            "localhost",
            "b.example",
            "10.0.0.1",
            "]",
            "a,b",
        ):
            answer(server, Host=host)
        for number in range(100):
            answer(server, Host=f"{number}.example")

    assert told[:3] == ["live.example.org", "b.example", "0.example"]
    assert len(told) == 20
    assert Address("0.0.0.0", 80, ("a.example",)).refused("b.example", "--listen") == (
        "refused a browser that used the host name b.example; "
        "use --listen 0.0.0.0:80,a.example,b.example to accept it"
    )


@pytest.mark.parametrize(
    ("origin", "host", "port", "is_own"),
    [
        ("http://localhost:8000", "localhost:8000", 8000, True),
        ("http://localhost:8001", "localhost:8000", 8000, False),
        ("https://play.example", "play.example", 8000, True),
        ("https://play.example:443", "play.example", 8000, True),
        ("https://play.example", "play.example:443", 8000, True),
        ("http://PLAY.example:80", "play.example", 80, True),
        ("http://localhost:18080", "localhost", 8000, True),  # a proxy that hands on $host
        ("http://localhost:18080", "localhost", 80, False),  # another server of this machine
        ("http://evil.example", "localhost", 8000, False),
        ("http://localhost", "localhost:8000", 8000, False),
        ("ftp://localhost", "localhost", 8000, False),
        ("http://x@localhost:8000", "localhost:8000", 8000, False),
        ("http://localhost:8000/", "localhost:8000", 8000, False),
        ("http://[::1]:8000", "[::1]:8000", 8000, True),
        ("null", "localhost", 8000, False),
        ("", "localhost", 8000, False),
    ],
)
def test_the_origin_of_a_page_is_compared_as_browsers_and_proxies_write_it(
    origin: str, host: str, port: int, is_own: bool
) -> None:
    assert is_own_origin(origin, host, port) is is_own


def test_a_socket_opens_for_its_own_page_and_for_programs_alone() -> None:
    with serving() as server:
        for origin in (None, Origin(server.url)):
            with connect(echo_url(server), origin=origin) as peer:
                peer.send("f5")
                assert peer.recv(10) == "f5"
        for other in ("http://evil.example", "null", "http://[", f"http://127.0.0.1:{port_of(server) - 1}"):
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


def test_connections_beyond_the_limits_are_refused() -> None:
    with serving(Limits(connections=3)) as server, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(connect(echo_url(server)))
        refused = answer(server)
        stack.close()
        deadline = time.monotonic() + 10
        while (again := answer(server)).status != 200 and time.monotonic() < deadline:
            time.sleep(0.05)

    assert (refused.status, again.status) == (503, 200)

    limits = Limits(connections=8, address_connections=2)
    with serving(limits, host="0.0.0.0") as server, stranger(server), stranger(server):
        assert answer(server).status == 503
    with serving(limits) as server, ExitStack() as stack:  # all its peers may be one proxy
        for _ in range(7):
            stack.enter_context(stranger(server))
        assert answer(server).status == 200


def test_a_peer_without_a_handshake_is_counted_and_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.web.server._IDLE_SECONDS", 0.5)
    with serving(Limits(connections=2), certificate=certificate(tmp_path)) as server, ExitStack() as stack:
        idle = [stack.enter_context(stranger(server)) for _ in range(3)]
        began = time.monotonic()
        assert [peer.recv(1) for peer in reversed(idle)] == [b"", b"", b""]
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "flood",
    [frame(9, b"x" * 125) * 500, frame(1, b"", is_last=False) + frame(0, b"", is_last=False) * 10_000],
    ids=["pings", "fragments"],
)
def test_a_flood_without_a_message_ends_its_connection(flood: bytes) -> None:
    with serving() as server, stranger(server, upgraded=True) as peer:
        before = resident_kib()
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            peer.sendall(1_000 * flood)
        assert resident_kib() - before < 8_000


def test_output_is_written_as_it_is_read_and_not_for_a_peer_that_never_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("outflank.tools.web.server._UNREAD_SECONDS", 0.5)
    with serving() as server, ExitStack() as stack:
        assert answer(server, "/large").status == 200
        before = resident_kib()
        peers = [stack.enter_context(stranger(server)) for _ in range(10)]
        for peer in peers:
            peer.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(2)
        wait(lambda: resident_kib() - before < 4 * LARGE // 1024)
        received = sum(map(len, iter(lambda: peers[0].recv(1 << 20), b"")))

    assert 0 < received < LARGE


def test_a_long_message_arrives_whole_and_pings_now_and_then_are_answered() -> None:
    text = "黒白" * 10_000
    with serving() as server, connect(echo_url(server)) as peer:
        peer.send(text)
        assert peer.recv(10) == text
        for _ in range(400):
            assert peer.ping().wait(10)


def test_a_handler_ends_with_its_connection() -> None:
    """It takes no message, so it could not notice."""
    ended = threading.Event()

    async def busy(socket: WebSocket) -> None:
        await socket.accept()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with WebServer([WebSocketRoute("/echo", busy)], Address().listen()) as server:
        with stranger(server, upgraded=True) as peer:
            peer.sendall(frame(1, b"one") + frame(1, b"two"))
        assert ended.wait(10)


def test_a_body_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.tools.web.server._BODY_SECONDS", 0.3)
    with serving() as server, socket.create_connection(("127.0.0.1", port_of(server)), 10) as peer:
        peer.sendall(b"POST /length HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nslow")
        answered = b"".join(iter(lambda: peer.recv(4096), b""))

    assert answered.startswith(b"HTTP/1.1 408 ")


def test_the_bodies_of_all_requests_together_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones are received all the same."""
    monkeypatch.setattr("outflank.tools.web.server._LARGE_BODIES", 3_000_000)
    head = b"POST /length HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
    with serving() as server, ExitStack() as stack:
        address = "127.0.0.1", port_of(server)
        for _ in range(2):
            half = stack.enter_context(socket.create_connection(address, 10))
            half.sendall(head % 1_500_000 + bytes(1_400_000))
        large = stack.enter_context(socket.create_connection(address, 10))
        refused = b""
        while not refused:  # until the server has read the others
            with suppress(OSError):
                large.sendall(head % 1_500_000 + bytes(1_499_999))
                large.settimeout(0.5)
                refused = large.recv(12)
            if not refused:
                large = stack.enter_context(socket.create_connection(address, 10))
        small = stack.enter_context(socket.create_connection(address, 10))
        small.sendall(head % 5 + b"small")
        assert refused == b"HTTP/1.1 503"
        assert small.recv(12) == b"HTTP/1.1 200"


def test_a_peer_that_hangs_up_in_the_middle_of_an_answer_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with serving() as server:
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port_of(server)), 10) as peer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                peer.sendall(b"GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert peer.recv(100)
        assert answer(server).status == 200

    assert [record.getMessage() for record in caplog.records] == []


def test_half_a_request_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.tools.web.server._IDLE_SECONDS", 0.2)
    with serving() as server, socket.create_connection(("127.0.0.1", port_of(server)), 10) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert peer.recv(100) == b""


def test_nothing_is_left_when_it_ends() -> None:
    with serving() as server, connect(echo_url(server)) as peer:
        port = port_of(server)
        server.stop()
        with pytest.raises(ConnectionClosed) as closed:
            peer.recv(10)

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012
    assert not [thread for thread in threading.enumerate() if thread.name == "web server"]
    Address(port=port).listen().close()

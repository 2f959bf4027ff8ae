"""The web server for all commands: an ASGI app that runs in a thread of a command, with security checks on all input.

A command opens a socket with ``Address.listen`` and passes socket and routes to ``WebServer``, a context manager. The
routes are served by an event loop in a separate thread, which ends with the context.

All input is bounded before a route sees it. ``CountingListener`` limits connections. A connection has ten seconds for
its TLS handshake, ten for the head of each request and thirty for the body. Output is written in pieces as fast as
the peer reads, and the handler of a WebSocket ends when its connection ends.
"""

import asyncio
import ipaddress
import re
import select
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState
from websockets.frames import Frame

from outflank.engine import SettingsError
from outflank.tools.runtime.address import BACKLOG, Address, is_host
from outflank.tools.runtime.limits import Budget
from outflank.tools.runtime.progress import warn
from outflank.tools.web.listener import HEADER_BYTES, NO_ROOM, CountingListener, Limits

_LONGEST_PATH = 1_000  # the maximum length of a request's path; a longer path is answered with 404
_IDLE_SECONDS = 10.0  # the time limit for a TLS handshake, and for the head of a request
_UNREAD_SECONDS = 40.0  # the time after which a peer that does not read its output is dropped
_PING_SECONDS = 20.0  # the pause between pings; a peer that does not answer within this time is dropped
_WATCH_SECONDS = 1.0  # the interval at which paused connections are checked for a hang-up
# The time limit for open requests when the server stops, and for a WebSocket's handler when its connection is lost.
_FAREWELL_SECONDS = 2
_PIECE = 65_536  # the largest piece of output, in bytes or characters
_BODY_SECONDS = 30.0  # the time in which the body of a request must arrive
_SMALL_BODY = 65_536  # the number of bytes of each body that do not count towards _LARGE_BODIES
_LARGE_BODIES = 32 << 20  # the limit on the sum of open bodies, in bytes beyond the first _SMALL_BODY of each
_IDLE_FRAMES = 500  # the number of pings, pongs and fragments that a WebSocket may send in a burst
_IDLE_FRAMES_A_SECOND = 20


# This policy forbids loading, running, framing and sending anything; a page that needs more sets its own policy.
STRICT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = {
    "content-security-policy": STRICT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


_CLOSING = {"connection": "close"}
_OTHER_SITE = "requests from pages of other sites are refused"
_OTHER_NAMES = 20  # the maximum number of refused host names that are reported
_LOCAL_DOMAINS = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
_NETLOC = re.compile(r"(?:\[[^\[\]]*\]|[^\[\]@]*)(?::\d*)?")
_USUAL_PORTS = {"http": 80, "https": 443}


def own_names(names: Sequence[str]) -> frozenset[str]:
    """Return the host names by which browsers reach this machine, in lower case, including the given names.

    The names are localhost and the machine's host name, alone and with the local domains that routers use. A DNS server
    on the Internet can't make these names point here.
    """
    host = socket.gethostname().lower()
    first = host.partition(".")[0]
    given = (name.lower() for name in names)
    return frozenset(["localhost", host, first, *(f"{first}.{domain}" for domain in _LOCAL_DOMAINS), *given])


def is_own_name(host: str, ours: Collection[str]) -> bool:
    """Return whether a host is an IP address or one of the names, with or without a final dot."""
    with suppress(ValueError):
        ipaddress.ip_address(host)
        return True
    return host.removesuffix(".") in ours


def is_own_origin(origin: str, host: str, port: int) -> bool:
    """Return whether an ``Origin`` is the site that a request was sent to.

    Args:
        origin: the header ``Origin``, such as ``https://play.example``.
        host: the header ``Host``, such as ``play.example:8443``. If the header has no port and the server does not
            listen on a default port, the port of the origin is ignored, since a proxy may have removed the port from
            ``Host``.
        port: the port that the server listens on.
    """
    scheme, sent, asked = origin.partition(":")[0].lower(), _site(origin), _site(f"http://{host}")
    if scheme not in _USUAL_PORTS or sent is None or asked is None or sent[0] != asked[0]:
        return False
    if asked[1] is None and port not in _USUAL_PORTS.values():
        return True
    usual = _USUAL_PORTS[scheme]
    return (sent[1] or usual) == (asked[1] or usual)


def _site(url: str) -> tuple[str, int | None] | None:
    """Return the host and port of a URL that has neither path nor user; None for other texts."""
    with suppress(ValueError):
        parts = urlsplit(url)
        is_site = url.lower() == f"{parts.scheme}://{parts.netloc}".lower()
        if parts.hostname and is_site and _NETLOC.fullmatch(parts.netloc):
            return parts.hostname, parts.port
    return None


def _guarded(
    app: ASGIApp, names: Sequence[str], port: int, on_other_name: Callable[[str], object] | None
) -> ASGIApp:
    """Return an app that refuses requests that were not meant for this server, and adds headers to answers.

    The ``Host`` must be an IP address, ``localhost``, a name of this machine or one of `names`; this check prevents DNS
    rebinding. An ``Origin``, which only browsers send, must be this site.

    Args:
        app: the app to guard.
        names: the names by which others reach the server, without ports.
        port: the port that the server listens on.
        on_other_name: the function that is called once with each of the first refused host names.
    """
    ours, bodies, others = own_names(names), _Bodies(), set[str]()

    def refusal(headers: Headers) -> str:
        site = _site(f"http://{headers.get('host', '')}")
        if site is None or not is_own_name(site[0], ours):
            is_new = site is not None and is_host(site[0]) and site[0] not in others
            if site is not None and is_new and on_other_name and len(others) < _OTHER_NAMES:
                others.add(site[0])
                on_other_name(site[0])
            return "this server is not known by the requested name; its owner can add the name"
        origin = headers.get("origin")
        return "" if origin is None or is_own_origin(origin, headers["host"], port) else _OTHER_SITE

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        reason, status = refusal(Headers(scope=scope)), 403
        if not reason and len(scope["path"]) > _LONGEST_PATH:
            reason, status = "Not Found", 404
        if not reason and scope["type"] == "http":
            with bodies.bounded(receive) as bounded:
                await app(scope, bounded, _prepared(send))
        elif not reason:
            await app(scope, receive, send)
        elif scope["type"] == "http":
            await PlainTextResponse(reason + "\n", status)(scope, receive, _prepared(send))
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": reason})

    return answer


class _Bodies:
    """Limits on the bodies of open requests: a deadline for each, and a bound on their total memory."""

    def __init__(self) -> None:
        self._large = 0

    @contextmanager
    def bounded(self, receive: Receive) -> Iterator[Receive]:
        """Yield a ``receive`` that raises HTTPException beyond a limit. Count the body until the context ends."""
        size, is_whole, deadline = 0, False, asyncio.get_running_loop().time() + _BODY_SECONDS

        async def receive_bounded() -> Message:
            nonlocal size, is_whole
            if is_whole:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "the request took too long to arrive", _CLOSING) from None
            is_whole = message["type"] != "http.request" or not message.get("more_body", False)
            before, size = size, size + len(message.get("body", b""))
            self._large += max(size, _SMALL_BODY) - max(before, _SMALL_BODY)
            if self._large > _LARGE_BODIES:
                raise HTTPException(503, "the server is receiving too much data; try again later", _CLOSING)
            return message

        try:
            yield receive_bounded
        finally:
            self._large -= max(size, _SMALL_BODY) - _SMALL_BODY


def _prepared(send: Send) -> Send:
    """Return a ``send`` that adds our headers, and sends bodies in pieces as fast as the peer reads."""

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        elif message["type"] == "http.response.body":
            body = memoryview(message.get("body", b""))
            while len(body) > _PIECE:
                await send({**message, "body": bytes(body[:_PIECE]), "more_body": True})
                body = body[_PIECE:]
                await asyncio.sleep(0)  # the event loop can notice a hang-up of the peer here
            message = {**message, "body": bytes(body)}
        await send(message)

    return answer


class _Loop(asyncio.SelectorEventLoop):
    """An event loop with a shorter deadline for TLS handshakes; uvicorn can't change the default of one minute."""

    async def create_server(self, *arguments: Any, **named: Any) -> asyncio.Server:
        """Create a server like the base class, with the shorter deadline."""
        if named.get("ssl"):
            named["ssl_handshake_timeout"] = _IDLE_SECONDS
        return await super().create_server(*arguments, **named)


class _UnreadOutput(asyncio.Protocol):
    """Drops a connection whose peer does not read its output."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _unread: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(_UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()


class _PromptHttp(_UnreadOutput, H11Protocol):
    """Drops a connection if no complete request head arrives in time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self.loop.call_later(_IDLE_SECONDS, self._look, True)

    def _look(self, was_idle: bool) -> None:
        if self not in self.connections:
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and was_idle:
            self.transport.abort()
        else:
            self.loop.call_later(_IDLE_SECONDS, self._look, is_idle)


class _PromptSockets(_UnreadOutput, WebSocketsSansIOProtocol):
    """Limits the number of frames that do not complete a message. Ends the handler soon after the connection is lost.

    While the handler accepts no message, reading from the connection is paused, so pongs and hang-ups go unnoticed.
    During a pause, missing pongs are therefore ignored, and the system is polled for a hang-up.
    """

    _task: asyncio.Task[None] | None = None
    _is_watched = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._idle_frames = Budget(_IDLE_FRAMES, _IDLE_FRAMES_A_SECOND)

    async def run_asgi(self) -> None:
        self._task = asyncio.current_task()
        await super().run_asgi()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._task is not None:
            self.loop.call_later(_FAREWELL_SECONDS, self._task.cancel)

    async def send(self, message: Any) -> None:
        """Send a message; a long text is split into fragments."""
        if message["type"] == "websocket.send" and self.transport.is_closing():
            raise ClientDisconnected  # asyncio would write a warning to stderr for each message to a lost connection
        text = message.get("text") if message["type"] == "websocket.send" else None
        if text is None or len(text) <= _PIECE:
            await super().send(message)
            return
        for start in range(0, len(text), _PIECE):
            await self.writable.wait()
            if self.disconnected or self.close_sent:
                raise ClientDisconnected
            piece, is_last = text[start : start + _PIECE].encode(), start + _PIECE >= len(text)
            try:
                if start:
                    self.conn.send_continuation(piece, is_last)
                else:
                    self.conn.send_text(piece, is_last)
            except InvalidState:
                raise ClientDisconnected from None
            self.transport.write(b"".join(self.conn.data_to_send()))

    def handle_ping(self) -> None:
        if self._may_idle():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._may_idle():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        if event.fin or self._may_idle():
            super().handle_cont(event)

    def _may_idle(self) -> bool:
        if self._idle_frames.spend():
            return True
        self.transport.abort()
        return False

    def send_receive_event_to_app(self) -> None:
        super().send_receive_event_to_app()
        if self.read_paused and not self._is_watched:
            self._is_watched = True
            self.loop.call_later(_WATCH_SECONDS, self._watch)

    def _watch(self) -> None:
        self._is_watched = self.read_paused and not self.disconnected
        if not self._is_watched:
            return
        if sys.platform != "linux":  # only Linux reports a hang-up while unread data waits
            return
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLRDHUP)
        if poll.poll(0):
            self.transport.abort()
        else:
            self.loop.call_later(_WATCH_SECONDS, self._watch)

    def keepalive_timeout(self) -> None:
        if self.read_paused:
            self.pong_timer = self.pending_ping_payload = None
            self.schedule_ping()
            return
        super().keepalive_timeout()
        self.transport.abort()


def _tls_context(chain: Path, key: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(chain, key)
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(f"can't use the certificate {str(chain)!r}: {error}") from None
    return context


Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class WebServer:
    """Serves routes in a thread of a command; a context manager.

    Args:
        routes: the routes for Starlette; their handlers run in the server's event loop.
        listener: the listening socket, which the server takes over, see ``Address.listen``.
        names: the names by which others reach the server, without ports.
        on_other_name: the function that is called in the server's thread, once with each of the first refused
            host names.
        limits: the limits on peers.
        certificate: the PEM files of the certificate chain and its private key; None for plain HTTP, for example
            behind a TLS proxy.
        lifespan: the asynchronous context in which the app runs; it may start background tasks.

    Attributes:
        url: the address of the server for browsers, without a final slash.

    Raises: SettingsError if the certificate can't be used.
    """

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        listener: socket.socket,
        *,
        names: Sequence[str] = (),
        on_other_name: Callable[[str], object] | None = None,
        limits: Limits | None = None,
        certificate: tuple[Path, Path] | None = None,
        lifespan: Lifespan | None = None,
    ) -> None:
        limits = limits or Limits()
        host, port = listener.getsockname()[:2]
        self.url = Address(host, port, tuple(names)).url("https" if certificate else "http")
        app = Starlette(routes=routes, lifespan=lifespan)
        config = uvicorn.Config(
            _guarded(app, names, port, on_other_name),
            http=_PromptHttp,
            ws=_PromptSockets,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            h11_max_incomplete_event_size=HEADER_BYTES,
            ws_max_size=limits.message_bytes,
            ws_ping_interval=_PING_SECONDS,
            ws_ping_timeout=_PING_SECONDS,
            ws_per_message_deflate=False,  # otherwise each message would be compressed separately for each peer
            timeout_graceful_shutdown=_FAREWELL_SECONDS,
        )
        config.load()
        if certificate:
            config.ssl = _tls_context(*certificate)
        self._listener = CountingListener(listener, limits, b"" if certificate else NO_ROOM)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.run, name="web server", daemon=True)

    @classmethod
    def at(
        cls, address: Address, option: str, routes: Sequence[BaseRoute], listener: socket.socket, **named: Any
    ) -> Self:
        """Return a server at `address`. It warns about browsers that use a host name that `option` does not list."""
        named |= {"names": address.names, "on_other_name": lambda name: warn(address.refused(name, option))}
        return cls(routes, listener, **named)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()
        self._listener.close()

    def run(self) -> None:
        """Serve in the calling thread until ``stop`` is called."""
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.run(self._server.serve(sockets=[self._listener]))

    def stop(self) -> None:
        """Stop serving; may be called from any thread. WebSockets are closed with code 1012, "service restart"."""
        self._server.should_exit = True

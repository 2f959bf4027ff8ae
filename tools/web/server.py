"""The web server of all commands: one ASGI app that runs beside a command, behind the checks that every app needs.

A command takes a port with ``Address.listen`` and gives it with its routes to ``WebServer``, a context manager. The
routes are served in a thread with an event loop of its own, and nothing of it is left when the context ends.
Whatever comes from outside is bounded: connections, headers, messages, and the time that a peer may waste.
"""

import asyncio
import ipaddress
import resource
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from outflank.engine import NotationError, SettingsError
from outflank.protocol.lines import printable

_LOOPBACK = "127.0.0.1"
_MOST_PORTS = 65_535
_HEADER_BYTES = 16_384  # of a request, its first line included
_IDLE_SECONDS = 10.0  # for the headers of a request
_PING_SECONDS = 20.0  # a peer that leaves a ping unanswered for as long again is gone
_FAREWELL_SECONDS = 2  # for requests under way when the server ends
_FILES_BESIDE = 256  # descriptors that the program needs besides its connections


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens.

    Attributes:
        host: a name or a number of this machine.
        port: 0 for any that is free.
        names: under which others reach it besides, as behind a proxy: host names without a port.
    """

    host: str = _LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read ``PORT``, ``HOST``, ``HOST:PORT`` or ``[IPV6]:PORT``; names of a proxy may follow after commas.

        Raises: NotationError.
        """
        place, *names = (part.strip() for part in text.split(","))
        host, port = _LOOPBACK, place
        if place.startswith("[") and "]" in place:
            host, _, port = place[1:].partition("]")
            port = port.removeprefix(":")
        elif ":" in place:
            host, _, port = place.rpartition(":")
        elif not place.isdecimal():
            host, port = place, ""
        if not _is_host(host) or not _is_port(port) or not all(map(_is_host, names)):
            shown = printable(text, 60)
            raise NotationError(f"expected HOST:PORT with a port of at most {_MOST_PORTS}, got {shown!r}")
        return cls(host, int(port or 0), tuple(name.lower() for name in names))

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host.lower() == "localhost"

    def listen(self) -> socket.socket:
        """A socket that listens there.

        Raises: SettingsError in words if it can't, as where another program has the port.
        """
        try:
            family, kind, _, _, where = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = socket.socket(family, kind)
        except OSError as error:
            raise SettingsError(f"can't listen on {self.host}: {error.strerror}") from None
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(where)
            listener.listen(1024)
        except OSError as error:
            listener.close()
            raise SettingsError(f"can't listen on {self.host}, port {self.port}: {error.strerror}") from None
        return listener


def _is_host(text: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(text)
        return True
    return 0 < len(text) <= 253 and all(c.isascii() and (c.isalnum() or c in "-._") for c in text)


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= _MOST_PORTS)


def url_of(listener: socket.socket, scheme: str = "http") -> str:
    """``http://127.0.0.1:40123``; an address that stands for all of this machine's is named by its host name."""
    host, port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


@dataclass(frozen=True, slots=True)
class Limits:
    """What peers may take.

    Attributes:
        connections: at once, those that have asked nothing yet included; more are answered with 503.
        message_bytes: of one WebSocket message that comes in; a longer one ends its connection with code 1009.
    """

    connections: int = 2_000
    message_bytes: int = 65_536


@dataclass(frozen=True, slots=True)
class Certificate:
    """Files of a certificate, for TLS.

    Attributes:
        chain: the certificate and those that vouch for it, in PEM.
        key: its private key, in PEM.
    """

    chain: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """The server's side of TLS. Raises: SettingsError if the files can't be used."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.chain, self.key)
        except (OSError, ssl.SSLError) as error:
            raise SettingsError(f"can't use the certificate {str(self.chain)!r}: {error}") from None
        return context


# Nothing is loaded, run, framed or sent anywhere; a page that needs more says so in a policy of its own.
STRICT_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_HEADERS = {
    "content-security-policy": STRICT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Lets a request through to an app only if it was meant for this server, and adds headers to the answer.

    The Host has to be a number, ``localhost``, this machine's name or one of `names`: a page elsewhere that has its own
    name lead to us would show that name. An Origin, which browsers send and programs need not, has to be ours.

    Args:
        app: behind it.
        names: under which others reach the server, without ports.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str] = ()) -> None:
        self._app = app
        self._names = {"localhost", socket.gethostname().lower(), *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        reason = self._refusal(Headers(scope=scope))
        if not reason:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http":
            await PlainTextResponse(reason + "\n", 403)(scope, receive, _with_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": reason})

    def _refusal(self, headers: Headers) -> str:
        """Why a request is not answered; empty if it is."""
        host = headers.get("host", "")
        if not self._is_ours(host):
            return "this server has another name"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return "pages of other sites get no answer"
        return ""

    def _is_ours(self, host: str) -> bool:
        with suppress(ValueError):
            name = urlsplit(f"//{host}").hostname or ""
            if name in self._names:
                return True
            ipaddress.ip_address(name)
            return True
        return False


def _with_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return answer


_FULL = b"too many connections; try again later\n"
_NO_ROOM = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 10\r\n"
    b"content-type: text/plain\r\ncontent-length: %d\r\n\r\n%b" % (len(_FULL), _FULL)
)


class _PromptHttp(H11Protocol):
    """Refuses connections beyond the limit, and drops those that for long ask nothing or only half of something."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        if self.limit_concurrency is not None and len(self.connections) > self.limit_concurrency:
            self.transport.write(_NO_ROOM)
            self.transport.close()
        else:
            self.loop.call_later(_IDLE_SECONDS, self._look, True)

    def _look(self, was_idle: bool) -> None:
        if self not in self.connections:
            return
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and was_idle:
            self.transport.abort()
        else:
            self.loop.call_later(_IDLE_SECONDS, self._look, is_idle)


class _PromptSockets(WebSocketsSansIOProtocol):
    """Drops a peer that does not answer pings, and with it what it has not read."""

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()


Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class WebServer:
    """Runs routes beside a command; a context manager.

    Args:
        routes: of Starlette; their handlers run in the server's event loop.
        listener: a socket of ``Address.listen``; it is closed with the server.
        names: as ``Guard`` has them.
        limits: what peers may take.
        certificate: for TLS; None for plain HTTP, as behind a proxy.
        lifespan: an asynchronous context in which the app runs, for tasks of its own.

    Attributes:
        url: where browsers find it, without a slash at its end.

    Raises: SettingsError about the certificate.
    """

    def __init__(
        self,
        routes: Sequence[BaseRoute],
        listener: socket.socket,
        *,
        names: Sequence[str] = (),
        limits: Limits | None = None,
        certificate: Certificate | None = None,
        lifespan: Lifespan | None = None,
    ) -> None:
        limits = limits or Limits()
        self.url = url_of(listener, "https" if certificate else "http")
        self._listener = listener
        self._started = threading.Event()
        config = uvicorn.Config(
            Guard(Starlette(routes=routes, lifespan=lifespan), names),
            http=_PromptHttp,
            ws=_PromptSockets,
            loop="asyncio",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=limits.connections,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            ws_max_size=limits.message_bytes,
            ws_ping_interval=_PING_SECONDS,
            ws_ping_timeout=_PING_SECONDS,
            ws_per_message_deflate=False,  # or each message would be packed for each peer
            timeout_graceful_shutdown=_FAREWELL_SECONDS,
        )
        config.load()
        if certificate:
            config.ssl = certificate.context()
        _allow_files(limits.connections + _FILES_BESIDE)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self.run, name="web server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()
        self._listener.close()

    def run(self) -> None:
        """Serve in the calling thread until ``stop``."""
        self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """End serving, from any thread: sockets are closed with code 1012, which is that of a restart."""
        self._server.should_exit = True


def _allow_files(count: int) -> None:
    """Let the process have so many descriptors, or as many as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

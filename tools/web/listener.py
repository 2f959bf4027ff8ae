"""Limits on the connections of a server, enforced when connections are accepted."""

import errno
import functools
import ipaddress
import os
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from outflank.tools.runtime.address import BACKLOG
from outflank.tools.runtime.limits import allow_descriptors

HEADER_BYTES = 16_384
"""The size limit of a request's head, including its first line."""
_EXHAUSTED_SECONDS = 0.01  # the pause before the next attempt to accept a connection if no descriptor is free
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_FULL = b"too many connections; try again later\n"
NO_ROOM = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 10\r\n"
    b"content-type: text/plain\r\ncontent-length: %d\r\n\r\n%b" % (len(_FULL), _FULL)
)
"""The answer to a connection beyond the limits, if the server does not use TLS."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on peers.

    Attributes:
        connections: the limit on open connections, including idle ones. Further connections are closed;
            without TLS, they first get the answer 503. The limit is lowered if the system allows the process too few
            descriptors.
        address_connections: the limit on connections from one IPv4 address or one IPv6 /64 network. This limit has no
            effect on a server that listens on loopback, since all its peers may come through one proxy.
        message_bytes: the size limit of a WebSocket message; a larger one closes its connection with code 1009.
        descriptors: the number of file descriptors that are reserved for the rest of the program.
    """

    connections: int = 2_000
    address_connections: int = 500
    message_bytes: int = 65_536
    descriptors: int = 256


class _CountedConnection(socket.socket):
    """An accepted connection, which calls ``on_close`` once when it is closed."""

    on_close: Callable[[], object] | None = None

    def close(self) -> None:
        super().close()
        on_close, self.on_close = self.on_close, None
        if on_close:
            on_close()


class CountingListener(socket.socket):
    """A listener whose ``accept`` counts connections and refuses connections beyond the limits.

    The event loop calls ``accept``, so a connection is counted before its TLS handshake. When no descriptor is free, a
    spare one is used to accept and drop a connection; otherwise the event loop would log an error for each attempt to
    accept.

    Args:
        listener: the socket to take over.
        limits: the limits on peers.
        refusal: the bytes that are sent to a refused peer.
    """

    def __init__(self, listener: socket.socket, limits: Limits, refusal: bytes) -> None:
        super().__init__(fileno=listener.detach())
        allowed = allow_descriptors(limits.connections + limits.descriptors)
        self._most = min(limits.connections, max(allowed - limits.descriptors, allowed // 4))
        is_local = ipaddress.ip_address(self.getsockname()[0]).is_loopback
        self._most_of_one = self._most if is_local else limits.address_connections
        self._refusal = refusal
        self._open: Counter[str] = Counter()
        self._spare = _spare_descriptor()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that is within the limits.

        Raises: BlockingIOError if no such connection is waiting.
        """
        for _ in range(BACKLOG):
            try:
                accepted, address = super().accept()
            except OSError as error:
                if error.errno not in _EXHAUSTED:
                    raise
                self._drop_one()
                continue
            connection, network = _CountedConnection(fileno=accepted.detach()), _network(address[0])
            if self._open.total() < self._most and self._open[network] < self._most_of_one:
                self._open[network] += 1
                connection.on_close = functools.partial(self._forget, network)
                return connection, address
            with connection, suppress(OSError):
                connection.setblocking(False)
                connection.send(self._refusal)
                connection.recv(HEADER_BYTES)  # otherwise unread data would reset the connection
        raise BlockingIOError

    def close(self) -> None:
        """Close the listener and its spare descriptor."""
        super().close()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def _forget(self, network: str) -> None:
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    def _drop_one(self) -> None:
        """Accept and close a waiting connection with the spare descriptor."""
        if self._spare is None:
            time.sleep(_EXHAUSTED_SECONDS)
        else:
            os.close(self._spare)
            with suppress(OSError):
                super().accept()[0].close()
        self._spare = _spare_descriptor()


def _spare_descriptor() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return None


@functools.lru_cache
def _network(host: str) -> str:
    """Return the key of a peer: its IPv4 address, or its IPv6 /64 network, which one host may own."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host

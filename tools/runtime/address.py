"""Addresses for servers to listen on: parsing, URLs and listening sockets."""

import ipaddress
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from outflank.engine import NotationError, SettingsError
from outflank.protocol.lines import printable

BACKLOG = 256
"""The maximum length of the queue of connections that wait to be accepted."""
_LOOPBACK = "127.0.0.1"
_MOST_PORTS = 65_535
_LONGEST_LABEL = 63  # the maximum length of a part of a host name between two dots


@dataclass(frozen=True, slots=True)
class Address:
    """The address that a server listens on.

    Attributes:
        host: the host name or IP address of this machine.
        port: the port; 0 for any free port.
        names: other host names by which browsers reach the server, such as a proxy's name, without ports.
    """

    host: str = _LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read ``PORT``, ``HOST``, ``HOST:PORT`` or ``[IPV6]:PORT``, and further host names after commas.

        The text may also be a URL copied from a browser, ``http://HOST:PORT/``. Raises: NotationError for other texts.
        """
        place, *names = (part.strip() for part in text.split(","))
        place = re.sub("^https?://", "", place, flags=re.IGNORECASE)
        place, _, path = place.partition("/")
        if path:
            raise NotationError(f"expected HOST:PORT without a path, got {printable(text, 60)!r}")
        host, port = _LOOPBACK, place
        if place.startswith("[") and "]" in place:
            host, _, port = place[1:].partition("]")
            port = port.removeprefix(":")
        elif place.count(":") > 1:
            host, port = place, ""
        elif ":" in place:
            host, _, port = place.rpartition(":")
        elif not place.isdecimal():
            host, port = place, ""
        if not is_host(host) or not _is_port(port) or not all(map(is_host, names)):
            shown = printable(text, 60)
            raise NotationError(f"expected HOST:PORT with a port of at most {_MOST_PORTS}, got {shown!r}")
        return cls(host, int(port or 0), tuple(name.lower() for name in names))

    def __str__(self) -> str:
        """Return the text that ``parse`` reads back."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return ",".join([f"{host}:{self.port}", *self.names])

    def refused(self, name: str, option: str) -> str:
        """Return a message about a browser that was refused because it used another host name.

        Args:
            name: the host name that the browser used.
            option: the command-line option that sets this address, such as ``--listen``.
        """
        named = replace(self, names=(*self.names, name))
        return f"refused a browser that used the host name {name}; use {option} {named} to accept it"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        with suppress(ValueError):
            return ipaddress.ip_address(self.host).is_loopback
        return self.host.lower() == "localhost"

    def url(self, scheme: str = "http", unspecified: str = "") -> str:
        """Return the URL of the server for its clients, such as ``http://127.0.0.1:40123``.

        An unspecified address such as 0.0.0.0 is replaced by `unspecified`, or else by this machine's host name. If
        there are other names, the first one is used as the host. If the address is on loopback, this name belongs to a
        TLS proxy, so the URL has ``https`` and no port.
        """
        host, port = self.host, f":{self.port}"
        with suppress(ValueError):
            if ipaddress.ip_address(host).is_unspecified:
                host = unspecified or socket.gethostname()
        if self.names:
            host = self.names[0]
            if self.is_loopback:
                scheme, port = "https", ""
        return f"{scheme}://{f'[{host}]' if ':' in host else host}{port}"

    def listen(self) -> socket.socket:
        """Return a socket that listens at the address.

        Raises: SettingsError if the socket can't be opened, for example because another program uses the port.
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
            listener.listen(BACKLOG)
        except OSError as error:
            listener.close()
            raise SettingsError(f"can't listen on {self.host}, port {self.port}: {error.strerror}") from None
        return listener


def is_host(text: str) -> bool:
    """Return whether a text is a host name or an IP address."""
    with suppress(ValueError):
        ipaddress.ip_address(text)
        return True
    if not all(c.isascii() and (c.isalnum() or c in "-._") for c in text):
        return False
    return 0 < len(text) <= 253 and all(len(label) <= _LONGEST_LABEL for label in text.split("."))


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdecimal() and len(text) <= 5 and int(text) <= _MOST_PORTS)


def url_of(
    listener: socket.socket, scheme: str = "http", names: Sequence[str] = (), unspecified: str = ""
) -> str:
    """Return the URL of a listening socket for its clients, see ``Address.url``."""
    host, port = listener.getsockname()[:2]
    return Address(host, port, tuple(names)).url(scheme, unspecified)

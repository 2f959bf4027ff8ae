"""The connection to the server: connects, logs in, splits text into messages, and reconnects after a loss."""

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from outflank.engine import OutflankError
from outflank.protocol.lines import LineSplitter
from outflank.tools.ggs.messages import MessageJoiner
from outflank.tools.ggs.settings import Settings

_CONNECT_SECONDS = 20.0
_LOGIN_SECONDS = 60.0
_FAREWELL_SECONDS = 1.0
_QUIET_SECONDS = 0.2  # the silence after which a message is complete
# The idle time before a keep-alive line; the server is said to disconnect after a minute.
_SIGN_OF_LIFE_SECONDS = 50.0
_GOOD_LINE_SECONDS = 60.0  # after a longer connection, the pauses start with the shortest one again
_PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # the pauses before successive attempts to reconnect
_LONGEST_PROMPT = 1_000
_TCP = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 60_000}
_READY = "READY"


class GgsConnection:
    """A connection that reconnects after each loss, until ``end``.

    Args:
        settings: the settings of the player.
        on_login: the function that is called after each login.
        on_message: the function that gets the lines of each message after the login.
        on_loss: the function that gets the reason for each loss of the connection.
        on_quiet: the function that is called when no line was sent for 50 seconds. It should send a line.
        log: the function that is called with ``">"`` and each line sent, or with ``"<"`` and each line received. The
            lines are printable, and the password is masked.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        on_login: Callable[[], object],
        on_message: Callable[[list[str]], object],
        on_loss: Callable[[str], object],
        on_quiet: Callable[[], object],
        log: Callable[[str, str], object],
    ) -> None:
        self._settings = settings
        self._on_login = on_login
        self._on_message = on_message
        self._on_loss = on_loss
        self._on_quiet = on_quiet
        self._log = log
        self._writer: asyncio.StreamWriter | None = None
        self._answered: set[str] = set()  # the login prompts that were answered in this connection
        self._is_in = False
        self._sent_at = 0.0
        self._ended = asyncio.Event()

    def send(self, line: str) -> None:
        """Send a line, if there is a connection."""
        if self._writer is not None and not self._writer.is_closing():
            self._sent_at = time.monotonic()
            self._log(">", self._settings.shown(line))
            self._writer.write(f"{line}\n".encode())

    def end(self) -> None:
        """Log out, so that ``keep`` returns soon."""
        self.send("quit")
        self._ended.set()

    async def keep(self) -> None:
        """Stay connected until ``end``. Raises: OutflankError if the server rejects the login or disconnects us."""
        tries = 0
        while not self._ended.is_set():
            began = time.monotonic()
            try:
                await self._connect()
            except (OSError, EOFError) as error:
                tries = 0 if time.monotonic() - began > _GOOD_LINE_SECONDS else tries
                reason = getattr(error, "strerror", None) or str(error) or "no answer"
                self._on_loss(reason)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSES[min(tries, len(_PAUSES) - 1)]):
                        await self._ended.wait()
                tries += 1

    async def _connect(self) -> None:
        async with asyncio.timeout(_CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(self._settings.host, self._settings.port)
        _watch_over(writer.get_extra_info("socket"))
        self._writer, self._answered, self._is_in = writer, set(), False
        try:
            await self._listen(reader)
            with suppress(TimeoutError):
                async with asyncio.timeout(_FAREWELL_SECONDS):
                    await writer.drain()
        finally:
            self._writer, self._is_in = None, False
            writer.close()

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        splitter, joiner, began = LineSplitter(), MessageJoiner(), time.monotonic()
        while not self._ended.is_set():
            try:
                async with asyncio.timeout(_QUIET_SECONDS):
                    data = await reader.read(1 << 14)
            except TimeoutError:
                self._hear(joiner.flush())
                if not self._is_in:
                    self._answer(splitter.rest[:_LONGEST_PROMPT].decode("utf-8", "replace"))
            else:
                if not data:
                    self._hear(joiner.flush())
                    raise EOFError("the server closed the connection")
                for line in splitter.feed(data):
                    self._log(
                        "<", self._settings.shown(line[:_LONGEST_PROMPT].decode("utf-8", "replace").rstrip())
                    )
                    self._hear(joiner.feed(line))
            if not self._is_in and time.monotonic() - began > _LOGIN_SECONDS:
                raise OSError(f"no login within {_LOGIN_SECONDS:.0f} s")
            if self._is_in and time.monotonic() - self._sent_at > _SIGN_OF_LIFE_SECONDS:
                self._on_quiet()

    def _hear(self, lines: list[str] | None) -> None:
        if not lines:
            return
        if not self._is_in:
            self._answer(lines[0])
        elif lines[0].startswith(": User ") and "disconnected you" in lines[0]:
            raise OutflankError(f"the server ended the connection: {self._settings.shown(lines[0])}")
        elif lines[0] != _READY:
            self._on_message(lines)

    def _answer(self, text: str) -> None:
        """Answer a login prompt, which may come without a line feed."""
        asked = text.lower()
        prompts = {"enter login": self._settings.user, "enter your password": self._settings.password}
        for prompt, answer in prompts.items():
            if prompt in asked and prompt not in self._answered:
                self._answered.add(prompt)
                self.send(answer)
                return
        is_told_all = len(self._answered) == len(prompts)
        starts_again = is_told_all and "enter login" in asked and "password" not in asked
        if asked.startswith(": err") or starts_again:
            raise OutflankError(f"the server rejected the login: {self._settings.shown(text)}")
        if is_told_all and text.endswith(_READY):
            self._is_in = True
            self._on_login()


def _watch_over(line: Any) -> None:
    line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _TCP.items():
        if hasattr(socket, name):
            line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

"""A client of ours in a thread, on the small Generic Game Server of the tests, with a fake engine."""

import asyncio
import shlex
import signal
import threading
from pathlib import Path
from typing import Any, Self

from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support import fake_engine
from outflank.tests.support.ggs_server import GgsServer
from outflank.tools.ggs.client import GgsClient
from outflank.tools.ggs.settings import Settings


def fake(*options: Any, **named: Any) -> str:
    """A fake engine as a user enters it; see ``fake_engine.command``."""
    return f"cmd={shlex.quote(shlex.join(fake_engine.command(*options, **named)))}"


PLAIN = fake()
ANY_BOARD = (
    f"{fake(speak='uci')} protocol=uci depth=1"  # that is set up by what it is sent with each question
)


class Guest:
    """A client in a thread; a context manager."""

    def __init__(
        self, server: GgsServer, name: str, folder: Path, engine: str = PLAIN, **others: Any
    ) -> None:
        self.name = name
        self.said: list[str] = []
        self.log: list[str] = []
        self.file = folder / f"{name}.ggf"
        self.failure: Exception | None = None
        password = others.pop("password", "secret")
        settings = Settings(
            "127.0.0.1", server.port, name, password, EngineSpec.parse(engine), self.file, **others
        )
        self.client = GgsClient(
            settings, self.said.append, lambda way, line: self.log.append(f"{way} {line}")
        )
        self._server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._server.wait(lambda: self._server.is_there(self.name) or self.failure)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self.interrupt(at_once=True)
        self.wait()

    def interrupt(self, *, at_once: bool = False) -> None:
        """Do as Ctrl-C does."""
        self._loop.call_soon_threadsafe(lambda: self.client.interrupt(signal.SIGINT, at_once=at_once))

    def wait(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive(), (self.said, self.log[-30:])

    def games(self) -> list[AnnotatedGame]:
        return [ggf.parse(line) for line in self.file.read_text().splitlines()]

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self.client.play())
        except Exception as error:
            self.failure = error
        self._loop.close()

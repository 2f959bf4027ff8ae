"""The engines of a match as the user names them: ``name=A cmd="outflank gtp --level 4" time=none``."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from outflank.engine import NotationError
from outflank.tools.games.clock import TimeControl

_KEYS = ("name", "cmd", "time")
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine that takes part.

    Attributes:
        name: how tables and records call it.
        cmd: the command as it was written.
        time: its time control.
    """

    name: str
    cmd: str
    time: TimeControl

    @classmethod
    def parse(cls, text: str, time: TimeControl) -> "Entry":
        """Read blank-separated ``key=value`` with a shell's quotes; ``cmd`` is required.

        Args:
            text: keys ``name`` (the program's file name if left out), ``cmd`` and ``time``.
            time: what holds if `text` says nothing about it.

        Raises: NotationError.
        """
        settings = _settings(text)
        if not _split(settings.get("cmd", "")):
            raise NotationError(f"expected cmd=... with a command in the engine, got {text!r}")
        name = settings.get("name") or Path(_split(settings["cmd"])[0]).name
        if len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise NotationError(
                f"expected a printable name of at most {_LONGEST_NAME} characters, got {name!r}"
            )
        own_time = settings.get("time")
        return cls(name, settings["cmd"], TimeControl.parse(own_time) if own_time is not None else time)

    def command(self) -> list[str]:
        """Program and arguments; ``outflank`` is the program of this installation, on PATH or not."""
        program, *arguments = _split(self.cmd)
        ours = Path(sys.executable).with_name("outflank")
        if program == "outflank" and ours.exists():
            program = str(ours)
        return [program, *arguments]


def _settings(text: str) -> dict[str, str]:
    """The keys of an engine's text with their values."""
    settings: dict[str, str] = {}
    for word in _split(text):
        key, equals, value = word.partition("=")
        if key not in _KEYS or not equals:
            raise NotationError(f"expected {'=, '.join(_KEYS)}= in the engine, got {word!r} in {text!r}")
        if key in settings:
            raise NotationError(f"expected {key}= once in the engine, got it twice in {text!r}")
        settings[key] = value
    return settings


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise NotationError(f"expected balanced quotes, got {text!r} ({str(error).lower()})") from None

"""The engines that take part, as a user describes them on the command line or in a file."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from outflank.engine import NotationError
from outflank.protocol.opponent.clock import MARGIN_SECONDS, NO_LIMIT, TimeControl
from outflank.protocol.opponent.dialect import Dialect
from outflank.tools.games import entryvalues as read
from outflank.tools.games.protocols import Protocol

_LISTED_KEYS = {"command": "commands"}  # in a text these may be given several times
_NAMED_KEYS = {"env": "env", "option": "options"}  # ``env.NAME=VALUE``


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine that takes part.

    Attributes:
        name: how tables and records call it.
        cmd: the command as it was written; a shell's quotes, but no shell.
        time: its time control.
        margin: seconds forgiven on each of its moves.
        dialect: in which words it is given its clock, if it speaks GTP.
        protocol: that it speaks.
        level: strength by its own scale; None for its own choice, as for the three that follow.
        depth: plies to search.
        nodes: boards to reach for a move.
        book: opening book that it plays from, a file or ``none``; None for its own choice.
        threads: how many it uses; sent to it where there is a way, and the yardstick for its processor time.
        options: parameters of its own, name and value each.
        commands: lines of its protocol that it is sent when it has started.
        dir: working directory; ours if None.
        env: environment variables besides ours, name and value each.
        cpus: numbers of the processors it may run on; empty for all.
        memory: MB (2^20 bytes) of address space for each of its processes; None for no limit.
        analysis: whether it is asked what it thinks of its positions, if it has a command for that.
        restart: whether each game gets a new process, so that no game depends on earlier ones.
    """

    name: str
    cmd: str
    time: TimeControl
    margin: float = MARGIN_SECONDS
    dialect: Dialect = Dialect.AUTO
    protocol: Protocol = Protocol.GTP
    level: int | None = None
    depth: int | None = None
    nodes: int | None = None
    book: str | None = None
    threads: int = 1
    options: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    dir: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    cpus: tuple[int, ...] = ()
    memory: int | None = None
    analysis: bool = True
    restart: bool = False

    @classmethod
    def parse(cls, text: str, time: TimeControl = NO_LIMIT) -> "Entry":
        """Read blank-separated ``key=value`` with a shell's quotes; ``cmd`` is required.

        Args:
            text: the attributes by their names, but ``command=`` once for each of its commands, ``env.NAME=`` for each
                variable and ``option.NAME=`` for each option.
            time: what holds if `text` says nothing about it.

        Raises: NotationError.
        """
        return cls.from_settings(_settings(text), time)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object], time: TimeControl = NO_LIMIT) -> "Entry":
        """Read the attributes by their names, as ``settings`` gives them and a TOML file has them.

        Raises: NotationError.
        """
        for key in settings:
            if key not in read.READERS:
                expected = " ".join(read.READERS)
                raise NotationError(f"expected keys out of {expected} in the engine, got {key!r}")
            _expect_unicode(key, settings[key])
        if "cmd" not in settings:
            raise NotationError(f"an engine needs cmd= with its command: {dict(settings)} has none")
        values: dict[str, Any] = {key: read.READERS[key](key, value) for key, value in settings.items()}
        values.setdefault("name", read.name_of(shlex.split(values["cmd"])[0]))
        return cls(**{"time": time, **values})

    def settings(self) -> dict[str, Any]:
        """The attributes as numbers, text, lists and mappings, those left out that have their default."""
        return {
            field.name: _plain(value)
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


def _plain(value: object) -> object:
    """An attribute's value as a file holds it."""
    if isinstance(value, TimeControl | StrEnum):
        return str(value)
    if isinstance(value, tuple):
        pairs = bool(value) and isinstance(value[0], tuple)
        return dict(value) if pairs else list(value)
    return value


def _expect_unicode(key: str, value: object) -> None:
    """Raise NotationError if a value can't be kept by the file of a run: on Linux paths may be any bytes."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise NotationError(
            f"{key} of an engine is not UTF-8, so a run can't keep it: {value!r}; rename the file or folder"
        ) from None


def _settings(text: str) -> dict[str, object]:
    """The keys of an engine's text with their values."""
    settings: dict[str, Any] = {}
    for word in read.words(text):
        key, equals, value = word.partition("=")
        kind, dot, name = key.partition(".")
        if not equals:
            raise NotationError(f"expected key=value in the engine, got {word!r} in {text!r}")
        together = _NAMED_KEYS.get(kind, "") if dot else _LISTED_KEYS.get(key, "")
        if isinstance(settings.get(together), str):
            raise NotationError(f"{together}= and {word!r} exclude each other in the engine {text!r}")
        if dot and kind in _NAMED_KEYS:
            settings.setdefault(_NAMED_KEYS[kind], {})[name] = value
        elif key in _LISTED_KEYS:
            settings.setdefault(_LISTED_KEYS[key], []).append(value)
        elif key in settings:
            raise NotationError(f"{key}= is there twice in the engine {text!r}")
        else:
            settings[key] = value
    return settings

"""The values that an engine's description may have, and the functions that check them."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.command import split_command
from outflank.protocol.drivers.dialect import Dialect

LONGEST_NAME = 40
_LONGEST_GRACE = 60.0
_HIGHEST = 2**31 - 1
_MOST_THREADS = 1024
_TRUTH = {"yes": True, "no": False, True: True, False: False}
_DIGITS = re.compile(r"\d{1,10}", re.ASCII)
_CPUS = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?", re.ASCII)
_OPTION = re.compile(r"[\w.-]+(?: [\w.-]+)*", re.ASCII)  # UCI's names have blanks: ``Move Overhead``
_VARIABLE = re.compile(r"[^=\0]+")


class Protocol(StrEnum):
    """The protocol of an engine: a line protocol, or ``outflank join`` for an engine on its author's machine."""

    GTP = "gtp"
    NBOARD = "nboard"
    UCI = "uci"
    JOIN = "join"


def words(text: str) -> list[str]:
    """Return the words of `text`, split as a shell would. Raises: NotationError if a quote is not closed."""
    try:
        return split_command(text)
    except ValueError as error:
        raise NotationError(f"expected balanced quotes, got {text!r} ({str(error).lower()})") from None


def as_text(value: object) -> str:
    """Return a value of a TOML file in the notation of the command line: ``yes`` for true, ``1,2`` for a list."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(as_text, value)) if isinstance(value, list | tuple) else str(value)


def name(key: str, value: object) -> str:
    """Check a name for tables and records, and return it."""
    text = _text(key, value)
    if len(text) > LONGEST_NAME or not text.isprintable() or text != text.strip() or not text:
        raise NotationError(f"expected a printable name of at most {LONGEST_NAME} characters, got {text!r}")
    return text


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise NotationError(f"expected text for {key}, got {value!r}")
    return value


def _fitting(key: str, value: object, expected: str, fits: Callable[[str], object]) -> str:
    text = _text(key, value)
    if not fits(text):
        raise NotationError(f"expected {expected.format(key)}, got {text!r}")
    return text


def _time(key: str, value: object) -> TimeControl:
    """Return a time control. A TOML file may give a plain number of seconds for each move."""
    return TimeControl.parse(str(value) if _is_number(value) else _text(key, value))


def _member(key: str, value: object, kind: type[StrEnum]) -> StrEnum:
    try:
        return kind(_text(key, value))
    except ValueError:
        raise NotationError(f"expected {key} to be one of {' '.join(kind)}, got {value!r}") from None


def _grace(key: str, value: object) -> float:
    try:
        seconds = float(value) if isinstance(value, str) or _is_number(value) else math.nan  # type: ignore[arg-type]
    except (ValueError, OverflowError):
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_GRACE:
        raise NotationError(f"expected 0 to {_LONGEST_GRACE:g} seconds for {key}, got {value!r}")
    return seconds


def _whole(key: str, value: object, least: int = 1, most: int = _HIGHEST) -> int:
    text = str(value) if isinstance(value, str) or _is_number(value) else ""
    if not (_DIGITS.fullmatch(text) and least <= int(text) <= most):
        raise NotationError(f"expected a whole number from {least} to {most} for {key}, got {value!r}")
    return int(text)


def _truth(key: str, value: object) -> bool:
    if not isinstance(value, str | bool) or value not in _TRUTH:
        raise NotationError(f"expected yes or no for {key}, got {value!r}")
    return _TRUTH[value]


def _cpus(key: str, value: object) -> tuple[int, ...]:
    parts = (
        _text(key, value).split(",") if isinstance(value, str) else [str(item) for item in _list(key, value)]
    )
    found: list[int] = []
    for part in parts:
        match = _CPUS.fullmatch(part.strip())
        if match is None:
            raise NotationError(f"expected processors like 0,2-3 for {key}, got {value!r}")
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(dict.fromkeys(found))


def _is_one_line(text: str) -> bool:
    return bool(text) and text.isprintable()


def _commands(key: str, value: object) -> tuple[str, ...]:
    commands = tuple(_text(key, item).strip() for item in _list(key, value))
    for command in commands:
        if not _is_one_line(command):
            raise NotationError(f"expected one-line commands for {key}, got {command!r}")
    return commands


def _pairs(key: str, value: object, names: re.Pattern[str]) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise NotationError(f"expected names and values for {key}, got {value!r}")
    found = tuple((str(item), as_text(text)) for item, text in value.items())
    for item, text in found:
        if not names.fullmatch(item) or not (text.isprintable() or names is _VARIABLE) or "\0" in text:
            raise NotationError(f"expected a name and a value for {key}, got {item}={text!r}")
    return found


def _list(key: str, value: object) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise NotationError(f"expected a list for {key}, got {value!r}")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


READERS: dict[str, Callable[[str, object], object]] = {
    "name": name,
    "cmd": partial(_fitting, expected="{}=... with a command in the engine", fits=words),
    "tc": _time,
    "grace": _grace,
    "dialect": partial(_member, kind=Dialect),
    "protocol": partial(_member, kind=Protocol),
    "level": partial(_whole, least=0),
    "depth": _whole,
    "nodes": _whole,
    "book": partial(_fitting, expected="a file or none for {}", fits=_is_one_line),
    "weights": partial(_fitting, expected="a file of weights for {}", fits=_is_one_line),
    "threads": partial(_whole, most=_MOST_THREADS),
    "options": partial(_pairs, names=_OPTION),
    "commands": _commands,
    "dir": partial(_fitting, expected="a folder for {}", fits=lambda text: text and "\0" not in text),
    "env": partial(_pairs, names=_VARIABLE),
    "cpus": _cpus,
    "memory": _whole,
    "analysis": _truth,
    "restart": _truth,
}
"""The parsers of an engine's attributes by key. Each parser gets the key and the value, and may raise NotationError."""

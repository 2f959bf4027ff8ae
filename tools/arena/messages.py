"""The messages between the server of an arena and those who join: JSON objects, checked before they are used.

``CLIENT`` and ``SERVER`` are the schema, which docs/join.md shows. Each request of the server has an id that rises by
one, and holds all that its answer depends on. So nothing is lost with a line: what was not answered is asked again when
the line is back, and what comes twice is known by its id.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from outflank.engine import NotationError, OutflankError
from outflank.protocol.lines import printable
from outflank.protocol.outside_json import read_json_object

VERSION = 1
MOST_BYTES = 1 << 14  # of a message; a game of 128 turns with their seconds takes 2 kB
PATH = "/join"
MOST_SLOTS = 64
_LONGEST_NAME = 100
_LONGEST_SENTENCE = 1_000
_LONGEST_RULES = 300
_LONGEST_MOVE = 20  # "pass" or "d3/ne" are the longest that make sense
_MOST_TURNS = 256
_MOST_SECONDS = 1e9
_HIGHEST = 2**53  # whole numbers beyond are not safe in JSON
_LONGEST_SHOWN = 60

Message = dict[str, Any]


class MessageError(OutflankError):
    """What came over the line is no message of this protocol."""


@dataclass(frozen=True, slots=True)
class Field:
    """A value in a message.

    Attributes:
        kind: in words, as the page has it.
        says: its meaning.
        fits: whether a value can stand there.
        optional: whether it may be left out.
    """

    kind: str
    says: str
    fits: Callable[[object], bool]
    optional: bool = False


def _text(longest: int, says: str, *, optional: bool = False) -> Field:
    return Field(f"text, at most {longest}", says, lambda v: _is_text(v, longest), optional)


def _whole(least: int, most: int, says: str) -> Field:
    top = "" if most == _HIGHEST else f" to {most}"
    return Field(
        f"whole number, {least}{top or ' or more'}", says, lambda v: type(v) is int and least <= v <= most
    )


def _number(least: float, says: str, *, most: float = _MOST_SECONDS, optional: bool = False) -> Field:
    return Field("number", says, lambda v: _is_number(v, least, most), optional)


def _word(words: tuple[str, ...], says: str) -> Field:
    return Field(
        " or ".join(f"`{word}`" for word in words), says, lambda v: isinstance(v, str) and v in words
    )


def _truth(says: str) -> Field:
    return Field("true or false", says, lambda v: isinstance(v, bool), optional=True)


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest


def _is_number(value: object, least: float, most: float) -> bool:
    # Neither NaN nor an infinite number is between two finite ones.
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _list_of(fits: Callable[[object], bool], kind: str, says: str) -> Field:
    return Field(
        f"list of at most {_MOST_TURNS}: {kind}",
        says,
        lambda value: isinstance(value, list) and len(value) <= _MOST_TURNS and all(map(fits, value)),
    )


_ID = _whole(1, _HIGHEST, "of the request; the answer repeats it")
_GAME = _whole(1, _HIGHEST, "the game's key on this line")
_MOVES = _list_of(
    lambda v: _is_text(v, _LONGEST_MOVE), "text", "all moves of the game so far, passes as `pass`"
)
_TIMES = _list_of(
    lambda v: v is None or _is_number(v, 0, _MOST_SECONDS),
    "number or null",
    "seconds of each move; null if it was given",
)
_NAMES = {
    "number": _whole(1, _HIGHEST, "of the game in the run"),
    "black": _text(_LONGEST_NAME, "name of the engine"),
    "white": _text(_LONGEST_NAME, "name of the engine"),
}
FAULTS = ("crash", "stall", "protocol error")

CLIENT: Mapping[str, Mapping[str, Field]] = {
    "hello": {
        "protocol": _whole(0, _HIGHEST, "version of these messages"),
        "token": _text(_LONGEST_NAME, "by which the server knows the entrant"),
    },
    "open": {
        "slots": _whole(1, MOST_SLOTS, "games that the engine can play at once"),
        "engine": _text(_LONGEST_NAME, "what it calls itself"),
    },
    "ready": {"id": _ID},
    "move": {
        "id": _ID,
        "move": _text(_LONGEST_MOVE, "`f5`, or `resign`"),
        "score": _number(-64, "discs, from the side that moves", most=64, optional=True),
        "book": _truth("whether the move came from an opening book"),
    },
    "failed": {
        "id": _ID,
        "fault": _word(FAULTS, "how it failed"),
        "reason": _text(_LONGEST_SENTENCE, "a sentence"),
    },
    "thought": {
        "id": _ID,
        "line": _text(
            _LONGEST_SENTENCE, "what the engine reports while it thinks, as it wrote it; for those who watch"
        ),
    },
    "pong": {"ping": _whole(1, _HIGHEST, "the number of the ping")},
}
"""What a client may send: the fields of each type of message. ``hello`` comes first, ``open`` after ``welcome``."""

SERVER: Mapping[str, Mapping[str, Field]] = {
    "welcome": {
        "protocol": _whole(1, _HIGHEST, "version of these messages"),
        "name": _text(_LONGEST_NAME, "of the entrant in tables"),
        "session": _text(
            _LONGEST_NAME, "new if the server was started again: earlier requests are void then"
        ),
        "rules": _text(_LONGEST_RULES, "that are played, as docs/rules.md names them"),
        "time": _text(_LONGEST_NAME, "the time control, as docs/match.md writes it"),
        "patience": _number(0, "seconds in which a lost line may come back, all losses of a game together"),
    },
    "refused": {
        "reason": _text(_LONGEST_SENTENCE, "a sentence; the server closes the line"),
        "again": _truth("whether it makes sense to come again"),
    },
    "new": {"id": _ID, "game": _GAME},
    "think": {
        "id": _ID,
        "game": _GAME,
        "colour": _word(("black", "white"), "who is to move"),
        "moves": _MOVES,
        "seconds": _TIMES,
        "left": _number(0, "seconds on its clock; left out without a clock", optional=True),
        "left_moves": _whole(0, _HIGHEST, "moves for which they are; 0 in main time"),
        "wait": _number(0, "seconds after which the move is not waited for any more"),
    },
    "drop": {"game": _GAME},
    "started": _NAMES,
    "result": {
        **_NAMES,
        "winner": _text(_LONGEST_NAME, "name of the engine; left out for a draw", optional=True),
        "ending": _text(_LONGEST_NAME, "how the game ended, as docs/match.md names it"),
        "detail": _text(_LONGEST_SENTENCE, "the reason, if it was a fault"),
        "margin": _number(
            -64, "discs, from Black's side; left out if it was broken off", most=64, optional=True
        ),
    },
    "over": {},
    "ping": {
        "ping": _whole(1, _HIGHEST, "its number; answered with `pong` at once"),
        "line": _number(0, "seconds that are allowed for the line on each move"),
    },
}
"""What the server may send. ``new`` is answered with ``ready``, ``think`` with ``move``, either with ``failed``."""

MEANINGS: Mapping[str, str] = {
    "hello": "the first message of a connection",
    "welcome": "the answer to the right token",
    "refused": "the answer to anything that is wrong",
    "open": "the engine is started: the line is open, and games may begin",
    "new": "asks to set up the start of a game",
    "ready": "answers `new`",
    "think": "asks for a move; the game so far is in it",
    "move": "answers `think`",
    "thought": "goes before `move`, any number of times, if the engine thinks aloud",
    "failed": "answers `new` or `think`: the engine has failed, and loses the game",
    "drop": "nobody waits for an answer in this game any more",
    "started": "a game begins",
    "result": "a game has ended",
    "over": "the tournament is over; nobody need come again",
    "ping": "asks for `pong` at once; the time in between is measured",
    "pong": "answers `ping`",
}
"""Each type of message in words."""


def page() -> str:
    """The schema as docs/join.md has it: a table of types, and their fields."""
    rows = ["| message | from | meaning | fields |", "| --- | --- | --- | --- |"]
    for kind, meaning in MEANINGS.items():
        side, schema = ("client", CLIENT) if kind in CLIENT else ("server", SERVER)
        fields = [
            f"`{name}`{' (may be left out)' if field.optional else ''}: {field.kind}; {field.says}"
            for name, field in schema[kind].items()
        ]
        rows.append(f"| `{kind}` | {side} | {meaning} | {'<br>'.join(fields)} |")
    return "\n".join(rows)


def write(type: str, **values: Any) -> str:
    """A message as it is sent; a value of None is left out, but for those in lists."""
    return json.dumps({"type": type, **{name: value for name, value in values.items() if value is not None}})


def read(text: str | bytes, schema: Mapping[str, Mapping[str, Field]]) -> Message:
    """The message that `text` is; fields that the schema has not are dropped.

    Raises: MessageError.
    """
    found = _object(text)
    kind = found.get("type")
    if not isinstance(kind, str) or kind not in schema:
        expected = " ".join(schema)
        raise MessageError(
            f"expected a message of type {expected}, got {printable(repr(kind), _LONGEST_SHOWN)}"
        )
    message: Message = {"type": kind}
    for name, field in schema[kind].items():
        value = found.get(name)
        if value is None and field.optional:
            continue
        if not field.fits(value):
            shown = printable(repr(value), _LONGEST_SHOWN)
            raise MessageError(f"expected {field.kind} for {name} of a message {kind!r}, got {shown}")
        message[name] = value
    return message


def _object(text: str | bytes) -> Mapping[str, Any]:
    """Read the JSON object in `text`.

    Raises: MessageError.
    """
    if len(text) > MOST_BYTES:
        raise MessageError(f"a message has at most {MOST_BYTES} bytes, and this one had {len(text)}")
    try:
        return read_json_object(text)
    except NotationError as error:
        raise MessageError(str(error)) from None

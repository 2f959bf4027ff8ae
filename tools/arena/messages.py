"""The messages between the server of an arena and its clients: JSON objects, validated when they are read.

The classes in ``CLIENT`` and ``SERVER`` are the schema, which docs/arena.md shows. The ids of the server's requests
rise by one, and each request for a move contains the whole game. Therefore a lost connection loses no message: the
server repeats an unanswered request after a reconnection, and recognises a repeated answer by its id.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Literal, get_type_hints

import msgspec
from msgspec import Meta, inspect

from outflank.engine import Colour, NotationError, OutflankError
from outflank.protocol.lines import printable
from outflank.storage.outside_json import read_json_object

VERSION = 1
MOST_BYTES = 1 << 14  # the maximum size of a message; 128 moves with their times take about 2 kB
PATH = "/join"
MOST_SLOTS = 64
_LONGEST_SHOWN = 60
_HIGHEST = 2**53  # many JSON readers round larger integers
_FIELD = re.compile(r"(?:\$\.|required field `)(\w+)")  # the name of a field in an error message of msgspec

Fault = Literal["crash", "stall", "protocol error"]
_Count = Annotated[int, Meta(ge=0, le=_HIGHEST)]
_Natural = Annotated[int, Meta(ge=1, le=_HIGHEST)]
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]
_Discs = Annotated[float, Meta(ge=-64, le=64)]
_Name = Annotated[str, Meta(max_length=100)]
_Sentence = Annotated[str, Meta(max_length=1_000)]
_Move = Annotated[str, Meta(max_length=20)]  # no valid move, such as "resign" or "d3/ne", is longer
_Moves = Annotated[list[_Move], Meta(max_length=256)]
_Times = Annotated[list[_Seconds | None], Meta(max_length=256)]
_Id = Annotated[_Natural, "id of the request; the answer repeats it"]
_Game = Annotated[_Natural, "key of the game on this connection"]
_Number = Annotated[_Natural, "number of the game in the run"]
_Engine = Annotated[_Name, "name of the engine"]


class Refusal(OutflankError):
    """The reason why the server rejects or disconnects a client.

    Args:
        reason: the reason, as a sentence.
        again: True if the client may try again.
    """

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


class Message(
    msgspec.Struct,
    omit_defaults=True,
    tag_field="type",
    tag=lambda name: name.removesuffix("Message").lower(),
):
    """A message. docs/arena.md shows the docstring of each subclass, and the last annotation of each field."""

    @property
    def type(self) -> str:
        """The value of the field `type` in the JSON object."""
        return str(self.__struct_config__.tag)


class HelloMessage(Message):
    """The first message of a connection."""

    protocol: Annotated[_Count, "version of these messages"]
    token: Annotated[_Name, "token of the entrant"]


class WelcomeMessage(Message):
    """The answer to a valid token."""

    protocol: Annotated[_Natural, "version of these messages"]
    name: Annotated[_Name, "name of the entrant in tables"]
    session: Annotated[_Name, "id that changes if the server is restarted; earlier requests are then void"]
    rules: Annotated[str, Meta(max_length=300), "rules of the games, in the notation of docs/rules.md"]
    time: Annotated[_Name, "time control, in the notation of docs/match.md"]
    patience: Annotated[_Seconds, "seconds for which the connection may be lost, in total for a game"]


class RefusedMessage(Message):
    """The answer to any error."""

    reason: Annotated[_Sentence, "reason, as a sentence; the server then closes the connection"]
    again: Annotated[bool | None, "whether the client may try again"] = None


class OpenMessage(Message):
    """The engine has started, and games may begin."""

    slots: Annotated[int, Meta(ge=1, le=MOST_SLOTS), "number of games that the engine can play at once"]
    engine: Annotated[_Name, "name that the engine reports"]


class NewMessage(Message):
    """Requests the setup of a new game."""

    id: _Id
    game: _Game


class ReadyMessage(Message):
    """Answers `new`."""

    id: _Id


class ThinkMessage(Message, kw_only=True):
    """Requests a move, and contains the game so far."""

    id: _Id
    game: _Game
    colour: Annotated[Colour, "side to move"]
    moves: Annotated[_Moves, "all moves of the game so far, with passes as `pass`"]
    seconds: Annotated[_Times, "seconds of each move; null for passes and moves of a given opening"]
    left: Annotated[_Seconds | None, "seconds left on the engine's clock; left out without a clock"] = None
    left_moves: Annotated[_Count, "number of moves due in these seconds; 0 in main time"]
    wait: Annotated[_Seconds, "seconds after which the server stops waiting for the move"]


class MoveMessage(Message):
    """Answers `think`."""

    id: _Id
    move: Annotated[_Move, "a move such as `f5`, or `resign`"]
    score: Annotated[_Discs | None, "discs, from the point of view of the side that moves"] = None
    book: Annotated[bool | None, "whether the move came from an opening book"] = None


class ThoughtMessage(Message):
    """Reports on a search; may be sent any number of times before `move`."""

    id: _Id
    line: Annotated[_Sentence, "line that the engine wrote during its search, for spectators"]


class FailedMessage(Message):
    """Answers `new` or `think`: the engine has failed and loses the game."""

    id: _Id
    fault: Annotated[Fault, "kind of failure"]
    reason: Annotated[_Sentence, "reason, as a sentence"]


class DropMessage(Message):
    """Drops a game: its pending request needs no answer any more."""

    game: _Game


class StartedMessage(Message):
    """A game begins."""

    number: _Number
    black: _Engine
    white: _Engine


class ResultMessage(Message, kw_only=True):
    """A game has ended."""

    number: _Number
    black: _Engine
    white: _Engine
    winner: Annotated[_Name | None, "name of the engine; left out for a draw"] = None
    ending: Annotated[_Name, "ending of the game, as docs/match.md names it"]
    detail: Annotated[_Sentence, "reason, if a fault ended the game"]
    margin: Annotated[_Discs | None, "disc difference for Black; left out if the game was broken off"] = None


class OverMessage(Message):
    """The tournament is over; clients need not reconnect."""


class PingMessage(Message):
    """Requests an immediate `pong`; the server measures the round trip."""

    ping: Annotated[_Natural, "number of the ping"]
    line: Annotated[_Seconds, "seconds allowed for the network on each move"]


class PongMessage(Message):
    """Answers `ping`."""

    ping: Annotated[_Natural, "number of the ping"]


RequestMessage = NewMessage | ThinkMessage
AnswerMessage = ReadyMessage | MoveMessage | FailedMessage
Schema = Mapping[str, type[Message]]


def _schema(*kinds: type[Message]) -> Schema:
    return {str(kind.__struct_config__.tag): kind for kind in kinds}


CLIENT = _schema(
    HelloMessage, OpenMessage, ReadyMessage, MoveMessage, FailedMessage, ThoughtMessage, PongMessage
)
"""The messages that a client may send, by type. It sends ``hello`` first, and ``open`` after ``welcome``."""
SERVER = _schema(*(kind for kind in Message.__subclasses__() if kind not in CLIENT.values()))
"""The messages that the server may send, by type. The client answers ``new`` and ``think``."""


def page() -> str:
    """Return the schema for docs/arena.md, as a Markdown table of the messages with their fields."""
    rows = ["| message | from | meaning | fields |", "| --- | --- | --- | --- |"]
    for kind in Message.__subclasses__():
        name, hints = kind.__struct_config__.tag, get_type_hints(kind, include_extras=True)
        fields = [
            f"`{field.name}`{'' if field.required else ' (may be left out)'}: {_words(field.type)}; "
            f"{hints[field.name].__metadata__[-1]}"
            for field in _fields(kind).values()
        ]
        side = "client" if name in CLIENT else "server"
        rows.append(f"| `{name}` | {side} | {(kind.__doc__ or '').rstrip('.')} | {'<br>'.join(fields)} |")
    return "\n".join(rows)


def write(message: Message) -> str:
    """Return a message as JSON. Fields with their default value are left out."""
    return json.dumps(msgspec.to_builtins(message))


def read(text: str | bytes, schema: Schema) -> Message:
    """Parse a message. Unknown fields are ignored. Raises: NotationError if the message is invalid."""
    if len(text) > MOST_BYTES:
        raise NotationError(f"expected a message of at most {MOST_BYTES} bytes, got {len(text)}")
    found = read_json_object(text)
    kind = found.get("type")
    if not isinstance(kind, str) or kind not in schema:
        raise NotationError(f"expected a message of type {' '.join(schema)}, got {_shown(kind)}")
    try:
        return msgspec.convert(found, schema[kind])
    except msgspec.ValidationError as error:
        wrong = _FIELD.search(str(error))
        assert wrong is not None, "a field is wrong: the object and its type are not"
        expected = _words(_fields(schema[kind])[wrong[1]].type)
        value = _shown(found.get(wrong[1]))
        raise NotationError(
            f"expected {expected} for {wrong[1]} in the message {kind!r}, got {value}"
        ) from None


def _fields(kind: type[Message]) -> dict[str, inspect.Field]:
    structure = inspect.type_info(kind)
    assert isinstance(structure, inspect.StructType)
    return {field.name: field for field in structure.fields}


def _words(kind: inspect.Type) -> str:
    """Describe the values that a type accepts. Null is left out, since it means a missing field."""
    match kind:
        case inspect.StrType(max_length=longest):
            return f"text, at most {longest}"
        case inspect.IntType(ge=least, le=most):
            return f"whole number, {least} {'or more' if most == _HIGHEST else f'to {most}'}"
        case inspect.FloatType():
            return "number"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=words):
            return " or ".join(f"`{word}`" for word in words)
        case inspect.EnumType(cls=words):
            return " or ".join(f"`{word}`" for word in words)
        case inspect.ListType(item_type=item, max_length=most):
            null = " or null" if isinstance(item, inspect.UnionType) else ""
            return f"list of at most {most}: {_words(item)}{null}"
        case inspect.UnionType(types=kinds):
            return " or ".join(_words(each) for each in kinds if not isinstance(each, inspect.NoneType))
    raise AssertionError(f"no message has a field of {kind}")


def _shown(value: object) -> str:
    return printable(repr(value), _LONGEST_SHOWN)

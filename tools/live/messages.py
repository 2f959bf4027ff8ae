"""The messages from a browser tab about its game: JSON objects whose field ``do`` names the message's type."""

from typing import Annotated

import msgspec
from msgspec import Meta

_Name = Annotated[str, Meta(max_length=200)]
_Text = Annotated[str, Meta(max_length=10_000)]


class TabMessage(msgspec.Struct, tag_field="do", tag=str.lower):
    """A message from a browser tab."""


class Player(msgspec.Struct):
    """A side of a new game.

    Attributes:
        who: ``person``, ``level``, ``elo``, or an engine's name, which may have the prefix ``engine:`` to avoid
            ambiguity.
        strength: the level or Elo of Outflank; None for other players.
    """

    who: _Name
    strength: int | None = None


class New(TabMessage):
    """Start a game.

    Attributes:
        black: Black's player.
        white: White's player.
        time: the time control of both sides, as ``TimeControl.parse`` reads it; empty for no clock.
        rules: the rules; empty for the page's default.
        position: the starting position; empty for the standard starting position of the rules.
        moves: the given opening moves, as a transcript.
    """

    black: Player
    white: Player
    time: _Name = ""
    rules: _Name = ""
    position: _Name = ""
    moves: _Text = ""


class Attach(TabMessage):
    """Show a game that was started earlier, and continue it unless it was paused."""

    game: _Name


class PlayMove(TabMessage, tag="move"):
    """Play a move for the person whose turn it is."""

    move: _Name


class TakeBack(TabMessage, tag="take_back"):
    """Take back the last move of a person."""


class Resign(TabMessage):
    """Resign for the person."""


class Pause(TabMessage):
    """Stop the game and its clocks."""


class Resume(TabMessage):
    """Continue a game that was paused."""


PageMessage = New | Attach | PlayMove | TakeBack | Resign | Pause | Resume

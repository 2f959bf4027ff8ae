"""Reads the messages of the Generic Game Server.

A message is a line and the following lines that begin with ``|``. The service ``/os`` plays Othello. The server is not
trusted: malformed messages are skipped, and names and reasons are only shown as text.

Sources: the server's how-to (skatgame.net/mburo/ggs/ggs-howto), and the behaviour of its public clients.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from outflank.engine import Colour, NotationError, Position
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.clocks import parse_ggf

LONGEST_LINE = 500  # the maximum number of bytes in a line; longer lines are skipped
# The maximum number of lines of a message. The longest message is a game of 120 turns with two boards.
MOST_LINES = 300
_GOES_ON = "|"  # the prefix of a continuation line
_WORD = r"[^\s,|\\.][^\s,|\\]{0,15}"
_NAME = f"({_WORD})"
_RATING = r"-?[\d.]{1,9}"
_ID = r"(\.\d{1,9})"
_GAME_ID = r"(\.\d{1,9})(?:\.([01]))?"
_SIDES = {"*": Colour.BLACK, "O": Colour.WHITE}


class MessageJoiner:
    """Joins lines into messages."""

    def __init__(self) -> None:
        self._begun: list[str] = []

    def feed(self, line: bytes) -> list[str] | None:
        """Add a line. Return the lines of the message that it completes, without the prefix ``|``; else None."""
        text = line.decode("utf-8", "replace").strip("\r\n\0\a ")
        if text.startswith(_GOES_ON):
            if self._begun and len(self._begun) < MOST_LINES and len(line) <= LONGEST_LINE:
                self._begun.append(text[1:])
            return None
        message = self.flush()
        if text and len(line) <= LONGEST_LINE:
            self._begun = [text]
        return message

    def flush(self) -> list[str] | None:
        """Return the lines of the unfinished message, or None. Call this when no line has come for some time."""
        message, self._begun = self._begun, []
        return message or None


@dataclass(frozen=True, slots=True)
class MatchType:
    """The type of a match: ``8``, ``s8r20``, ``8w``.

    Attributes:
        text: the type in the server's notation.
        size: the width of the board in squares.
        synchro: True if the match consists of two simultaneous games with colours swapped.
        discs: the number of discs of a random start; 0 for the standard start.
        anti: True if the player with fewer discs wins.
        komi: True if the players bid for the colours.
    """

    text: str
    size: int
    synchro: bool = False
    discs: int = 0
    anti: bool = False
    komi: bool = False

    @classmethod
    def parse(cls, text: str) -> "MatchType | None":
        """Parse a match type; return None if it is malformed."""
        match = _KIND.fullmatch(text)
        if match is None:
            return None
        letters = {letter: int(number or 0) for letter, number in _LETTER.findall(match[3])}
        return cls(text, int(match[2]), bool(match[1]), letters.get("r", 0), "a" in letters, "k" in letters)


_KIND = re.compile(r"(s?)(\d{1,4})((?:[a-z]\d{0,3}){0,6})", re.ASCII)
_LETTER = re.compile(r"([a-z])(\d*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Offer:
    """A request for a match: ``+ .8 1720.0 alice 05:00//02:00 s8r20 R 1720.0 bob``.

    Attributes:
        id: the id of the request.
        by: the player who sends the request.
        to: the player who receives the request; ``*`` for everybody.
        kind: the type of the match.
        flag: ``R`` for rated, ``U`` for unrated, ``S`` for the continuation of a stored match.
        clock: the clock of the player who receives the request.
    """

    id: str
    by: str
    to: str
    kind: MatchType
    flag: str
    clock: TimeControl


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The start of a match: ``+ match .9 2544 lynx 2505 kitty s8r20 R``. The flag ``T`` marks a tournament match."""

    id: str
    players: tuple[str, str]
    kind: MatchType
    flag: str


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The end of a match, or of one game of a synchro match.

    Attributes:
        id: the id of the match.
        part: the number of the game in the match; None for the whole match.
        first: the player named first. The result is given from this player's point of view.
        result: the result, such as ``+12.00``, or the reason why there is none, such as ``kitty left``.
    """

    id: str
    part: str | None
    first: str
    result: str

    @property
    def margin(self) -> float | None:
        """The result for the first player in discs; None if `result` is not a number."""
        return float(self.result) if _NUMBER.fullmatch(self.result) else None


@dataclass(frozen=True, slots=True)
class Side:
    """A line about a player in a board message: ``kitty (2505.0 O) 14:52,0:0//02:00,0:0``.

    Attributes:
        name: the name of the player.
        rating: the rating of the player.
        clock: the remaining time, with increment and extension; 0 if the time has run out.
    """

    name: str
    rating: float
    clock: TimeControl


GgsMove = tuple[int, str, float | None, float | None]
"""``23: F5/1.23/4.56``: number, move or ``PASS``, score in discs for the mover, time in seconds."""


@dataclass(frozen=True, slots=True)
class Board:
    """A message with a whole game (``join``), or with the last move of a game (``update``).

    Attributes:
        id: the id of the match.
        part: the number of the game in a synchro match; None otherwise.
        kind: the type of the match.
        is_whole: True if the message contains all moves of the game.
        first: the first position in the message; for a whole game, the starting position.
        turns: the moves in the message, in order.
        position: the current position.
        sides: the players of Black and White, with their current clocks.
        controls: the first clock of each player in the message; for a whole game, the clock at the start.
    """

    id: str
    part: str | None
    kind: MatchType
    is_whole: bool
    first: Position
    turns: tuple[GgsMove, ...]
    position: Position
    sides: dict[Colour, Side]
    controls: dict[Colour, TimeControl]


@dataclass(frozen=True, slots=True)
class Note:
    """A message about a fault in a game. `what`: ``error``, ``timeout`` or ``fatal-timeout``."""

    what: str
    id: str
    part: str | None
    text: str


Message = Offer | MatchStarted | MatchEnded | Board | Note

_NUMBER = re.compile(r"[+-]?\d{1,4}(?:\.\d{0,6})?", re.ASCII)
_OFFER = re.compile(
    rf"\+ +{_ID} +{_RATING} +{_NAME} +(\S.*?) +(s?\d{{1,4}}\S*) +([RUTS]) +\S+ +(\*|{_WORD})(?: +(.*))?"
)
_MATCH = re.compile(
    rf"([+-]) match {_ID} +{_RATING} +{_NAME} +{_RATING} +{_NAME} +(s?\d\S*) +([RUT])(?: +(.*))?"
)
_END = re.compile(rf"end {_GAME_ID} +\( *{_NAME} vs\. {_NAME} *\) *(.*)")
_HEAD = re.compile(rf"(join|update) {_GAME_ID} +(s?\d\S*).*")
_NOTE = re.compile(rf"(error|timeout|fatal-timeout) {_GAME_ID}\b *(.*)")
_SIDE = re.compile(rf" *{_NAME} *\( *({_RATING}) +([*O]) *\) +(\S.*)")
_ROW = re.compile(r" *([1-8])((?: [-*O]){8}) +[1-8] *", re.ASCII)
_TO_MOVE = re.compile(r" *([*O]) to move.*")
_TURN = re.compile(r" *(\d{1,3}): +([A-Za-z]{1,4}\d?)(?:/([^/\s]*))?(?:/(\S*))?.*", re.ASCII)
_MOVES_LEFT = re.compile(r",[^/]*")  # the number of moves, such as ``,0:0``, after each part of a clock
_STORED = re.compile(r"\.\d+")


def read(lines: Sequence[str]) -> Message | None:
    """Parse a message of ``/os``; return None if it is malformed or of an unused type."""
    service, _, text = lines[0].partition(" ")
    if service != "/os:":
        return None
    text = text.strip()
    if match := _MATCH.fullmatch(text):
        return _match(match)
    if match := _END.fullmatch(text):
        return MatchEnded(match[1], match[2], match[3], match[5].strip())
    if match := _HEAD.fullmatch(text):
        return _board(match, lines[1:])
    if match := _NOTE.fullmatch(text):
        return Note(match[1], match[2], match[3], match[4])
    match = _OFFER.fullmatch(text)
    return _offer(match) if match else None


def read_clock(text: str) -> TimeControl | None:
    """Parse a clock such as ``14:52,0:0//02:00,0:0``. Negative times become 0. Return None if it is malformed."""
    parts = ["0" if part.strip().startswith("-") else part for part in _MOVES_LEFT.sub("", text).split("/")]
    try:
        return parse_ggf("/".join(parts))
    except NotationError:
        return None


def _match(match: re.Match[str]) -> MatchStarted | MatchEnded | None:
    if match[1] == "-":
        return MatchEnded(match[2], None, match[3], (match[7] or "").partition(" .")[0].strip())
    kind = MatchType.parse(match[5])
    return MatchStarted(match[2], (match[3], match[4]), kind, match[6]) if kind else None


def _offer(match: re.Match[str]) -> Offer | None:
    kind = MatchType.parse(match[4])
    rest = _STORED.sub("", match[7] or "").strip()  # without the id of a stored match
    clock = read_clock(rest or match[3])
    return Offer(match[1], match[2], match[6], kind, match[5], clock) if kind and clock else None


def _board(match: re.Match[str], lines: Sequence[str]) -> Board | None:
    kind = MatchType.parse(match[4])
    if kind is None or kind.size != 8:
        return None
    rows: list[str] = []
    positions: list[Position] = []
    turns: list[GgsMove] = []
    clocks: list[tuple[Colour, Side]] = []
    for line in lines:
        if found := _ROW.fullmatch(line):
            rows.append(found[2].replace(" ", ""))
        elif (found := _TO_MOVE.fullmatch(line)) and len(rows) == 8:
            try:
                positions.append(Position.parse(f"{''.join(rows)} {found[1]}"))
            except NotationError:
                return None
            rows = []
        elif found := _SIDE.fullmatch(line):
            if (clock := read_clock(found[4])) is None:
                return None
            clocks.append((_SIDES[found[3]], Side(found[1], _rating(found[2]), clock)))
        elif (found := _TURN.fullmatch(line)) and int(found[1]) > 0:
            turns.append((int(found[1]), found[2], _number(found[3]), _number(found[4])))
    sides = dict(clocks)
    if not positions or len(sides) != 2:
        return None
    controls = {colour: side.clock for colour, side in reversed(clocks)}  # the first clock of each colour
    is_whole = match[1] == "join"
    return Board(
        match[2], match[3], kind, is_whole, positions[0], tuple(turns), positions[-1], sides, controls
    )


def _rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _number(text: str | None) -> float | None:
    return float(text) if text and _NUMBER.fullmatch(text) else None

"""Writes a WTHOR database, game by game; ``wthor.py`` describes the format and reads it back."""

from array import array
from collections import Counter
from typing import BinaryIO

from outflank.engine import FileFormatError, Move
from outflank.protocol.formats.annotated import AnnotatedGame, exact_margins
from outflank.protocol.formats.dates import year_of
from outflank.protocol.formats.wthor import GAME, HEADER, PLAYER_BYTES, SQUARES, TOURNAMENT_BYTES, Header

_MOST_NAMES = 1 << 16
_UNKNOWN = 127  # no margin
_THEORETICAL_AT = 7  # offset in a game's bytes


class WthorWriter:
    """Writes the games as they come, and at the end what depends on all of them.

    A game that was not decided by discs counts 64 for its winner, and an odd margin as the next greater one, since the
    format has only Black's discs of 64. The theoretical scores are those at the most empty
    squares at which every game has an exact one; only while there is such a number does memory grow with the games
    (65 bytes each).

    Attributes:
        lost: how much of the games there was no place for; complete after ``finish``.

    Args:
        stream: for the file of games (.wtb); seekable, empty.
        date: year, month and day that the files carry, zeros if there is none. Given and not taken from a calendar,
            so that a conversion can be repeated.
    """

    def __init__(self, stream: BinaryIO, date: tuple[int, int, int] = (0, 0, 0)) -> None:
        self._stream = stream
        self._date = date
        self._year = date[0]
        self._count = 0
        self._exact_count = 0
        self.lost: Counter[str] = Counter()
        self._players: dict[str, int] = {}
        self._tournaments: dict[str, int] = {}
        self._exact: array[int] | None = array(
            "b"
        )  # by game and empty squares; None: no depth is common to all
        self._common: set[int] | None = None  # empty squares at which every game so far has an exact margin
        stream.write(Header().pack())

    def add(self, game: AnnotatedGame) -> None:
        """Write a game.

        Raises: FileFormatError if it is by other rules, begins elsewhere, has no result or one that no game can have,
            or has one name too many.
        """
        result = game.outcome
        if not game.is_standard:
            name = game.title or f"game {self._count + 1}"
            start = game.first.board_string()
            raise FileFormatError(
                f"WTHOR holds Othello from its start only, and {name} is {game.rules} from {start}"
            )
        if result is None:
            raise FileFormatError("WTHOR can't hold a game without a result")
        discs = _discs(result.decided_margin)
        indices = (
            _index(self._tournaments, game.event, "tournaments"),
            _index(self._players, game.black, "players"),
            _index(self._players, game.white, "players"),
        )
        moves = bytes(_byte(played.move) for played in game.moves if not played.move.is_pass)
        self._stream.write(GAME.pack(*indices, discs, discs, moves))
        self._note_exact(game)
        self._count += 1
        year = year_of(game.date) or 0
        self._year = self._year or year
        self.lost["years other than the first game's"] += year not in (0, self._year)

    def finish(self) -> dict[str, bytes]:
        """Complete the file of games. Returns the two others by their suffixes, ``.jou`` and ``.trn``."""
        depth = max(self._common or (), default=0) if self._exact is not None else 0
        self.lost["exact scores"] = self._exact_count - (self._count if depth else 0)
        for names, length in ((self._players, PLAYER_BYTES), (self._tournaments, TOURNAMENT_BYTES)):
            self.lost["letters of names"] += sum(
                _name(name, length).rstrip(b"\0").decode("latin-1") != name for name in names
            )
        if depth:
            self._write_theoretical(depth)
        self._stream.seek(0)
        self._stream.write(Header(self._count, 0, self._year, depth, self._date).pack())
        return {
            ".jou": self._names(self._players, PLAYER_BYTES),
            ".trn": self._names(self._tournaments, TOURNAMENT_BYTES),
        }

    def _note_exact(self, game: AnnotatedGame) -> None:
        self._exact_count += sum(1 for _ in exact_margins(game))
        if self._exact is None:
            return
        row = array("b", [_UNKNOWN]) * (SQUARES + 1)
        for empties, margin in exact_margins(game):
            if row[empties] == _UNKNOWN:
                row[empties] = margin
        known = {empties for empties, margin in enumerate(row) if margin != _UNKNOWN}
        self._common = known if self._common is None else self._common & known
        if self._common:
            self._exact += row
        else:
            self._exact = None

    def _write_theoretical(self, depth: int) -> None:
        assert self._exact is not None
        for number in range(self._count):
            margin = self._exact[number * (SQUARES + 1) + depth]
            self._stream.seek(HEADER.size + number * GAME.size + _THEORETICAL_AT)
            self._stream.write(bytes([_discs(margin)]))

    def _names(self, names: dict[str, int], length: int) -> bytes:
        header = Header(0, len(names), self._year, 0, self._date)
        return header.pack() + b"".join(_name(name, length) for name in names)


def _index(names: dict[str, int], name: str, what: str) -> int:
    """The number of a name, a new one if it has none.

    Raises: FileFormatError.
    """
    if name not in names and len(names) == _MOST_NAMES - 1:
        raise FileFormatError(f"WTHOR can't hold more than {_MOST_NAMES - 1} {what}")
    return names.setdefault(name, len(names))


def _name(text: str, length: int) -> bytes:
    """`text` with a NUL behind it in any case; letters that Latin-1 lacks become question marks."""
    return text.encode("latin-1", "replace")[: length - 1].ljust(length, b"\0")


def _byte(move: Move) -> int:
    assert move.square is not None
    row, column = divmod(move.square, 8)
    return 10 * (row + 1) + column + 1


def _discs(margin: int) -> int:
    """Black's discs where the winner takes the empties; of an odd margin those of the next greater one.

    Raises: FileFormatError.
    """
    if abs(margin) > SQUARES:
        raise FileFormatError(f"expected a margin of at most {SQUARES} discs for WTHOR, got {margin:+d}")
    return (SQUARES + margin + (margin > 0)) // 2

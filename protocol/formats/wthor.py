"""WTHOR, the French federation's database format of three binary files, which most Othello programs read.

Each file begins with the same header of 16 bytes, little endian:

    bytes   field
    4       date of the file: century, year, month, day
    4       N1: games in the file of games (.wtb)
    2       N2: names in the file of players (.jou) or of tournaments (.trn)
    2       year of the games
    4       P1 board size (0 means 8), P2 type (0 games, 1 solitaires), P3 empty squares of the theoretical score, 0

A game has 68 bytes: the numbers of the tournament, of Black and of White (2 bytes each), Black's discs, Black's
theoretical discs (1 byte each), and 60 moves as 10 * row + column (a1 = 11, h8 = 88), padded with 0. Passes are not
stored. A player's name has 20 bytes, a tournament's name 26, in Latin-1, padded with NUL. For an unfinished game, Edax
writes 225 discs. Sources: the federation's description of 1999-2008 (ffothello.org), and the behaviour of Zebra and
WZebra.
"""

import struct
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from outflank.engine import (
    FileFormatError,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
    SettingsError,
)
from outflank.protocol.formats.annotated import (
    AnnotatedGame,
    AnnotatedMove,
    BadGame,
    Recorder,
    Result,
    exact_margins,
    with_board_believed,
)
from outflank.protocol.formats.clocks import year_of
from outflank.protocol.formats.reading import OTHELLO, decoded

HEADER = struct.Struct("<4BIHH4B")
GAME = struct.Struct("<3H2B60s")
PLAYER_BYTES = 20
TOURNAMENT_BYTES = 26
SQUARES = 64
_UNFINISHED = 225  # the number of discs that Edax writes for an unfinished game
_NO_MOVES = b"\0\x5c"  # the bytes that pad the moves; Edax uses the second one
_SHARED_STEMS = ("wthor", "wth")
_MOVES = {10 * (square // 8 + 1) + square % 8 + 1: Move(square) for square in range(SQUARES)}
_BYTES = {move: byte for byte, move in _MOVES.items()}


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a WTHOR file.

    Attributes:
        games: the number of games in the file (.wtb).
        names: the number of names in the file (.jou, .trn).
        year: the year of the games; 0 if unknown.
        depth: the number of empty squares in the positions that have the theoretical scores; 0 if these scores only
            repeat the results.
        date: the year, month and day of the file; zeros if unknown.
    """

    games: int = 0
    names: int = 0
    year: int = 0
    depth: int = 0
    date: tuple[int, int, int] = (0, 0, 0)

    def pack(self) -> bytes:
        """Return the header as 16 bytes."""
        (century, year), (_, month, day) = divmod(self.date[0], 100), self.date
        return HEADER.pack(century, year, month, day, self.games, self.names, self.year, 8, 0, self.depth, 0)

    @classmethod
    def unpack(cls, data: bytes) -> "Header":
        """Parse the 16 bytes of a header. Raises: FileFormatError if they are not the header of a file of 8x8 games."""
        if len(data) < HEADER.size:
            raise FileFormatError(f"expected a WTHOR header of {HEADER.size} bytes, got {len(data)}")
        century, year, month, day, games, names, games_year, size, kind, depth, _ = HEADER.unpack_from(data)
        if size not in (0, 8):
            raise FileFormatError(f"expected a WTHOR file for boards of size 8, got {size}")
        if kind != 0:
            raise FileFormatError(f"expected a WTHOR file of games (type 0), got type {kind}")
        if month > 12 or day > 31 or depth > SQUARES:
            raise FileFormatError("it does not begin with a WTHOR header")
        return cls(games, names, games_year, depth, (100 * century + year, month, day))


Names = tuple[tuple[str, ...], tuple[str, ...], str]
"""The names of the players and of the tournaments, each by number, and a clause that explains missing names."""
_NO_NAMES: Names = ((), (), "the names are in a separate file, which can't be found for this input")


def read_names(path: Path) -> Names:
    """Return the names for the games in the file `path`, from the name files in the same folder.

    Name files have the stem of `path`, or are called ``WTHOR.JOU`` and ``WTHOR.TRN``, or ``WTH.JOU`` and ``WTH.TRN``,
    in upper or lower case.

    Raises: OSError or FileFormatError if a name file exists but can't be read.
    """
    players, tournaments = _beside(path, ".jou"), _beside(path, ".trn")
    if players is None:
        missing = f"there is no {path.stem}.jou, WTHOR.JOU or WTH.JOU in its folder"
    else:
        missing = f"{players.name} has no names for them"
    return (
        () if players is None else _names_in(players, PLAYER_BYTES),
        () if tournaments is None else _names_in(tournaments, TOURNAMENT_BYTES),
        missing,
    )


def read(
    stream: BinaryIO, rules: Rules = OTHELLO, names: Names = _NO_NAMES
) -> Iterator[AnnotatedGame | BadGame]:
    """Return the games of a stream, and a numbered ``BadGame`` for each game that can't be read.

    Args:
        stream: the stream of a file of games.
        rules: the rules, which have to be Othello's.
        names: the names, see ``read_names``; a player without a name gets a number instead.

    Raises: SettingsError for other rules.
    """
    if not rules.is_othello:
        raise SettingsError(f"WTHOR can store only games of Othello, not of {rules}")
    return _read(stream, names)


def _read(stream: BinaryIO, names: Names) -> Iterator[AnnotatedGame | BadGame]:
    try:
        header = Header.unpack(stream.read(HEADER.size))
    except FileFormatError as error:
        yield BadGame("", str(error))
        return
    if header.names and not header.games:
        yield BadGame("", "this is a WTHOR file of names; the games are in the file that ends in .wtb")
        return
    number = 0
    while data := stream.read(GAME.size):
        if number >= header.games and not any(data):
            break  # the rest is padding, or an endless file of zeros such as /dev/zero
        number += 1
        try:
            yield _game(data, header, names)
        except (FileFormatError, NotationError, IllegalMoveError) as error:
            yield BadGame(f"game {number}", str(error))
    if number != header.games:
        yield BadGame(
            "", f"the header says that there are {header.games} games, but the file contains {number}"
        )


def _beside(path: Path, suffix: str) -> Path | None:
    own = path.stem + suffix
    wanted = [own.lower(), *(stem + suffix for stem in _SHARED_STEMS)]
    try:
        found = [file for file in path.parent.iterdir() if file.name.lower() in wanted and file.is_file()]
    except PermissionError:  # a folder may allow reading its files but not listing them
        names = (own, *(cased(stem + suffix) for stem in _SHARED_STEMS for cased in (str.upper, str.lower)))
        found = [file for file in map(path.with_name, names) if file.is_file()]
    # The exact name takes precedence over the same name in another case.
    return min(
        found, key=lambda file: (wanted.index(file.name.lower()), file.name != own, file.name), default=None
    )


def _names_in(file: Path, length: int) -> tuple[str, ...]:
    with file.open("rb") as stream:
        try:
            header = Header.unpack(stream.read(HEADER.size))
        except FileFormatError as error:
            raise FileFormatError(f"{file}: {error}") from None
        data = stream.read(header.names * length)
    texts = (data[at : at + length].partition(b"\0")[0] for at in range(0, len(data), length))
    return tuple(decoded(text, "latin-1").strip() for text in texts)


def _game(data: bytes, header: Header, names: Names) -> AnnotatedGame:
    if len(data) < GAME.size:
        raise FileFormatError(f"expected a game of {GAME.size} bytes, got {len(data)}")
    tournament, black, white, discs, theoretical, moves = GAME.unpack(data)
    is_finished = discs != _UNFINISHED
    if is_finished and (discs > SQUARES or theoretical > SQUARES):
        raise FileFormatError(f"expected at most {SQUARES} discs, got {max(discs, theoretical)}")
    recorder = Recorder(Position.start())
    for number in moves.rstrip(_NO_MOVES):
        if recorder.is_over:
            break  # Edax's padding is not always 0
        if number not in _MOVES:
            raise FileFormatError(f"expected moves from 11 to 88, got {number}")
        recorder.play(_MOVES[number])
    margin = 2 * discs - SQUARES
    players, tournaments, missing = names
    game = AnnotatedGame(
        recorder.first,
        _with_exact(recorder.moves, header.depth if is_finished else 0, 2 * theoretical - SQUARES),
        black=_player(players, black),
        white=_player(players, white),
        result=Result(recorder.first.rules.winner_by(margin), margin) if is_finished else None,
        event=tournaments[tournament] if tournament < len(tournaments) else "",
        date=str(header.year) if header.year else "",
        unnamed=missing if max(black, white) >= len(players) else "",
    )
    return with_board_believed(game)


def _player(players: tuple[str, ...], number: int) -> str:
    return players[number] if number < len(players) else f"player {number}"


def _with_exact(moves: tuple[AnnotatedMove, ...], depth: int, margin: int) -> tuple[AnnotatedMove, ...]:
    for at, played in enumerate(moves):
        if depth and played.before.empties == depth:
            return (*moves[:at], replace(played, exact=margin), *moves[at + 1 :])
    return moves


_MOST_NAMES = 1 << 16
_UNKNOWN = 127  # an impossible margin, which stands for an unknown score
_THEORETICAL_AT = 7  # the offset of the theoretical score in a game's bytes


def write(
    games: Iterable[AnnotatedGame], stream: BinaryIO, date: tuple[int, int, int] = (0, 0, 0)
) -> dict[str, bytes]:
    """Write games to a stream, and return the contents of the files ``.jou`` and ``.trn``; see ``WthorWriter``.

    Raises: FileFormatError for the first game that WTHOR can't store.
    """
    writer = WthorWriter(stream, date)
    for game in games:
        writer.add(game)
    return writer.finish()


class WthorWriter:
    """Writes each game when it is added, and the header, the names and the theoretical scores at the end.

    The format stores only Black's discs out of 64. Therefore a game that was not decided by discs counts as 64 discs
    for the winner, and an odd margin is raised by one for the winner. The theoretical scores are the exact scores at
    the largest number of empty squares at which every game has an exact score. Memory use grows by 65 bytes for each
    game as long as such a number exists.

    Attributes:
        lost: the number of items that the format can't store, by kind of item; complete after ``finish``.

    Args:
        stream: the stream of the file of games (.wtb); seekable and empty.
        date: the year, month and day to store in the files; zeros for no date. The current date is not used, so that a
            conversion is reproducible.
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
        # 65 exact scores for each game, one for each number of empty squares; None if `_common` is empty.
        self._exact: array[int] | None = array("b")
        self._common: set[int] | None = None  # the numbers of empty squares at which every game has a score
        stream.write(Header().pack())

    def add(self, game: AnnotatedGame) -> None:
        """Write a game.

        Raises: FileFormatError if the game has other rules, another start position, no result or an impossible margin,
            or if the file would have too many names.
        """
        result = game.outcome
        if not game.is_standard:
            name = game.title or f"game {self._count + 1}"
            start = game.first.board_string()
            raise FileFormatError(
                f"WTHOR can store only Othello from its start position, but {name} is {game.rules} from {start}"
            )
        if result is None:
            raise FileFormatError("WTHOR can't store a game without a result")
        discs = _discs(result.decided_margin)
        indices = (
            _index(self._tournaments, game.event, "tournaments"),
            _index(self._players, game.black, "players"),
            _index(self._players, game.white, "players"),
        )
        moves = bytes(_BYTES[played.move] for played in game.moves if not played.move.is_pass)
        self._stream.write(GAME.pack(*indices, discs, discs, moves))
        self._note_exact(game)
        self._count += 1
        year = year_of(game.date) or 0
        self._year = self._year or year
        self.lost["years other than the first game's"] += year not in (0, self._year)

    def finish(self) -> dict[str, bytes]:
        """Complete the file of games, and return the contents of the files ``.jou`` and ``.trn`` by suffix."""
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
    if name not in names and len(names) == _MOST_NAMES - 1:
        raise FileFormatError(f"WTHOR can't store more than {_MOST_NAMES - 1} {what}")
    return names.setdefault(name, len(names))


def _name(text: str, length: int) -> bytes:
    """Return a name in Latin-1 with at least one NUL at its end. Letters that Latin-1 lacks become question marks."""
    return text.encode("latin-1", "replace")[: length - 1].ljust(length, b"\0")


def _discs(margin: int) -> int:
    """Return Black's discs if the winner gets the empty squares. An odd margin is raised by one for the winner."""
    if abs(margin) > SQUARES:
        raise FileFormatError(f"expected a margin of at most {SQUARES} discs for WTHOR, got {margin:+d}")
    return (SQUARES + margin + (margin > 0)) // 2

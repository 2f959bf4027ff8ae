"""Games as a WTHOR database, the binary form of the French federation that most Othello programs read.

A database is three files with the same header of 16 bytes, little endian:

    bytes   field
    4       date of the file: century, year, month, day
    4       N1: games in the file of games (.wtb)
    2       N2: names in the file of players (.jou) or of tournaments (.trn)
    2       year of the games
    4       P1 board size 8, P2 type 0 (games), P3 empty squares of the theoretical score, 0

A game is 68 bytes: number of the tournament, of Black and of White (2 each), Black's discs, Black's theoretical
discs, 60 moves of 10 * row + column (a1 = 11, h8 = 88), 0 where there is none; passes are not stored. A player's name
takes 20 bytes, a tournament's 26, Latin-1, filled up with NUL. Source: the format's description of 1999-2008 by the
federation (ffothello.org), as Zebra and WZebra read it.
"""

import struct
from collections.abc import Sequence
from datetime import date

from outflank.engine import Colour, FileFormatError, Move
from outflank.tools.games.results import GameRecord
from outflank.tools.show.records import decided_margin, first_position, is_standard

_HEADER = struct.Struct("<4BIHH4B")
_GAME = struct.Struct("<3H2B60B")
_SQUARES = 64
_MOST_MOVES = 60
_PLAYER_BYTES = 20
_TOURNAMENT_BYTES = 26


def wthor_files(games: Sequence[GameRecord], tournament: str, started: date) -> dict[str, bytes]:
    """The three files by their suffixes: ``.wtb`` the games, ``.jou`` the players, ``.trn`` the tournament.

    A game that was not played to the end counts 64 discs for its winner.

    Args:
        games: by rules that play as Othello does.
        tournament: its name.
        started: the date that the files carry; it and not today's, so that an export can be repeated.

    Raises: FileFormatError if a game is by other rules, or begins elsewhere.
    """
    for game in games:
        _check(game)
    players = sorted({name for game in games for name in game.pairing.names.values()})
    depth = _theoretical_depth(games)
    rows = [_game(game, players, depth) for game in games]
    return {
        ".wtb": _header(started, games=len(games), depth=depth) + b"".join(rows),
        ".jou": _header(started, names=len(players))
        + b"".join(_name(name, _PLAYER_BYTES) for name in players),
        ".trn": _header(started, names=1) + _name(tournament, _TOURNAMENT_BYTES),
    }


def _check(game: GameRecord) -> None:
    if not is_standard(game):
        start = first_position(game).board_string()
        raise FileFormatError(
            f"expected Othello from its start for WTHOR, got game {game.pairing.number} of {game.rules} from {start}"
        )


def _header(started: date, games: int = 0, names: int = 0, depth: int = 0) -> bytes:
    century, year = divmod(started.year, 100)
    return _HEADER.pack(century, year, started.month, started.day, games, names, started.year, 8, 0, depth, 0)


def _name(text: str, length: int) -> bytes:
    """`text` with a NUL behind it in any case; letters that Latin-1 lacks become question marks."""
    return text.encode("latin-1", "replace")[: length - 1].ljust(length, b"\0")


def _game(game: GameRecord, players: Sequence[str], depth: int) -> bytes:
    names = game.pairing.names
    moves = [_square(turn.move) for turn in game.turns if not turn.move.is_pass]
    return _GAME.pack(
        0,
        players.index(names[Colour.BLACK]),
        players.index(names[Colour.WHITE]),
        _discs(decided_margin(game)),
        _discs(_margin_from(game, depth)),
        *moves,
        *[0] * (_MOST_MOVES - len(moves)),
    )


def _square(move: Move) -> int:
    assert move.square is not None
    row, column = divmod(move.square, 8)
    return 10 * (row + 1) + column + 1


def _discs(margin: int) -> int:
    """Black's discs where the winner takes the empties."""
    return (_SQUARES + margin) // 2


def _theoretical_depth(games: Sequence[GameRecord]) -> int:
    """The most empty squares from which every game has an exact score; 0 if there is no such number."""
    solved = [
        {turn.before.empties for turn, exact in zip(game.turns, game.exact, strict=True) if exact is not None}
        for game in games
    ]
    return max(set.intersection(*solved), default=0) if solved else 0


def _margin_from(game: GameRecord, depth: int) -> int:
    """The exact margin at `depth` empty squares; the one the game ended with if there were never so few."""
    for turn, exact in zip(game.turns, game.exact, strict=True):
        if exact is not None and turn.before.empties == depth:
            return exact
    return decided_margin(game)

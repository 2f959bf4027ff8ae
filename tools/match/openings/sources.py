"""Openings: from the balanced suite, from a file of transcripts, or random moves from the start."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from outflank.book.keys import after_passes
from outflank.engine import FileFormatError, Game, Move, NotationError, Position, Rules
from outflank.engine.links import open_regular
from outflank.protocol.formats import read_games
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import capped
from outflank.protocol.lines import printable
from outflank.tools.match.openings.balanced import balanced_openings
from outflank.tools.runtime.games import bad_game


def play_random(
    rng: random.Random, position: Position, moves: int
) -> tuple[Position, tuple[Move, ...]] | None:
    """Play `moves` random moves and every pass that the rules force on the way.

    Returns: a position in which a side can move, and the moves that led there, passes left out; None if the game was
    over by then.
    """
    played: list[Move] = []
    position, _ = after_passes(position)
    while len(played) < moves and not position.is_over:
        played.append(rng.choice(position.legal_moves()))
        position, _ = after_passes(position.play(played[-1]))
    return None if position.is_over else (position, tuple(played))


_MOST_BYTES = 1 << 24  # some hundred thousand games
_BALANCED = "balanced"
_RANDOM = "random:"
_RANDOM_MOVES = 8
_NUMBER = re.compile("[0-9]{1,9}")
_LONGEST_SHOWN = 60
_MOST_RANDOM_MOVES = 40
_TRIES = 200  # for a random opening that no earlier one equals up to symmetry


@dataclass(frozen=True, slots=True)
class OpeningsChoice:
    """The choice of ``--openings``; the balanced suite if neither is given.

    Attributes:
        moves: how many random moves an opening has; None if they are not random.
        path: the file they come from; None if they come from none.
        plies: how many moves to take of each game of that file, passes left out; None for all.
    """

    moves: int | None = None
    path: Path | None = None
    plies: int | None = None

    @classmethod
    def parse(cls, text: str) -> "OpeningsChoice":
        """Read ``balanced``, ``random:N``, a file name, or one with ``:PLIES`` after it.

        Raises: NotationError if N is no number that makes sense, or the file's name is not UTF-8.
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NotationError(
                f"the name of the openings' file is not UTF-8, so a run can't keep it: {text!r}; rename it"
            ) from None
        if text == _BALANCED:
            return cls()
        if not text.startswith(_RANDOM):
            file, _, plies = text.rpartition(":")
            if file and _NUMBER.fullmatch(plies) and not Path(text).exists():
                return cls(path=Path(file), plies=int(plies))
            return cls(path=Path(text))
        number = text.removeprefix(_RANDOM)
        if not _NUMBER.fullmatch(number) or int(number) > _MOST_RANDOM_MOVES:
            shown = printable(text, _LONGEST_SHOWN)
            raise NotationError(f"expected random:N with N from 0 to {_MOST_RANDOM_MOVES}, got {shown!r}")
        return cls(moves=int(number))

    def __str__(self) -> str:
        if self.path is None:
            return _BALANCED if self.moves is None else f"{_RANDOM}{self.moves}"
        text = str(self.path) if self.plies is None else f"{self.path}:{self.plies}"
        return f"./{text}" if text == _BALANCED or text.startswith(_RANDOM) else text

    def take(self, count: int, rules: Rules, seed: int) -> Iterator[tuple[Move, ...]]:
        """`count` openings, each the moves without passes; a file that has fewer is read again from its top.

        Raises: FileFormatError naming file and line; SettingsError if the rules are not those of the suite.
        """
        if self.path is not None:
            listed = read_openings(self.path, rules, self.plies)
            return islice(cycle(listed), count)
        if self.moves is not None:
            return random_openings(self.moves, count, rules, seed)
        return balanced_openings(count, rules, seed)


def default_openings(rules: Rules) -> OpeningsChoice:
    """The balanced suite where the rules allow its moves, else eight random moves."""
    return OpeningsChoice() if rules.has_othello_moves else OpeningsChoice(moves=_RANDOM_MOVES)


def read_openings(path: Path, rules: Rules, plies: int | None = None) -> list[tuple[Move, ...]]:
    """The openings of a file of games in any format, such as transcripts, one a line; their first `plies` if given.

    Raises: FileFormatError naming file and line, or game.
    """
    try:
        with open_regular(path) as stream:
            games = read_games(capped(stream, _MOST_BYTES), path, rules)
            openings = [_opening(entry, rules, path, plies) for entry in games]
    except OSError as error:
        raise FileFormatError(f"can't read the openings {str(path)!r} ({error.strerror})") from None
    return openings


def random_openings(moves: int, count: int, rules: Rules, seed: int) -> Iterator[tuple[Move, ...]]:
    """`count` openings of `moves` random moves, different up to symmetry for as long as that is to be had."""
    rng, start = random.Random(seed), Position.start(rules)
    seen: set[Position] = set()
    tries = _TRIES
    for _ in range(count):
        for _ in range(tries):
            while (played := play_random(rng, start, moves)) is None:
                pass
            position, opening = played
            if position.canonical()[0] not in seen:
                break
        else:
            tries = 1  # there are hardly any others
        seen.add(position.canonical()[0])
        yield opening


def _opening(entry: AnnotatedGame | BadGame, rules: Rules, path: Path, plies: int | None) -> tuple[Move, ...]:
    if isinstance(entry, BadGame):
        raise FileFormatError(bad_game(str(path), entry))
    game = Game(rules)
    if entry.first != game.first:
        got = f"{entry.first.board_string()} by {entry.rules}"
        raise FileFormatError(f"{path}: an opening begins at {got}, not at the start of {rules}")
    for played in [move for move in entry.moves if not move.move.is_pass][:plies]:
        game.play(played.move)
    if game.position.is_over:
        raise FileFormatError(
            f"{path}: a game is over, so it is no opening ({path}:8 takes the first 8 moves of each): "
            f"{game.transcript()}"
        )
    return tuple(turn.move for turn in game.turns if not turn.move.is_pass)

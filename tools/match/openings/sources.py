"""Openings from the balanced suite, from a file of games, or from random moves.

This module also has the functions with which ``outflank openings make`` builds a balanced suite. The engine scores the
positions after a given number of moves, one position from each symmetry class. The suite consists of the openings after
which neither side is far ahead.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from operator import itemgetter
from pathlib import Path
from typing import Unpack

from outflank.book.keys import after_passes
from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    Limit,
    Move,
    NotationError,
    Position,
    Rules,
    SettingsError,
)
from outflank.protocol.formats import read_games
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import capped
from outflank.protocol.lines import printable
from outflank.storage.files import open_regular
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.progress import progress_bar, warn


def play_random(
    rng: random.Random, position: Position, moves: int
) -> tuple[Position, tuple[Move, ...]] | None:
    """Play `moves` random moves, and every forced pass before, between and after them.

    Returns: the final position, in which the side to move has a legal move, and the moves without passes; None if the
        game has ended.
    """
    played: list[Move] = []
    position, _ = after_passes(position)
    while len(played) < moves and not position.is_over:
        played.append(rng.choice(position.legal_moves()))
        position, _ = after_passes(position.play(played[-1]))
    return None if position.is_over else (position, tuple(played))


_MOST_BYTES = 1 << 24  # the maximum size of a file, enough for a hundred thousand games
_BALANCED = "balanced"
_RANDOM = "random:"
_RANDOM_MOVES = 8
_NUMBER = re.compile("[0-9]{1,9}")
_LONGEST_SHOWN = 60
_MOST_RANDOM_MOVES = 40
_TRIES = 200  # the number of attempts to find an opening that differs from all earlier ones up to symmetry


@dataclass(frozen=True, slots=True)
class OpeningsChoice:
    """The value of the option ``--openings``: the balanced suite if neither `moves` nor `path` is given.

    Attributes:
        moves: the number of random moves of an opening; None if the openings are not random.
        path: the file with the openings; None if the openings don't come from a file.
        plies: the number of moves to take from each game in the file, without passes; None for all.
    """

    moves: int | None = None
    path: Path | None = None
    plies: int | None = None

    @classmethod
    def parse(cls, text: str) -> "OpeningsChoice":
        """Read ``balanced``, ``random:N``, a file name, or a file name followed by ``:PLIES``.

        Raises: NotationError if N is not a number or is too large, or if the file's name is not UTF-8.
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NotationError(
                f"the name of the openings file is not UTF-8, so a run can't store it: {text!r}; rename the file"
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
        """Return the moves of `count` openings, without passes. A file with fewer openings is repeated from its start.

        Raises: the errors of ``read_openings``; SettingsError if the rules exclude the balanced suite.
        """
        if self.path is not None:
            listed = read_openings(self.path, rules, self.plies)
            return islice(cycle(listed), count)
        if self.moves is not None:
            return random_openings(self.moves, count, rules, seed)
        return balanced_openings(count, rules, seed)


def default_openings(rules: Rules) -> OpeningsChoice:
    """Return the balanced suite if the rules allow its moves, otherwise eight random moves."""
    return OpeningsChoice() if rules.has_othello_moves else OpeningsChoice(moves=_RANDOM_MOVES)


def read_openings(path: Path, rules: Rules, plies: int | None = None) -> list[tuple[Move, ...]]:
    """Return the moves of each game in a file of any format, or the first `plies` moves of each game, without passes.

    Raises: FileFormatError if the file or a game in it is not valid. The message names the file, and the line or game.
    """
    try:
        with open_regular(path) as stream:
            games = read_games(capped(stream, _MOST_BYTES), path, rules)
            openings = [_opening(entry, number, rules, path, plies) for number, entry in enumerate(games, 1)]
    except OSError as error:
        raise FileFormatError(f"can't read the openings {str(path)!r} ({error.strerror})") from None
    return openings


def random_openings(moves: int, count: int, rules: Rules, seed: int) -> Iterator[tuple[Move, ...]]:
    """Yield `count` openings of `moves` random moves.

    No opening equals an earlier one up to symmetry, as long as new openings can be found.
    """
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
            tries = 1  # hardly any new openings are left
        seen.add(position.canonical()[0])
        yield opening


def _opening(
    entry: AnnotatedGame | BadGame, number: int, rules: Rules, path: Path, plies: int | None
) -> tuple[Move, ...]:
    if isinstance(entry, BadGame):
        raise FileFormatError(entry.of(str(path)))
    if entry.doubt:
        warn(f"{path}, opening {number}: {entry.doubt}")
    game = Game(rules)
    if entry.first != game.first:
        got = f"{entry.first.board_string()} under {entry.rules}"
        raise FileFormatError(f"{path}: an opening begins at {got}, not at the start of {rules}")
    for played in [move for move in entry.moves if not move.move.is_pass][:plies]:
        game.play(played.move)
    if game.position.is_over:
        raise FileFormatError(
            f"{path}: a finished game can't be an opening ({path}:8 takes the first 8 moves of each game): "
            f"{game.transcript()}"
        )
    return tuple(turn.move for turn in game.turns if not turn.move.is_pass)


SUITE = Path(__file__).parent / "data" / "balanced.txt"
_FIRST_MOVE = "f5"  # a convention; the four possible first moves are symmetric
# A shallow search rejects most positions. In a sample, its score differed from a deep search's by at most 4 discs.
_SCREEN = Limit(depth=10, selectivity=73)
_SCREEN_DISCS = 4.0
_BATCH = 64  # the number of openings per task; with small tasks, communication would dominate


def balanced_openings(count: int, rules: Rules, seed: int) -> Iterator[tuple[Move, ...]]:
    """Return `count` openings of the suite in random order. An opening repeats only after all others have been drawn.

    Raises: SettingsError if the start or the moves of the rules differ from Othello's.
    """
    if not rules.has_othello_moves:
        raise SettingsError(
            f"balanced openings are for rules with Othello's start and moves, not for {rules}"
        )
    transcripts = suite()
    random.Random(seed).shuffle(transcripts)
    return map(_moves, islice(cycle(transcripts), count))


def suite() -> list[str]:
    """Return the transcripts of all openings of the suite."""
    lines = SUITE.read_text(encoding="ascii").splitlines()
    return [transcript for line in lines if (transcript := line.partition("#")[0].strip())]


def openings_of(moves: int) -> list[tuple[str, Position]]:
    """Return all openings of `moves` moves, one for each position up to symmetry, with their final positions.

    The openings are sorted by transcript. Positions in which the mover has to pass are left out: six of the 67,245
    positions after eight moves.
    """
    found = [(_FIRST_MOVE, Position.start(Rules()).play(_FIRST_MOVE))]
    for _ in range(moves - 1):
        seen: dict[Position, tuple[str, Position]] = {}
        for transcript, position in found:
            for move in position.legal_moves():
                if not move.is_pass:
                    after = position.play(move)
                    seen.setdefault(after.canonical()[0], (f"{transcript}{move}", after))
        found = list(seen.values())
    return sorted(((text, position) for text, position in found if position.legal_mask()), key=itemgetter(0))


def make_suite(moves: int, within: float, deep: Limit, **place: Unpack[Place]) -> tuple[list[str], int]:
    """Judge all openings of `moves` moves in worker processes; see ``judge``. A later call continues a killed one.

    Returns: the sorted lines of the balanced openings, each with its score; and the number of all openings.
    """
    # Imported here, since help texts do not need them.
    from outflank.tools.runtime.executor import open_executor, run_all
    from outflank.tools.runtime.kept import KeptResults

    candidates = openings_of(moves)
    batches = [candidates[begin : begin + _BATCH] for begin in range(0, len(candidates), _BATCH)]
    task = partial(_judge_all, within=within, deep=deep)
    balanced: list[str] = []
    question = {"moves": moves, "within": within, "depth": deep.depth, "selectivity": deep.selectivity}
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("openings", len(candidates), "openings") as advance,
        KeptResults("openings make", list[float | None], **question) as results,
    ):
        for batch, scores in results.as_ready(
            batches, str, lambda left: run_all(executor, task, left, at_once)
        ):
            judged = zip(batch, scores, strict=True)
            balanced += [
                f"{opening}  # {score:+.0f}\n" for (opening, _), score in judged if score is not None
            ]
            advance(len(batch))
    return sorted(balanced), len(candidates)


def _judge_all(openings: Sequence[tuple[str, Position]], within: float, deep: Limit) -> list[float | None]:
    return [judge(position, within, deep) for _, position in openings]


def judge(position: Position, within: float, deep: Limit) -> float | None:
    """Return a position's score in discs for Black; None if one side leads by more than `within`.

    Args:
        position: the position.
        within: the largest permitted lead of one side, in discs.
        deep: the limit of the deep search, which follows a shallow search and gives the returned score.
    """
    # Imported here, since help texts do not need it.
    from outflank.tools.runtime.executor import shared_searcher

    searcher = shared_searcher()
    for limit, most in ((_SCREEN, within + _SCREEN_DISCS), (deep, within)):
        searcher.clear()  # the score must not depend on earlier openings
        score = searcher.search(position, limit).score
        if abs(score) > most:
            return None
    return score if position.side is Colour.BLACK else 0.0 - score  # avoids -0.0


def _moves(transcript: str) -> tuple[Move, ...]:
    return tuple(turn.move for turn in Game.from_transcript(transcript).turns)

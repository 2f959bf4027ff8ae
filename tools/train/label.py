"""Searches single positions to produce labels for training, and dev sets for measurements."""

import itertools
import random
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from outflank import __version__
from outflank.engine import Colour, FileFormatError, Limit, Position, Searcher
from outflank.engine.evaluation.weights import SHIPPED
from outflank.protocol.formats.obf import Problem
from outflank.storage.lock import WriterLock
from outflank.tools.match.openings.sources import play_random
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all, run_in_order, within
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import (
    RECORD,
    Records,
    as_records,
    empties,
    game_numbers,
    games_there,
    judged,
    judged_line,
    position_of,
    random_opening,
    read_shard,
    set_aside,
    shard_path,
    shards_there,
    write_shard,
)
from outflank.tools.train.selfplay import play_shard, to_the_end
from outflank.tools.train.settings import BankSettings, LabelSettings

_TIMES_STRAYED = 8
_STRAY_IN_BANK = 4
# The minimum and the maximum number of plies to a leaf, and the share of one side's moves that are random.
# docs/evaluation.md compares the scores of these leaves with scores of leaves of real searches.
_PLIES_TO_LEAF = (4, 10)
_TRIED_AT_RANDOM = 0.25

_Board = tuple[int, int]  # the masks own and opp


def label(
    folder: Path,
    settings: LabelSettings,
    games: Records | None,
    count: int,
    *,
    seconds: float | None = None,
    **place: Unpack[Place],
) -> int:
    """Label boards, and write the labels to shards until `folder` has `count` boards or the time is up.

    The boards are from `games`, or random if `games` is None. Complete shards are kept. At least one missing shard is
    written, even if the time is up.

    Returns: the number of boards in `folder`, less than `count` if the games have too few boards or the time is up.
    Raises: FileFormatError if the folder has shards that were made with other settings.
    """
    there = games_there(folder, settings.described())
    what = settings.fewest, settings.most, settings.seed
    boards = _random_boards(*what) if games is None else boards_of_games(games, *what, settings.stray)
    parts = enumerate(_in_parts(islice(boards, count), settings.boards_a_shard))
    missing = ((number, part) for number, part in parts if there.get(number, 0) < len(part))
    done = sum(there.values())
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("label", count if seconds is None else None, "boards", done) as advance,
    ):
        tasks = within(seconds, missing)
        for (number, part), records in run_all(executor, partial(_label_part, settings), tasks, at_once):
            made = {"settings": settings.described(), "number": number}
            write_shard(shard_path(folder, number), np.frombuffer(records, RECORD), made)
            advance(len(part) - there.get(number, 0))
            done += len(part) - there.get(number, 0)
    return done


def boards_of_games(
    games: Records, fewest: int, most: int, seed: int, stray: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield distinct boards of games as (own, opp), in random order. For the arguments see ``LabelSettings``.

    If `stray` is not 0, each position is used several times, with different random moves.
    """
    here = games[(empties(games) >= fewest) & (empties(games) <= most + stray)]
    rng = random.Random(seed)

    def found() -> Iterator[Position]:
        order = np.random.default_rng(seed).permutation(len(here))
        for record in here[np.tile(order, _TIMES_STRAYED if stray else 1)]:
            strayed = _strayed(rng, position_of(record), stray)
            if strayed is not None and fewest <= strayed.empties <= most and not set_aside(strayed):
                yield strayed

    return (board for _, board in _different(found()))


def _strayed(rng: random.Random, position: Position, most: int) -> Position | None:
    """Play 0 to `most` random moves. Return the position after the moves; None if the game has ended."""
    played = play_random(rng, position, rng.randint(0, most))
    return played[0] if played else None


def _random_boards(fewest: int, most: int, seed: int) -> Iterator[_Board]:
    rng = random.Random(seed)

    def found() -> Iterator[Position]:
        while True:
            yield random_opening(rng, 60 - rng.randint(fewest, most), matches=False)

    return (board for _, board in _different(found()))


def _different(positions: Iterable[Position]) -> Iterator[tuple[Position, _Board]]:
    seen: set[_Board] = set()
    for position in positions:
        canonical, _ = position.canonical()
        board = canonical.own, canonical.opp
        if board not in seen:
            seen.add(board)
            yield position, board


def _in_parts(boards: Iterator[_Board], size: int) -> Iterator[tuple[_Board, ...]]:
    while part := tuple(islice(boards, size)):
        yield part


def _label_part(settings: LabelSettings, part: tuple[int, tuple[_Board, ...]]) -> bytes:
    searcher = cleared_searcher(settings.weights)
    games = []
    for own, opp in part[1]:
        position = Position(own, opp, Colour.BLACK)
        found = settings.judging.search(searcher, position)
        seen = [judged(position, found)]
        if to_the_end(found, position):
            seen = list(judged_line(position, found, settings.line_to))
        games.append(as_records(seen, found.score, position.side))
    return np.concatenate(games).tobytes()


def fill_bank(
    folder: Path,
    settings: BankSettings,
    boards: int | None = None,
    *,
    seconds: float | None = None,
    **place: Unpack[Place],
) -> int:
    """Add shards of labelled boards to a bank until it has about `boards` boards or the time is up.

    No board occurs twice. Complete shards are kept, and an interruption loses only incomplete shards. The command uses
    8 bytes of memory for each board.

    Returns: the number of boards in the bank.
    Raises: FileFormatError if a shard of the bank is damaged or was made with other settings, or if another process is
        filling the bank.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with WriterLock(folder / "bank", f"only one process may fill the bank {str(folder)!r}"):
        there = games_there(folder, settings.described())
        known = _KnownBoards(read_shard(path) for path in shards_there(folder))
        missing, total = None, None
        if boards is not None:
            missing = max(0, -(-(boards - len(known)) // settings.boards_a_shard))
            total = len(known) + missing * settings.boards_a_shard
        with (
            open_executor(**place) as (executor, at_once),
            progress_bar("labels", total, "boards", len(known)) as advance,
        ):
            wanted = (number for number in itertools.count() if number not in there)
            tasks = within(seconds, islice(wanted, missing))
            for number, (records, spent) in run_all(executor, partial(_bank_part, settings), tasks, at_once):
                labels = np.frombuffer(records, RECORD)
                new = labels[known.add(labels)]
                made = {"settings": settings.described(), "version": __version__, "number": number}
                more = {"seconds": round(spent, 3), "known before": len(labels) - len(new)}
                write_shard(shard_path(folder, number), new, {**made, **more})
                advance(len(new))
        return len(known)


class _KnownBoards:
    """The boards of a bank, as sorted hashes.

    Among 80 million boards, the probability that two boards share a hash is 0.02 %.

    Args:
        shards: the existing labels. Their boards are canonical images.
    """

    def __init__(self, shards: Iterable[Records]) -> None:
        self._hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *map(_board_hashes, shards)]))

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, labels: Records) -> NDArray[np.bool_]:
        """Add the boards of labels, which must be distinct. Return a mask of the labels whose boards are new."""
        hashes = _board_hashes(labels)
        new = ~np.isin(hashes, self._hashes, assume_unique=True)
        added = np.sort(hashes[new])
        self._hashes = np.insert(self._hashes, np.searchsorted(self._hashes, added), added)
        return new


def _board_hashes(labels: Records) -> NDArray[np.uint64]:
    own, opp = labels["own"].astype(np.uint64), labels["opp"].astype(np.uint64)
    mixed: NDArray[np.uint64] = own * _FACTORS[0] + (opp ^ opp >> _SHIFT) * _FACTORS[1]
    mixed = (mixed ^ mixed >> _SHIFT) * _FACTORS[2]
    return mixed ^ mixed >> _SHIFT


_SHIFT = np.uint64(32)
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xBF58476D1CE4E5B9], np.uint64)


def _bank_part(settings: BankSettings, number: int) -> tuple[bytes, float]:
    """Label a shard. Return the labels and the seconds of work. The labels depend only on `settings` and `number`."""
    began, rng = time.monotonic(), random.Random(f"{settings.playing.seed}/{number}/boards")
    games = np.frombuffer(play_shard(settings.playing, number), RECORD)
    searcher = cleared_searcher(settings.playing.weights)
    labels = []
    for _, board in islice(_different(_boards_met(searcher, settings, games, rng)), settings.boards_a_shard):
        position = Position(*board, Colour.BLACK)
        judging = settings.deep if rng.random() < settings.deep_share else settings.judging
        found = judging.search(searcher, position)
        labels.append(as_records([judged(position, found)], found.score, position.side))
    return np.concatenate(labels).tobytes(), time.monotonic() - began


def _boards_met(
    searcher: Searcher, settings: BankSettings, games: Records, rng: random.Random
) -> Iterator[Position]:
    """Yield boards typical of searches: half are a few random moves off a game, half are like leaves of a search."""
    here = games[empties(games) >= settings.fewest]
    order = [*range(len(here))] * _TIMES_STRAYED
    rng.shuffle(order)
    for record in here[order]:
        position = position_of(record)
        near = rng.random() < 0.5
        met = _strayed(rng, position, _STRAY_IN_BANK) if near else _leaf_below(searcher, rng, position)
        if met is not None and settings.fewest <= met.empties <= settings.most and not set_aside(met):
            yield met


def _leaf_below(searcher: Searcher, rng: random.Random, position: Position) -> Position | None:
    """Return a position like the leaves of a search from `position`; None if the game has ended.

    One side plays some random moves. All other moves are the moves with the best evaluation.
    """
    trying = rng.choice((position.side, position.side.other))
    for _ in range(rng.randint(*_PLIES_TO_LEAF)):
        replies = [position.play(move) for move in position.legal_moves()]
        if position.side is trying and rng.random() < _TRIED_AT_RANDOM:
            position = rng.choice(replies)
        else:
            position = min(replies, key=searcher.evaluate)
        if position.is_over:
            return None
        if position.must_pass:
            position = position.pass_()
    return position


def make_devset(
    games: Records, out: Path, *, empty: int, count: int, seed: int, all_moves: bool, **place: Unpack[Place]
) -> int:
    """Solve boards of games, and write them to a file.

    Args:
        games: the games. Each board is from a different game, and is one of the boards that training leaves out.
        out: the file. Complete lines in the file are kept.
        empty: the number of empty squares of each board.
        count: the number of boards.
        seed: the seed for the choice of boards.
        all_moves: True to solve the position after each move of a board, not only the board.
        place: the number of workers, or the cluster.

    Returns: the number of boards, less than `count` if the games have too few boards.
    Raises: FileFormatError if the file has lines that were made with other settings.
    """
    boards = _boards_set_aside(games, empty, count, seed)
    done = _lines_there(out, boards)
    with (
        out.open("a") as file,
        open_executor(**place) as (executor, at_once),
        progress_bar("devset", len(boards), "boards", done) as advance,
    ):
        task = partial(_solved_line, all_moves)
        for line in run_in_order(executor, task, boards[done:], at_once):
            file.write(f"{line}\n")
            file.flush()
            advance(1)
    return len(boards)


def _boards_set_aside(games: Records, empty: int, count: int, seed: int) -> list[_Board]:
    """Select distinct boards from different games, in a random order that depends on the seed."""
    here = np.flatnonzero((empties(games) == empty) & ~games["learned"])
    _, first_of_game = np.unique(game_numbers(games)[here], return_index=True)
    rows = games[here[first_of_game]]
    rows = rows[np.random.default_rng(seed).permutation(len(rows))]
    chosen = islice(_different(map(position_of, rows)), count)
    return [(position.own, position.opp) for position, _ in chosen]


def _lines_there(out: Path, boards: list[_Board]) -> int:
    """Remove an incomplete line from a file. Return the number of boards in the file."""
    lines = out.read_text().splitlines(keepends=True) if out.exists() else []
    whole = [line for line in lines if line.endswith(";\n")]
    for line, board in zip(whole, boards, strict=False):
        if not line.startswith(Position(*board, Colour.BLACK).board_string()):
            raise FileFormatError(
                f"{out} has boards that were chosen with other settings, such as {line.strip()!r}"
            )
    out.write_text("".join(whole))
    return len(whole)


def _solved_line(all_moves: bool, board: _Board) -> str:
    position = Position(*board, Colour.BLACK)
    count = len(position.legal_moves()) if all_moves else 1
    found = cleared_searcher(SHIPPED).search(position, Limit.solve(), multipv=count)
    if not all_moves:
        return str(Problem(position, own_score=round(found.score)))
    return str(Problem(position, {line.move: round(line.score) for line in found.lines}))

"""Plays games of the engine against itself, from random openings. Solves the endgame as soon as solving is cheap.

Every position after the random opening is recorded with the result of the game. When a search reaches the end of the
game, its score is the result, and the positions of its best line are recorded.
"""

import random
from functools import partial
from pathlib import Path
from typing import Unpack

import numpy as np

from outflank.engine import STARTS, Limit, Position, Searcher, SearchResult
from outflank.tools.match.openings.sources import play_random
from outflank.tools.runtime.cluster import Place
from outflank.tools.runtime.executor import cleared_searcher, open_executor, run_all, within
from outflank.tools.runtime.progress import progress_bar
from outflank.tools.train.dataset import (
    RECORD,
    Judged,
    Records,
    as_records,
    games_there,
    judged,
    judged_line,
    random_opening,
    shard_path,
    write_shard,
)
from outflank.tools.train.settings import ANY_SCORE, SelfplaySettings


def to_the_end(found: SearchResult, position: Position) -> bool:
    """Return whether a search of the position reached the end of the game, at any selectivity."""
    return found.depth >= position.empties


# The ranges of the number of random moves in an opening. Short openings lead to whole games, long openings to late
# boards that otherwise occur only in searches.
_OPENING_LENGTHS = ((4, 12), (6, 16), (8, 24), (20, 50))
_STANDARD_STARTS = 0.75  # the share of games from the standard start; the start of all others is random
# The range of the number of moves before the random move of a detour. A shallow search chooses these moves, which are
# not recorded.
_BEFORE_STRAY_MOVE = (1, 16)
_TO_STRAY_MOVE = Limit(depth=2)


def selfplay(
    folder: Path,
    settings: SelfplaySettings,
    games: int,
    *,
    seconds: float | None = None,
    **place: Unpack[Place],
) -> int:
    """Play shards until `folder` has `games` games or the time is up. Return the number of games in the folder.

    Existing shards are kept, so that an interrupted run continues. At least one missing shard is played, even if the
    time is up.

    Raises: FileFormatError if the folder has shards made with other settings.
    """
    shard = settings.games_a_shard
    there = games_there(folder, settings.described())
    wanted = range(-(-games // shard))
    done = sum(there.values())
    with (
        open_executor(**place) as (executor, at_once),
        progress_bar("self-play", len(wanted) * shard if seconds is None else None, "games", done) as advance,
    ):
        keys = within(seconds, (number for number in wanted if number not in there))
        for number, records in run_all(executor, partial(play_shard, settings), keys, at_once):
            made = {"settings": settings.described(), "number": number}
            write_shard(shard_path(folder, number), np.frombuffer(records, RECORD), made)
            advance(shard)
            done += shard
    return done


def play_shard(settings: SelfplaySettings, number: int) -> bytes:
    """Return the records of a shard. The records depend only on the settings and on the number of the shard."""
    rng = random.Random(f"{settings.seed}/{number}")
    searcher = cleared_searcher(settings.weights)
    games = (_play_game(searcher, settings, rng) for _ in range(settings.games_a_shard))
    return b"".join(game.tobytes() for game in games)


def _play_game(searcher: Searcher, settings: SelfplaySettings, rng: random.Random) -> Records:
    judging = settings.judging
    position = _fair_opening(searcher, settings, rng)
    seen: list[Judged] = []
    while not position.is_over:
        if position.must_pass:
            position = position.pass_()
            continue
        found = judging.search(searcher, position)
        if to_the_end(found, position):
            seen += judged_line(position, found)
            return as_records(seen, found.score, position.side)
        seen.append(judged(position, found))
        position = position.play(found.move)
    return as_records(seen, position.score(position.side), position.side)


def _fair_opening(searcher: Searcher, settings: SelfplaySettings, rng: random.Random) -> Position:
    while True:
        position = _opening(searcher, settings, rng)
        if settings.widest >= ANY_SCORE:
            return position
        if abs(settings.judging.search(searcher, position).score) <= settings.widest:
            return position


def _opening(searcher: Searcher, settings: SelfplaySettings, rng: random.Random) -> Position:
    while True:
        lengths = settings.random_moves or rng.choice(_OPENING_LENGTHS)
        start = "diagonal" if rng.random() < _STANDARD_STARTS else rng.choice(list(STARTS))
        position = random_opening(rng, rng.randint(*lengths), matches=False, start=start)
        if rng.random() >= settings.detours:
            return position
        for _ in range(rng.randint(*_BEFORE_STRAY_MOVE)):
            if not position.is_over:
                position = position.play(searcher.search(position, _TO_STRAY_MOVE).move)
        strayed = play_random(rng, position, 1)
        if strayed is not None:
            return strayed[0]

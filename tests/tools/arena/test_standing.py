"""A standing arena: who plays whom, and what of it stands in the run's file."""

import json
import random
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import SettingsError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tests.support.arenas import LocalArena
from outflank.tests.support.runs import page_of, played, random_transcript, run_of
from outflank.tools.arena.control import obeying, order
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.arena.standing import StandingConductor, most_informative
from outflank.tools.match import standings as standings_module
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.events import Event, GameEnded
from outflank.tools.match.state.run import Format
from outflank.tools.match.state.store import Store, read_run
from outflank.tools.runtime.signals import Interrupted, Interrupts

NAMES = tuple("ABCDEF")


class Enough(Exception):
    """There are as many games as the test wants."""


def game(number: int, first: str, second: str, winner: str) -> GameRecord:
    """Return a game without a twin that was won by one of the two, and that no other game repeats."""
    record = played(random_transcript(random.Random(number), 60), names=(first, second))
    pairing = replace(record.pairing, number=2 * number - 1, pair=number)
    return replace(record, pairing=pairing, winner=record.colour_of(winner))


def standings_of(names: Sequence[str], games: Sequence[GameRecord]) -> Standings:
    return Standings(run_of([], names).settings, games)


def test_an_engine_without_games_plays_first() -> None:
    games = [game(number, "A", "B", "AB"[number % 2]) for number in range(1, 41)]
    duo = most_informative(standings_of("ABC", games), [("A", "B"), ("A", "C"), ("B", "C")], Counter())

    assert duo is not None
    assert "C" in duo


def test_an_open_result_says_more_than_a_known_one() -> None:
    games = []
    for number in range(1, 121, 3):
        games.append(game(number, "A", "B", "AB"[number % 2]))
        games.append(game(number + 1, "A", "C", "C" if number % 10 == 1 else "A"))
        games.append(game(number + 2, "B", "C", "C" if number % 10 == 1 else "B"))
    duos = [("A", "C"), ("A", "B"), ("B", "C")]

    assert most_informative(standings_of("ABC", games), duos, Counter()) == ("A", "B")


@pytest.mark.parametrize("seed", [None, 7, 24, 48])
def test_everybody_comes_to_play_everybody(seed: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines of equal strength win in turns or, with a seed, by chance; some then lose all of their first games.

    Ratings are computed after each game, as in an arena where games take long.
    """
    monkeypatch.setattr(standings_module, "_SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(standings_module, "_SHARE", 0)
    standings = standings_of(NAMES, [])
    met = Counter[tuple[str, str]]()
    rng = None if seed is None else random.Random(seed)
    for number in range(1, 201):
        duo = most_informative(standings, combinations(NAMES, 2), Counter())
        assert duo is not None
        met[duo] += 1
        standings.add(game(number, *duo, winner=rng.choice(duo) if rng else duo[met[duo] % 2]))
    played = [score.games for score in standings.scores.values()]

    assert set(met) == set(combinations(NAMES, 2))
    assert max(played) < 2 * min(played)


def test_engines_come_and_go_and_their_games_stay(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        settings = local.settings("A", "B", games=2, concurrency=4, format=Format.STANDING)
        openings = list(settings.openings.take(5, settings.rules, 1))
        with Store.create(tmp_path / "run", settings, openings, "a run") as store:
            play(local, store, games=6)
        before = read_run(tmp_path / "run")
        with local.entrant("C"), Store.resume(tmp_path / "run") as store:
            play(local, store, games=20)
            assert store.is_ours
    run = read_run(tmp_path / "run")
    ratings = Standings(run.settings, run.games).ratings.ratings

    assert "Standing arena of 3 engines" in page_of(run)
    assert before.settings.names == ("A", "B")
    assert run.settings.names == ("A", "B", "C")
    assert run.games[: len(before.games)] == before.games
    assert "C" in {name for one in run.games for name in one.pairing.names.values()}
    assert {rating.name for rating in ratings} == {"A", "B", "C"}
    for pair in {one.pairing.pair for one in run.games}:
        both = [one.pairing for one in run.games if one.pairing.pair == pair]
        assert len({one.opening for one in both}) == 1
        assert len({tuple(one.names.values()) for one in both}) == len(both)


def play(local: LocalArena, store: Store, games: int) -> None:
    ended = 0

    def count(event: Event) -> None:
        nonlocal ended
        ended += isinstance(event, GameEnded)
        if ended >= games:
            raise Enough

    def present() -> list[tuple[EngineSpec, int]]:
        return [(local.arena.engine_of(line.name), line.slots) for line in local.arena.present()]

    past = store.read()
    conductor = partial(StandingConductor, present)
    try:
        with ArenaPool(past.settings, local.arena.connection_of) as pool, Interrupts() as signals:
            local.arena.on_change(pool.look)
            conductor(past, store, pool, count, signals).play()
    except (Enough, Interrupted):
        pass


def test_an_arena_obeys_only_who_can_read_its_folder(tmp_path: Path) -> None:
    obeyed: list[dict[str, Any]] = []
    with obeying(tmp_path, obeyed.append):
        file = tmp_path / "control"
        order(tmp_path, do="pause")
        with socket.create_connection(("127.0.0.1", json.loads(file.read_text())["port"]), 10) as stranger:
            stranger.sendall(b'{"do": "pause", "token": "guessed"}\n')
            assert stranger.recv(1) == b""
        assert file.stat().st_mode & 0o777 == 0o600
    assert obeyed == [{"do": "pause"}]
    with pytest.raises(SettingsError, match="no server is running the arena"):
        order(tmp_path, do="pause")

"""Finished games to write down, count and show."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from outflank.engine import Colour, Game, Move, Rules
from outflank.protocol.opponent.clock import TimeControl
from outflank.tests.sample_games import WIPE_OUT
from outflank.tools.match.game.engines import Entry
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.schedule.formats import openings_needed, plan
from outflank.tools.match.state.run import Run, RunSettings

STARTED = "2026-05-17T12:30:00+02:00"


def played(
    transcript: str = WIPE_OUT,
    rules: Rules | None = None,
    number: int = 1,
    names: tuple[str, str] = ("A", "B"),
    opening: int = 2,
    seconds: float = 0.25,
) -> GameRecord:
    """The game of a transcript, played to the end; its first `opening` moves were given."""
    game = Game.from_transcript(transcript, rules)
    final = game.position
    assert final.is_over
    discs = [turn.move for turn in game.turns if not turn.move.is_pass]
    given = 0
    times: list[float | None] = []
    for turn in game.turns:
        times.append(None if turn.move.is_pass or given < opening else seconds)
        given += not turn.move.is_pass
    return GameRecord(
        pairing=Pairing(
            number, (number + 1) // 2, dict(zip(Colour, names, strict=True)), tuple(discs[:opening])
        ),
        rules=game.rules,
        turns=game.turns,
        seconds=tuple(times),
        winner=final.rules.winner_by(final.score()),
        ending=Ending.DISCS,
        detail="",
        margin=final.score(Colour.BLACK),
        started=STARTED,
    )


def judged(
    values: Mapping[int, float], exact: Mapping[int, int], transcript: str = WIPE_OUT, number: int = 1
) -> GameRecord:
    """A game whose engines said what some of its turns were worth and that was solved at some, both Black's."""
    game = played(transcript, number=number)
    turns = range(len(game.turns))
    return replace(game, values=tuple(map(values.get, turns)), exact=tuple(map(exact.get, turns)))


def broken_off(
    ending: Ending,
    loser: Colour,
    transcript: str = "f5d6c3",
    number: int = 1,
    names: tuple[str, str] = ("A", "B"),
    detail: str = "it broke",
) -> GameRecord:
    """A game that ended early."""
    game = Game.from_transcript(transcript)
    return GameRecord(
        pairing=Pairing(number, (number + 1) // 2, dict(zip(Colour, names, strict=True)), ()),
        rules=game.rules,
        turns=game.turns,
        seconds=(0.125,) * len(game.turns),
        winner=loser.other,
        ending=ending,
        detail=detail,
        margin=None,
        started=STARTED,
        dialogue=("A > genmove black", "A < = a1"),
    )


def run_of(
    games: Sequence[GameRecord],
    names: Sequence[str] = ("A", "B"),
    settings: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Run:
    """The run that these games are; `settings` and `facts` replace what RunSettings and Run would have."""
    entries = tuple(Entry(name, f"engine-{name.lower()} --fast", TimeControl()) for name in names)
    made = RunSettings(entries, OpeningsChoice.parse("random:2"), games=len(games), seed=5)
    return replace(
        Run(
            replace(made, **(settings or {})),
            tuple(games),
            remarks=("B refuses to say hello",),
            started=STARTED,
            finished=True,
        ),
        **facts,
    )


def random_run(
    names: Sequence[str], pairs: int, settings: Mapping[str, Any] | None = None, solved: int = 0, **facts: Any
) -> Run:
    """A finished run of random games, `pairs` pairs an encounter; the rest as ``run_of``.

    Engines judge every move; from `solved` empty squares on there are exact margins, all made up.
    """
    rng = random.Random(1)
    made = run_of((), names, {**(settings or {}), "games": 2 * pairs}).settings
    openings = [_opening(rng) for _ in range(openings_needed(made))]
    games: list[GameRecord] = []
    while len(planned := plan(made, openings, games)) > len(games):
        for pairing in planned[len(games) :]:
            transcript = random_transcript(rng, 60, "".join(map(str, pairing.opening)))
            game = replace(played(transcript, opening=4), pairing=pairing)
            games.append(replace(game, **_judgements(game, rng, solved)))
    return replace(run_of(games, names, **facts), settings=made)


def random_transcript(rng: random.Random, moves: int, before: str = "") -> str:
    """A game of at most so many random moves, begun with those of `before`."""
    game = Game.from_transcript(before)
    for _ in range(moves):
        if game.position.must_pass:
            game.pass_()
        if not game.position.is_over:
            game.play(rng.choice(game.position.legal_moves()))
    return game.transcript()


def _opening(rng: random.Random) -> tuple[Move, ...]:
    return tuple(turn.move for turn in Game.from_transcript(random_transcript(rng, 4)).turns)


def _judgements(game: GameRecord, rng: random.Random, solved: int) -> dict[str, Any]:
    """Values that wander to the margin, and exact margins that a slip of the mover changes now and then."""
    assert game.margin is not None
    count = len(game.turns)
    values = [game.margin * turn / count + rng.gauss(0, 3) for turn in range(count)]
    exact = [game.margin]
    for turn in reversed(game.turns):
        slip = 2 * rng.randrange(1, 4) if rng.random() < 0.2 and not turn.move.is_pass else 0
        exact.append(exact[-1] + (slip if turn.colour is Colour.BLACK else -slip))
    known = [seconds is not None for seconds in game.seconds]
    return {
        "values": tuple(value if own else None for value, own in zip(values, known, strict=True)),
        "exact": tuple(
            margin if turn.before.empties <= solved else None
            for margin, turn in zip(exact[:0:-1], game.turns, strict=True)
        ),
        "seconds": tuple(abs(rng.gauss(0.3, 0.1)) if own else None for own in known),
    }

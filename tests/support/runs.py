"""Games and runs for tests: made-up finished runs, and real runs between fake engines in this process."""

import json
import random
import re
import shlex
import sqlite3
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from outflank.engine import Colour, Game, Move, Rules
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers import Driver
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tools.match.game.referee import Referee
from outflank.tools.match.game.results import Ending, GameRecord, Pairing
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.runner.session import RunSession
from outflank.tools.match.schedule.formats import openings_needed, plan
from outflank.tools.match.state.events import (
    Event,
    GameEnded,
    GameStarted,
    GameVoided,
    LiveUpdate,
    RunObserver,
)
from outflank.tools.match.state.run import Run, RunSettings
from outflank.tools.match.state.run_file import RUN_FILE
from outflank.tools.match.state.store import Store
from outflank.tools.report.figures import Figures, summary
from outflank.tools.report.report import render_report, write_run_files
from outflank.tools.report.tables import print_result
from outflank.tools.runtime.signals import Interrupts

STARTED = "2026-05-17T12:30:00+02:00"
BLACK, WHITE = Colour.BLACK, Colour.WHITE


def played(
    transcript: str = WIPE_OUT,
    rules: Rules | None = None,
    number: int = 1,
    names: tuple[str, str] = ("A", "B"),
    opening: int = 2,
    seconds: float = 0.25,
) -> GameRecord:
    """Return the record of a finished game from its transcript. Its first `opening` moves are the opening."""
    game = Game.from_transcript(transcript, rules)
    final = game.position
    assert final.is_over
    discs = [turn.move for turn in game.turns if not turn.move.is_pass]
    given = 0
    turns = []
    for turn in AnnotatedGame.of(game).moves:
        own = not turn.move.is_pass and given >= opening
        turns.append(replace(turn, seconds=seconds if own else None))
        given += not turn.move.is_pass
    return GameRecord(
        pairing=_pairing(number, names, tuple(discs[:opening])),
        rules=game.rules,
        turns=tuple(turns),
        winner=final.rules.winner_by(final.score()),
        ending=Ending.DISCS,
        detail="",
        margin=final.score(Colour.BLACK),
    )


def judged(
    values: Mapping[int, float], exact: Mapping[int, int], transcript: str = WIPE_OUT, number: int = 1
) -> GameRecord:
    """Return a finished game with engine scores and exact margins at some plies, both from Black's side."""
    game = played(transcript, number=number)
    turns = enumerate(game.turns)
    return replace(
        game, turns=tuple(replace(turn, score=values.get(ply), exact=exact.get(ply)) for ply, turn in turns)
    )


def broken_off(
    ending: Ending,
    loser: Colour,
    transcript: str = "f5d6c3",
    number: int = 1,
    names: tuple[str, str] = ("A", "B"),
    detail: str = "it broke",
) -> GameRecord:
    game = Game.from_transcript(transcript)
    return GameRecord(
        pairing=_pairing(number, names),
        rules=game.rules,
        turns=tuple(replace(turn, seconds=0.125) for turn in AnnotatedGame.of(game).moves),
        winner=loser.other,
        ending=ending,
        detail=detail,
        margin=None,
        dialogue=("A > genmove black", "A < = a1"),
    )


def _pairing(number: int, names: tuple[str, str], opening: tuple[Move, ...] = ()) -> Pairing:
    by_colour = dict(zip(Colour, names, strict=True))
    return Pairing(number, (number + 1) // 2, by_colour, opening, started=STARTED)


def run_of(
    games: Sequence[GameRecord],
    names: Sequence[str] = ("A", "B"),
    settings: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Run:
    """Return a finished run of these games. `settings` and `facts` replace fields of RunSettings and Run."""
    specs = tuple(EngineSpec(name, f"engine-{name.lower()} --fast", TimeControl()) for name in names)
    made = RunSettings(specs, OpeningsChoice.parse("random:2"), games=len(games), seed=5)
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


def ends(*games: GameRecord) -> list[GameEnded | GameVoided]:
    """Return the events of the ends or the voiding of these games."""
    return [GameVoided(game) if game.void else GameEnded(game) for game in games]


def store_run(folder: Path, *games: GameRecord) -> Path:
    """Write the folder of a finished run with these games."""
    rules = games[0].rules if games else Rules()
    names = list(games[0].pairing.names.values()) if games else ["A", "B"]
    settings = run_of(games, names, {"rules": rules, "games": max(len(games), 1)}).settings
    with Store.create(folder, settings, [()], "id") as store:
        for game in games:
            store.write([GameStarted(game.pairing), GameEnded(game)])
    return folder


def edit(folder: Path, statement: str, *values: object) -> None:
    """Execute an SQL statement on the file of a run."""
    with closing(sqlite3.connect(folder / RUN_FILE)) as connection, connection:
        connection.execute(statement, values)


def random_run(
    names: Sequence[str], pairs: int, settings: Mapping[str, Any] | None = None, solved: int = 0, **facts: Any
) -> Run:
    """Return a finished run of random games, with `pairs` pairs for each encounter; see ``run_of``.

    All moves have made-up scores; with at most `solved` empty squares they have made-up exact margins too.
    """
    rng = random.Random(1)
    made = run_of((), names, {**(settings or {}), "games": 2 * pairs}).settings
    openings = [Game.from_transcript(random_transcript(rng, 4)).moves for _ in range(openings_needed(made))]
    games: list[GameRecord] = []
    while len(planned := plan(made, openings, games)) > len(games):
        for pairing in planned[len(games) :]:
            transcript = random_transcript(rng, 60, "".join(map(str, pairing.opening)))
            game = replace(played(transcript, opening=4), pairing=replace(pairing, started=STARTED))
            games.append(replace(game, turns=_judgements(game, rng, solved)))
    return replace(run_of(games, names, **facts), settings=made)


def random_transcript(rng: random.Random, moves: int, before: str = "") -> str:
    """Return the transcript of a game that continues `before` with at most `moves` random moves."""
    game = Game.from_transcript(before)
    for _ in range(moves):
        if game.position.must_pass:
            game.pass_()
        if not game.position.is_over:
            game.play(rng.choice(game.position.legal_moves()))
    return game.transcript()


def _judgements(game: GameRecord, rng: random.Random, solved: int) -> tuple[AnnotatedMove, ...]:
    """Return the turns with random scores that approach the margin, and exact margins that random errors change."""
    assert game.margin is not None
    count = len(game.turns)
    values = [game.margin * turn / count + rng.gauss(0, 3) for turn in range(count)]
    exact = [game.margin]
    for turn in reversed(game.turns):
        slip = 2 * rng.randrange(1, 4) if rng.random() < 0.2 and not turn.move.is_pass else 0
        exact.append(exact[-1] + (slip if turn.colour is Colour.BLACK else -slip))
    return tuple(
        replace(
            turn,
            seconds=None if turn.seconds is None else abs(rng.gauss(0.3, 0.1)),
            score=None if turn.seconds is None else value,
            exact=margin if turn.before.empties <= solved else None,
        )
        for turn, value, margin in zip(game.turns, values, exact[:0:-1], strict=True)
    )


def fake(name: str, fault: str = "none", turn: int = 2, time: str = "none") -> EngineSpec:
    return EngineSpec(name, shlex.join(fake_engine.command(fault, turn)), TimeControl.parse(time))


def instant(name: str) -> EngineSpec:
    return EngineSpec(name, shlex.join(fake_engine.command(speak="instant")), TimeControl())


def settings(*specs: EngineSpec, **others: Any) -> RunSettings:
    """Return the settings of a run; the default openings are random."""
    return RunSettings(engines=specs, **{"openings": OpeningsChoice.parse("random:8"), "seed": 3, **others})


def instant_settings(folder: Path, **others: Any) -> RunSettings:
    """Return the settings of a match between two instant engines."""
    (folder / "openings.txt").write_text(fake_engine.GAME[:2])
    openings = OpeningsChoice.parse(str(folder / "openings.txt"))
    return settings(*map(instant, "AB"), openings=openings, **others)


class Listener(RunObserver):
    """An observer that calls functions with all events and updates."""

    def __init__(
        self,
        on_event: Callable[[Event], object] = lambda event: None,
        on_update: Callable[[LiveUpdate], object] | None = None,
    ) -> None:
        self.wants_live_updates = on_update is not None
        self._on_event = on_event
        self._on_update = on_update

    def observe(self, event: Event) -> None:
        self._on_event(event)

    def update(self, update: LiveUpdate) -> None:
        assert self._on_update is not None
        self._on_update(update)


def conduct(
    settings: RunSettings,
    folder: Path,
    on_event: Callable[[Event], object] = lambda event: None,
    **options: Any,
) -> Run:
    """Play a run. `options` are options of ``RunSession.play``."""
    with Interrupts() as interrupts:
        return RunSession(settings, folder).play([Listener(on_event)], interrupts, **options)


def resume(folder: Path) -> Run:
    with RunSession.resume(folder, allow=print) as session, Interrupts() as interrupts:
        return session.play([], interrupts)


def seated(black: Driver, white: Driver, opening: str = "", stall: float = 0.4, **options: Any) -> Referee:
    moves = tuple(move for move in Game.from_transcript(opening).moves if not move.is_pass)
    pairing = Pairing(1, 1, {BLACK: black.name, WHITE: white.name}, moves)
    return Referee(pairing, {BLACK: black, WHITE: white}, AnnotatedGame(), stall, **options)


def referee(black: Driver, white: Driver, opening: str = "", **options: Any) -> GameRecord:
    """Play a game of two engines, and return its record. `options` are the options of ``seated``."""
    return seated(black, white, opening, **options).play()


def page_of(run: Run) -> str:
    return render_report(Figures(run))


def replays(page: str) -> list[dict[str, Any]]:
    match = re.search(r'id="replays">(.*)</script>$', page, re.MULTILINE)
    assert match is not None
    return json.loads(match[1])  # type: ignore[no-any-return]


def expect_policy(page: str) -> None:
    """Assert that the page's content security policy allows only its own scripts, and that it loads no files."""
    assert not re.search(
        r"(src|href)=(?!\"fault-game-\d+\.txt\"|\"data:)|https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)",
        page,
    )
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', page)
    assert policy.replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        " ".join(["script-src", *(f"'sha256-{digest}'" for digest in digests)]),
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def summary_of(run: Run) -> dict[str, Any]:
    return summary(Figures(run))


def print_result_of(run: Run) -> None:
    print_result(Figures(run))


def write_files_of(run: Run, folder: Path) -> str:
    """Write the files of a finished run, and return a text about files that could not be written."""
    return write_run_files(Figures(run), folder)

"""Plays the games of a match between two engines, one after the other."""

from dataclasses import dataclass, replace
from pathlib import Path

from outflank.engine import Colour, Move
from outflank.tools.games.dialogue import Dialogue
from outflank.tools.games.openings import count_different
from outflank.tools.games.player import Player
from outflank.tools.games.referee import Referee
from outflank.tools.games.results import GameRecord, Pairing, Standing
from outflank.tools.runs.interrupts import Interrupted, Interrupts
from outflank.tools.runs.scoreboard import Scoreboard
from outflank.tools.runs.summary import MatchResult, MatchSettings, match_summary
from outflank.tools.show.archive import Archive
from outflank.tools.show.report import render_report

_FAREWELL_SECONDS = 1.0
_HURRIED_SECONDS = 0.4  # after Ctrl-C: both engines are gone within two seconds


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match went.

    Attributes:
        result: the games and what follows from them.
        interruption: the signal that ended it early, if one did.
        trouble: a sentence about what could not be written; empty if all is well.
    """

    result: MatchResult
    interruption: Interrupted | None
    trouble: str


class Contest:
    """A match under way.

    Args:
        settings: all that it depends on.
        folder: where the records go, which has to be new or empty; None to write none.
        board: shows it.
        interrupts: asked often whether to stop.
    """

    def __init__(
        self, settings: MatchSettings, folder: Path | None, board: Scoreboard, interrupts: Interrupts
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._board = board
        self._interrupts = interrupts
        self._dialogue = Dialogue()
        self._players = [self._player(number) for number in range(2)]
        self._standings = [Standing(name) for name in settings.names]
        self._archive: Archive | None = None
        self._games: list[GameRecord] = []
        self._interruption: Interrupted | None = None

    def play(self) -> Outcome:
        """All games, to the end or until a signal comes; the engines are gone afterwards.

        Raises: OutflankError before the first game if the openings, an engine or the folder are not fit.
        """
        pairings = schedule(self._settings, self._openings())
        try:
            for player in self._players:
                player.make_ready()
            self._open_archive()
            for pairing in pairings:
                self._play_game(pairing)
        except Interrupted as interruption:
            self._interruption = interruption
        finally:
            for player in self._players:
                player.stop(_HURRIED_SECONDS if self._interruption else _FAREWELL_SECONDS)
        return self._finish()

    def _player(self, number: int) -> Player:
        return Player(
            self._settings.entries[number],
            self._settings.rules,
            on_wait=self._interrupts.check,
            on_line=self._dialogue.add,
            on_remark=lambda sentence: self._board.say(f"Note: {sentence}"),
        )

    def _openings(self) -> list[tuple[Move, ...]]:
        """An opening for each pair of games."""
        settings = self._settings
        count = (settings.games + 1) // 2
        openings = settings.openings.take(count, settings.rules, settings.seed)
        different = count_different(openings, settings.rules)
        if different < count:
            self._board.say(f"Note: {count} openings are needed, {different} are different up to symmetry")
        return openings

    def _open_archive(self) -> None:
        if self._folder:
            self._archive = Archive(self._folder)
            self._archive.write_summary(match_summary(self._result()))

    def _play_game(self, pairing: Pairing) -> None:
        """One game, noted, shown and written down."""
        by_name = {player.name: player for player in self._players}
        players = {colour: by_name[name] for colour, name in pairing.names.items()}
        self._dialogue.begin()
        referee = Referee(pairing, players, self._settings.rules, self._settings.stall, lambda game, seconds: self._board.show_turn(game))
        game = referee.play()
        if game.ending.is_fault:
            game = replace(game, dialogue=self._dialogue.lines())
        self._games.append(game)
        if self._archive:
            self._archive.add(game)
            if self._archive.trouble:
                self._board.say(f"Note: {self._archive.trouble}")
        for standing in self._standings:
            standing.add(game)
        self._board.show_game(game, self._standings)
        self._interrupts.check()

    def _result(self) -> MatchResult:
        remarks = [remark for player in self._players for remark in player.remarks]
        return MatchResult(
            self._settings, tuple(self._games), tuple(remarks), interrupted=self._interruption is not None
        )

    def _finish(self) -> Outcome:
        result, trouble = self._result(), ""
        if self._archive:
            self._archive.finish(result.games, match_summary(result), render_report(result))
            trouble = self._archive.trouble
        return Outcome(result, self._interruption, trouble)


def schedule(settings: MatchSettings, openings: list[tuple[Move, ...]]) -> list[Pairing]:
    """The games in order: each opening twice, the first engine with Black and then with White."""
    first, second = settings.names
    return [
        Pairing(
            number=index + 1,
            pair=index // 2 + 1,
            names=dict(zip(Colour, (first, second) if index % 2 == 0 else (second, first), strict=True)),
            opening=openings[index // 2],
        )
        for index in range(settings.games)
    ]

"""A game with people: what they may do besides moving, and what the clocks keep of it."""

import shlex
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from outflank.engine import Colour, Game, Rules, SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers import EngineSpec, make_driver
from outflank.protocol.formats.annotated import AnnotatedGame, Result, ResultReason
from outflank.tests.support.fake_engine import command
from outflank.tools.live import drivers, game
from outflank.tools.live.drivers import Person
from outflank.tools.live.game import LiveGame
from outflank.tools.runtime.signals import Stopped

BLACK, WHITE = Colour
Step = str | float | Callable[[LiveGame], object]
"""A move, the seconds of a thought, or what a person does to the game before moving."""


class People:
    """Both sides of a game, who follow a script; their thoughts take no time but by their own watch.

    Args:
        control: the time control.
        first: the moves of the record that is continued.
        facts: other facts of this record.
    """

    def __init__(self, control: str = "none", first: str = "", **facts: Any) -> None:
        self.now = 0.0
        self._steps: list[Step] = []
        person = Person("Ada", Rules(), TimeControl.parse(control), self._ask)
        record = replace(AnnotatedGame.of(Game.from_transcript(first)), **facts)
        self.game = LiveGame(record, dict.fromkeys(Colour, person))

    def monotonic(self) -> float:
        return self.now

    def play(self, *steps: Step) -> LiveGame:
        """Play until the steps are used up or the game is over."""
        self._steps = list(steps)
        while self._steps and self.game.result is None:
            self.game.play_on()
        return self.game

    def _ask(self, seconds: float) -> str:
        deadline = self.now + seconds
        while self._steps:
            step = self._steps.pop(0)
            if isinstance(step, str):
                return step
            if isinstance(step, float):
                self.now += step
                if self.now > deadline:
                    raise TimeoutError
            else:
                step(self.game)
                if self.game.thinking is None:
                    raise Stopped
        raise Stopped


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> Callable[..., People]:
    def begun(*given: Any, **facts: Any) -> People:
        own = People(*given, **facts)
        for module in (game, drivers):
            monkeypatch.setattr(module, "time", own)
        monkeypatch.setattr(own, "time", time.time, raising=False)
        return own

    return begun


def moves(of: LiveGame) -> str:
    return " ".join(str(turn.move) for turn in of.turns)


@pytest.mark.parametrize(
    ("control", "clock"),
    [
        ("none", ""),
        ("10m+0", "10:00"),
        ("5m+3s", "5:00/0:03"),
        ("5m+30s/10", "300 s, overtime 10/30 canadian"),
        ("30s", "0 s, overtime 1/30 canadian"),
        ("60+0.5", "60 s, overtime 0.5 fischer"),
    ],
)
def test_the_clock_is_recorded_as_game_files_have_it(
    people: Callable[..., People], control: str, clock: str
) -> None:
    assert people(control).game.record().clock == clock


def test_a_move_taken_back_leaves_its_time_on_the_clock_and_its_increment_is_gone(
    people: Callable[..., People],
) -> None:
    own = people("60+5")
    own.play(10.0, "f5", 2.0, LiveGame.take_back)

    assert moves(own.game) == ""
    assert own.game.left == {BLACK: 50, WHITE: 58}
    own.play(4.0, "d3")
    assert own.game.left == {BLACK: 60 - 10 - 4 + 5, WHITE: 58}
    assert own.game.turns[0].seconds == 14


def test_moves_taken_back_again_and_again_win_no_time(people: Callable[..., People]) -> None:
    own = people("60+5")
    for _ in range(4):
        own.play(3.0, "f5", LiveGame.take_back)

    assert own.game.left[BLACK] == 48


def test_a_pause_and_a_command_leave_the_time_of_the_thought_on_the_clock(
    people: Callable[..., People],
) -> None:
    own = people("60+5")
    own.play(7.0, LiveGame.interrupt)
    paused = own.game.left[BLACK]
    own.now += 1000
    own.play(1.0, "f5")

    assert paused == 53
    assert own.game.left[BLACK] == 60 - 8 + 5
    assert own.game.turns[0].seconds == 8


def test_with_a_time_for_each_move_the_move_that_is_due_again_has_what_was_left_of_it(
    people: Callable[..., People],
) -> None:
    own = people("30")
    own.play(20.0, "f5", 25.0, "d6", 28.0, "c3", LiveGame.take_back, LiveGame.take_back, LiveGame.take_back)

    assert moves(own.game) == ""
    assert own.game.left == {BLACK: 10, WHITE: 5}


def test_a_move_whose_time_would_leave_nothing_is_not_taken_back(people: Callable[..., People]) -> None:
    own = people("60+5")
    own.play(59.0, "f5", 1.0, "d6", 5.0, "c3", *[LiveGame.take_back] * 2)
    with pytest.raises(SettingsError, match="no time would be left"):
        own.play(LiveGame.take_back)

    assert moves(own.game) == "f5"


def test_moves_are_played_again_with_the_time_that_they_took(people: Callable[..., People]) -> None:
    own = people("60+0")
    own.play(10.0, "f5", 5.0, "d6", LiveGame.take_back, LiveGame.take_back, 2.0, LiveGame.redo)

    assert moves(own.game) == "f5"
    assert own.game.left == {BLACK: 48, WHITE: 55}
    own.play(LiveGame.redo, LiveGame.interrupt)
    assert moves(own.game) == "f5 d6"
    with pytest.raises(SettingsError, match="no move was taken back"):
        own.game.redo()


def test_moves_that_were_given_are_not_taken_back(people: Callable[..., People]) -> None:
    own = people(first="f5d6c3d3", given=4)
    own.play("c4", LiveGame.take_back)

    assert moves(own.game) == "f5 d6 c3 d3"
    with pytest.raises(SettingsError, match="no move of yours"):
        own.game.take_back()


def test_a_record_that_is_continued_has_full_clocks_and_keeps_its_facts(
    people: Callable[..., People],
) -> None:
    first = AnnotatedGame.of(Game.from_transcript("f5d6"))
    timed = tuple(replace(turn, seconds=50.0) for turn in first.moves)
    own = people("60+0", moves=timed, black="Grace", event="Cup")
    began = dict(own.game.left)
    own.play(1.0, "c3")
    record = own.game.record()

    assert began == {BLACK: 60, WHITE: 60}
    assert own.game.left == {BLACK: 59, WHITE: 60}
    assert (record.black, record.white, record.event) == ("Grace", "Ada", "Cup")
    assert [turn.seconds for turn in record.moves] == [50, 50, 1]


def test_who_oversteps_the_time_has_lost_for_good(people: Callable[..., People]) -> None:
    own = people("10+0")
    own.play(4.0, "f5", 11.0)

    assert own.game.result == Result(BLACK, None, ResultReason.TIME)
    with pytest.raises(SettingsError, match="no time would be left"):
        own.game.take_back()


def test_a_game_that_was_resigned_can_be_taken_up_again(people: Callable[..., People]) -> None:
    own = people()
    own.play("f5", LiveGame.resign)

    assert own.game.result == Result(BLACK, None, ResultReason.RESIGNATION)
    with pytest.raises(SettingsError, match="over"):
        own.game.resign()
    own.game.take_back()
    assert own.game.result is None


def test_sides_are_swapped_and_a_new_game_begins_with_full_clocks(people: Callable[..., People]) -> None:
    own = people("60+0")
    engine = make_driver(EngineSpec("E", shlex.join(command()), TimeControl.parse("60+0")), Rules())
    own.game.drivers[WHITE] = engine
    own.play(3.0, LiveGame.swap_sides)

    assert own.game.people == [WHITE]
    assert own.game.left[BLACK] == 57
    own.game.new_game()
    assert own.game.left == {BLACK: 60, WHITE: 60}

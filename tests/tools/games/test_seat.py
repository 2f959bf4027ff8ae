"""The clock of a side: who answers too late loses, and what the machine did meanwhile is kept."""

import re
import time
from dataclasses import replace

from outflank.tests.tools.games.refereed import BLACK, WHITE, Sit, referee, seated
from outflank.tools.match.game.results import Ending


def test_a_side_without_an_answer_loses_on_time_at_its_deadline(sit: Sit) -> None:
    began = time.monotonic()
    game = referee(sit("silence", turn=1, time="0.3"), sit(name="B"), stall=60)

    assert (game.ending, game.winner) == (Ending.TIME, WHITE)
    assert 0.35 <= time.monotonic() - began < 3


def test_a_late_answer_loses_on_time_and_a_timely_one_does_not(sit: Sit) -> None:
    late = referee(sit("slow", turn=1, time="0.2"), sit(name="B"))
    timely = referee(sit("slow", turn=30, time="5"), sit(name="B"))

    assert (late.ending, late.winner) == (Ending.TIME, WHITE)
    assert timely.ending is Ending.DISCS


def test_the_clock_adds_up_over_the_game(sit: Sit) -> None:
    """0.3 s a move out of 0.7 s for the game: the third move comes too late."""
    game = referee(sit("slow", turn=1, time="0.7+0"), sit(name="B"))

    assert game.ending is Ending.TIME
    assert len(game.turns) == 4


def test_time_is_told_before_the_game_and_before_each_move(sit: Sit) -> None:
    heard: list[str] = []
    game = referee(sit("slow with time", turn=90, time="60+0", heard=heard), sit(name="B"))
    settings, left = heard.index("A > time_settings 60 0 0"), heard.index("A > time_left black 60 0")

    assert game.ending is Ending.DISCS
    assert heard.index("A > clear_board") < settings < left
    assert heard[left + 2] == "A > genmove black"


def test_an_engine_that_does_not_know_its_clock_is_held_to_it(sit: Sit) -> None:
    refusing, deaf = sit("refuse time", time="60+0"), sit(time="9", name="B")
    game = referee(refusing, deaf)

    assert game.ending is Ending.DISCS
    assert refusing.remarks == ["A refuses 'time_settings 60 0 0', but is held to its time of 60+0"]
    assert deaf.remarks == ["B has no command for a time of 9, but is held to it"]


def test_a_fall_of_the_flag_tells_when_it_was_and_what_the_engine_did_meanwhile(sit: Sit) -> None:
    idle, busy = (seated(sit(fault, turn=1, time="0.3"), sit(name="B")) for fault in ("silence", "busy loop"))
    games = idle.play(), busy.play()

    assert [game.ending for game in games] == [Ending.TIME] * 2
    assert idle.flag_fall is not None
    assert 0.35 <= idle.flag_fall.ended - idle.flag_fall.began < 3
    assert busy.flag_fall is not None
    assert idle.flag_fall.cpu_seconds <= 0.02 < busy.flag_fall.cpu_seconds
    assert idle.flag_fall.threads == 1


def test_time_taken_between_moves_is_charged_beyond_the_margin(sit: Sit) -> None:
    """An engine took 0.7 s in every ``play`` at 0.1 s a move, and nobody saw it."""
    unfair = referee(sit("slow to play", time="0.1"), sit(name="B"), opening="f5d6c3d3")
    patient = referee(sit("slow to play", time="2+0"), sit(name="B"), opening="f5d6c3d3")

    assert (unfair.ending, unfair.winner) == (Ending.TIME, WHITE)
    assert re.fullmatch(r"engine A took 1\.\d+ s between two of its moves, .*", unfair.detail)
    assert (patient.ending, patient.winner) == (Ending.TIME, WHITE)
    assert 8 < len(patient.turns) < 20
    taken = patient.outside["A"]
    assert taken.longest > 1.2
    assert taken.seconds / 0.3 > taken.moves


def test_a_flag_that_falls_between_moves_tells_what_the_machine_did(sit: Sit) -> None:
    game = seated(sit("slow to play", time="0.1"), sit(name="B"), opening="f5d6")

    assert game.play().ending is Ending.TIME
    assert game.flag_fall is not None
    assert game.flag_fall.ended - game.flag_fall.began > 0.6
    assert game.flag_fall.cpu_seconds < 0.3


def test_time_is_counted_without_a_clock_and_charged_to_nobody(sit: Sit) -> None:
    game = referee(sit("slow to begin"), sit(name="B"), opening="f5d6c3d3")

    assert game.ending is Ending.DISCS
    assert 1.2 < game.outside["A"].setup < 10
    assert game.outside["A"].longest < 1
    assert game.outside["B"].moves == sum(
        seconds is not None and turn.colour is WHITE
        for turn, seconds in zip(game.turns, game.seconds, strict=True)
    )


def test_a_megabyte_of_empty_lines_after_each_move_is_remarked_on_and_slows_nobody(sit: Sit) -> None:
    """It made a match of two seconds one of 48."""
    quiet, loud = sit(), sit("empty lines", name="B")
    began = time.monotonic()
    game = referee(quiet, loud, stall=10)

    assert game.ending in (Ending.DISCS, Ending.PROTOCOL_ERROR)
    assert time.monotonic() - began < 10
    assert quiet.remarks == []
    (remark,) = loud.remarks
    assert re.match(r"B writes much that answers nothing, \d+\.\d MB in one game", remark)


def test_the_clocks_margin_is_the_engines_own(sit: Sit) -> None:
    """0.3 s a move out of 0.2 s."""
    generous, strict = sit("slow", turn=29, time="0.2"), sit("slow", turn=29, time="0.2", name="B")
    generous.entry = replace(generous.entry, margin=5.0)
    game = referee(generous, strict)

    assert (game.ending, game.winner) == (Ending.TIME, BLACK)

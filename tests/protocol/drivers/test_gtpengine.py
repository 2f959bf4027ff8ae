"""A GTP engine for programs: it plays, analyses, keeps the game, and is gone afterwards, whatever goes wrong."""

import shlex
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from outflank.engine import Game, IllegalMoveError, Move, NotationError, Rules, SettingsError
from outflank.protocol.drivers import (
    EngineCrash,
    EngineIllegalMove,
    EngineProtocolError,
    EngineRefusal,
    EngineStartError,
    EngineTimeout,
    GtpEngine,
    Reply,
    UnfitEngineError,
)
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.program import OUTFLANK

FAKE = fake_engine.command()
OURS = [OUTFLANK, "gtp", "--level", "1", "--book", "none"]


@pytest.fixture
def engine() -> Iterator[GtpEngine]:
    """Yield the fake one, that plays the first legal move."""
    with GtpEngine(FAKE) as engine:
        yield engine


def hearing(heard: list[str], fault: str = "none", time: str = "none") -> GtpEngine:
    """Return a fake engine whose dialogue is kept, `` > line`` to the engine."""
    return GtpEngine(
        fake_engine.command(fault), time=time, on_line=lambda way, line: heard.append(f"{way} {line}")
    )


def test_a_whole_game_is_played_and_kept() -> None:
    with GtpEngine(shlex.join(OURS)) as engine:
        while not engine.game.position.is_over:
            reply = engine.genmove()
            assert reply.move == engine.game.turns[-1].move
        assert "final_score" in engine.commands
        assert engine.send("final_score")[0] in "BW0"

    assert len(engine.game) >= 9
    assert (engine.name, engine.is_running) == ("Outflank", False)
    assert repr(engine) == f"<GtpEngine Outflank {engine.version} (ended)>"


@pytest.mark.parametrize(
    ("move", "error"), [("a1", IllegalMoveError), ("z9", NotationError), ("pass", IllegalMoveError)]
)
def test_an_illegal_move_of_ours_changes_nothing(
    engine: GtpEngine, move: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        engine.play(move)

    assert engine.game.transcript() == ""
    assert engine.genmove().move == Move.parse("d3")


def test_a_forced_pass_is_told_and_not_asked_for() -> None:
    game, heard = Game.from_transcript(WITH_PASSES), list[str]()
    first = next(number for number, turn in enumerate(game) if turn.move.is_pass)
    with hearing(heard) as engine:
        for turn in list(game)[:first]:
            engine.play(turn.move)
        assert engine.genmove() == Reply("pass")

    colour = game.turns[first].colour
    assert heard[heard.index(f"> play {colour} pass") :][:2] == [f"> play {colour} pass", "< = "]
    assert not [line for line in heard if "genmove" in line and ">" in line]


def test_a_pass_that_a_move_implies_is_told_unless_it_was_refused() -> None:
    game, heard = Game.from_transcript(WITH_PASSES), list[str]()
    with hearing(heard, "refuse pass") as engine:
        for turn in game:
            if not turn.move.is_pass:
                engine.play(turn.move)
        assert [turn.move for turn in engine.game] == [turn.move for turn in game]
        assert engine.remarks == (
            "rejects 'play COLOUR pass', so forced passes are not sent to it (passes=implicit)",
        )

    assert (
        len([line for line in heard if line.endswith(" pass")]) == 1 < sum(turn.move.is_pass for turn in game)
    )


def test_moves_are_told_chosen_and_taken_back_on_both_boards(engine: GtpEngine) -> None:
    assert not engine.undo()
    assert engine.play("f5") == Move.parse("f5")
    assert engine.genmove().move == Move.parse("f4")
    assert engine.game.transcript() == "f5f4"

    assert engine.undo()
    assert engine.game.transcript() == "f5"
    assert engine.genmove().move == Move.parse("f4")


def test_it_follows_a_game_from_the_start_of_its_rules_alone(engine: GtpEngine) -> None:
    for transcript in ("f5d6", "f5d6c3", "d3"):
        engine.follow(Game.from_transcript(transcript))
        assert engine.game.transcript() == transcript
    with pytest.raises(SettingsError, match="not at the start of othello"):
        engine.follow(Game(Rules.parse("reversi")))


def test_a_finished_game_has_no_move() -> None:
    with GtpEngine(OURS) as engine:
        engine.follow(Game.from_transcript(WITH_PASSES))
        assert engine.game.position.is_over
        with pytest.raises(IllegalMoveError, match="the game is over"):
            engine.genmove()


def test_other_rules_are_told() -> None:
    with GtpEngine(OURS, rules=Rules.parse("reversi")) as engine:
        assert engine.send("outflank-rules").startswith("reversi")
        assert engine.genmove().move in engine.game.first.legal_moves()


def test_a_clock_is_told_and_charged() -> None:
    heard: list[str] = []
    with hearing(heard, "time", time="60+0") as engine:
        engine.genmove()
        engine.genmove()
        engine.genmove()

    assert "> time_settings 60 0 0" in heard
    left = [line.split()[2:] for line in heard if line.startswith("> time_left")]
    assert left == [["black", "60", "0"], ["white", "60", "0"], ["black", "59", "0"]]


@pytest.mark.parametrize(
    ("fault", "error", "sentence"),
    [
        ("illegal", EngineIllegalMove, "a1 is illegal"),
        ("nonsense", EngineProtocolError, "expected a move as its answer, got 'hello there'"),
        ("refuse", EngineRefusal, "refused to move: out of ideas"),
    ],
)
def test_what_goes_wrong_has_a_name(fault: str, error: type[Exception], sentence: str) -> None:
    with GtpEngine(fake_engine.command(fault)) as engine, pytest.raises(error, match=sentence):
        engine.genmove(seconds=1)

    assert engine.game.transcript() == ""
    assert not engine.is_running


def test_a_resignation_is_no_move() -> None:
    with GtpEngine(fake_engine.command("resign")) as engine:
        assert engine.genmove().move is None
        assert engine.game.transcript() == ""


def test_an_engine_that_was_ended_says_so_when_it_is_asked() -> None:
    with GtpEngine(FAKE) as engine:
        pass

    for ask in (engine.genmove, engine.new_game, lambda: engine.play("f5")):
        with pytest.raises(EngineCrash, match="was ended"):
            ask()
    with pytest.raises(EngineCrash, match="was ended before it was asked 'name'"):
        engine.send("name")


NO_COMMAND = "expected a command that starts an engine"
SPEAKS_NO_GTP = ["sh", "-c", "read line; echo welcome; sleep 1000"]


@pytest.mark.parametrize(
    ("command", "settings", "error", "sentence"),
    [
        ("", {}, SettingsError, NO_COMMAND),
        ("  ", {}, SettingsError, NO_COMMAND),
        ([], {}, SettingsError, NO_COMMAND),
        ("no-such-program -l 2", {}, EngineStartError, "there is no program 'no-such-program'"),
        (SPEAKS_NO_GTP, {}, EngineProtocolError, "does not speak GTP"),
        (FAKE, {"rules": Rules.parse("obversi")}, UnfitEngineError, "it does not list outflank-rules"),
        (FAKE, {"dialect": "x"}, NotationError, r"expected dialect to be one of auto spec .*, got 'x'"),
    ],
)
def test_what_does_not_start_leaves_nothing(
    command: str | list[str], settings: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        GtpEngine(command, **settings)


def test_four_threads_may_use_one_engine() -> None:
    """Each gets the answers to its own questions."""
    with GtpEngine(OURS) as engine, ThreadPoolExecutor(4) as threads:

        def ask(number: int) -> bool:
            return engine.send(f"known_command {'name' if number % 2 else 'naem'}") == (
                "true" if number % 2 else "false"
            )

        assert all(threads.map(ask, range(400)))


def test_quit_does_not_wait_for_what_another_thread_asks() -> None:
    with ThreadPoolExecutor(1) as threads:
        engine = GtpEngine(fake_engine.command("silence"))
        thinking = threads.submit(engine.genmove)
        time.sleep(0.2)
        began = time.monotonic()
        engine.quit(patience=0.1)
        with pytest.raises(EngineCrash, match="was ended when asked 'genmove black'"):
            thinking.result()

    assert time.monotonic() - began < 10
    assert not engine.is_running


@pytest.mark.parametrize("line", ["", "# nothing", "1 name", "name\nquit", "\0"])
def test_only_one_command_can_be_sent(engine: GtpEngine, line: str) -> None:
    with pytest.raises(SettingsError, match="expected one line with a command and no id"):
        engine.send(line)
    assert engine.send("name") == "fake"


def test_an_analysis_reports_on_all_moves_and_play_goes_on() -> None:
    with GtpEngine(OURS) as engine:
        engine.play("f5")
        seen: list[int] = []
        began = time.monotonic()
        reports = engine.analyse(0.6, lambda told: seen.append(len(told)))
        assert 0.6 <= time.monotonic() - began < 5
        moves = engine.game.position.legal_moves()

        assert sorted(str(report.move) for report in reports) == sorted(map(str, moves))
        assert set(seen) == {len(moves)}
        scores = [report.score for report in reports]
        assert None not in scores
        assert all(report.pv[0] == report.move and report.from_book is False for report in reports)
        assert int(reports[0].keys["depth"]) > 1
        began = time.monotonic()
        assert engine.analyse(60, lambda told: True)  # a report may end it
        assert time.monotonic() - began < 30
        assert engine.genmove().move in moves


@pytest.mark.parametrize("fault", ["analysis", "short analysis"])
def test_the_last_report_of_an_analysis_counts(fault: str) -> None:
    with GtpEngine(fake_engine.command(fault)) as engine:
        (report,) = engine.analyse(0.3)
        assert (report.move, report.score, report.keys) == (Move.parse("d3"), None, {"visits": "2"})
        assert engine.send("name") == "fake"


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("none", UnfitEngineError),
        ("no analysis", EngineRefusal),
        ("crash in analysis", EngineCrash),
        ("endless analysis", EngineTimeout),
    ],
)
def test_an_analysis_that_fails_has_a_name(
    fault: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.protocol.drivers.gtp.REPLY_SECONDS", 1.0)
    with GtpEngine(fake_engine.command(fault)) as engine, pytest.raises(error):
        engine.analyse(0.2)

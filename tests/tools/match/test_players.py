"""An engine at the board, in either protocol: what it is told and asked besides moves, and its faults by name."""

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from outflank.engine import Colour, Position, Rules
from outflank.engine.evaluation import weights
from outflank.protocol.drivers.choice import ask_for_move
from outflank.protocol.drivers.clock import SideClock, TimeControl
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats import ggf
from outflank.tests.support import fake_engine, fake_nboard_engine, fake_uci_engine
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.runs import MARK, Sit, referee
from outflank.tools.match.game.players import GtpPlayer, NBoardPlayer, make_player
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.game.setup import clock_text, nboard_instructions

SitNBoard = Callable[..., NBoardPlayer]
STARTING = "set game "


def test_an_engine_that_refuses_a_pass_is_not_asked_again(sit: Sit) -> None:
    heard: list[str] = []
    refusing = sit("refuse pass", heard=heard)
    game = referee(refusing, sit(name="B"), opening=WITH_PASSES[:-4])

    assert game.ending is Ending.DISCS
    assert refusing.manners.implicit_passes
    assert heard.count("A < ? syntax error") == 1
    assert refusing.remarks == [
        "A refuses 'play C pass': forced passes are not announced to it (passes=implicit)"
    ]


def test_a_game_keeps_name_and_version_of_engines_in_their_own_words(sit: Sit, sit_nboard: SitNBoard) -> None:
    entrant = EngineSpec("C", shlex.join([sys.executable, "-m", "outflank", "gtp"]), TimeControl())
    outflank = GtpPlayer(entrant, Rules())
    outflank.make_ready()
    outflank.stop()

    game = referee(sit("crash in genmove", name="A"), sit_nboard(), opening="f5d6")

    assert outflank.identity == f"Outflank {weights.version()}"
    assert game.identities == {"A": "fake", "N": "Fake Engine"}


def test_an_engine_that_cannot_be_told_the_rules_is_unfit() -> None:
    entry = EngineSpec("A", shlex.join(fake_engine.command()), TimeControl())
    player = GtpPlayer(entry, Rules.parse("obversi"))
    with pytest.raises(UnfitEngineError, match=r"no way to set obversi: it does not list outflank-rules"):
        player.make_ready()
    player.stop(0.1)


@pytest.mark.parametrize("rules", ["othello,scoring=count", "othello,tie=second"])
def test_rules_with_the_same_moves_need_not_be_told(rules: str) -> None:
    player = GtpPlayer(EngineSpec("A", shlex.join(fake_engine.command()), TimeControl()), Rules.parse(rules))
    player.make_ready()
    player.stop()


def values(game: GameRecord) -> list[float | None]:
    """What engines said of their positions."""
    return [turn.score for turn in game.turns]


def test_what_an_engine_says_of_its_positions_is_kept_from_blacks_side(sit: Sit) -> None:
    """The fake says that it is a disc ahead for each move it has chosen."""
    game = referee(sit("aloud", turn=90), sit("aloud", turn=90, name="B"), opening="f5d6")

    assert game.ending is Ending.DISCS
    assert values(game)[:6] == [None, None, 1.0, -1.0, 2.0, -2.0]
    assert all((turn.score is None) == (turn.seconds is None) for turn in game.turns)


def test_an_engine_that_need_not_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    player = sit("aloud", turn=90, heard=heard)
    player.entry = replace(player.entry, analysis=False)
    quiet = GtpPlayer(player.entry, Rules(), on_line=lambda *words: heard.append(" ".join(words)))
    game = referee(quiet, sit(name="B"))
    quiet.stop()

    assert set(values(game)) == {None}
    assert "A > genmove black" in heard
    assert not [line for line in heard if "analyze" in line and ">" in line]


def test_an_engine_that_refuses_to_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    refusing = sit("deaf aloud", turn=90, heard=heard)
    game = referee(refusing, sit(name="B"))

    assert game.ending is Ending.DISCS
    assert heard.count("A > kata-genmove_analyze black 50") == 1
    assert refusing.remarks == ["A lists kata-genmove_analyze and refuses it: it is asked for plain moves"]


@pytest.mark.parametrize("fault", ["crash", "silence", "illegal", "resign", "refuse", "nonsense", "empty"])
def test_faults_have_the_same_names_when_an_engine_thinks_aloud(sit: Sit, fault: str) -> None:
    """The fault strikes in a command that is longer and answered by several lines."""
    aloud, plain = (referee(sit(name), sit(name="B")) for name in (f"{fault} aloud", fault))

    assert (aloud.ending, aloud.winner) == (plain.ending, plain.winner)


def test_a_false_claim_of_the_score_is_noted_and_changes_nothing(sit: Sit) -> None:
    true, false = sit("true score"), sit("false score", name="B", turn=90)
    games = [referee(true, false) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert true.remarks == []
    (remark,) = false.remarks
    assert remark.startswith("B claims a false score: 'B+1' for ")


def test_a_claim_of_a_megabyte_makes_a_short_remark(sit: Sit) -> None:
    referee(sit("endless score"), claiming := sit("endless score", name="B"))

    (remark,) = claiming.remarks
    assert remark.startswith("B claims a false score: 'B+1B+1")
    assert len(remark) < 400


def test_an_engine_that_hangs_when_the_game_is_over_spoils_nothing(sit: Sit) -> None:
    hanging = sit("no answer to score")
    games = [referee(hanging, sit(name="B")) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    (remark,) = hanging.remarks
    assert remark.startswith("A fails when a game is over: engine A gave no complete answer in time")


def test_an_engine_may_get_a_new_process_for_each_game(sit: Sit) -> None:
    fresh, kept = sit(restart=True), sit(name="B")
    pids = []
    for _ in range(2):
        referee(fresh, kept)
        pids.append((fresh.make_ready().pid, kept.make_ready().pid))

    assert pids[0][0] != pids[1][0]
    assert pids[0][1] == pids[1][1]
    assert fresh.remarks == []


@pytest.fixture
def sit_nboard() -> Iterator[SitNBoard]:
    """Players of the fake engine that are gone when the test is over."""
    players: list[NBoardPlayer] = []

    def sit_down(
        fault: str = "none",
        turn: int = 2,
        time: str = "none",
        heard: list[str] | None = None,
        extra: str = "",
    ) -> NBoardPlayer:
        cmd = shlex.quote(shlex.join(fake_nboard_engine.command(fault, turn)))
        text = f"name=N cmd={cmd} protocol=nboard time={time} env.{MARK}=N {extra}"
        listener = None if heard is None else lambda *words: heard.append(" ".join(words))
        player = make_player(EngineSpec.parse(text), Rules(), on_line=listener)
        assert isinstance(player, NBoardPlayer)
        players.append(player)
        return player

    yield sit_down
    for player in players:
        player.stop(0.1)


def told(heard: list[str]) -> list[str]:
    """The games that the engine was told."""
    return [line.removeprefix(f"N > {STARTING}") for line in heard if line.startswith(f"N > {STARTING}")]


@pytest.mark.parametrize(
    ("fault", "ending", "detail"),
    [
        ("crash", Ending.CRASH, "engine N exited with code 3 when asked 'go'"),
        ("orphan", Ending.CRASH, "engine N exited with code 5"),
        ("closed input", Ending.CRASH, "engine N closed its input but keeps running"),
        ("crash on game", Ending.CRASH, "engine N exited with code 4 when asked 'ping"),
        ("leave after move", Ending.CRASH, "engine N exited with code 0 when asked 'ping"),
        ("endless line", Ending.PROTOCOL_ERROR, "a line of more than 65536 bytes"),
        ("empty", Ending.PROTOCOL_ERROR, "engine N: expected a move as its answer, got ''"),
        ("nonsense", Ending.PROTOCOL_ERROR, "engine N: expected a move as its answer, got 'hello'"),
        ("illegal", Ending.ILLEGAL_MOVE, "engine N played 'A1': "),
        ("needless pass", Ending.ILLEGAL_MOVE, "engine N played 'PA': "),
        ("silence", Ending.STALL, "engine N gave no complete answer in time when asked 'go'"),
        ("half a line", Ending.STALL, "no complete answer in time"),
        ("endless search", Ending.STALL, "no complete answer in time"),
        ("resign", Ending.RESIGNATION, "engine N resigned"),
    ],
)
def test_each_fault_is_a_named_loss(
    sit: Sit, sit_nboard: SitNBoard, fault: str, ending: Ending, detail: str
) -> None:
    game = referee(sit_nboard(fault), sit(name="G"), stall=1.5)

    assert (game.ending, game.winner) == (ending, Colour.WHITE)
    assert detail in game.detail


def test_a_late_move_loses_on_time(sit: Sit, sit_nboard: SitNBoard) -> None:
    game = referee(sit_nboard("silence", time="1+0"), sit(name="G"))

    assert (game.ending, game.winner) == (Ending.TIME, Colour.WHITE)


@pytest.mark.parametrize(
    "fault", ["none", "blanks", "no score", "twice", "error flood", "too much", "banner"]
)
def test_what_is_no_fault_is_played_to_the_end(sit: Sit, sit_nboard: SitNBoard, fault: str) -> None:
    """The fake engines of both protocols play alike: the game is that of two GTP engines."""
    game = referee(sit_nboard(fault), sit(turn=90, name="G"), stall=20)

    assert game.ending is Ending.DISCS
    assert game.transcript == referee(sit(turn=90), sit(turn=90, name="G")).transcript


def test_it_is_told_the_whole_game_with_passes_and_times(sit: Sit, sit_nboard: SitNBoard) -> None:
    heard: list[str] = []
    game = referee(
        sit(turn=90, name="G"), sit_nboard(heard=heard, turn=90, time="600+2"), opening=WITH_PASSES[:-4]
    )

    assert game.ending is Ending.DISCS
    for text in told(heard):
        record = ggf.parse(text, Rules())
        known = game.turns[: len(record.moves)]
        assert [played.move for played in record.moves] == [turn.move for turn in known]
        assert (record.clock, record.black, record.white) == ("10:00/0:02", "opponent", "N")
        for played, turn in zip(record.moves, game.turns, strict=False):
            assert (played.seconds is None) == (turn.seconds is None)
            assert turn.seconds is None or played.seconds == pytest.approx(turn.seconds, abs=0.001)
    assert "[PA]" in told(heard)[-1]


def test_each_game_begins_anew(sit: Sit, sit_nboard: SitNBoard) -> None:
    heard: list[str] = []
    kept = sit_nboard(heard=heard, turn=90)
    for _ in range(2):
        referee(kept, sit(turn=90, name="G"))

    assert sum("]B[" not in text for text in told(heard)) == 2
    assert heard.count("N > nboard 2") == 1


def test_an_engine_that_ended_between_two_games_is_started_again(sit: Sit, sit_nboard: SitNBoard) -> None:
    killed = sit_nboard(turn=90, extra="depth=4")
    first = referee(killed, sit(turn=90, name="G"))
    os.kill(killed.make_ready().pid, signal.SIGKILL)
    second = referee(killed, sit(turn=90, name="G"))

    assert (first.ending, second.ending) == (Ending.DISCS, Ending.DISCS)
    assert killed.remarks == ["N ended between two games and was started again"]


def test_what_it_says_of_its_positions_is_kept_if_it_can_be(sit: Sit, sit_nboard: SitNBoard) -> None:
    game = referee(sit(turn=90, name="G"), sit_nboard(turn=90))
    mad, quiet = (
        referee(sit_nboard(*fault), sit(turn=90, name="G")) for fault in (("too much", 1), ("none",))
    )

    assert [value for value in values(game) if value is not None][:3] == [-1.0, -2.0, -3.0]
    assert set(values(mad)) == {None}
    assert set(values(quiet)) != {None}
    asked_for_none = referee(sit_nboard(extra="analysis=no"), sit(turn=90, name="G"))
    assert set(values(asked_for_none)) == {None}


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("none", ""),
        ("900+0", "15:00"),
        ("60.9+1.9", "1:00/0:01"),
        ("60+0.5", "1:00"),
        ("5400+0", "90:00"),
        ("0.5", ""),
        ("0.5+1", ""),
        ("60+10/5", ""),
    ],
)
def test_a_clock_is_told_in_whole_seconds_or_not_at_all(time: str, text: str) -> None:
    assert clock_text(TimeControl.parse(time)) == text


def test_a_clock_that_cannot_be_told_is_remarked(sit_nboard: SitNBoard) -> None:
    player = sit_nboard(time="0.5", extra="depth=4")
    player.make_ready()

    assert player.remarks == ["N can't be sent a time of 0.5 in the record of a game, but is held to it"]


def test_an_engine_that_moves_only_with_a_depth_is_given_one(sit: Sit, sit_nboard: SitNBoard) -> None:
    game = referee(sit_nboard("no move without a depth", 90), sit(turn=90, name="G"), stall=20)

    assert game.ending is Ending.DISCS


def test_a_stall_quotes_what_the_engine_wrote_last(sit: Sit, sit_nboard: SitNBoard) -> None:
    """Here the depth that its user gives it has no number."""
    player = sit_nboard("no move without a depth", extra="command='set depth'")
    game = referee(player, sit(name="G"), stall=1.5)

    assert game.ending is Ending.STALL
    assert game.detail == (
        "engine N gave no complete answer in time when asked 'go'; "
        """the last it wrote was 'warning Must pick a depth with "set depth <n>" first'"""
    )


@pytest.mark.parametrize(
    ("extra", "remarks"),
    [
        (
            "",
            [
                "N takes no notice of the clock in the record of a game: "
                "it is sent 'set depth 10' (depth=N chooses another)"
            ],
        ),
        ("depth=8", []),
    ],
)
def test_an_engine_that_knows_no_clock_is_not_told_to_think_for_ever(
    sit: Sit, sit_nboard: SitNBoard, extra: str, remarks: list[str]
) -> None:
    player = sit_nboard("no clock", 90, time="100+0", extra=extra)
    game = referee(player, sit(turn=90, name="G"))

    assert game.ending is Ending.DISCS
    assert player.remarks == remarks


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("depth=6", ["set depth 6"]),
        ("level=12 threads=2", ["set depth 12"]),
        ("level=4 command='set contempt 0' command='set depth {level}'", ["set contempt 0", "set depth 4"]),
        ("level=4 cmd='x -l {level}'", ["set depth 4"]),
        ("level=4 depth=6 cmd='x -l {level}'", ["set depth 6"]),
        ("time=60+1 depth=6", ["set depth 6"]),
        ("", ["set depth 10"]),
        ("time=0.5", ["set depth 10"]),
        ("time=60+1", ["set depth 60"]),
        ("time=60+1 command='set depth 7'", ["set depth 7"]),
        ("time=60+1 level=4 cmd='outflank nboard'", []),
    ],
)
def test_a_depth_is_told_and_then_what_the_user_wants(text: str, lines: list[str]) -> None:
    command = "" if "cmd=" in text else "cmd=x"
    assert nboard_instructions(EngineSpec.parse(f"{command} protocol=nboard {text}")) == lines


@pytest.mark.parametrize("text", ["nodes=100", "option.hash=64", "level=4 depth=5"])
def test_what_cannot_be_told_is_refused(text: str) -> None:
    with pytest.raises(
        UnfitEngineError,
        match=r"engine x: NBoard's protocol can give it a depth and nothing else: .*(nodes|hash|level)=",
    ):
        nboard_instructions(EngineSpec.parse(f"cmd=x protocol=nboard {text}"))


def test_rules_with_other_moves_are_refused(sit_nboard: SitNBoard) -> None:
    player = NBoardPlayer(replace(sit_nboard().entry), Rules.parse("obversi"))
    with pytest.raises(UnfitEngineError, match=r"knows Othello's moves only, not obversi"):
        player.make_ready()
    player.stop(0.1)


FIRST = Position.start().play("f5").play("d6").play("c3")
ANYWHERE = {
    "gtp": EngineSpec.parse("cmd='outflank gtp --level 1'"),
    "nboard": EngineSpec.parse("cmd='outflank nboard --level 1' protocol=nboard"),
    "uci": EngineSpec.parse(f"cmd={shlex.quote(shlex.join(fake_uci_engine.command()))} protocol=uci"),
}


@pytest.mark.parametrize("protocol", ANYWHERE)
def test_a_game_may_begin_from_any_board(protocol: str) -> None:
    player = make_player(ANYWHERE[protocol], Rules())
    player.make_ready()
    assert player.sets_boards_up
    player.new_game(FIRST)
    player.announce(Colour.WHITE, FIRST.parse_move("d3"), 0.5)
    reply = ask_for_move(player, FIRST.play("d3"), SideClock(TimeControl()), 20)
    player.stop()

    assert FIRST.play("d3").is_legal(reply.text)


@pytest.mark.parametrize(("fault", "begin"), [("loads", "= (;FF[4]A"), ("loads as edax", "= (;GM[Oth")])
def test_a_board_is_set_up_in_the_format_that_the_engine_reads(fault: str, begin: str) -> None:
    heard: list[str] = []
    entry = EngineSpec("A", shlex.join(fake_engine.command(fault)), TimeControl())
    player = GtpPlayer(entry, Rules(), on_line=lambda name, way, line: heard.append(line))
    player.make_ready()
    player.new_game(FIRST)
    player.stop(0.1)

    assert begin in [line[:10] for line in heard]


def test_an_engine_that_loads_no_games_can_not_begin_from_any_board() -> None:
    player = GtpPlayer(EngineSpec("A", shlex.join(fake_engine.command()), TimeControl()), Rules())
    player.make_ready()
    assert not player.sets_boards_up
    with pytest.raises(UnfitEngineError, match="no way to set a board up: it does not list loadsgf"):
        player.new_game(FIRST)
    player.stop(0.1)


def test_an_engine_is_given_another_time_without_a_new_process() -> None:
    heard: list[str] = []
    entry = EngineSpec("A", shlex.join(fake_engine.command("time")), TimeControl.parse("60+0"))
    player = GtpPlayer(entry, Rules(), on_line=lambda name, way, line: heard.append(f"{way} {line}"))
    pid = player.make_ready().pid
    player.new_game()
    player.change_options(replace(entry, time=TimeControl.parse("120+0")))
    player.new_game()

    assert player.make_ready().pid == pid
    assert [line for line in heard if line.startswith("> time_settings")] == [
        "> time_settings 60 0 0",
        "> time_settings 120 0 0",
    ]
    player.stop(0.1)

"""Whole games under the referee: every fault of an engine is a named result, and no engine is believed."""

import os
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from outflank.engine import Colour, Game, Rules
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.tests import fake_engine
from outflank.tests.processes import living_with
from outflank.tests.tools.samples import WITH_PASSES
from outflank.tools.games.clock import TimeControl
from outflank.tools.games.entries import Entry
from outflank.tools.games.player import Player
from outflank.tools.games.referee import Referee
from outflank.tools.games.results import Ending, GameRecord, Pairing

BLACK, WHITE = Colour.BLACK, Colour.WHITE
MARK = (
    f"OUTFLANK_TEST_{os.getpid()}"  # a variable by which engines of this test are found, wherever they hide
)
Sit = Callable[..., Player]


@pytest.fixture
def sit() -> Iterator[Sit]:
    """Players that are gone when the test is over."""
    players: list[Player] = []

    def sit_down(
        fault: str = "none",
        turn: int = 2,
        time: str = "none",
        name: str = "A",
        heard: list[str] | None = None,
        restart: bool = False,
    ) -> Player:
        cmd = shlex.join(fake_engine.command(fault, turn))
        entry = Entry(name, cmd, TimeControl.parse(time), env=((MARK, name),), restart=restart)
        listener = None if heard is None else lambda *words: heard.append(" ".join(words))
        players.append(Player(entry, Rules(), on_line=listener))
        return players[-1]

    yield sit_down
    for player in players:
        player.stop(0.1)


def seated(
    black: Player, white: Player, opening: str = "", stall: float = 0.4, adjudicate: int = 0, solve: int = 0
) -> Referee:
    moves = tuple(turn.move for turn in Game.from_transcript(opening).turns if not turn.move.is_pass)
    pairing = Pairing(1, 1, {BLACK: black.name, WHITE: white.name}, moves)
    return Referee(pairing, {BLACK: black, WHITE: white}, Rules(), stall, adjudicate=adjudicate, solve=solve)


def referee(
    black: Player, white: Player, opening: str = "", stall: float = 0.4, adjudicate: int = 0, solve: int = 0
) -> GameRecord:
    return seated(black, white, opening, stall, adjudicate, solve).play()


def test_a_game_is_played_to_its_end(sit: Sit) -> None:
    game = referee(sit(), sit(name="B"))
    again = Game.from_transcript(game.transcript).position

    assert game.ending is Ending.DISCS
    assert again.is_over
    assert (game.winner, game.margin) == (again.winner(), again.score())
    assert len(game.seconds) == len(game.turns)
    assert all(0 < seconds < 1 for seconds in game.seconds if seconds is not None)


@pytest.mark.parametrize(
    ("fault", "ending", "detail"),
    [
        ("crash at start", Ending.CRASH, "exited with code 1 when asked 'protocol_version'; its last words"),
        ("crash in handshake", Ending.CRASH, "was killed by SIGKILL when asked 'version'"),
        ("crash", Ending.CRASH, "exited with code 3 when asked 'genmove"),
        ("crash on play", Ending.CRASH, "exited with code 4 when asked 'play"),
        ("leave quietly", Ending.CRASH, "exited with code 0 when asked 'genmove"),
        ("leave after move", Ending.CRASH, "exited with code 0 when asked 'play"),
        ("segfault", Ending.CRASH, "was killed by SIGSEGV when asked 'genmove"),
        ("orphan", Ending.CRASH, "exited with code 5"),
        ("closed input", Ending.CRASH, "closed its input but keeps running"),
        ("silence", Ending.STALL, "gave no complete answer in time"),
        ("half a line", Ending.STALL, "gave no complete answer in time"),
        ("no blank line", Ending.STALL, "gave no complete answer in time"),
        ("drip", Ending.STALL, "gave no complete answer in time"),
        ("line feeds", Ending.STALL, "gave no complete answer in time"),
        ("closed output", Ending.CRASH, "closed its output but keeps running"),
        ("endless answer", Ending.PROTOCOL_ERROR, "bytes where one answer was due"),
        ("endless line", Ending.PROTOCOL_ERROR, "wrote a line of more than 65536 bytes"),
        ("chatter flood", Ending.PROTOCOL_ERROR, "bytes where one answer was due"),
        ("illegal", Ending.ILLEGAL_MOVE, "played 'a1': "),
        ("needless pass", Ending.ILLEGAL_MOVE, "played 'PASS': "),
        ("resign", Ending.RESIGNATION, "engine A resigned"),
        ("empty", Ending.PROTOCOL_ERROR, "expected a move as the answer to genmove, got ''"),
        ("nonsense", Ending.PROTOCOL_ERROR, "got 'hello there'"),
        ("refuse", Ending.PROTOCOL_ERROR, "refused to move: out of ideas"),
        ("refuse play", Ending.PROTOCOL_ERROR, "refused 'play"),
        ("wrong id", Ending.PROTOCOL_ERROR, "expected a blank after '='"),
        ("no blank after the sign", Ending.PROTOCOL_ERROR, "expected a blank after '='"),
    ],
)
def test_each_fault_is_a_named_loss_that_leaves_nothing_behind(
    sit: Sit, fault: str, ending: Ending, detail: str
) -> None:
    """And it spoils nothing for the next game, in which the other engine is still there."""
    victim = sit(name="B")
    process = victim.make_ready().pid
    game = referee(sit(fault), victim)
    again = referee(victim, sit(name="C"))

    assert (game.ending, game.winner, game.margin) == (ending, WHITE, None)
    assert "engine A" in game.detail
    assert detail in game.detail
    assert not ending.is_fault or living_with(f"{MARK}=A") == []
    assert again.ending is Ending.DISCS
    assert victim.make_ready().pid == process


def test_a_fault_of_white_is_blacks_win(sit: Sit) -> None:
    game = referee(sit(name="B"), sit("crash"))

    assert (game.ending, game.winner) == (Ending.CRASH, BLACK)


@pytest.mark.parametrize("fault", ["chatter", "banner", "error flood", "upper case", "stubborn"])
def test_what_is_odd_but_no_fault_costs_nothing(sit: Sit, fault: str) -> None:
    game = referee(sit(fault, turn=26), sit(name="B"), stall=10)

    assert game.ending is Ending.DISCS


def test_the_next_game_is_played_by_a_new_process(sit: Sit) -> None:
    culprit, victim = sit("crash", turn=3), sit(name="B")
    first, second = (referee(culprit, victim) for _ in range(2))

    assert (first.ending, second.ending) == (Ending.CRASH, Ending.CRASH)
    assert first.transcript == second.transcript != ""


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
    assert deaf.remarks == ["B can't be told its time of 9, but is held to it"]


def test_a_forced_pass_is_announced_to_both(sit: Sit) -> None:
    """The sample passes twice; all but its last moves are given."""
    heard: list[str] = []
    black, white = sit(heard=heard), sit(name="B", heard=heard)
    game = referee(black, white, opening=WITH_PASSES[:-4])

    assert game.forced_passes >= 2
    for name in "AB":
        assert sum(line.startswith(f"{name} > play ") and line.endswith("pass") for line in heard) >= 2
    assert not black.implicit_passes
    assert not white.implicit_passes


def test_an_engine_that_refuses_a_pass_is_not_asked_again(sit: Sit) -> None:
    heard: list[str] = []
    refusing = sit("refuse pass", heard=heard)
    game = referee(refusing, sit(name="B"), opening=WITH_PASSES[:-4])

    assert game.ending is Ending.DISCS
    assert refusing.implicit_passes
    assert heard.count("A < ? syntax error") == 1
    assert refusing.remarks == [
        "A refuses 'play C pass': forced passes are not announced to it (passes=implicit)"
    ]


def test_no_engine_can_spoil_a_game_that_is_over(sit: Sit) -> None:
    """All but the last disc is given: whoever has to put it leaves at once, and the result stands."""
    whole = referee(sit(name="C"), sit(name="D"))
    last = [turn for turn in whole.turns if not turn.move.is_pass][-1]
    opening = whole.transcript.removesuffix(str(last.move))
    leaving, other = sit("leave after move", turn=1), sit(name="B")
    seats = (leaving, other) if last.colour is BLACK else (other, leaving)
    games = [referee(*seats, opening=opening) for _ in range(2)]

    assert [(game.ending, game.margin) for game in games] == [(Ending.DISCS, whole.margin)] * 2
    assert leaving.remarks == ["A ended between two games and was started again"]


def test_an_engine_that_cannot_be_told_the_rules_is_unfit() -> None:
    entry = Entry("A", shlex.join(fake_engine.command()), TimeControl())
    player = Player(entry, Rules.parse("obversi"))
    with pytest.raises(UnfitEngineError, match=r"expected it to list outflank-rules, .* play obversi"):
        player.make_ready()
    player.stop(0.1)


@pytest.mark.parametrize("rules", ["othello,scoring=count", "othello,tie=second"])
def test_rules_with_the_same_moves_need_not_be_told(rules: str) -> None:
    player = Player(Entry("A", shlex.join(fake_engine.command()), TimeControl()), Rules.parse(rules))
    player.make_ready()
    player.stop()


def test_what_an_engine_says_of_its_positions_is_kept_from_blacks_side(sit: Sit) -> None:
    """The fake says that it is a disc ahead for each move it has chosen."""
    game = referee(sit("aloud", turn=90), sit("aloud", turn=90, name="B"), opening="f5d6")

    assert game.ending is Ending.DISCS
    assert game.values[:6] == (None, None, 1.0, -1.0, 2.0, -2.0)
    assert len(game.values) == len(game.turns)
    assert all(
        (value is None) == (took is None) for value, took in zip(game.values, game.seconds, strict=True)
    )


def test_an_engine_that_need_not_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    player = sit("aloud", turn=90, heard=heard)
    player.entry = replace(player.entry, analysis=False)
    quiet = Player(player.entry, Rules(), on_line=lambda *words: heard.append(" ".join(words)))
    game = referee(quiet, sit(name="B"))
    quiet.stop()

    assert set(game.values) == {None}
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


def test_a_game_is_adjudicated_with_its_exact_result(sit: Sit) -> None:
    whole = referee(sit(), sit(name="B"), solve=8)
    game = referee(sit(), sit(name="B"), adjudicate=8)
    ply = len(game.turns)

    assert game.ending is Ending.ADJUDICATION
    assert game.turns == whole.turns[:ply]
    assert whole.turns[ply].before.empties == 8
    assert game.margin == whole.exact[ply]
    assert game.detail == "exact result with 8 empty squares"
    assert game.margin is not None
    assert game.winner is (BLACK if game.margin > 0 else WHITE if game.margin < 0 else None)


def test_the_last_positions_are_solved_and_the_played_result_stands(sit: Sit) -> None:
    game = referee(sit(), sit(name="B"), solve=6)

    assert game.ending is Ending.DISCS
    assert [margin is not None for margin in game.exact] == [turn.before.empties <= 6 for turn in game.turns]


def test_a_false_claim_of_the_score_is_noted_and_changes_nothing(sit: Sit) -> None:
    true, false = sit("true score"), sit("false score", name="B", turn=90)
    games = [referee(true, false) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert true.remarks == []
    (remark,) = false.remarks
    assert remark.startswith("B claims a false score: 'B+1' for ")


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


def test_a_fall_of_the_flag_tells_when_it_was_and_what_the_engine_did_meanwhile(sit: Sit) -> None:
    idle, busy = (seated(sit(fault, turn=1, time="0.3"), sit(name="B")) for fault in ("silence", "busy loop"))
    games = idle.play(), busy.play()

    assert [game.ending for game in games] == [Ending.TIME] * 2
    assert idle.flag_fall is not None
    assert 0.35 <= idle.flag_fall.ended - idle.flag_fall.began < 3
    assert busy.flag_fall is not None
    assert idle.flag_fall.cpu_seconds <= 0.02 < busy.flag_fall.cpu_seconds
    assert idle.flag_fall.threads == 1


def test_the_clocks_margin_is_the_engines_own(sit: Sit) -> None:
    """0.3 s a move out of 0.2 s."""
    generous, strict = sit("slow", turn=29, time="0.2"), sit("slow", turn=29, time="0.2", name="B")
    generous.entry = replace(generous.entry, margin=5.0)
    game = referee(generous, strict)

    assert (game.ending, game.winner) == (Ending.TIME, BLACK)

"""Whole games under the referee: every fault of an engine is a named result, and no engine is believed."""

import shlex
import time
from collections.abc import Callable, Iterator

import pytest

from outflank.engine import Colour, Game, Rules
from outflank.protocol.engine_errors import UnfitEngineError
from outflank.tests import fake_engine
from outflank.tests.processes import living_members
from outflank.tests.tools.samples import WITH_PASSES
from outflank.tools.games.clock import TimeControl
from outflank.tools.games.entries import Entry
from outflank.tools.games.player import Player
from outflank.tools.games.referee import Referee
from outflank.tools.games.results import Ending, GameRecord, Pairing

BLACK, WHITE = Colour.BLACK, Colour.WHITE
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
    ) -> Player:
        cmd = shlex.join(fake_engine.command(fault, turn))
        entry = Entry(name, cmd, TimeControl.parse(time))
        listener = None if heard is None else lambda *words: heard.append(" ".join(words))
        players.append(Player(entry, Rules(), on_line=listener))
        return players[-1]

    yield sit_down
    for player in players:
        player.stop(0.1)


def referee(black: Player, white: Player, opening: str = "", stall: float = 0.4) -> GameRecord:
    moves = tuple(turn.move for turn in Game.from_transcript(opening).turns if not turn.move.is_pass)
    names = {BLACK: black.name, WHITE: white.name}
    return Referee(Pairing(1, 1, names, moves), {BLACK: black, WHITE: white}, Rules(), stall).play()


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
        ("endless answer", Ending.PROTOCOL_ERROR, "bytes where one answer was due"),
        ("illegal", Ending.ILLEGAL_MOVE, "played 'a1': "),
        ("needless pass", Ending.ILLEGAL_MOVE, "played 'PASS': "),
        ("resign", Ending.RESIGNATION, "engine A resigned"),
        ("empty", Ending.PROTOCOL_ERROR, "expected a move as the answer to genmove, got ''"),
        ("nonsense", Ending.PROTOCOL_ERROR, "got 'hello there'"),
        ("refuse", Ending.PROTOCOL_ERROR, "refused to move: out of ideas"),
        ("refuse play", Ending.PROTOCOL_ERROR, "refused 'play"),
        ("wrong id", Ending.PROTOCOL_ERROR, "expected a blank after '='"),
    ],
)
def test_each_fault_is_a_named_loss(sit: Sit, fault: str, ending: Ending, detail: str) -> None:
    game = referee(sit(fault), sit(name="B"))

    assert (game.ending, game.winner, game.margin) == (ending, WHITE, None)
    assert "engine A" in game.detail
    assert detail in game.detail


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


def test_a_fault_leaves_no_process(sit: Sit) -> None:
    culprit = sit("silence")
    group = culprit.make_ready().pid
    referee(culprit, sit(name="B"))

    assert living_members(group) == []


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

"""Whole games under the referee: every fault of an engine is a named result, and no engine is believed."""

import pytest

from outflank.engine import Game
from outflank.tests.processes import living_with
from outflank.tests.sample_games import WITH_PASSES
from outflank.tests.tools.games.refereed import BLACK, MARK, WHITE, Sit, referee
from outflank.tools.match.game.results import Ending


def test_a_game_is_played_to_its_end(sit: Sit) -> None:
    game = referee(sit(), sit(name="B"))
    again = Game.from_transcript(game.transcript).position

    assert game.ending is Ending.DISCS
    assert again.is_over
    assert (game.winner, game.margin) == (again.rules.winner_by(again.score()), again.score())
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
        ("empty", Ending.PROTOCOL_ERROR, "expected a move as its answer, got ''"),
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


def test_a_forced_pass_is_announced_to_both(sit: Sit) -> None:
    """The sample passes twice; all but its last moves are given."""
    heard: list[str] = []
    black, white = sit(heard=heard), sit(name="B", heard=heard)
    game = referee(black, white, opening=WITH_PASSES[:-4])

    assert game.forced_passes >= 2
    for name in "AB":
        assert sum(line.startswith(f"{name} > play ") and line.endswith("pass") for line in heard) >= 2
    assert not black.manners.implicit_passes
    assert not white.manners.implicit_passes


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

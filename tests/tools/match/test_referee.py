"""Whole games under the referee: every fault is a named result, no engine is believed; clocks and words kept."""

import re
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from outflank.engine import Game, NotationError, Position, Rules
from outflank.tests.support.dialogue import Sit
from outflank.tests.support.positions import ONE_WAY, WITH_PASSES
from outflank.tests.support.processes import MARK, living_with
from outflank.tests.support.runs import BLACK, WHITE, played, referee, seated
from outflank.tools.match.game import delay
from outflank.tools.match.game.referee import ScoreRule, Solver
from outflank.tools.match.game.results import Ending
from outflank.tools.match.runner.dialogue import DialogueLog
from outflank.tools.report.records import annotated_game


def test_a_game_is_played_to_its_end(sit: Sit) -> None:
    game = referee(sit(), sit(name="B"))
    again = Game.from_transcript(game.transcript).position

    assert game.ending is Ending.DISCS
    assert again.is_over
    assert (game.winner, game.margin) == (again.rules.winner_by(again.score()), again.score())
    assert all(0 < turn.seconds < 1 for turn in game.turns if turn.seconds is not None)


FAULTS = [
    (
        "crash at start",
        Ending.CRASH,
        "exited with code 1 when asked 'protocol_version'; its last line on stderr: ",
    ),
    ("crash in handshake", Ending.CRASH, "was killed by SIGKILL when asked 'version'"),
    ("crash", Ending.CRASH, "exited with code 3 when asked 'genmove"),
    ("crash on play", Ending.CRASH, "exited with code 4 when asked 'play"),
    ("leave quietly", Ending.CRASH, "exited with code 0 when asked 'genmove"),
    ("leave after move", Ending.CRASH, "exited with code 0 when asked 'play"),
    ("segfault", Ending.CRASH, "was killed by SIGSEGV when asked 'genmove"),
    ("orphan", Ending.CRASH, "exited with code 5"),
    ("closed input", Ending.CRASH, "closed its input but keeps running"),
    *(
        (fault, Ending.STALL, "gave no complete answer after 0.4")
        for fault in ("silence", "half a line", "no blank line", "drip", "line feeds")
    ),
    ("closed output", Ending.CRASH, "closed its output but keeps running"),
    ("endless answer", Ending.PROTOCOL_ERROR, "bytes when one answer was expected"),
    ("endless line", Ending.PROTOCOL_ERROR, "wrote a line of more than 65536 bytes"),
    ("chatter flood", Ending.PROTOCOL_ERROR, "bytes when one answer was expected"),
    ("illegal", Ending.ILLEGAL_MOVE, "a1 is illegal; "),
    ("needless pass", Ending.ILLEGAL_MOVE, "a pass is legal only if there is no other move"),
    ("resign", Ending.RESIGNATION, "engine A resigned"),
    ("empty", Ending.PROTOCOL_ERROR, "expected a move as its answer, got ''"),
    ("nonsense", Ending.PROTOCOL_ERROR, "got 'hello there'"),
    ("refuse", Ending.PROTOCOL_ERROR, "refused to move: out of ideas"),
    ("refuse play", Ending.PROTOCOL_ERROR, "refused 'play"),
    ("wrong id", Ending.PROTOCOL_ERROR, "expected a blank after '='"),
    ("no blank after the sign", Ending.PROTOCOL_ERROR, "expected a blank after '='"),
]


@pytest.mark.parametrize(("fault", "ending", "detail"), FAULTS)
def test_each_fault_is_a_named_loss_that_leaves_nothing_behind(
    sit: Sit, fault: str, ending: Ending, detail: str
) -> None:
    """And it spoils nothing for the next game, in which the other engine is still there."""
    victim = sit(name="B")
    victim.open()
    process = victim.pid
    game = referee(sit(fault), victim)
    again = referee(victim, sit(name="C"))

    assert (game.ending, game.winner, game.margin) == (ending, WHITE, None)
    assert "engine A" in game.detail
    assert detail in game.detail
    assert not ending.is_fault or living_with(f"{MARK}=A") == []
    assert again.ending is Ending.DISCS
    assert victim.pid == process


@pytest.mark.parametrize("fault", ["chatter", "banner", "error flood", "upper case", "stubborn"])
def test_what_is_odd_but_no_fault_costs_nothing(sit: Sit, fault: str) -> None:
    game = referee(sit(fault, turn=26), sit(name="B"), stall=10)

    assert game.ending is Ending.DISCS


def test_a_fault_of_white_is_blacks_win_and_the_next_game_is_played_by_a_new_process(sit: Sit) -> None:
    victim, culprit = sit(name="B"), sit("crash", turn=3)
    first, second = (referee(victim, culprit) for _ in range(2))

    assert [(game.ending, game.winner) for game in (first, second)] == [(Ending.CRASH, BLACK)] * 2
    assert first.transcript == second.transcript != ""


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


def test_no_engine_can_spoil_a_game_that_is_over(sit: Sit) -> None:
    """All but the last disc is given: whoever has to put it leaves at once, and the result stands."""
    whole = referee(sit(name="C"), sit(name="D"))
    last = [turn for turn in whole.turns if not turn.move.is_pass][-1]
    opening = whole.transcript.removesuffix(str(last.move))
    leaving, other = sit("leave after move", turn=1), sit(name="B")
    seats = (leaving, other) if last.colour is BLACK else (other, leaving)
    games = [referee(*seats, opening=opening) for _ in range(2)]

    assert [(game.ending, game.margin) for game in games] == [(Ending.DISCS, whole.margin)] * 2
    assert leaving.remarks == ["A ended between two games and was restarted"]


@pytest.mark.parametrize(
    ("scores", "rules", "ending", "winner"),
    [
        ((40, -41), {"resign": "score=40 moves=3"}, Ending.AGREEMENT, BLACK),
        ((-40, 64), {"resign": "score=40 moves=3"}, Ending.AGREEMENT, WHITE),
        ((0, 1), {"draw": "score=1 moves=3", "resign": "score=40"}, Ending.AGREEMENT, None),
        ((39, -64), {"resign": "score=40 moves=3"}, Ending.DISCS, ...),
        ((64, 64), {"resign": "score=40 moves=3", "draw": "score=1"}, Ending.DISCS, ...),
        ((64, -64), {"resign": "score=40 moves=26", "adjudicate": 10}, Ending.ADJUDICATION, ...),
    ],
)
def test_a_game_ends_when_both_engines_own_scores_agree(
    sit: Sit, scores: tuple[int, int], rules: dict[str, Any], ending: Ending, winner: Any
) -> None:
    """And never where only one of them sees a result, or where the exact one is known."""
    options: dict[str, Any] = {
        name: ScoreRule.parse(rule) if isinstance(rule, str) else rule for name, rule in rules.items()
    }
    black, white = (sit(f"score {score} aloud", name=name) for name, score in zip("AB", scores, strict=True))
    game = referee(black, white, **options)

    assert game.ending is ending
    if ending is Ending.AGREEMENT:
        assert (game.winner, game.margin, len(game.turns)) == (winner, None, 6)
        assert game.detail.startswith("both engines saw ")
        assert game.early_end.startswith(f"{game.winner_name} wins" if winner else "draw by agreement: both")
        assert f"{'resignation' if winner else 'agreement'}" == annotated_game(game).result.ending  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["", "moves=3", "score=65", "score=-1", "score=nan", "score=1 moves=0", "socre=1"]
)
def test_a_rule_for_scores_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected |did you mean 'score'"):
        ScoreRule.parse(text)


def test_the_last_positions_are_solved_and_a_game_is_adjudicated_with_its_exact_result(sit: Sit) -> None:
    game = referee(sit(), sit(name="B"), solve=6)

    assert game.ending is Ending.DISCS
    assert all((turn.exact is not None) == (turn.before.empties <= 6) for turn in game.turns)

    whole = referee(sit(), sit(name="B"), solve=8)
    game = referee(sit(), sit(name="B"), adjudicate=8)
    ply = len(game.turns)

    assert game.ending is Ending.ADJUDICATION
    assert [turn.move for turn in game.turns] == [turn.move for turn in whole.turns[:ply]]
    assert whole.turns[ply].before.empties == 8
    assert game.margin == whole.turns[ply].exact
    assert game.detail == "exact result with 8 empty squares"
    assert game.margin is not None
    assert game.winner is (BLACK if game.margin > 0 else WHITE if game.margin < 0 else None)


def best_margin(position: Position) -> int:
    if position.is_over:
        return position.score(BLACK)
    if position.must_pass:
        return best_margin(position.pass_())
    margins = [best_margin(position.play(move)) for move in position.legal_moves()]
    return max(margins) if position.side is BLACK else min(margins)


@pytest.mark.parametrize(
    ("transcript", "played_by", "rules", "most"),
    [
        *((WITH_PASSES, "othello", rules, 6) for rules in ("othello", "reversi", "ravensburger-2006")),
        (ONE_WAY, "ravensburger-1987", "ravensburger-1987", 4),
    ],
)
def test_the_last_positions_of_a_game_get_their_exact_margins(
    transcript: str, played_by: str, rules: str, most: int
) -> None:
    """The first sample passes twice near its end."""
    turns = [
        replace(turn, before=turn.before.with_rules(Rules.parse(rules)))
        for turn in played(transcript, Rules.parse(played_by)).turns
    ]
    exact = [turn.exact for turn in Solver().solved(turns, most)]

    assert exact == [best_margin(turn.before) if turn.before.empties <= most else None for turn in turns]
    assert len([margin for margin in exact if margin is not None]) >= most


def test_a_solve_can_be_ended_from_another_thread_and_then_none_follows() -> None:
    solver, position = Solver(), Game().position
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(solver.margin(position)))
    thread.start()
    time.sleep(0.2)
    solver.stop()
    thread.join(10)

    assert found == [None]
    assert solver.margin(played(WITH_PASSES).turns[-1].before) is None


def test_a_side_without_an_answer_loses_on_time_at_its_deadline(sit: Sit) -> None:
    began = time.monotonic()
    game = referee(sit("silence", turn=1, time="0.3"), sit(name="B"), stall=60)

    assert (game.ending, game.winner) == (Ending.TIME, WHITE)
    assert 0.35 <= time.monotonic() - began < 3


def test_a_late_answer_loses_on_time_and_a_timely_one_does_not(sit: Sit) -> None:
    late = referee(sit("slow", turn=1, time="0.2"), sit(name="B"))
    timely = referee(sit("slow", turn=30, time="5"), sit(name="B"))
    third_late = referee(sit("slow", turn=1, time="0.7+0"), sit(name="B"))  # 0.3 s a move

    assert (late.ending, late.winner) == (Ending.TIME, WHITE)
    assert timely.ending is Ending.DISCS
    assert (third_late.ending, len(third_late.turns)) == (Ending.TIME, 4)


def test_time_is_told_before_each_move_and_holds_for_the_deaf_too(sit: Sit) -> None:
    heard: list[str] = []
    game = referee(sit("slow with time", turn=90, time="60+0", heard=heard), sit(name="B"))
    settings, left = heard.index("A > time_settings 60 0 0"), heard.index("A > time_left black 60 0")

    assert game.ending is Ending.DISCS
    assert heard.index("A > clear_board") < settings < left
    assert heard[left + 2] == "A > genmove black"

    refusing, deaf = sit("refuse time", time="60+0"), sit(time="9", name="B")
    game = referee(refusing, deaf)

    assert game.ending is Ending.DISCS
    assert refusing.remarks == ["A rejects 'time_settings 60 0 0', but is held to its time control 60+0"]
    assert deaf.remarks == [
        "B can't be sent its time control 9 (it has no command for it), but is held to it"
    ]


def test_a_fall_of_the_flag_tells_when_it_was_and_what_the_engine_did_meanwhile(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[float, int, float]] = []
    monkeypatch.setattr(delay, "is_own_doing", lambda *what: done.append(what))
    seats = [seated(sit(fault, turn=1, time="0.3"), sit(name="B")) for fault in ("silence", "busy loop")]
    seats.append(seated(sit("slow to play", time="0.1"), sit(name="B"), opening="f5d6"))
    games, last = [], []
    for each in seats:
        games.append(each.play())
        last.append(done[-1])
    (idle_cpu, threads, idle), (busy_cpu, _, _), (cpu_between_moves, _, between_moves) = last

    assert [game.ending for game in games] == [Ending.TIME] * 3
    assert 0.35 <= idle < 3
    assert idle_cpu <= 0.02 < busy_cpu
    assert threads == 1
    assert between_moves > 0.6
    assert cpu_between_moves < 0.3


def test_a_loss_on_time_names_move_seconds_and_limit(sit: Sit) -> None:
    """For an engine that never answers, one that answers late, and one without a clock.

    On a busy machine the time that the machine took follows the limit.
    """
    heard: list[str] = []
    silent = referee(sit("silence", turn=2, time="0.1", heard=heard), sit(name="B"), opening="f5d6")
    late = referee(sit("slow", turn=2, time="0.28"), sit(name="B"), opening="f5d6")
    stalled = referee(sit("silence", turn=2), sit(name="B"), opening="f5d6", stall=0.4)

    taken = r"( \+ 0\.\d{3} that the machine took)?\)"
    limit = r"A loses on time at move 5: gave no complete answer after 0\.\d{3} s \(0\.100 \+ 0\.050 grace"
    assert re.match(limit + taken + " when asked", silent.early_end)
    assert re.search(r"! flag fell: gave no complete answer after 0\.\d{3} s", heard[-1])
    assert late.margin is not None or re.search(r"answered after 0\.[3-9]", late.early_end)
    assert re.match(
        r"A loses \(stall\) at move 5: gave no complete answer after 0\.\d{3} s \(0\.4 allowed" + taken,
        stalled.early_end,
    )
    for game in (silent, stalled):
        assert game.lost_seconds == game.seconds_of(BLACK)[-1] > 0.15


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


def test_time_is_counted_without_a_clock_and_charged_to_nobody(sit: Sit) -> None:
    game = referee(sit("slow to begin"), sit(name="B"), opening="f5d6c3d3")

    assert game.ending is Ending.DISCS
    assert 1.2 < game.outside["A"].setup < 10
    assert game.outside["A"].longest < 1
    assert game.outside["B"].moves == sum(
        turn.seconds is not None and turn.colour is WHITE for turn in game.turns
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
    assert re.match(r"B writes a lot of unrequested output, \d+\.\d MB in one game", remark)


def test_the_clocks_margin_is_the_engines_own(sit: Sit) -> None:
    """0.3 s a move out of 0.2 s."""
    generous, strict = sit("slow", turn=29, time="0.2"), sit("slow", turn=29, time="0.2", name="B")
    generous.spec = replace(generous.spec, grace_seconds=5.0)
    game = referee(generous, strict)

    assert (game.ending, game.winner) == (Ending.TIME, BLACK)


def test_lines_have_their_time_and_speaker_and_of_a_flood_the_beginning_and_the_end_are_kept() -> None:
    dialogue = DialogueLog()
    dialogue.add("A", ">", "genmove black")
    dialogue.add("A", "<", "= \x1b[31m" + "x" * 70_000)
    first, second = dialogue.lines()

    assert first.endswith(" A > genmove black")
    assert float(first.split()[0]) < 1
    assert " A < =  [31mxxx" in second
    assert len(second) < 300
    dialogue.begin()
    assert dialogue.lines() == ()

    dialogue = DialogueLog()
    for number in range(100_000):
        dialogue.add("A", "!", str(number))
    lines = dialogue.lines()

    assert lines[0].endswith(" A ! 0")
    assert lines[-1].endswith(" A ! 99999")
    assert lines[2_000] == "... 96000 lines left out ..."
    assert len(lines) == 4_001

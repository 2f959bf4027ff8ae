"""What a review says of each move, against the plain oracle and against itself; its totals; what its page contains."""

import io
import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import outflank
from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    Limit,
    OutflankError,
    Position,
    Searcher,
    SearchResult,
)
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder, Result, ResultReason
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.reference import Board, after, board_of, choices, count, moves, other
from outflank.tests.support.reviews import QUICK, annotated, named, reviewed
from outflank.tests.support.runs import expect_policy, replays
from outflank.tools.analysis.review.game import (
    GameReview,
    MoveClass,
    ReviewSettings,
    review_game,
    review_in_worker,
)
from outflank.tools.analysis.review.output import (
    MoveTotals,
    PlayerSummary,
    count_game,
    game_facts,
    ranked,
    result_text,
)
from outflank.tools.analysis.review.output import annotated as record
from outflank.tools.analysis.review.page import curve_svg, render_review
from outflank.tools.runtime import kept
from outflank.tools.runtime.kept import search_keeping

SOLVED_BY_ORACLE = 6  # empty squares
LETTERS = {Colour.BLACK: "X", Colour.WHITE: "O"}


def test_a_review_is_short_in_a_session_and_a_table_of_plain_values_for_a_notebook() -> None:
    review = reviewed(WITH_PASSES)
    rows = review.rows()
    worst = max(rows, key=lambda row: row["lost"])
    move = review.moves[worst["ply"] - 1]

    assert json.loads(json.dumps(rows)) == rows
    assert [row["move"] for row in rows] == list(map(str, review.game.game().moves))
    assert (worst["lost"], worst["class"], worst["best"]) == (move.lost, "blunder", str(move.best.line[0]))
    assert [row["curve"] for row in rows] == [each.black_score for each in review.judgements[:-1]]
    facts = game_facts(review, "file", 1)["moves"]
    assert [row | {"line": row["line"].split(), "outcome_thrown": None} for row in rows] == [
        fact | {"curve": row["curve"], "outcome_thrown": None} for fact, row in zip(facts, rows, strict=True)
    ]
    assert repr(review).startswith("<GameReview 60 moves, ")
    assert (
        repr(move)
        == f"<MoveReview {move.colour} {move.move}: blunder, {move.lost:g} discs lost, better {worst['best']}>"
    )
    table = ElementTree.fromstring(review._repr_html_())
    assert [row[2].text for row in table.findall("tr")[1:]] == [row["move"] for row in rows]


def test_moves_that_were_given_are_nobodys() -> None:
    """A blunder of the opening counts for neither side; later moves count as they do without an opening."""
    game = annotated(WITH_PASSES)
    plain = reviewed(WITH_PASSES)
    worst = max(range(len(plain.moves)), key=lambda turn: plain.moves[turn].lost)
    review = review_game(replace(game, given=worst + 1), QUICK, Searcher(16))
    totals = MoveTotals().add(review.moves)

    assert plain.moves[worst].kind is MoveClass.BLUNDER
    assert {move.kind for move in review.moves[: worst + 1]} == {MoveClass.GIVEN}
    assert [move.kind for move in review.moves[worst + 1 :]] == [
        move.kind for move in plain.moves[worst + 1 :]
    ]
    assert totals.moves == MoveTotals().add(plain.moves[worst + 1 :]).moves
    assert totals.lost == MoveTotals().add(plain.moves[worst + 1 :]).lost
    assert review.judgements == plain.judgements


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "unfinished"),
        (Result(Colour.BLACK, 8, ResultReason.AGREEMENT), "+8"),
        (Result(None, None, ResultReason.AGREEMENT), "draw"),
        (Result(Colour.WHITE, None, ResultReason.TIME), "White wins by time"),
    ],
)
def test_the_record_has_the_result_where_the_board_does_not(result: Result | None, text: str) -> None:
    game = replace(annotated("f5d6c3"), result=result)

    assert result_text(review_game(game, QUICK, Searcher(16))) == text


def best_score(board: Board, side: str, turns: str) -> int:
    """Return the final disc difference with best play, by trying everything."""
    if not moves(board, side, turns) and not moves(board, other(side), turns):
        return count(board, side) - count(board, other(side))
    return max(
        -best_score(after(board, side, move, turns), other(side), turns)
        for move in choices(board, side, turns) or ["pass"]
    )


def by_oracle(position: Position) -> int:
    board = board_of(position.board_string().split()[0])
    return best_score(board, LETTERS[position.side], position.rules.turns)


@pytest.mark.parametrize(("transcript", "preset"), [(WITH_PASSES, "othello"), (ONE_WAY, "ravensburger-1987")])
def test_the_last_moves_cost_what_the_oracle_says(transcript: str, preset: str) -> None:
    review = reviewed(transcript, preset)
    last = [move for move in review.moves if move.before.empties <= SOLVED_BY_ORACLE]

    assert len(last) >= SOLVED_BY_ORACLE
    assert any(move.lost for move in last)
    for move in last:
        best, came = by_oracle(move.before), -by_oracle(move.before.play(move.move))

        assert (move.exact, move.score_before, move.score_after) == (True, best, came)


@pytest.mark.parametrize("transcript", [WITH_PASSES, WIPE_OUT, "f5", ""])
def test_every_move_is_reviewed_and_none_gains(transcript: str) -> None:
    review = reviewed(transcript)

    assert [move.move for move in review.moves] == [move.move for move in review.game.moves]
    assert len(review.judgements) == len(review.moves) + 1
    assert all(move.lost >= 0 for move in review.moves)
    assert review.judgements[-1] is review.final
    assert bool(review.final.line) is not review.game.final.is_over


def test_moves_have_numbers_and_the_best_line_begins_with_what_would_have_been_better() -> None:
    """The numbers are those of a score sheet, on which a pass is no move."""
    review = reviewed(WITH_PASSES)
    assert [number for number in review.numbers if number is not None] == [*range(1, 61)]
    assert [move.move.is_pass for move in review.moves] == [number is None for number in review.numbers]
    for move in review.moves:
        position = move.before
        for step in move.best.line:
            position = position.play(step)
        if move.is_error:
            assert move.instead[0] != move.move
        if move.exact and position.is_over:
            assert position.score(move.colour) == move.score_before


def test_every_move_of_every_position_has_a_value_and_the_rest_is_as_without() -> None:
    review = reviewed(WITH_PASSES, all_moves=True)

    for move in review.moves:
        scores = {value.move: value.score for value in move.values}
        assert scores.keys() == set(move.before.legal_moves())
        assert [*scores.values()] == sorted(scores.values(), reverse=True)
        assert move.values[0].line == move.best.line
        assert (scores[move.best.line[0]], scores[move.move]) == (move.score_before, move.score_after)
        if move.before.empties <= SOLVED_BY_ORACLE:
            assert scores == {each: -by_oracle(move.before.play(each)) for each in scores}
    plain = tuple(replace(move, values=()) for move in review.moves)
    assert replace(review, moves=plain) == reviewed(WITH_PASSES)


def test_a_game_turned_where_the_lead_changed_last() -> None:
    def scored(*scores: tuple[float, float]) -> GameReview:
        moves = [
            replace(move, best=replace(move.best, score=before), score_after=after)
            for move, (before, after) in zip(plain.moves, scores, strict=True)
        ]
        return replace(plain, moves=tuple(moves))

    plain = reviewed(WIPE_OUT[:8])

    assert scored((4, -2), (2, 2), (-2, -30), (30, 30)).turning_point == 1
    assert scored((4, -2), (2, -2), (2, 0), (0, 0)).turning_point == 3
    assert scored((-2, -4), (4, 4), (-4, -30), (30, 28)).turning_point == 3
    assert scored((0, 0), (0, 0), (0, -1), (1, 1)).turning_point is None


def test_the_default_proves_the_cost_of_a_move_with_21_squares_empty() -> None:
    """A search of ten plies says that h3 costs three discs; it costs none."""
    whole = annotated(WITH_PASSES)
    late = [move for move in whole.moves if move.before.empties <= 21]
    review = review_game(AnnotatedGame(late[0].before, tuple(late)))
    earlier = review_game(review.game, ReviewSettings(exact_from=20))

    assert (str(review.moves[0].move), review.moves[0].exact, review.moves[0].lost) == ("h3", True, 0)
    assert ReviewSettings().limit(24) == Limit.solve()
    assert (earlier.moves[0].exact, earlier.moves[0].kind) == (False, MoveClass.INACCURACY)


def test_a_move_that_is_proven_to_win_all_is_no_error_by_an_estimate() -> None:
    """The last move takes White's last disc, which a search of one ply does not see."""
    review = review_game(annotated(WIPE_OUT), ReviewSettings(level=1, exact_from=8), Searcher(16))

    assert (review.moves[-1].score_before, review.moves[-1].lost) == (64, 0)
    assert [judgement.black_score for judgement in review.judgements[-2:]] == [64, 64]


def test_a_reviewed_game_is_written_with_scores_marks_and_better_lines() -> None:
    review = reviewed(WITH_PASSES)
    (in_sgf,), (in_ggf,) = (form.read(io.BytesIO(form.write(record(review)).encode())) for form in (sgf, ggf))
    faults = {MoveClass.INACCURACY: 1, MoveClass.MISTAKE: 2, MoveClass.BLUNDER: 3}
    errors = [move for move in review.moves if move.is_error]

    assert isinstance(in_sgf, AnnotatedGame)
    assert isinstance(in_ggf, AnnotatedGame)
    for read in (in_sgf, in_ggf):
        assert [move.move for move in read.moves] == [move.move for move in review.moves]
        for played, move in zip(read.moves, review.moves, strict=True):
            after = move.score_after if move.colour is Colour.BLACK else -move.score_after
            assert played.score == pytest.approx(after, abs=0.006)
        assert "57. h7 blunder, 12 discs lost, better h4 h7 g8 a2" in read.comment
    assert [move.fault for move in in_sgf.moves] == [faults.get(move.kind, 0) for move in review.moves]
    assert in_sgf.unread == ("variation",) * len(errors)
    assert "blunder, 12 discs lost, better h4 h7 g8 a2" in in_sgf.moves[56].comment
    assert in_sgf.moves[56].exact == -32
    assert "(;B[h4];W[h7];B[g8];W[a2])" in sgf.write(record(review)).replace("\n", "")


def test_classes_follow_the_discs_lost_and_forced_moves_cost_nothing() -> None:
    least = {12: MoveClass.BLUNDER, 6: MoveClass.MISTAKE, 2: MoveClass.INACCURACY, 0: MoveClass.GOOD}
    review = reviewed(WITH_PASSES)
    for move in review.moves:
        forced = len(move.before.legal_moves()) == 1
        kind = next(kind for discs, kind in least.items() if move.lost >= discs)

        assert move.kind is (MoveClass.FORCED if forced else kind)
        assert not forced or move.lost == 0
    assert any(move.move.is_pass for move in review.moves)
    assert len({move.kind for move in review.moves}) == 5


@pytest.mark.parametrize(
    ("board", "move", "thrown"),
    [
        ("XXX-X--OXXXXXXOOXXOOXXXXOOXXXOXXOOXXOXOOOXOOXOOOOXXXXXXOOXXXXXXO O", "f1", ("win", "loss")),
        ("XXX-X--OXXXXXXOOXXOOXXXXOOXXXOXXOOXXOXOOOXOOXOOOOXXXXXXOOXXXXXXO O", "d1", None),
        ("XOOOOOX-XXOXOOXOXXXXXXOOXOOXOOOOXOXXXXO-XXOOOXOOXOOOOOXXOOOOXX-X O", "h1", ("win", "draw")),
    ],
)
def test_an_outcome_that_was_thrown_away_is_named(
    board: str, move: str, thrown: tuple[str, str] | None
) -> None:
    """d1 loses six discs and still wins."""
    recorder = Recorder(Position.parse(board))
    recorder.play(move)
    (review,) = review_game(AnnotatedGame(recorder.first, recorder.moves), QUICK, Searcher(16)).moves

    assert review.lost >= 6
    assert review.thrown == thrown


class _HurriedSearcher(Searcher):
    """Proves what a position is worth where the empty squares are odd in number, but not what a single move is."""

    def search(  # type: ignore[override]  # as a review calls it
        self, position: Position, limit: Limit, **options: Any
    ) -> SearchResult:
        found = super().search(position, limit, **options)
        proves = position.empties % 2 == 1 and options.get("moves") is None
        return found if proves or not found.exact else super().search(position, Limit(depth=1), **options)


def test_what_a_move_cost_is_proven_only_if_both_searches_ended() -> None:
    review = review_game(annotated(WITH_PASSES), QUICK, _HurriedSearcher(16))

    late = [
        move for move in review.moves if 4 < move.before.empties <= 12 and len(move.before.legal_moves()) > 1
    ]
    worse = [move for move in late if move.lost]
    assert worse
    assert [move for move in worse if move.exact] == []
    assert any(judgement.exact for judgement in review.judgements)


@pytest.mark.parametrize("all_moves", [False, True])
def test_a_review_that_is_interrupted_continues_with_its_searches(
    all_moves: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "_SECONDS_BETWEEN_WRITES", 0.0)
    searched: list[Position] = []
    most = 20

    def search(searcher: Searcher, position: Position, *given: Any, **options: Any) -> SearchResult:
        if len(searched) == most:
            raise KeyboardInterrupt
        searched.append(position)
        return search_keeping(searcher, position, *given, **options)

    monkeypatch.setattr(kept, "search_keeping", search)
    settings, game = ReviewSettings(depth=1, exact_from=10, all_moves=all_moves), annotated(WITH_PASSES)
    for interruption in 1, 2:
        with pytest.raises(KeyboardInterrupt):
            review_in_worker(settings, 16, 1, game)
        assert len(searched) == most == 20 * interruption
        most += 20
    most = 1000
    review = review_in_worker(settings, 16, 1, game)
    interrupted, searched[:] = len(searched), []

    assert review_in_worker(settings, 16, 1, game) == review
    assert len(searched) == interrupted
    assert list(tmp_path.glob("outflank/unfinished/*")) == []


def test_a_review_does_not_depend_on_the_games_before_it() -> None:
    searcher = Searcher(16)
    review_game(annotated(ONE_WAY, "ravensburger-1987"), QUICK, searcher)

    assert review_game(annotated(WITH_PASSES), QUICK, searcher) == reviewed(WITH_PASSES)


@pytest.mark.parametrize("colour", Colour)
def test_totals_are_those_of_the_moves_with_a_choice(colour: Colour) -> None:
    moves = [move for move in reviewed(WITH_PASSES).of(colour) if move.kind is not MoveClass.FORCED]
    tally = MoveTotals().add(reviewed(WITH_PASSES).of(colour))

    assert tally.moves == len(moves)
    assert tally.lost == sum(move.lost for move in moves)
    assert tally.worst == max(move.lost for move in moves)
    assert tally.accuracy == sum(move.lost < 2 for move in moves) / len(moves)
    assert tally.exact == sum(move.exact for move in moves)
    assert (MoveTotals().accuracy, MoveTotals().lost_a_move) == (None, None)


def summed(*reviews: GameReview) -> list[PlayerSummary]:
    players: dict[str, PlayerSummary] = {}
    for review in reviews:
        count_game(players, review)
    return ranked(players)


def test_a_player_is_counted_with_both_colours_and_the_best_comes_first() -> None:
    summaries = summed(
        named(WITH_PASSES, "A", "B"),
        named(WIPE_OUT, "B", "A"),
        replace(named(WIPE_OUT, "B", "A"), game=replace(annotated("f5d6"), black="B", white="A")),
    )
    by_name = {each.name: each for each in summaries}

    # White wins the first, Black the second, nobody knows of the third.
    assert [(each.games, each.wins, each.draws, each.losses) for each in map(by_name.get, "AB") if each] == [
        (3, 0, 0, 2),
        (3, 2, 0, 0),
    ]
    assert summaries[0].tally.lost_a_move < summaries[1].tally.lost_a_move  # type: ignore[operator]


def test_a_game_in_which_both_players_have_one_name_or_none_counts_once() -> None:
    summaries = summed(named(WITH_PASSES, "", ""), named(WIPE_OUT, "", ""), named(WIPE_OUT, "", "B"))
    (nobody,) = (each for each in summaries if not each.name)

    assert (nobody.games, nobody.wins, nobody.losses) == (3, 1, 0)
    assert nobody.tally.moves > sum(
        move.kind is not MoveClass.FORCED for move in named(WITH_PASSES, "", "").of(Colour.BLACK)
    )


def test_the_script_knows_what_the_review_says_and_names_are_escaped_everywhere() -> None:
    review = reviewed(WITH_PASSES)
    (replay,) = replays(render_review([review], QUICK))

    assert replay["review"] == [each.black_score for each in review.judgements]
    assert replay["lost"] == [move.lost for move in review.moves]
    assert (replay["classes"][56], replay["better"][56], replay["exact"][56]) == (
        "blunder",
        "h4 h7 g8 a2",
        -32,
    )
    assert replay["classes"][57:59] == ["", ""]

    expect_policy(render_review([reviewed(WIPE_OUT), reviewed(WITH_PASSES)], QUICK))
    evil = '</script><b>&"'
    review = named(WIPE_OUT, evil, "")
    page = render_review([replace(review, game=replace(review.game, comment=evil))], QUICK)

    assert page.count("</script>") == 3
    assert evil not in page


def test_the_curve_is_an_image_of_its_own_and_shows_every_position() -> None:
    """The first moves too: their scores are no wilder than the rest."""
    plain = reviewed(WITH_PASSES)
    swing = replace(plain.moves[2], best=replace(plain.moves[2].best, score=60.0))
    review = replace(plain, moves=(*plain.moves[:2], swing, *plain.moves[3:]))
    root = ElementTree.fromstring(curve_svg(review))
    (line,) = root.iter("{http://www.w3.org/2000/svg}polyline")
    (window,) = root.findall(".//{*}clipPath/{*}rect")
    top, height = float(window.attrib["y"]), float(window.attrib["height"])
    heights = [float(point.split(",")[1]) for point in line.attrib["points"].split()]

    assert len(heights) == len(review.judgements)
    assert all(top < y < top + height for y in heights)
    assert "unfinished" in render_review([reviewed("")], QUICK)
    with pytest.raises(OutflankError, match="a game without moves has no curve to draw"):
        curve_svg(reviewed(""))


def test_a_game_of_the_engine_is_reviewed_too_and_what_is_no_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5f5\n")
    (entry,) = outflank.read_games(tmp_path / "games.txt")
    with pytest.raises(FileFormatError, match=r"^line 1: move 2 of the transcript"):
        review_game(entry)
    game = Game.from_transcript("f5d6c3")
    review = outflank.review_game(game, QUICK)

    assert [move.move for move in review.moves] == list(game.moves)
    assert review == review_game(AnnotatedGame.of(game), QUICK, Searcher(64))

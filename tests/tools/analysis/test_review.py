"""What a review says of each move, against the plain oracle and against itself; its totals; and its page."""

import functools
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import outflank
from outflank.engine import PRESETS, Colour, Game, Limit, OutflankError, Position, Searcher, SearchResult
from outflank.protocol.formats.annotated import AnnotatedGame, Ending, Recorder, Result
from outflank.tests.support.browser import CHROMIUM, Browser
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.reference import Board, after, board_of, choices, count, moves, other
from outflank.tests.support.runs import expect_policy, page_of, random_run
from outflank.tools.analysis.review.game import GameReview, MoveClass, ReviewSettings, review_game
from outflank.tools.analysis.review.output import Players, Tally, result_text
from outflank.tools.analysis.review.page import curve_svg, render_review

QUICK = ReviewSettings(level=1, exact_from=12)
SOLVED_BY_ORACLE = 6  # empty squares
LETTERS = {Colour.BLACK: "X", Colour.WHITE: "O"}
MINUS = "\N{MINUS SIGN}"
in_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)"
)


def annotated(transcript: str, preset: str = "othello") -> AnnotatedGame:
    game = Game.from_transcript(transcript, PRESETS[preset])
    recorder = Recorder(game.first)
    for turn in game.turns:
        recorder.play(turn.move)
    return AnnotatedGame(game.first, recorder.moves)


@functools.cache
def reviewed(transcript: str, preset: str = "othello") -> GameReview:
    return review_game(annotated(transcript, preset), QUICK, Searcher(16))


def test_moves_that_were_given_are_nobodys() -> None:
    """A blunder of the opening counts for neither side; later moves count as they do without an opening."""
    game = annotated(WITH_PASSES)
    plain = reviewed(WITH_PASSES)
    worst = max(range(len(plain.moves)), key=lambda turn: plain.moves[turn].lost)
    review = review_game(replace(game, given=worst + 1), QUICK, Searcher(16))
    totals = Tally().add(review.moves)

    assert plain.moves[worst].kind is MoveClass.BLUNDER
    assert {move.kind for move in review.moves[: worst + 1]} == {MoveClass.GIVEN}
    assert [move.kind for move in review.moves[worst + 1 :]] == [
        move.kind for move in plain.moves[worst + 1 :]
    ]
    assert totals.moves == Tally().add(plain.moves[worst + 1 :]).moves
    assert totals.lost == Tally().add(plain.moves[worst + 1 :]).lost
    assert review.judgements == plain.judgements


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "unfinished"),
        (Result(Colour.BLACK, 8, Ending.AGREEMENT), "+8"),
        (Result(None, None, Ending.AGREEMENT), "draw"),
        (Result(Colour.WHITE, None, Ending.TIME), "White wins by time"),
    ],
)
def test_the_record_has_the_result_where_the_board_does_not(result: Result | None, text: str) -> None:
    game = replace(annotated("f5d6c3"), result=result)

    assert result_text(review_game(game, QUICK, Searcher(16))) == text


def best_score(board: Board, side: str, turns: str) -> int:
    """The final disc difference with best play, by trying everything."""
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


def test_the_best_line_can_be_played_and_begins_with_what_would_have_been_better() -> None:
    for move in reviewed(WITH_PASSES).moves:
        position = move.before
        for step in move.best.line:
            position = position.play(step)
        if move.is_error:
            assert move.instead[0] != move.move
        if move.exact and position.is_over:
            assert position.score(move.colour) == move.score_before


def test_forced_moves_cost_nothing_and_are_called_so() -> None:
    forced = [move for move in reviewed(WITH_PASSES).moves if len(move.before.legal_moves()) == 1]

    assert len(forced) > 2
    assert any(move.move.is_pass for move in forced)
    assert {(move.kind, move.lost) for move in forced} == {(MoveClass.FORCED, 0.0)}


def test_classes_follow_the_discs_lost() -> None:
    kinds = {
        move.lost: move.kind for move in reviewed(WITH_PASSES).moves if move.kind is not MoveClass.FORCED
    }

    assert len(set(kinds.values())) == 4
    for lost, kind in kinds.items():
        expected = (
            MoveClass.BLUNDER
            if lost >= 12
            else MoveClass.MISTAKE
            if lost >= 6
            else MoveClass.INACCURACY
            if lost >= 2
            else MoveClass.GOOD
        )
        assert kind is expected


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

    def search(self, position: Position, limit: Limit, **options: Any) -> SearchResult:
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


def test_a_review_does_not_depend_on_the_games_before_it() -> None:
    searcher = Searcher(16)
    review_game(annotated(ONE_WAY, "ravensburger-1987"), QUICK, searcher)
    after_another = review_game(annotated(WITH_PASSES), QUICK, searcher)

    assert after_another == reviewed(WITH_PASSES)


def test_an_unfinished_game_is_judged_to_its_last_position() -> None:
    review = reviewed("f5d6c3")

    assert not review.final.exact
    assert review.final.line
    assert review.judgements[-1] is review.final


def named(transcript: str, black: str, white: str) -> GameReview:
    review = reviewed(transcript)
    return replace(review, game=replace(review.game, black=black, white=white))


@pytest.mark.parametrize("colour", Colour)
def test_totals_are_those_of_the_moves_with_a_choice(colour: Colour) -> None:
    moves = [move for move in reviewed(WITH_PASSES).of(colour) if move.kind is not MoveClass.FORCED]
    tally = Tally().add(reviewed(WITH_PASSES).of(colour))

    assert tally.moves == len(moves)
    assert tally.lost == sum(move.lost for move in moves)
    assert tally.worst == max(move.lost for move in moves)
    assert tally.accuracy == sum(move.lost < 2 for move in moves) / len(moves)
    assert tally.exact == sum(move.exact for move in moves)


def test_nothing_played_is_no_accuracy() -> None:
    assert (Tally().accuracy, Tally().lost_a_move) == (None, None)


def test_a_player_is_counted_with_both_colours_and_the_best_comes_first() -> None:
    players = Players()
    players.add(named(WITH_PASSES, "A", "B"))
    players.add(named(WIPE_OUT, "B", "A"))
    players.add(replace(named(WIPE_OUT, "B", "A"), game=replace(annotated("f5d6"), black="B", white="A")))
    summaries = players.summaries()
    by_name = {each.name: each for each in summaries}

    # White wins the first, Black the second, nobody knows of the third.
    assert [(each.games, each.wins, each.draws, each.losses) for each in map(by_name.get, "AB") if each] == [
        (3, 0, 0, 2),
        (3, 2, 0, 0),
    ]
    assert summaries[0].tally.lost_a_move < summaries[1].tally.lost_a_move  # type: ignore[operator]


def two_games() -> list[GameReview]:
    return [reviewed(WIPE_OUT), reviewed(WITH_PASSES)]


def replays(page: str) -> list[dict[str, Any]]:
    match = re.search(r'id="replays">(.*)</script>$', page, re.MULTILINE)
    assert match is not None
    return json.loads(match[1])  # type: ignore[no-any-return]


def test_the_page_needs_nothing_else() -> None:
    page = render_review(two_games(), QUICK)

    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)", page)


def test_the_page_lets_its_own_scripts_run_and_nothing_else() -> None:
    expect_policy(render_review(two_games(), QUICK))


def test_the_script_knows_what_the_review_says() -> None:
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


def test_names_are_escaped_everywhere() -> None:
    evil = '</script><b>&"'
    review = reviewed(WIPE_OUT)
    page = render_review([replace(review, game=replace(review.game, black=evil, comment=evil))], QUICK)

    assert page.count("</script>") == 5
    assert evil not in page


def test_a_game_without_moves_has_a_page_too() -> None:
    assert "unfinished" in render_review([reviewed("")], QUICK)
    with pytest.raises(OutflankError, match="a game without moves has no curve to draw"):
        curve_svg(reviewed(""))


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


@in_browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_shows_an_error_and_what_would_have_been_better(
    browser: Browser, tmp_path: Path, width: int, dark: bool
) -> None:
    page = render_review(two_games(), QUICK)
    browser.show(tmp_path / "review.html", page, "#game=2&ply=57", width=width, dark=dark)
    facts = browser.run("document.querySelector('#facts').textContent")
    ring = browser.run(
        "['cx', 'cy'].map(at => document.querySelector('#board .better').getAttribute(at)).join()"
    )

    assert "blunder, 12 discs lost; better h4 h7" in facts
    assert ring == f"{12 + 7.5 * 40:g},{12 + 3.5 * 40:g}"
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("document.querySelectorAll('#graph .curve.review').length") == 1
    assert browser.run("document.querySelector('#black-legend').hidden")
    assert (browser.errors, [url for url in browser.requests if not url.startswith(("file:", "about:"))]) == (
        [],
        [],
    )


def shown_at_every_ply(browser: Browser) -> list[dict[str, Any]]:
    """For each position the text and the values of the graph's points that lie at its line, by their class."""
    script = """(() => {
      const highest = -Number(document.querySelector('#graph .up').textContent.replace('\\u2212', '-'));
      const value = y => (92 - y) / 80 * highest;
      return [...Array(game.moves.length + 1).keys()].map(position => {
        go(position);
        const x = Number(document.querySelector('#graph .cursor').getAttribute('x1'));
        const points = [...document.querySelectorAll('#graph .dots')]
          .filter(dot => Math.abs(dot.getAttribute('cx') - x) < 0.06)
          .map(dot => [dot.classList[1], value(Number(dot.getAttribute('cy')))]);
        return {text: [...at('facts').children].map(item => item.textContent), points: Object.fromEntries(points)};
      });
    })()"""
    return list(browser.run(script))


def number_in(text: list[str], words: str) -> float | None:
    """The number that follows these words."""
    found = re.search(rf"{words} ([+{MINUS}]?[0-9.]+) for Black", "\n".join(text))
    return None if found is None else float(found[1].replace(MINUS, "-"))


@in_browser
def test_text_and_curve_agree_at_every_ply(browser: Browser, tmp_path: Path) -> None:
    """Also at an error, where the positions before and after the move are worth different things."""
    review = reviewed(WITH_PASSES)
    browser.show(tmp_path / "review.html", render_review([review], QUICK))
    shown = shown_at_every_ply(browser)

    assert any(move.is_error for move in review.moves)
    assert len(shown) == len(review.judgements)
    for here, judgement in zip(shown, review.judgements, strict=True):
        exact, estimate = number_in(here["text"], "exact"), number_in(here["text"], "reviewed")
        told = exact if estimate is None else estimate
        assert told is not None
        assert abs(told - judgement.black_score) <= 0.5
        assert abs(told - here["points"]["review"]) <= 0.6
        assert (exact is None) == ("exact" not in here["points"])


@in_browser
def test_the_text_of_a_run_has_the_numbers_of_its_graph_at_every_ply(
    browser: Browser, tmp_path: Path
) -> None:
    browser.show(tmp_path / "report.html", page_of(random_run(("A", "B"), 1, solved=20)))
    shown = shown_at_every_ply(browser)

    assert sum("exact" in here["points"] for here in shown) > 15
    for here in shown:
        for words, kinds in (("exact", ["exact"]), ("judged", ["black", "white"])):
            (drawn,) = [here["points"][kind] for kind in kinds if kind in here["points"]] or [None]
            told = number_in(here["text"], words)
            assert (told is None) == (drawn is None)
            assert told is None or drawn is None or abs(told - drawn) < 0.3 or abs(told) > 64


@in_browser
def test_a_worst_move_leads_to_its_position(browser: Browser, tmp_path: Path) -> None:
    browser.show(tmp_path / "review.html", render_review(two_games(), QUICK))
    wanted = browser.run(
        "(({game, ply}) => `#game=${game}&ply=${ply}`)(document.querySelector('#worst tbody tr').dataset)"
    )
    browser.run("document.querySelector('#worst td button').click()")

    assert browser.run("location.hash") == wanted
    browser.press("ArrowLeft")
    assert browser.run("location.hash") != wanted


def test_a_game_of_the_engine_is_reviewed_too() -> None:
    game = Game.from_transcript("f5d6c3")
    review = outflank.review_game(game, QUICK)

    assert [move.move for move in review.moves] == list(game.moves)
    assert review == review_game(AnnotatedGame.of(game), QUICK, Searcher(64))

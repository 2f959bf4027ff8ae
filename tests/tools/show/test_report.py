"""The report is one file with everything in it: what it says, without a browser."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from outflank.engine import PRESETS, Colour, Game
from outflank.tests.sample_games import ONE_WAY, WITH_PASSES
from outflank.tests.tools.samples import broken_off, judged, played, random_run, run_of
from outflank.tests.tools.show.shown import expect_policy, page_of
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.state.run import Format, Run, Void
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report import report
from outflank.tools.report.figures import figures_of
from outflank.tools.report.page import SQUARE_LETTERS

ONE_DIRECTION = PRESETS["ravensburger-1987"]
NAMES = ("A", "B", "C")


def replays(page: str) -> list[dict[str, Any]]:
    """What the page's script replays."""
    match = re.search(r'id="replays">(.*)</script>$', page, re.MULTILINE)
    assert match is not None
    return json.loads(match[1])  # type: ignore[no-any-return]


def report_of(*games: GameRecord, **facts: Any) -> str:
    return page_of(run_of(games, **facts))


@pytest.fixture(scope="module")
def tournament() -> Run:
    return random_run(NAMES, 3, {"format": Format.ROUND_ROBIN}, solved=8)


def test_the_page_lets_its_own_scripts_run_and_nothing_else(tournament: Run) -> None:
    expect_policy(page_of(tournament))


@pytest.mark.parametrize("record", [played(WITH_PASSES), played(ONE_WAY, ONE_DIRECTION)])
def test_replaying_what_the_script_is_given_ends_on_the_final_board(record: GameRecord) -> None:
    (replay,) = replays(report_of(record, settings={"rules": record.rules}))
    board, disc = list(replay["start"]), replay["begins"]
    for squares in replay["squares"].split(" "):
        for square in squares:
            board[SQUARE_LETTERS.index(square)] = disc
        disc = "O" if disc == "X" else "X"
    final = Game.from_transcript(record.transcript, record.rules).position

    assert "".join(board) == final.board_string().split()[0]
    assert replay["turns"].split(" ") == [str(turn.move) for turn in record.turns]


def test_the_script_knows_what_the_moves_were_worth() -> None:
    (replay,) = replays(report_of(judged({2: 1.234}, {3: -4})))

    assert replay["values"][2:4] == [1.23, None]
    assert replay["exact"][2:4] == [None, -4]
    assert replay["seconds"][1:3] == [None, 0.25]
    assert (replay["opening"], replay["margin"]) == (2, 64)


def test_the_opening_counts_its_forced_passes() -> None:
    transcript = played(WITH_PASSES)
    first_pass = [turn.move.is_pass for turn in transcript.turns].index(True)
    (replay,) = replays(report_of(played(WITH_PASSES, opening=first_pass + 1)))

    assert replay["opening"] == first_pass + 2


def test_openings_have_their_names() -> None:
    page = report_of(played(opening=2), played(WITH_PASSES, number=3, opening=1))
    rows = re.findall(r"<tr><td><code>(.*?)</code>(.*?)</td>", page)

    assert rows[:2] == [("f5 d6", ' <span class="soft">Perpendicular Opening</span>'), ("d3", "")]
    assert [replay["called"] for replay in replays(page)] == ["Perpendicular Opening", "Parallel Opening"]


def test_a_long_run_has_its_last_games_to_replay(monkeypatch: pytest.MonkeyPatch, tournament: Run) -> None:
    monkeypatch.setattr(report, "MOST_LISTED", 5)
    page, whole = page_of(tournament), len(tournament.games)
    worst = re.findall(r'<tr( data-game="(\d+)")?[^>]*><td class="number">(\d+)</td>', page)
    linked = {int(number): int(place) for link, place, number in worst if link}

    assert [replay["number"] for replay in replays(page)] == [
        game.pairing.number for game in tournament.games[-5:]
    ]
    assert f"Here are the last 5 of {whole} games" in page
    assert linked
    assert set(linked) <= set(range(whole - 4, whole + 1))
    assert all(replays(page)[place]["number"] == number for number, place in linked.items())
    assert {int(number) for *_, number in worst} - set(linked) >= {1}
    assert "Here are the last" not in page_of(replace(tournament, games=tournament.games[-5:]))


def test_the_page_needs_nothing_else(tournament: Run) -> None:
    for page in (report_of(played()), page_of(tournament)):
        assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\((?!#)", page)


def test_the_page_shows_faults_settings_and_remarks() -> None:
    page = report_of(played(number=1), broken_off(Ending.TIME, Colour.WHITE, number=2))

    assert "Black wins" in page
    assert "1 (time 1)" in page
    assert "random:2" in page
    assert "seed 5" in page
    assert "B refuses to say hello" in page


def test_a_void_is_shown_and_too_many_make_the_run_invalid() -> None:
    game = broken_off(Ending.TIME, Colour.WHITE)
    page = report_of(played(), voids=(Void(game, "the runner slept for 0.4 s", "B"),))

    assert "Game 1, attempt 1, B: the runner slept for 0.4 s" in page
    assert "1 (50.0 %)" in page
    assert "This run is not valid: too many games had to be voided (B 50.0%)" in page


def test_pairs_that_say_nothing_new_are_named() -> None:
    games = [played(number=number, names=("A", "B") if number % 2 else ("B", "A")) for number in (1, 2, 3, 4)]

    assert "1 of 2 pairs repeat an earlier one up to symmetry" in report_of(*games)


@pytest.mark.parametrize(
    ("finished", "interrupted", "words"),
    [(True, False, "wins with"), (False, False, "(not finished)"), (False, True, "(interrupted)")],
)
def test_the_page_says_how_far_the_run_is(
    tournament: Run, finished: bool, interrupted: bool, words: str
) -> None:
    assert words in page_of(replace(tournament, finished=finished, interrupted=interrupted))


def test_the_page_says_what_an_engine_was_given() -> None:
    run = run_of([played()])
    first, second = run.settings.entries
    entries = (replace(first, level=5, threads=2), second)

    assert "--fast</code> level=5 threads=2</td>" in page_of(
        replace(run, settings=replace(run.settings, entries=entries))
    )


def test_names_and_details_are_escaped_everywhere() -> None:
    evil = '</script><b>&"'
    names = (evil, "B")
    game = broken_off(Ending.CRASH, Colour.WHITE, names=names, detail=evil)
    page = report_of(game, names=names)

    assert page.count("</script>") == 4
    assert evil not in page


def test_a_run_without_games_has_a_page_too() -> None:
    assert "after 0 games" in report_of()
    assert "after 0 games" in report_of(
        names=NAMES, settings={"format": Format.SWISS, "rounds": 2}, finished=False
    )


@pytest.mark.parametrize(("preset", "colour"), [("obversi", "#b8352d"), ("ravensburger-2006", "#d4a72c")])
def test_discs_have_the_colours_of_the_box(preset: str, colour: str) -> None:
    assert colour in report_of(settings={"rules": PRESETS[preset]})


@pytest.mark.parametrize("format", [each for each in Format if each is not Format.MATCH])
def test_every_kind_of_tournament_has_a_page(format: Format) -> None:
    page = page_of(random_run(NAMES, 1, {"format": format, "rounds": 2}))

    assert "Cross table" in page
    assert "Ratings while the run went on" in page


def test_a_knockout_has_its_bracket_and_rounds_and_its_winner_on_top() -> None:
    run = random_run(("A", "B", "C", "D", "E"), 1, {"format": Format.KNOCKOUT})
    page, course = page_of(run), figures_of(run).course
    (standing,) = re.findall(r'<table id="standing".*?</table>', page, re.DOTALL)

    assert re.findall(r"<h3>(\w+)</h3>", page.split("<h2>Standing")[0]) == [
        "Quarterfinals",
        "Semifinals",
        "Final",
        "Winner",
    ]
    assert re.findall(r"<b>([A-E])</b>", standing) == list(course.order)
    assert "lost in the final" in standing
    assert page.split("<h2>Rounds")[1].count("bye") == 3
    assert f"<b>{course.rounds[-1][0].winner}</b> wins" in page


def test_a_knockout_that_goes_on_has_a_page_with_places_still_open() -> None:
    run = random_run(("A", "B", "C", "D"), 1, {"format": Format.KNOCKOUT})
    page = page_of(replace(run, games=run.games[:1], finished=False))

    assert "1 of 2 games played" in page
    assert page.count('<div class="soft">?</div>') == 2
    assert "<h3>Winner</h3>" not in page
    assert "Bracket" in page_of(replace(run, games=(), finished=False))


def test_a_swiss_tournament_has_tie_breaks_byes_and_rounds() -> None:
    run = random_run(NAMES, 1, {"format": Format.SWISS, "rounds": 2})
    page = page_of(run)

    for words in ("Sonneborn", "with byes", "<h3>Round 2</h3>", "bye</td>"):
        assert words in page
    assert "Bracket" not in page


def test_a_match_shows_its_curves() -> None:
    page = page_of(random_run(("A", "B"), 10, {"sprt": Sprt(0, 20)}))

    assert "Elo of A against B" in page
    assert "SPRT normalized, elo0 0, elo1 20" in page
    assert "SPRT normalized [0, 20]: no verdict" in page
    assert page.count("<polyline") == 3

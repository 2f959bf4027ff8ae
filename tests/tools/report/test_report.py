"""The report is one file with everything in it; and what a terminal shows of a run, at every width."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType
from rich.progress import Progress

from outflank.engine import PRESETS, Colour
from outflank.tests.support.positions import ONE_WAY, WITH_PASSES
from outflank.tests.support.runs import (
    broken_off,
    expect_policy,
    judged,
    page_of,
    played,
    print_result_of,
    random_run,
    replays,
    run_of,
)
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.openings.sources import OpeningsChoice
from outflank.tools.match.state.events import GameEnded, GamesPlanned, GameStarted, Remark
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report import report
from outflank.tools.report.figures import Figures
from outflank.tools.report.tables import FittingTable
from outflank.tools.report.wording import rating_text
from outflank.tools.runs.scoreboard import Scoreboard, seconds_left

ONE_DIRECTION = PRESETS["ravensburger-1987"]
NAMES = ("A", "B", "C")
LONG_NAMES = ("an engine with quite a long name", "B", "C", "D", "E", "F", "G", "H")


def report_of(*games: GameRecord, **facts: Any) -> str:
    return page_of(run_of(games, **facts))


@pytest.fixture(scope="module")
def tournament() -> Run:
    return random_run(NAMES, 3, {"format": Format.ROUND_ROBIN}, solved=8)


def test_the_page_lets_its_own_scripts_alone_run_and_loads_nothing(tournament: Run) -> None:
    for page in (report_of(played()), page_of(tournament)):
        expect_policy(page)

    evil = '</script><b>&"'
    names = (evil, "B")
    game = broken_off(Ending.CRASH, Colour.WHITE, names=names, detail=evil)
    page = report_of(game, names=names)

    assert page.count("</script>") == 3
    assert evil not in page


@pytest.mark.parametrize("record", [played(WITH_PASSES), played(ONE_WAY, ONE_DIRECTION)])
def test_the_script_is_given_all_turns_with_their_passes(record: GameRecord) -> None:
    (replay,) = replays(report_of(record, settings={"rules": record.rules}))

    assert f"{replay['start']} {replay['begins']}" == record.first_position.board_string()
    assert replay["turns"].split(" ") == [str(turn.move) for turn in record.turns]
    assert replay.get("one_way", False) is record.rules.one_direction


def test_the_script_knows_what_the_moves_were_worth_and_where_the_opening_ends() -> None:
    (replay,) = replays(report_of(judged({2: 1.234}, {3: -4})))
    first_pass = [turn.move.is_pass for turn in played(WITH_PASSES).turns].index(True)
    (passed,) = replays(report_of(played(WITH_PASSES, opening=first_pass + 1)))

    assert replay["values"][2:4] == [1.234, None]
    assert replay["exact"][2:4] == [None, -4]
    assert replay["seconds"][1:3] == [None, 0.25]
    assert (replay["given"], replay["margin"]) == (2, 64)
    assert passed["given"] == first_pass + 2


def test_openings_have_their_names() -> None:
    page = report_of(played(opening=2), played(WITH_PASSES, number=3, opening=1))
    rows = re.findall(r"<tr><td><code>(.*?)</code>(.*?)</td>", page)

    assert rows[:2] == [("f5 d6", ' <span class="soft">Perpendicular Opening</span>'), ("d3", "")]
    assert [replay["called"] for replay in replays(page)] == ["Perpendicular Opening", "Parallel Opening"]


def test_a_long_run_has_its_last_games_to_replay(monkeypatch: pytest.MonkeyPatch, tournament: Run) -> None:
    monkeypatch.setattr(report, "MOST_LISTED", 5)
    page, whole = page_of(tournament), len(tournament.games)
    worst = re.findall(r'<tr( data-game="(\d+)")?[^>]*><td class="number">(\d+)</td>', page)
    linked = {int(number): int(game) for link, game, number in worst if link}

    assert [replay["number"] for replay in replays(page)] == [
        game.pairing.number for game in tournament.games[-5:]
    ]
    assert f"This page lists the last 5 of {whole} games" in page
    assert linked
    assert set(linked) <= set(range(whole - 4, whole + 1))
    assert all(game == number for number, game in linked.items())
    assert {int(number) for *_, number in worst} - set(linked) >= {1}
    assert "This page lists the last" not in page_of(replace(tournament, games=tournament.games[-5:]))


def test_the_page_shows_faults_settings_remarks_and_what_engines_call_themselves() -> None:
    games = played(number=1), broken_off(Ending.TIME, Colour.WHITE, number=2)
    page = report_of(*games, seconds=3723.4, machine="a machine, 2 processors")

    assert "Black wins" in page
    head = page.partition("</header>")[0]
    assert "Lost by a fault: B 1 (time 1)." in head
    assert "1 (time 1)" in page.partition("</header>")[2]
    assert "by a fault" not in page_of(run_of([played()])).partition("</header>")[0]
    assert "random:2" in page
    assert "seed 5" in page
    assert "played for 1:02:03 on a machine, 2 processors" in page
    assert "B refuses to say hello" in page

    run = run_of([played()], identities={"A": ("Ant 1.0",), "B": ("Bee <7>", "Bee 8")})
    page = page_of(run)

    assert re.search(r'A<span class="small">Ant 1\.0</span>', page)
    assert "Bee &lt;7&gt;; Bee 8</span>" in page
    assert "B changed its name or version during the run: Bee &lt;7&gt;, then Bee 8." in page
    assert "A changed" not in page


def test_voids_are_shown_too_many_make_the_run_invalid_and_pairs_that_say_nothing_new_are_named() -> None:
    game = broken_off(Ending.TIME, Colour.WHITE)
    page = report_of(played(), voids=(replace(game, void="the runner slept for 0.4 s", blamed="B"),))
    games = [played(number=number, names=("A", "B") if number % 2 else ("B", "A")) for number in (1, 2, 3, 4)]

    assert "Game 1, attempt 1, B: the runner slept for 0.4 s" in page
    assert "1 (50.0 %)" in page
    assert "This run is not valid: too many games were void (B 50.0%; at most 3% may be)" in page
    assert "1 of 2 pairs repeat an earlier one up to symmetry" in report_of(*games)


@pytest.mark.parametrize(
    ("finished", "interrupted", "words"),
    [(True, False, "wins with"), (False, False, "(not finished)"), (False, True, "(interrupted)")],
)
def test_the_page_says_how_far_the_run_is(
    tournament: Run, finished: bool, interrupted: bool, words: str
) -> None:
    assert words in page_of(replace(tournament, finished=finished, interrupted=interrupted))


def test_the_page_says_what_an_engine_was_given_and_shows_the_curves_of_a_match() -> None:
    run = random_run(("A", "B"), 10, {"sprt": Sprt(0, 20)})
    first, second = run.settings.engines
    specs = (replace(first, level=5, threads=2), second)
    page = page_of(replace(run, settings=replace(run.settings, engines=specs)))

    assert "--fast</code> level=5 threads=2</td>" in page
    assert "Elo of A against B" in page
    assert "SPRT normalized, elo0 0, elo1 20" in page
    assert "SPRT normalized [0, 20]: no verdict" in page
    assert page.count("<polyline") == 3


def test_a_run_without_games_has_a_page_too() -> None:
    swiss = {"format": Format.SWISS, "rounds": 2}

    assert "after 0 games" in report_of()
    assert "after 0 games" in report_of(names=NAMES, settings=swiss, finished=False)
    assert "after 1 game (not finished)" in report_of(played(), finished=False)


@pytest.mark.parametrize(("preset", "colour"), [("obversi", "#b8352d"), ("ravensburger-2006", "#d4a72c")])
def test_discs_have_the_colours_of_the_box(preset: str, colour: str) -> None:
    assert colour in report_of(settings={"rules": PRESETS[preset]})


@pytest.mark.parametrize("format", [each for each in Format if each not in (Format.MATCH, Format.STANDING)])
def test_every_kind_of_tournament_has_a_page(format: Format) -> None:
    page = page_of(random_run(NAMES, 1, {"format": format, "rounds": 2}))

    assert "Cross table" in page
    assert "Ratings during the run" in page


def test_a_knockout_has_its_bracket_and_rounds_and_its_winner_on_top() -> None:
    run = random_run(("A", "B", "C", "D", "E"), 1, {"format": Format.KNOCKOUT})
    page, standings = page_of(run), Figures(run)
    (standing,) = re.findall(r'<table id="standing".*?</table>', page, re.DOTALL)

    rounds = re.findall(r"<h3>(\w+)</h3>", page.split("<h2>Standing")[0])
    assert rounds == ["Quarterfinals", "Semifinals", "Final", "Winner"]
    assert re.findall(r"<b>([A-E])</b>", standing) == list(standings.order)
    assert "lost in the final" in standing
    assert page.split("<h2>Rounds")[1].count("bye") == 3
    assert f"<b>{standings.rounds[-1][0].winner}</b> wins" in page


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


def drawn(what: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as captured:
        console.print(what)
    return captured.get()


@pytest.fixture(scope="module")
def run() -> Run:
    made = random_run(LONG_NAMES, 1, {"format": Format.ROUND_ROBIN}, solved=6)
    fault = replace(broken_off(Ending.TIME, Colour.WHITE), pairing=made.games[0].pairing)
    return replace(made, games=(fault, *made.games[1:]))


@pytest.mark.parametrize("width", [40, 80, 100, 120, 300])
def test_a_result_has_every_number_at_any_width(
    run: Run, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.report.tables._PIPE_WIDTH", width)
    print_result_of(run)
    printed = capsys.readouterr().out
    table = [line for line in printed.splitlines()[1:] if not line.startswith(("Games with", "Note"))]
    figures = Figures(run)

    assert max(map(len, table)) <= width
    assert "…" not in printed
    for rating in figures.ratings.ratings:
        assert rating_text(rating) in printed
    for engine in figures.engines:
        assert f"{engine.score.mean_margin:+.1f}" in printed.split()
    words = " ".join(line.split("  ")[0].strip() for line in table)
    assert LONG_NAMES[0] in words or width == 40


def test_a_wide_table_is_one_a_narrow_one_is_stacked_and_a_long_name_is_folded() -> None:
    table = FittingTable({"engine": ["A"], "points": ["1234567"], "games": ["7654321"]})
    folded = drawn(FittingTable({"engine": ["x" * 30 + "y"], "points": ["12"]}), 20)
    narrow = ["engine   points", "A       1234567", "engine    games", "A       7654321"]

    assert drawn(table, 30).splitlines() == ["engine   points    games", "A       1234567  7654321"]
    assert [line.rstrip() for line in drawn(table, 18).splitlines()] == narrow
    assert folded.count("x") == 30
    assert "y" in folded
    assert " 12" in folded


def bracket_of(printed: str) -> list[str]:
    return printed.split("\n\n")[1].splitlines()


def test_a_knockout_prints_its_bracket_and_the_winner_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the loser took more points: the table is in the order of the bracket."""
    made = random_run(("A", "B", "C", "D", "E"), 1, {"format": Format.KNOCKOUT})
    print_result_of(made)
    printed = capsys.readouterr().out
    standings = Figures(made)
    final = standings.rounds[-1][0]
    rows = [line.split()[0] for line in printed.split("\nengine ")[1].splitlines()[1:6]]

    assert bracket_of(printed)[0].startswith("A ─")
    assert len(bracket_of(printed)) == 15
    assert bracket_of(printed)[7].endswith(f"├─ {final.winner}")
    assert rows == list(standings.order)
    assert rows[0] == final.winner
    assert re.search(rf"\n{final.winner} .* winner ", printed)
    for words in ("quarterfinals", "semifinals", "final ", "bye", "lost in the final", "on points"):
        assert words in printed


def test_a_knockout_that_goes_on_has_question_marks_in_its_bracket(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = random_run(LONG_NAMES[1:5], 1, {"format": Format.KNOCKOUT})
    print_result_of(replace(made, games=made.games[:3], finished=False, interrupted=True))
    printed = capsys.readouterr().out

    assert [line.split()[-1] for line in bracket_of(printed) if "├" in line] == ["─┐", "?", "─┘"]
    assert "1 of 2 games played" in printed


def test_a_knockout_of_two_has_its_winner_first_and_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    made = random_run(("A", "B"), 1, {"format": Format.KNOCKOUT})
    lost = [replace(game, winner=game.colour_of("B"), margin=None) for game in made.games[:2]]
    print_result_of(replace(made, games=tuple(lost)))
    printed = capsys.readouterr().out

    assert printed.index("\nB  ") < printed.index("\nA  ")
    assert "A against B: Elo" in printed
    assert "No game was lost by a fault" in printed
    assert "won by fault" not in printed


def test_a_bracket_is_plain_where_lines_can_not_be_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ASCII terminal; a bracket that is too wide is left out, and the rounds say the same."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", out)
    print_result_of(random_run(("A", "B"), 1, {"format": Format.KNOCKOUT}))
    out.flush()

    assert b"|- " in out.buffer.getvalue()


@pytest.mark.parametrize("width", [40, 80])
def test_rounds_have_every_word_at_any_width(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.report.tables._PIPE_WIDTH", width)
    print_result_of(random_run(LONG_NAMES, 1, {"format": Format.KNOCKOUT}))
    printed = capsys.readouterr().out
    table = [line for line in printed.splitlines()[1:] if not line.startswith(("No", "Games with"))]

    assert max(map(len, table)) <= width
    assert "…" not in printed


def test_a_swiss_tournament_prints_tie_breaks_rounds_and_byes(capsys: pytest.CaptureFixture[str]) -> None:
    made = random_run(("A", "B", "C", "D", "E"), 1, {"format": Format.SWISS, "rounds": 3})
    print_result_of(made)
    printed = capsys.readouterr().out
    table = Figures(made).swiss

    assert all(words in printed for words in ("Buchholz", "Sonneborn-Berger", "with byes"))
    assert "A bye counts as a won encounter" in printed
    first = Figures(made).order[0]
    assert f" {table[first].buchholz:g} " in printed
    assert re.findall(r"^([1-3])  +[A-E]", printed, re.MULTILINE) == ["1", "2", "3"]
    assert len(re.findall(r" bye *$", printed, re.MULTILINE)) == 3


def test_the_scoreboard_tells_how_far_a_run_is_and_the_time_left_by_the_games_of_this_runner() -> None:
    made = random_run(("A", "B", "C"), 1, {"format": Format.SWISS, "rounds": 2})
    board = Scoreboard(made.settings)
    board.observe(GamesPlanned(2, 0))
    told = [board.progress()]
    for game in made.games[:2]:
        board.observe(GameStarted(game.pairing))
        board.observe(GameEnded(game))
    told.append(board.progress())

    assert (told[0]["played"], told[0]["games"]) == (0, 4)
    assert (told[0]["seconds_left"], told[0]["ratings"]) == (None, [])
    assert (told[1]["played"], told[1]["games"]) == (2, 4)
    assert told[1]["seconds_left"] is not None
    assert [set(rating) for rating in told[1]["ratings"]] == [{"name", "elo", "low", "high"}] * 3
    picture = drawn(board._picture(), 100)
    assert "Elo (95 %)" in picture
    assert "0:00:00 left" in picture
    assert "with byes" in picture

    # A resumed run has games that were played before.
    now = 100.0
    progress = Progress(get_time=lambda: now)
    task = progress.add_task("games", total=8, completed=4, before=4)
    assert seconds_left(progress.tasks[0]) is None
    now = 160.0
    progress.advance(task, 2)

    assert seconds_left(progress.tasks[0]) == 60


def test_the_sentences_of_a_run_hold_nothing_that_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The remarks and reasons of a run are texts of its file, and of engines."""
    made = random_run(("A", "B"), 1)
    hostile = "\x1b]0;owned\x07\x9b2J"
    with Scoreboard(made.settings) as board:
        board.say(hostile)
        board.observe(Remark(hostile))
    openings = OpeningsChoice(path=Path(hostile))
    print_result_of(replace(made, settings=replace(made.settings, openings=openings)))
    told = capsys.readouterr()

    assert told.err.count("owned") == 2
    assert "owned" in told.out
    assert all(line.isprintable() for line in (told.out + told.err).split("\n"))

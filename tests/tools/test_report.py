"""The report is one file with everything in it; what it looks like is checked by eye."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Colour, Game
from outflank.tests.tools.samples import ONE_WAY, WITH_PASSES, broken_off, match_of, played
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.show.report import render_report

CHROMIUM = shutil.which("chromium")
ONE_DIRECTION = PRESETS["ravensburger-1987"]


def replays(page: str) -> list[dict[str, object]]:
    """What the page's script replays."""
    match = re.search(r"^const games = (.*);$", page, re.MULTILINE)
    assert match is not None
    return json.loads(match[1])  # type: ignore[no-any-return]


@pytest.mark.parametrize("record", [played(WITH_PASSES), played(ONE_WAY, ONE_DIRECTION)])
def test_replaying_what_the_script_is_given_ends_on_the_final_board(record: GameRecord) -> None:
    (replay,) = replays(render_report(match_of([record], record.rules)))
    board = list(str(replay["start"]))
    for turn in replay["turns"]:  # type: ignore[attr-defined]
        if turn["square"] is not None:
            for square in [turn["square"], *turn["turned"]]:
                board[square] = turn["disc"]
    final = Game.from_transcript(record.transcript, record.rules).position

    assert "".join(board) == final.board_string().split()[0]


def test_the_page_needs_nothing_else() -> None:
    page = render_report(match_of([played()]))

    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", page)


def test_the_page_shows_faults_settings_and_remarks() -> None:
    page = render_report(match_of([played(number=1), broken_off(Ending.TIME, Colour.WHITE, number=2)]))

    assert "A wins" in page
    assert "1 (time 1)" in page
    assert "random:2" in page
    assert "seed 5" in page
    assert "B refuses to say hello" in page


def test_names_are_escaped_everywhere() -> None:
    page = render_report(match_of([played(names=("A", "B"))]))
    evil = render_report(match_of([broken_off(Ending.CRASH, Colour.WHITE, detail="</script><b>&")]))

    assert page.count("</script>") == evil.count("</script>") == 1


def test_a_match_without_games_has_a_page_too() -> None:
    assert "0 of 0 games" in render_report(match_of([]))


@pytest.mark.parametrize(("preset", "colour"), [("obversi", "#b8352d"), ("ravensburger-2006", "#d4a72c")])
def test_discs_have_the_colours_of_the_box(preset: str, colour: str) -> None:
    assert colour in render_report(match_of([], PRESETS[preset]))


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian package chromium)")
def test_a_browser_draws_the_final_board(tmp_path: Path) -> None:
    """The sample ends on a full board; the page opens its first game at the end."""
    page = tmp_path / "report.html"
    page.write_text(render_report(match_of([played(WITH_PASSES)])))
    command = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}/profile",
    ]
    ran = subprocess.run([*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=60)
    board = ran.stdout.partition('<svg id="board"')[2].partition("</svg>")[0]

    assert board.count("<rect") == 1 + 64
    assert board.count('r="16"') == 64
    assert board.count('fill="var(--first)"') == 10
    assert "10-54, after 62. a2 in 0.250 s" in ran.stdout

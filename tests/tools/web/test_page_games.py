"""Games between files, links and the page of ``outflank web``: nothing that was opened or played is lost in silence."""

import io
import json
import zipfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.browser import Browser, Served, in_browser
from outflank.tests.support.gamefiles import annotated_games
from outflank.tests.support.transcripts import execute, run
from outflank.tools.page.replay import Replay

pytestmark = pytest.mark.timeout(240)
RESIGNED = (
    "(;GM[Othello]PC[GGS/os]DT[2003-07-01]PB[Ann]PW[Bob]RB[1500]RW[1600]TI[5:00]TY[8]RE[+64.000:r]"
    "BO[8 ---------------------------O*------*O--------------------------- *]B[F5/1.5/2.5]W[D6/-1.5/3]B[C3//4];)"
)
GIVEN = (
    "(;GM[2]FF[4]SZ[8]GV[4]PB[Ann]PW[Bob]EV[Open]DT[2018-05-06]GN[final]PC[Prague]GC[a good game]RE[W+4]"
    ";B[f5];W[f6];B[e6];W[f4];B[e3]C[why]BM[1];W[c5];B[c4];W[e7];B[c6];W[b5])"
)
BOARD = "--X-O-XOOOOOOXO-OOOXXOXOOOOXOOXOOXXOXOOOXXXXOXOOX-XXXOXOX--XXXXX X"
SAMPLES = {
    "resigned.ggf": RESIGNED,
    "given.sgf": GIVEN,
    "moves.txt": "f5d6c3d3c4f4c5b3c2e6\n",
    "board.obf": f"{BOARD}; H2:+6;\n",
    "game.pgn": '[Event "Cup"]\n[Date "2019.01.02"]\n[White "Bo"]\n[Black "Al"]\n[Result "40-24"]\n\n'
    "1. f5 d6 2. c3 d3 40-24\n",
}
FORMATS = ("transcript", "obf", "sgf", "ggf", "wthor")


@pytest.fixture
def page(page: Browser) -> Browser:
    """Enter the study, without the analysis: few tests need it."""
    page.run("desk.modes.study.isSearched = false; desk.enter('study')")
    return page


def opened(page: Browser, content: str, name: str = "") -> None:
    page.run(
        f"window.done = false; desk.read({json.dumps(content)}, {json.dumps(name)}).then(() => done = true)"
    )
    page.wait("done && desk.viewer.game !== null")


def opened_file(page: Browser, file: Path) -> None:
    """Open a file, and wait until its games are listed."""
    page.run("window.before = desk.viewer.game")
    page.choose_file("open", file)
    page.wait("desk.viewer.game !== before")


def save_as(page: Browser, form: str) -> None:
    page.run(f"at('save').value = '{form}'; at('save').dispatchEvent(new Event('change'))")


def saved(page: Browser, form: str) -> str:
    """Return the file that `Save as` writes of the game shown."""
    save_as(page, form)
    return page.downloaded(f"game.{form}").decode()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(game=annotated_games())
def test_a_game_survives_the_form_in_which_pages_get_it(game: AnnotatedGame) -> None:
    sent = json.dumps(Replay.of(game).facts()).encode()

    assert msgspec.json.decode(sent, type=Replay).annotated() == game


@pytest.mark.parametrize(
    "wrong",
    [
        {"faults": [99]},
        {"exact": [10**9]},
        {"ending": "discs", "is_recorded": True, "margin": 65},
        {"turns": 5},
    ],
)
def test_a_game_that_no_page_of_ours_sends_is_refused_in_words(
    served: Served, wrong: dict[str, object]
) -> None:
    (game,) = json.loads(served.post("read", b"f5d6")[1])["games"]
    status, said = served.post("save?format=sgf", json.dumps({**game, **wrong}).encode())

    assert status == 400
    assert said.decode().startswith("expected ") or "turns" in said.decode()


@in_browser
@pytest.mark.parametrize("name", [*SAMPLES, "alone.wtb"])
def test_open_and_save_as_write_what_convert_writes(page: Browser, tmp_path: Path, name: str) -> None:
    """Every format into every format, byte for byte; where convert refuses, the page does too."""
    file = tmp_path / name
    if name in SAMPLES:
        file.write_text(SAMPLES[name])
    else:  # without the files of its names
        (tmp_path / "given.sgf").write_text(GIVEN)
        run("convert", tmp_path / "given.sgf", "--output", tmp_path / "named.wtb")
        file.write_bytes((tmp_path / "named.wtb").read_bytes())
    opened_file(page, file)
    for form in FORMATS:
        (made := tmp_path / form).mkdir()
        suffix = {"wthor": "wtb", "transcript": "txt"}.get(form, form)
        done = execute(f"outflank convert {name} --format {form} --output {form}/game.{suffix}", tmp_path)
        page.run("complain('')")
        save_as(page, form)
        if done.code:
            page.wait("!at('trouble').hidden")
            assert page.run("at('trouble').textContent") in done.error.decode()
            page.errors.clear()  # the refusal
            continue
        content = page.downloaded("game.zip" if form == "wthor" else f"game.{suffix}")
        if form == "wthor":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                assert {each: archive.read(each) for each in archive.namelist()} == {
                    each.name: each.read_bytes() for each in made.iterdir()
                }
        else:
            assert content == (made / f"game.{suffix}").read_bytes(), form


@in_browser
def test_wthor_that_the_page_has_saved_is_opened_with_its_names(page: Browser, tmp_path: Path) -> None:
    opened(page, GIVEN, "a.sgf")
    save_as(page, "wthor")
    (tmp_path / "game.zip").write_bytes(page.downloaded("game.zip"))
    opened_file(page, tmp_path / "game.zip")

    assert page.run(
        "(({black, white, event, date}) => [black, white, event, date])(desk.viewer.game.record)"
    ) == [
        "Ann",
        "Bob",
        "Open",
        "2018",
    ]
    assert page.run("at('trouble').hidden") is True


@pytest.mark.parametrize(
    ("content", "reason"), [(b"PK\x03\x04 cut", "can't be opened"), (None, "at most 32 MB when unpacked")]
)
def test_an_archive_that_is_damaged_or_too_large_is_refused_in_words(
    served: Served, content: bytes | None, reason: str
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.wtb", bytes(33 << 20))
    status, said = served.post("read?name=a.zip", content or packed.getvalue())

    assert status == 400
    assert reason in said.decode()


@in_browser
def test_a_game_of_a_file_is_saved_with_all_its_facts_after_it_was_shown_and_reviewed(page: Browser) -> None:
    opened(page, RESIGNED, "a.ggf")
    assert page.run("desk.viewer.ply") == 0  # of a game that was played, the start is shown first
    before = saved(page, "ggf")
    for part in ("DT[2003-07-01]", "PC[GGS/os]", "RB[1500", "RE[+64.00:r]", "TI[5:00]", "B[F5/1.50/2.50"):
        assert part in before
    page.run("at('engine').click(); at('review').click()")
    page.wait("desk.viewer.game.isReviewed", 100)

    assert saved(page, "ggf") == before


@in_browser
def test_what_a_format_has_no_place_for_is_said(page: Browser) -> None:
    opened(page, GIVEN, "a.sgf")
    saved(page, "ggf")
    page.wait("at('trouble').textContent.startsWith('left out: ')")

    assert "event (1)" in page.run("at('trouble').textContent")


@in_browser
def test_a_review_blames_nobody_for_given_moves_and_event_and_date_are_shown(page: Browser) -> None:
    opened(page, GIVEN, "a.sgf")
    assert page.run("at('occasion').textContent") == "Open, 2018-05-06"
    page.run("at('review').click()")
    page.wait("desk.viewer.game.isReviewed && !at('judged').hidden", 100)

    assert page.run("desk.viewer.game.given") == 4
    assert not any(page.run("desk.viewer.game.column('classes').slice(0, 4)"))
    assert "Given: 4 moves" in page.run("at('judged').textContent")


@in_browser
def test_setting_up_keeps_the_side_to_move_and_the_rules_and_new_keeps_the_rules(page: Browser) -> None:
    page.run("desk.startGame({rules: 'reversi', moves: 'f4'})")
    page.wait("desk.viewer.game.record.rules === 'reversi' && desk.viewer.ply === 1")
    side = page.run("desk.viewer.position.side")
    page.run("at('set-up').click()")
    page.square("a1")
    page.run("at('set').click()")
    page.wait("desk.viewer.position.board[0] === 'X'")
    assert page.run("[desk.viewer.position.side, desk.viewer.game.record.rules]") == [side, "reversi"]
    page.run("at('fresh').click()")
    page.wait("desk.viewer.position.board[0] === '-' && desk.viewer.ply === 0")
    assert page.run("desk.viewer.game.record.rules") == "reversi"


@in_browser
def test_new_games_join_the_list_of_opened_ones(page: Browser) -> None:
    opened(page, RESIGNED)
    page.run("at('fresh').click()")
    page.wait("desk.viewer.game.moves.length === 0 && desk.viewer.games.size >= 2")

    assert page.run("[...desk.viewer.games.values()].map(game => game.record.black ?? '')")[0] == "Ann"


@in_browser
def test_a_reload_keeps_the_list_the_game_its_variations_and_the_position(page: Browser) -> None:
    opened(page, "f5d6c3\n\nf5f6e6f4\n\nd3c5\n", "three.txt")
    page.run("desk.viewer.show(2, 2)")
    page.wait("desk.viewer.game.number === 2 && desk.viewer.ply === 2")
    page.run("desk.mode.line(2, [desk.viewer.position.moves.find(one => one !== 'e6')])")
    page.wait("desk.viewer.game.trunk !== null")
    moves = page.run("desk.viewer.game.moves.join('')")
    page.reload("desk.viewer.game !== null")

    shown = page.run("[desk.modeName, desk.viewer.games.size, desk.viewer.game.number, desk.viewer.ply]")
    assert shown == ["study", 3, 2, 3]
    assert page.run("desk.viewer.game.moves.join('')") == moves


@in_browser
def test_a_link_keeps_names_result_and_occasion_and_names_what_it_leaves_out(
    page: Browser, served: Served
) -> None:
    opened(page, RESIGNED, "a.ggf")
    before = page.run("desk.viewer.game.toRecord()")
    page.run("at('share').click()")
    link = page.run("at('link').value")
    assert page.run("at('trouble').textContent") == "The link leaves out: times, evaluations, ratings."
    page.load("about:blank")
    page.load(served.page + "#" + link.partition("#")[2])
    page.wait("desk.viewer.game?.moves.length === 3")
    after = page.run("desk.viewer.game.toRecord()")

    for name in ("black", "white", "date", "place", "clock", "ending", "winner", "is_recorded"):
        assert after[name] == before[name], name


@in_browser
def test_a_reload_before_a_game_stays_in_its_mode(browser: Browser, served: Served) -> None:
    browser.load(served.page)
    browser.wait("desk.viewer.game !== null && location.hash !== ''")
    browser.reload("desk.viewer.game !== null")

    assert browser.run("desk.modeName") == "play"


@in_browser
def test_a_game_of_the_page_is_saved_with_times_clock_and_result_after_its_review(page: Browser) -> None:
    page.run(
        "desk.enter('play'); at('white').value = 'person'; at('clock').value = '5+3'; desk.mode.showForm()"
    )
    page.run("at('players').querySelector('.main').click()")
    page.wait("desk.modes.play.isMine")
    for count, square in enumerate(("f5", "d6", "c3"), 1):
        page.square(square)
        page.wait(f"desk.modes.play.isMine && desk.modes.play.game.moves.length === {count}")
    page.run("at('resign').click()")
    page.wait("!desk.modes.play.state.playing")
    before = saved(page, "ggf")
    page.run("at('judge').click()")
    page.wait("desk.viewer.game.isReviewed", 100)

    assert saved(page, "ggf") == before
    assert ":r]" in before
    assert "TI[5:00/0:03]" in before
    assert "DT[20" in before


@in_browser
def test_wthor_without_its_names_is_shown_with_a_word_of_warning(page: Browser, tmp_path: Path) -> None:
    source = tmp_path / "a.ggf"
    source.write_text(RESIGNED)
    run("convert", source, "--output", tmp_path / "a.wtb")
    content = list((tmp_path / "a.wtb").read_bytes())
    page.run(f"desk.read(new Blob([new Uint8Array({content})]), 'a.wtb')")
    page.wait("at('trouble').textContent.includes('players are shown as numbers')")

    assert "player 0" in page.run("at('title').textContent")


@in_browser
def test_what_is_cut_or_wrong_is_said_and_stays_until_the_next_action(page: Browser, served: Served) -> None:
    opened(page, "f5d6c3\n" * 600, "many.txt")
    assert "The first 500 of 600 games are shown." in page.run("at('trouble').textContent")
    page.press("ArrowLeft")
    assert page.run("at('trouble').hidden") is True

    # An image from the clipboard changes nothing.
    number = page.run("desk.viewer.game.number")
    pasted = "new ClipboardEvent('paste', {clipboardData: new DataTransfer(), bubbles: true})"
    page.run(f"document.body.dispatchEvent({pasted})")
    assert page.run("[desk.viewer.games.size, desk.viewer.game.number]") == [500, number]
    assert "That is not text" in page.run("at('trouble').textContent")


@in_browser
@pytest.mark.parametrize(
    ("fragment", "moves", "ply", "sentence"),
    [
        ("#moves=f5d6zz", "f5d6", 2, "got 'zz'"),
        ("#moves=f5d6c3d3&ply=abc", "f5d6c3d3", 4, "ply=abc"),
        ("#moves=f5d6a1&ply=1", "f5d6", 1, "a1"),
        (f"#position={BOARD[:64]}+X", "", 0, ""),
    ],
)
def test_a_wrong_link_shows_its_legal_part_and_a_sentence_that_stays(
    browser: Browser, served: Served, fragment: str, moves: str, ply: int, sentence: str
) -> None:
    browser.call("Page.navigate", url=served.page + fragment)  # the page replaces the address at once
    browser.wait(
        "document.body?.dataset.mode === 'study' && desk.viewer.game !== null && desk.search.found !== null"
    )

    assert browser.run("[desk.modeName, desk.viewer.game.moves.join(''), desk.viewer.ply]") == [
        "study",
        moves,
        ply,
    ]
    assert sentence in browser.run("at('trouble').textContent")
    assert browser.run("desk.viewer.position.board") == BOARD[:64] or moves


def test_problems_are_read_with_a_byte_order_mark_and_counted(served: Served) -> None:
    line = f"{BOARD}; H2:+6; B1:-2; F1:-4; A1:-4; D1:-8;\n"
    one = json.loads(served.post("problems", ("\ufeff" + line).encode())[1])
    many = json.loads(served.post("problems", (line * 1200).encode())[1])

    assert (len(one["problems"]), one["total"]) == (1, 1)
    assert (len(many["problems"]), many["total"]) == (1000, 1200)


def test_games_beyond_the_list_are_mentioned_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "g600.txt").write_text("f5d6c3\n" * 600)
    with Served(str(tmp_path / "g600.txt")) as own:
        own.process.terminate()
        said = own.process.communicate()[1]

    assert "the first 500 of 600 games" in said

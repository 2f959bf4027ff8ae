"""The page of ``outflank web`` in everybody's hands: by keyboard and ear, in strict browsers, on any screen."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank.tests.support.browser import Browser, Served, in_browser, play_on, start_game, with_axe
from outflank.tests.support.positions import reached
from outflank.tests.support.program import OUTFLANK
from outflank.tests.support.runs import page_of, random_run
from outflank.tools.match.state.run import Format
from outflank.tools.page.bundle import bundled

pytestmark = pytest.mark.timeout(240)
NODE = shutil.which("node")
PLAY = "desk.modes.play"


@pytest.fixture
def before_scripts(browser: Browser) -> Iterator[Any]:
    """Run a script before those of the next page."""
    added = []

    def add(script: str) -> None:
        added.append(browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"])

    yield add
    for identifier in added:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=identifier)


def spoken(page: Browser) -> list[str]:
    return list(page.run("[...at('spoken').children].map(each => each.textContent)"))


@in_browser
def test_a_game_is_played_to_its_end_by_keyboard_and_heard(page: Browser) -> None:
    """Squares are found by what is said of them, and the answers of the engine and the result are named.

    From a position, since an engine takes half a second for a move.
    """
    play_on(page, reached(1, 12))
    page.run("""at('board').focus(); window.heard = [];
      new MutationObserver(changes => changes.forEach(change => change.addedNodes.forEach(node =>
        heard.push(node.textContent)))).observe(at('spoken'), {childList: true})""")
    square = list(reversed(divmod(page.run("desk.viewer.board.under"), 8)))
    while page.run(f"{PLAY}.state.playing"):
        count, target = page.run(f"[{PLAY}.game.moves.length, desk.viewer.position.moves[0]]")
        goal = ["abcdefgh".index(target[0]), int(target[1]) - 1]
        for axis, keys in enumerate((("ArrowRight", "ArrowLeft"), ("ArrowDown", "ArrowUp"))):
            while square[axis] != goal[axis]:
                step = 1 if goal[axis] > square[axis] else -1
                page.press(keys[step < 0])
                square[axis] += step
                if square == goal:
                    assert spoken(page)[-1] == f"{target}, legal move"
        page.press("Enter")
        page.wait(
            f"(({{state, game, isMine, viewer}}) => !state.playing || isMine && game.moves.length > {count}"
            f" && viewer.atEnd)({PLAY})"
        )
    heard, moves = page.run("heard"), page.run(f"{PLAY}.game.moves")
    sides = page.run(f"{PLAY}.game.moves.map((_, turn) => {PLAY}.game.mover(turn))")
    answers = [move for move, side in zip(moves, sides, strict=True) if side == "O" and move != "pass"]

    for answer in answers:
        assert any(f"White plays {answer}." in text for text in heard), answer
    assert page.run("at('verdict').textContent") in heard[-1]
    live = "[aria-live], [role=status], [role=alert], [role=log]"
    assert page.run(f"document.querySelectorAll('{live}').length") == 2  # what fails, and all else


@in_browser
def test_the_evaluation_is_said_on_request(page: Browser) -> None:
    page.run("desk.enter('study')")
    page.wait("desk.search.found?.depth >= 4")
    page.press("e")
    assert any(text.startswith("Best: ") for text in spoken(page))
    page.run("at('engine').click()")
    page.run("at('spoken').replaceChildren()")
    page.press("e")
    page.wait("at('spoken').textContent.startsWith('Best: ')")


@in_browser
def test_scores_go_with_the_analysis_and_a_late_answer_is_dropped(page: Browser) -> None:
    page.run("desk.enter('study'); desk.read('f5d6c3d3c4')")
    page.wait("desk.viewer.ply === 5 && document.querySelectorAll('.score-mark').length > 0")
    number = page.run("desk.search.question")
    page.run("at('engine').click()")
    late = {
        "id": f"live {number}",
        "turn": 5,
        "depth": 30,
        "lines": [{"move": "e3", "score": 1, "pv": ["e3"]}],
    }
    page.run(f"desk.search.heed({json.dumps({**late, 'kind': 'result', 'exact': False})})")

    assert page.run("document.querySelectorAll('.score-mark').length") == 0
    assert page.run("at('engine').textContent") == "Analysis off"


@in_browser
def test_the_page_works_where_storage_is_forbidden(
    browser: Browser, served: Served, before_scripts: Any
) -> None:
    before_scripts(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name,"
        " {get() { throw new DOMException('The operation is insecure.', 'SecurityError'); }});"
    )
    browser.load(served.page)
    browser.wait("desk.viewer.game !== null")
    start_game(browser)

    assert browser.errors == []


@in_browser
def test_a_browser_that_allows_few_changes_of_the_address_shows_every_position(
    browser: Browser, served: Served, before_scripts: Any
) -> None:
    """Safari throws after a hundred in half a minute."""
    before_scripts(
        """{const real = history.replaceState; let left = 100; history.replaceState = function (...how) {
          if (!left) throw new DOMException('too many', 'SecurityError');
          left--;
          return real.apply(this, how);
        };}"""
    )
    browser.load(served.page + "#moves=f5d6c3d3c4f4c5b3c2e6&ply=0")
    browser.wait("desk.viewer.game?.moves.length === 10")
    for key in ("ArrowRight", "ArrowLeft") * 6:
        for _ in range(10):
            browser.press(key)
    browser.press("Home")
    browser.wait("desk.viewer.ply === 0 && desk.search.found !== null && at('lines').rows.length === 5")

    assert browser.errors == []


@in_browser
def test_a_page_without_sockets_says_what_it_needs(
    browser: Browser, served: Served, before_scripts: Any
) -> None:
    before_scripts(
        """window.WebSocket = class {
          static OPEN = 1; readyState = 3;
          constructor() { setTimeout(() => this.onclose?.(), 5); }
          send() {} close() {} addEventListener() {}
        };"""
    )
    browser.load(served.page)
    browser.wait("at('trouble').textContent.startsWith('No WebSocket reaches')")

    assert browser.run("at('trouble').hidden") is False


@in_browser
def test_keys_move_about_after_any_click(page: Browser) -> None:
    page.run("desk.enter('study'); desk.read('f5d6c3d3c4')")
    page.wait("desk.viewer.ply === 5")
    left, top = page.run("(box => [box.x + 5, box.y + 5])(at('lined').getBoundingClientRect())")
    page.click(left, top)
    page.press("ArrowLeft")
    assert page.run("[desk.viewer.ply, at('lined').checked]") == [4, True]
    page.click(left, top)
    page.run(
        "at('view').focus(); at('view').dispatchEvent(new Event('change', {bubbles: true}))"
    )  # as by the mouse
    page.press("ArrowLeft")
    assert page.run("desk.viewer.ply") == 3
    page.button("#tab-study")
    page.press("ArrowLeft")
    assert page.run("[desk.modeName, desk.viewer.ply]") == ["study", 2]
    page.button("#back")
    page.press(" ")
    assert page.run("[desk.viewer.timer !== null, desk.viewer.ply]") == [True, 1]
    page.press(" ")


@in_browser
def test_a_move_with_several_directions_is_chosen_by_mouse_and_keyboard(page: Browser) -> None:
    start_game(page, "person", rules="ravensburger-1987")
    for count, name in enumerate(("f4", "f5"), 1):
        page.square(name)
        page.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === {count}")
    page.square("f6")
    page.wait("!at('directions').hidden")
    assert page.run("[...at('directions').querySelectorAll('button')].map(each => each.ariaLabel)") == [
        "f6 n",
        "f6 nw",
    ]
    page.press("ArrowRight")
    page.press(" ")
    page.wait(f"{PLAY}.game.moves[2] === 'f6/nw'")
    assert page.run("at('directions').hidden") is True


@in_browser
def test_openings_are_found_by_any_of_their_names(page: Browser) -> None:
    start_game(page, "person", start="opening", opening="tiger")
    assert page.run(f"{PLAY}.game.moves.join('')") == "f5d6c3d3c4"
    page.run("at('again').click()")
    page.run("at('opening').value = 'foo'; at('players').querySelector('.main').click()")
    page.wait("at('trouble').textContent.startsWith(\"no opening is called 'foo'\")")
    page.errors.clear()  # the refusal
    page.run("at('opening').value = '虎'; at('players').querySelector('.main').click()")
    page.wait(f"{PLAY}.isMine")
    page.run("desk.enter('practise')")
    page.wait("desk.modes.practise.asking !== null")
    page.run(
        "at('drill').click(); at('drilled-line').value = 'Tiger'; at('drilled').querySelector('.main').click()"
    )
    page.wait(
        "desk.modes.practise.drilled?.join('') === 'f5d6c3d3c4' && desk.modes.practise.asking?.key === 'opening '"
    )


@in_browser
def test_a_forced_pass_belongs_to_the_drilled_line(page: Browser) -> None:
    page.run("desk.enter('practise')")
    page.wait("desk.modes.practise.asking !== null")
    page.run(
        "at('drill').click(); at('drilled-side').value = 'O';"
        " at('drilled-line').value = 'd3c3e6d2d1e1b2c1a3a1b4b3b1f1'; at('drilled').querySelector('.main').click()"
    )
    line = "d3c3e6d2d1e1b2c1a3"
    for count, move in ((1, "c3"), (3, "d2"), (5, "e1"), (7, "c1"), (8, "a3")):
        page.wait(f"desk.modes.practise.asking?.key === 'opening {line[: 2 * count]}'")
        page.square(move)
    page.wait(f"desk.modes.practise.asking?.key.startsWith('opening {line}')")
    assert page.run("desk.modes.practise.cards['opening d3c3e6d2d1e1b2c1'].right") == 1


@in_browser
def test_new_game_shows_the_form_at_once(page: Browser) -> None:
    start_game(page)
    page.square("f5")
    page.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 2")
    page.run("at('again').click()")
    deadline = time.monotonic() + 1.5
    while time.monotonic() < deadline:
        assert page.run("at('players').hidden") is False
        assert page.run("at('verdict').textContent") == ""


@in_browser
def test_own_errors_of_a_file_of_games_are_asked(page: Browser) -> None:
    page.run("desk.enter('practise')")
    page.wait("desk.modes.practise.asking !== null")
    page.run("at('errors').click()")
    page.wait("at('question').textContent.startsWith('No errors yet')")
    game = "(;GM[2]FF[4]SZ[8]PB[Ann]PW[Bob];B[f5];W[f6];B[e6];W[f4];B[g5];W[h4])"
    page.run(f"desk.modes.practise.readErrors(new File(['{game}'], 'x.sgf'))")
    page.wait("desk.modes.practise.asking?.problem?.played !== undefined", 120)

    assert "was played, and lost" in page.run("at('question').textContent")
    assert "Bob" in page.run(
        "[...at('errors-of').options].map(each => each.value).join()"
    ) or "Ann" in page.run("[...at('errors-of').options].map(each => each.value).join()")


@in_browser
def test_counters_say_what_to_do_next(page: Browser) -> None:
    page.run("desk.enter('practise')")
    page.wait("desk.modes.practise.asking !== null")
    page.run("desk.modes.practise.cards = {}; desk.modes.practise.showDue()")
    assert page.run("at('due').textContent") == "Nothing answered yet: find the move on the board."
    now = time.time()
    cards = {
        "a": {"box": 3, "due": now - 5, "right": 1, "wrong": 0},
        "b": {"box": 1, "due": now + 7200, "right": 1, "wrong": 0},
    }
    page.run(f"desk.modes.practise.cards = {json.dumps(cards)}; desk.modes.practise.showDue()")
    assert page.run("at('due').textContent") == "1 to repeat now. 2 answered, 1 learned."
    page.run("delete desk.modes.practise.cards.a; desk.modes.practise.showDue()")
    assert page.run("at('due').textContent").startswith("Nothing to repeat now; the next one is due in 2 h.")


@in_browser
def test_discs_are_counted_at_each_player_and_the_title_names_the_game(page: Browser) -> None:
    start_game(page)
    page.square("f5")
    page.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 2")
    counts = page.run(
        "[...document.querySelectorAll('#seats .discs')].map(each => each.textContent).join('-')"
    )

    assert counts == page.run("desk.viewer.position.discs")
    assert page.run("document.title") == "You \N{EN DASH} Outflank level 0 \N{MIDDLE DOT} Outflank"


@in_browser
def test_variations_stand_in_the_list_of_moves_and_lead_back(page: Browser) -> None:
    page.run("desk.enter('study'); desk.read('f5d6c3d3c4')")
    page.wait("desk.viewer.ply === 5")
    page.run("desk.mode.line(2, ['c4', 'd3']); desk.mode.line(3, ['b3']); desk.viewer.goHome()")
    listed = page.run("[...at('moves').children].map(each => each.textContent).join(' ')")
    assert listed == "f5 d6 c3 ( c4 d3 ( b3 ) ) d3 c4"
    page.run("[...at('moves').children].find(each => each.textContent === 'b3').click()")
    assert page.run("desk.viewer.game.moves.join('')") == "f5d6c4b3"
    assert page.run("at('moves').querySelectorAll('.now').length") == 1
    page.press("Escape")
    assert page.run("desk.viewer.game.trunk") is None


@in_browser
def test_the_board_is_turned_coloured_and_kept_still_by_choice(page: Browser, served: Served) -> None:
    page.run(
        "at('look-turned').click(); at('look-still').click();"
        " at('look-felt').value = 'blue'; at('look-felt').onchange()"
    )
    first = page.run("document.querySelector('#board text').getAttribute('x')")
    assert float(first) > 300  # the letter a stands on the right
    page.reload("desk.viewer.game !== null")
    assert page.run(
        "(({dataset, classList}) => [dataset.felt, classList.contains('still')])(document.documentElement)"
    ) == [
        "blue",
        True,
    ]
    page.run("localStorage.clear()")


@in_browser
def test_a_move_sounds_if_and_only_if_the_sound_is_switched_on(
    browser: Browser, served: Served, before_scripts: Any
) -> None:
    """Each move of a person or an engine, and each step forward, starts one tone that ends."""
    before_scripts(
        """window.tones = {started: 0, ended: 0};
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (...when) {
          tones.started++;
          this.addEventListener("ended", () => tones.ended++);
          return start.apply(this, when);
        };"""
    )
    browser.load(served.page)
    browser.wait("desk.viewer.game !== null")
    start_game(browser)
    browser.square("f5")
    browser.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 2")
    assert browser.run("tones.started") == 0
    browser.button("#look summary")
    browser.button("#look-sound")
    browser.button("#look summary")
    browser.square(browser.run("desk.viewer.position.moves[0]"))
    browser.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 4")
    assert browser.run("[tones.started, desk.look.audio.state]") == [2, "running"]
    browser.wait("tones.ended === 2")
    for key in ("ArrowLeft", "ArrowRight"):
        browser.press(key)
    assert browser.run("tones.started") == 3
    browser.button("#look summary")
    browser.button("#look-sound")
    for key in ("ArrowLeft", "ArrowRight"):
        browser.press(key)
    assert browser.run("[tones.started, desk.viewer.ply]") == [3, 4]
    browser.run("localStorage.clear()")


@in_browser
def test_tabs_discs_and_the_current_move_are_told_apart_in_forced_colours(
    page: Browser, served: Served
) -> None:
    page.load("about:blank")
    page.load(served.page, forced=True)
    page.wait("desk.viewer.game !== null")
    start_game(page)
    page.square("f5")
    page.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 2")
    style = "(one => getComputedStyle(document.querySelector(one)))"
    fills = [page.run(f"{style}('#seats .side.{kind}').backgroundColor") for kind in ("first", "second")]
    tabs = [
        page.run(f"{style}('[role=tab][aria-selected={value}]').borderColor") for value in ("true", "false")
    ]
    move = page.run(f"{style}('#moves .now').outlineStyle")

    assert fills[0] != fills[1]
    assert tabs[0] != tabs[1]
    assert move == "solid"


@in_browser
def test_quick_taps_do_not_zoom(page: Browser) -> None:
    names = "['#board', '#forward', '#take-back', '#tab-play']"
    touched = f"{names}.map(one => getComputedStyle(document.querySelector(one)).touchAction)"

    assert set(page.run(touched)) == {"manipulation"}


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed (Debian package nodejs)")
@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("5+3", "5m+3s"),
        ("5m+3s", "5m+3s"),
        ("5m + 3s", "5m+3s"),
        ("10m", "10m+0"),
        ("1:30", "90s+0"),
        ("10", "10m+0s"),
        ("", "none"),
        ("none", "none"),
        ("5m+30s/10", "5m+30s/10"),
    ],
)
def test_clocks_are_read_as_people_write_them(text: str, control: str) -> None:
    program = f"{bundled('numbers.js')}\nconsole.log(clockOf({json.dumps(text)}));"
    said = subprocess.run([str(NODE), "-"], input=program, capture_output=True, text=True, check=True).stdout

    assert said.strip() == control


@in_browser
@with_axe
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_any_page(
    browser: Browser, served: Served, tmp_path: Path, dark: bool
) -> None:
    browser.load(served.page, dark=dark)
    browser.wait("desk.viewer.game !== null")
    found = {"form": browser.violations()}
    start_game(browser)
    browser.square("f5")
    browser.wait(f"{PLAY}.isMine && {PLAY}.game.moves.length === 2")
    found["play"] = browser.violations()
    browser.run("desk.enter('study'); desk.mode.line(1, ['f4'])")
    browser.wait("desk.search.found !== null")
    found["study"] = browser.violations()
    browser.run("desk.enter('practise')")
    browser.wait("desk.modes.practise.asking !== null")
    found["practise"] = browser.violations()
    run = random_run(("A", "B", "C"), 1, {"format": Format.ROUND_ROBIN}, solved=20)
    browser.show(tmp_path / "report.html", page_of(run), dark=dark)
    found["report"] = browser.violations()

    assert {name: each for name, each in found.items() if each} == {}


def test_without_a_window_the_program_says_how_the_page_is_reached(tmp_path: Path) -> None:
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "TERM": "xterm", "HOME": str(tmp_path)}
    (tmp_path / "w3m").write_text("#!/bin/sh\ntouch opened\n")
    (tmp_path / "w3m").chmod(0o755)
    process = subprocess.Popen(
        [OUTFLANK, "web"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = process.stderr.readline()
    process.kill()
    process.communicate()

    assert "--listen HOST:PORT" in said
    assert not (tmp_path / "opened").exists()

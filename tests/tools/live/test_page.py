"""Games on the page of ``outflank web``: the referee decides, people take back, nothing is lost by a reload."""

import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from outflank.engine import Colour, Game, SettingsError
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers import EngineSpec
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.browser import Browser, Served, in_browser, play_on, start_game
from outflank.tests.support.fake_engine import command
from outflank.tests.support.positions import reached
from outflank.tests.support.transcripts import run
from outflank.tools.live import page as play
from outflank.tools.live.page import PageGame, Tables
from outflank.tools.page import parts

pytestmark = pytest.mark.timeout(180)
SCRIPTS = Path(parts.__file__).parent / "program"
PERSON = {"who": "person"}
LEVEL_1 = {"who": "level", "strength": 1}
SERVED = ("--engine", f"name=crashing cmd={shlex.quote(shlex.join(command('crash', turn=3)))}")


def play_to_the_end(page: Browser) -> None:
    while page.run("desk.modes.play.state.playing"):
        turns = page.run("desk.modes.play.game.moves.length")
        page.square(page.run("desk.viewer.position.moves[0]"))
        page.wait(
            f"(({{state, game, isMine, viewer}}) => !state.playing || isMine && game.moves.length > {turns}"
            " && viewer.atEnd)(desk.modes.play)"
        )


def opened(served: Served) -> ClientConnection:
    return connect(served.requests.replace("analysis", "play"))


def state(socket: ClientConnection, **expected: Any) -> dict[str, Any]:
    """Return the next state of the game, or error, that has these values."""
    while True:
        got = dict(json.loads(socket.recv(30)))
        if all(got.get(name) == value for name, value in expected.items()):
            return got


def moves_of(socket: ClientConnection, **expected: Any) -> list[str]:
    """Return the moves of the game, from the turns that each message adds, once its state has these values."""
    moves: list[str] = []
    while True:
        got = state(socket)
        if "game" in got:
            moves = got["game"].get("turns", "").split()
        moves = moves[: got["from"]] + [turn["move"] for turn in got["turns"]]
        if all(got.get(name) == value for name, value in expected.items()):
            return moves


def begin(socket: ClientConnection, black: dict[str, Any], white: dict[str, Any], **more: Any) -> None:
    socket.send(json.dumps({"do": "new", "black": black, "white": white, **more}))


@in_browser
def test_a_game_is_played_with_the_mouse_to_its_end_and_reviewed(page: Browser) -> None:
    """From a position near its end: a review of the 24 moves before takes long."""
    first = reached(1, 14)
    play_on(page, first)
    play_to_the_end(page)
    page.wait("at('verdict').textContent !== ''")
    verdict = page.run("at('verdict').textContent")
    final = Game.from_transcript(page.run("desk.modes.play.game.moves.join(' ')"), first=first).position

    assert final.is_over
    assert f"{final.discs(Colour.BLACK)}-{final.discs(Colour.WHITE)}" in verdict
    page.run("at('judge').click()")
    page.wait("desk.modeName === 'study' && desk.viewer.game.isReviewed && !at('judged').hidden", 100)
    assert page.run("at('judged').querySelectorAll('tbody tr').length") == 2


@in_browser
def test_a_click_on_the_board_begins_a_game_from_what_it_shows_with_what_the_form_says(page: Browser) -> None:
    page.run("at('start').value = 'opening'; at('opening').value = 'tiger'; desk.mode.showForm()")
    page.square("f5")
    page.wait("desk.modes.play.isMine && desk.modes.play.game.moves.length === 2")

    assert page.run(
        "[desk.modes.play.game.moves[0], desk.modes.play.game.record.white, desk.viewer.ply]"
    ) == ["f5", "Outflank level 4", 2]


@in_browser
def test_a_reload_in_the_middle_of_a_game_loses_nothing_and_moves_are_taken_back(page: Browser) -> None:
    start_game(page, clock="5m+3s")
    page.square("f5")
    page.wait("desk.modes.play.isMine && desk.modes.play.game.moves.length === 2")
    before = page.run("desk.modes.play.game.moves.join(' ')")
    page.reload("desk.modes.play.isMine")

    assert page.run(
        "[desk.modeName, desk.modes.play.game.moves.join(' '), desk.modes.play.state.clocks[0] > 299]"
    ) == ["play", before, True]
    page.run("at('take-back').click()")
    page.wait("desk.modes.play.isMine && desk.modes.play.game.moves.length === 0 && desk.viewer.ply === 0")
    page.square("d3")
    page.wait(
        "desk.modes.play.isMine && desk.modes.play.game.moves[0] === 'd3' && desk.modes.play.game.moves.length === 2"
    )


@in_browser
def test_a_pause_stops_the_clocks_and_gives_no_time_back(page: Browser) -> None:
    start_game(page, clock="5m+0")
    page.wait("desk.modes.play.state.clocks[0] === 300")
    page.run("at('pause').click()")
    page.wait("desk.modes.play.state.paused && at('verdict').textContent === 'The game is paused.'")
    left = page.run("desk.modes.play.state.clocks[0]")
    page.run("at('pause').click()")
    page.wait("desk.modes.play.isMine")

    assert left < 300
    assert page.run("desk.modes.play.state.clocks[0]") == left


@in_browser
def test_an_engine_that_crashes_loses_in_words_and_its_game_goes_on_after_a_take_back(page: Browser) -> None:
    start_game(page, white="engine:crashing")
    play_to_the_end(page)

    verdict = page.run("at('verdict').textContent")
    assert verdict.startswith("Black wins: crash.")
    assert "engine crashing exited with code 3 when asked 'genmove" in verdict
    page.run("at('take-back').click()")
    page.wait("desk.modes.play.isMine")


@in_browser
def test_a_game_is_played_by_keyboard_alone(page: Browser) -> None:
    start_game(page)
    page.run("at('board').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):  # from d4
        page.press(key)
    assert page.run("at('spoken').lastChild.textContent") == "f5, legal move"
    page.press("Enter")
    page.wait(
        "desk.modes.play.isMine && desk.modes.play.game.moves[0] === 'f5' && desk.modes.play.game.moves.length === 2"
    )


@in_browser
def test_a_position_is_set_up_linked_and_played_on(page: Browser, served: Served) -> None:
    page.run("at('tab-study').click()")
    page.wait("desk.modeName === 'study' && desk.search.found")
    page.run("at('set-up').click(); at('empty').click()")
    for name in ("c4", "d4", "d4", "e4"):  # black, white, black
        page.square(name)
    page.run("document.querySelector('[name=mover][value=O]').click(); at('set').click()")
    page.wait("desk.viewer.game.begins === 'O' && desk.viewer.game.record.start.indexOf('XOX') === 26")
    page.run("desk.read('f5d6c3d3c4')")
    page.wait("at('called').textContent.startsWith('Tiger')")
    page.run("at('share').click()")
    link = page.run("at('link').value")
    page.load("about:blank")
    page.load(served.page + "#" + link.partition("#")[2])
    page.wait(
        "desk.modeName === 'study' && at('called').textContent.startsWith('Tiger') && desk.viewer.ply === 5"
    )
    page.run("desk.viewer.go(3); at('play-on').click(); at('players').querySelector('.main').click()")
    page.wait("desk.modes.play.game?.moves.join(' ').startsWith('f5 d6 c3 ')")


@in_browser
def test_a_game_by_other_rules_has_its_own_colours(page: Browser) -> None:
    page.run("at('rules').value = 'obversi'")
    start_game(page)

    assert page.run("at('verdict').textContent") == "Your move: you play Red."
    assert page.run("document.documentElement.style.getPropertyValue('--first')") == "#b8352d"


@in_browser
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_a_telephone(page: Browser, served: Served, dark: bool) -> None:
    page.load("about:blank")
    page.load(served.page, width=360, height=740, dark=dark)
    page.wait("desk.modeName === 'play' && desk.viewer.game !== null")
    start_game(page)
    for mode in ("play", "study", "practise"):
        page.run(f"desk.enter('{mode}')")
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        assert page.run("at('board').getBoundingClientRect().width > 300")


@in_browser
def test_the_page_speaks_the_language_that_is_chosen(page: Browser) -> None:
    page.run("at('language').value = 'de'; at('language').dispatchEvent(new Event('change'))")
    page.wait(
        "document.documentElement?.lang === 'de' && document.body?.dataset.mode && desk.viewer.game !== null"
    )
    shown = page.run("[at('tab-play').textContent, at('take-back').textContent, at('title').textContent]")
    page.run("localStorage.clear()")

    assert shown[:2] == ["Spielen", "Zurücknehmen"]
    assert re.fullmatch(r" Schwarz .+ Weiß", shown[2])


def test_every_text_of_the_scripts_stands_in_the_table_of_translations() -> None:
    scripts = [file.read_text() for file in SCRIPTS.rglob("*.js")]
    used = {text for script in scripts for text in re.findall(r'\bt\("([^"]+)"', script)}
    translated = set(
        re.findall(r'"([^"]+)": \["[^"]+", "[^"]+"\]', (SCRIPTS / "translations.js").read_text())
    )

    assert len(used) > 40
    assert used - translated == set()


def test_people_engines_and_clocks_meet_before_the_referee(served: Served) -> None:
    late = reached(1, 14)  # engines take half a second for a move
    with opened(served) as socket:
        begin(socket, PERSON, PERSON, moves="f5", time="60+1")
        first = state(socket)
        assert (first["game"]["black"], first["people"]) == ("Black", ["X", "O"])
        assert (first if first["thinking"] else state(socket, thinking="O"))["clocks"] == [60, 60]
        socket.send('{"do": "move", "move": "a1"}')
        while "error" not in (refused := state(socket)):
            pass
        socket.send('{"do": "move", "move": "f6"}')
        while not (played := state(socket)).get("turns"):
            pass
        moved = played if played["thinking"] else state(socket, thinking="X")
        socket.send('{"do": "resign"}')
        over = state(socket, playing=False)
        begin(socket, LEVEL_1, {"who": "elo", "strength": 600}, position=late.board_string())
        watched = moves_of(socket, ending="discs")

    assert "a1" in refused["error"]
    assert [turn["move"] for turn in played["turns"]] == ["f6"]
    assert "game" not in played
    assert len(json.dumps(played)) < 500
    assert 60 < moved["clocks"][1] <= 61
    assert (over["ending"], over["winner"], over["detail"]) == ("resignation", "O", "Black resigned")
    assert Game.from_transcript(" ".join(watched), first=late).position.is_over


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ('{"do": "attach", "game": "x"}', "no longer known"),
        ('{"do": "new"}', "missing required field black"),
        ('{"do": "new", "black": {"who": "./evil"}, "white": {"who": "person"}}', "expected a player"),
        (
            '{"do": "new", "black": {"who": "person"}, "white": {"who": "level", "strength": true}}',
            "expected int | null, got bool for white.strength",
        ),
        ('{"do": []}', "expected str for do"),
        ('{"do": "undo"}', "invalid value 'undo' for do"),
        (
            '{"do": "new", "black": {"who": "person"}, "white": {"who": "level", "strength": 99}}',
            "level",
        ),
        ("nonsense", "JSON"),
    ],
)
def test_a_request_that_cannot_be_met_is_refused_in_words(served: Served, request_: str, reason: str) -> None:
    with opened(served) as socket:
        socket.send(request_)
        assert reason in json.loads(socket.recv(10))["error"]


def test_taking_back_keeps_the_given_opening_and_gives_no_time(served: Served) -> None:
    """The increment of the move goes back with it."""
    with opened(served) as socket:
        begin(socket, PERSON, PERSON, moves="f5d6c3d3", time="60+30")
        state(socket, thinking="X")
        socket.send('{"do": "take_back"}')
        refused, is_back = "", False
        while not (refused and is_back):  # in any order
            got = state(socket)
            refused, is_back = got.get("error", refused), is_back or got.get("thinking") == "X"
        socket.send('{"do": "move", "move": "c4"}')
        moved = state(socket, thinking="O")
        socket.send('{"do": "take_back"}')
        back = state(socket, thinking="X")

    assert "there is no move of yours to take back" in refused
    assert moved["clocks"][0] > 80
    assert 50 < back["clocks"][0] <= 60  # in hundredths, of which the move may have taken none


def test_a_wrong_request_does_not_end_the_connection(served: Served) -> None:
    with opened(served) as socket:
        for wrong in ("", "[]", '{"do": []}', '{"do": {}}', '{"do": "move", "move": []}'):
            socket.send(wrong)
            assert "error" in json.loads(socket.recv(10))
        begin(socket, PERSON, PERSON)
        assert state(socket, thinking="X")["playing"] is True


def engine_called(name: str) -> str:
    return f"name={name} cmd={shlex.quote(shlex.join(command()))}"


def test_an_engine_may_be_called_like_a_kind_of_player() -> None:
    with Served("--engine", engine_called("level")) as own, opened(own) as socket:
        for player, name in (({"who": "engine:level"}, "level"), (LEVEL_1, "Outflank level 1")):
            begin(socket, player, PERSON)
            while not (shown := state(socket).get("game")):
                pass
            assert shown["black"] == name


def test_the_games_that_run_at_once_are_bounded_however_they_were_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Paused games give their engines up for others, and come back when there is room."""
    monkeypatch.setattr(play, "_MOST_RUNNING", 2)
    engine = EngineSpec("E", shlex.join(command()), TimeControl.parse("none"))
    person = EngineSpec("You", "", TimeControl.parse("none"))
    tables = Tables([], lambda asked: AnnotatedGame())
    games = [
        PageGame(
            AnnotatedGame(), {Colour.BLACK: engine, Colour.WHITE: person}, lambda game: None, tables._admit
        )
        for _ in range(3)
    ]
    tables._games = {game.id: game for game in games}

    def begin(game: PageGame) -> None:
        game.start()
        while game.thinking is not Colour.WHITE:
            time.sleep(0.01)

    for game in games:
        begin(game)
        game.pause()
    assert [game.is_open for game in games] == [False, True, True]
    begin(games[0])
    begin(games[1])
    assert [game.is_open for game in games] == [True, True, False]
    for refused in (games[2].start, games[2].take_back):
        with pytest.raises(SettingsError, match=r"2 games are being played|no move of yours"):
            refused()
    assert not games[2].is_open
    tables.close()
    assert not any(game.is_open for game in games)


def test_engines_that_do_not_end_by_themselves_are_ended_together() -> None:
    """One after the other they would take more than a second each."""
    engine = EngineSpec("E", shlex.join(command("stubborn")), TimeControl.parse("none"))
    person = EngineSpec("You", "", TimeControl.parse("none"))
    tables = Tables([], lambda asked: AnnotatedGame())
    for _ in range(6):
        game = PageGame(AnnotatedGame(), {Colour.BLACK: engine, Colour.WHITE: person}, lambda game: None)
        tables._games[game.id] = game
        game.start()
    for game in tables._games.values():
        while game.thinking is not Colour.WHITE:
            time.sleep(0.01)
    began = time.monotonic()
    tables.close()

    assert time.monotonic() - began < 4


def test_a_person_who_thinks_too_long_loses_on_time() -> None:
    people = {colour: EngineSpec(str(colour), "", TimeControl.parse("0.1")) for colour in Colour}
    game = PageGame(AnnotatedGame(), people, lambda game: None)
    game.start()
    assert game._thread is not None
    game._thread.join(10)

    assert game.ended is not None
    assert (str(game.ended.ending), game.ended.detail) == ("time", "black ran out of time")


def test_a_game_that_no_page_shows_is_interrupted_and_goes_on_when_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(play, "_PACE_SECONDS", 0.05)
    engine = EngineSpec("A", "outflank gtp --level 1 --hash 1", TimeControl.parse("none"))
    game = PageGame(AnnotatedGame(), dict.fromkeys(Colour, engine), lambda game: None)
    game.start()
    while len(game.turns) < 4:
        time.sleep(0.01)
    game.close_if_left()
    played = list(game.turns)
    assert (game.is_running, game.ended) == (False, None)
    game.start()
    while game.ended is None:
        time.sleep(0.05)

    assert list(game.ended.turns[: len(played)]) == played
    assert str(game.ended.ending) == "discs"


def test_a_page_says_who_can_play_engines_of_different_names() -> None:
    with Served("--listen=0.0.0.0:0", "--engine", "name=mine cmd=x") as own:
        assert own.process.stderr is not None
        warning = own.process.stderr.readline()
    refused = run("web", "--engine", "name=x cmd=x", "--engine", "name=x cmd=y", code=2)

    assert "two engines are called 'x'" in refused.stderr
    assert re.search(
        r"anyone who can reach http://\S+ and knows the address can .* play against Outflank, mine", warning
    )

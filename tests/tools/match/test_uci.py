"""Engines that speak UCI: what they are told and asked, and their faults by name; Fairy-Stockfish where it is named."""

import os
import shlex
from collections.abc import Callable, Iterator

import pytest

from outflank.engine import Colour, Position, Rules
from outflank.protocol.drivers.clock import SideClock, TimeControl
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.uciclient import UciClient, position_line
from outflank.tests.support import fake_uci_engine
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.runs import Sit, referee
from outflank.tools.match.game.players import Player, UciPlayer, make_player
from outflank.tools.match.game.results import Ending
from outflank.tools.match.game.setup import uci_limits

SitUci = Callable[..., Player[UciClient]]


@pytest.fixture
def sit_uci() -> Iterator[SitUci]:
    """Players of the fake engine that are gone when the test is over."""
    players: list[Player[UciClient]] = []

    def sit_down(
        fault: str = "none",
        turn: int = 2,
        extra: str = "",
        heard: list[str] | None = None,
        rules: str = "othello",
    ) -> Player[UciClient]:
        cmd = shlex.quote(shlex.join(fake_uci_engine.command(fault, turn)))
        listener = None if heard is None else lambda *words: heard.append(" ".join(words))
        text = f"name=U cmd={cmd} protocol=uci {extra}"
        players.append(make_player(EngineSpec.parse(text), Rules.parse(rules), on_line=listener))
        return players[-1]

    yield sit_down
    for player in players:
        player.stop(0.1)


@pytest.mark.parametrize("opening", ["", WITH_PASSES[:-4]])
def test_it_plays_the_game_that_two_gtp_engines_play(sit: Sit, sit_uci: SitUci, opening: str) -> None:
    player = sit_uci()
    game = referee(player, sit(turn=90, name="G"), opening=opening)

    assert isinstance(player, UciPlayer)
    assert game.ending is Ending.DISCS
    assert game.transcript == referee(sit(turn=90), sit(turn=90, name="G"), opening=opening).transcript
    assert opening or [turn.score for turn in game.turns if turn.colour is Colour.BLACK][:3] == [
        1.0,
        2.0,
        3.0,
    ]


@pytest.mark.parametrize("opening", ["", WITH_PASSES[:-20]])
def test_outflank_plays_the_game_by_uci_that_it_plays_by_gtp(sit: Sit, opening: str) -> None:
    text = "cmd='outflank {0}' protocol={0} level=3 book=none"
    players = [make_player(EngineSpec.parse(text.format(name)), Rules()) for name in ("uci", "gtp")]
    try:
        by_uci, by_gtp = (referee(player, sit(turn=90), opening=opening) for player in players)
    finally:
        for player in players:
            player.stop()

    assert by_uci.ending is Ending.DISCS
    assert by_uci.transcript == by_gtp.transcript
    assert None not in [turn.score for turn in by_uci.turns if turn.colour is Colour.BLACK and turn.seconds]


@pytest.mark.parametrize(
    ("fault", "ending", "detail"),
    [
        ("crash", Ending.CRASH, "engine U exited with code 3 when asked 'go depth 10'"),
        ("silence", Ending.STALL, "engine U gave no complete answer in time when asked 'go depth 10'"),
        ("endless search", Ending.STALL, "no complete answer in time"),
        ("illegal", Ending.ILLEGAL_MOVE, "engine U played 'a1': "),
        ("null move", Ending.PROTOCOL_ERROR, "engine U: expected a move as its answer, got '0000'"),
        ("empty", Ending.PROTOCOL_ERROR, "engine U: expected a move as its answer, got ''"),
    ],
)
def test_each_fault_is_a_named_loss(
    sit: Sit, sit_uci: SitUci, fault: str, ending: Ending, detail: str
) -> None:
    game = referee(sit_uci(fault), sit(name="G"), stall=1.5)

    assert (game.ending, game.winner) == (ending, Colour.WHITE)
    assert detail in game.detail


@pytest.mark.parametrize("fault", ["mate", "too much"])
def test_a_score_that_no_game_can_have_is_not_kept(sit: Sit, sit_uci: SitUci, fault: str) -> None:
    game = referee(sit_uci(fault, turn=1), sit(name="G"))

    assert game.ending is Ending.DISCS
    assert {turn.score for turn in game.turns if turn.colour is Colour.BLACK} == {None}


@pytest.mark.parametrize(
    ("fault", "extra", "rules", "sentence"),
    [
        ("chess alone", "", "othello", r"engine U does not play Othello: UCI_Variant can't be flipello"),
        (
            "none",
            "option.Contempt=3",
            "othello",
            r"has no option 'Contempt'; it has Threads, Move Overhead, UCI_Var",
        ),
        ("none", "level=3", "othello", r"has no option 'level'"),
        ("none", "", "obversi", r"engine U: UCI engines know Othello's moves only, not obversi"),
    ],
)
def test_an_engine_that_cannot_be_told_is_unfit(
    sit_uci: SitUci, fault: str, extra: str, rules: str, sentence: str
) -> None:
    with pytest.raises(UnfitEngineError, match=sentence):
        sit_uci(fault, extra=extra, rules=rules).make_ready()


def test_an_engine_of_another_protocol_is_not_waited_for(sit: Sit, sit_uci: SitUci) -> None:
    game = referee(sit_uci("speaks GTP"), sit(name="G"))

    assert game.detail.startswith("engine U is no UCI engine: expected 'uciok', got '? unknown command'")


def test_it_is_sent_its_options_its_commands_and_the_board(sit: Sit, sit_uci: SitUci) -> None:
    heard: list[str] = []
    extra = "threads=2 option.'Move Overhead'=50 command='debug on' depth=4"
    referee(sit_uci(extra=extra, heard=heard), sit(name="G"))

    sent = [line.removeprefix("U > ") for line in heard if line.startswith("U > ")]
    assert sent[:9] == [
        "uci",
        "setoption name UCI_Variant value flipello",
        "setoption name Move Overhead value 50",
        "setoption name Threads value 2",
        "debug on",
        "isready",
        "ucinewgame",
        "isready",
        position_line(Position.start()),
    ]
    assert sent[9:11] == ["isready", "go depth 4"]


def test_blacks_discs_are_whites_pieces_and_squares_keep_their_names() -> None:
    after = Position.start().play("f5")

    assert position_line(after) == (f"position fen 8/8/8/3PPP2/3pP3/8/8/8[{'P' * 59}{'p' * 59}] b - - 0 1")
    assert fake_uci_engine.read_position(position_line(after).removeprefix("position ")) == after


@pytest.mark.parametrize(
    ("control", "extra", "limits"),
    [
        ("0.5", "", "movetime 500"),
        ("0.5", "nodes=900", "nodes 900 movetime 500"),
        ("60+0", "", "wtime 60000 btime 60000 winc 0 binc 0"),
        ("60+1.5", "", "wtime 60000 btime 60000 winc 1500 binc 1500"),
        ("0+6/3", "", "wtime 6000 btime 6000 winc 0 binc 0 movestogo 3"),
        ("none", "depth=7", "depth 7"),
        ("none", "", "depth 10"),
        ("none", "cmd='outflank uci'", ""),
    ],
)
def test_its_clock_is_sent_with_each_question(control: str, extra: str, limits: str) -> None:
    command = "" if "cmd=" in extra else "cmd=x"
    entry = EngineSpec.parse(f"{command} protocol=uci time={control} {extra}")

    assert uci_limits(entry, SideClock(TimeControl.parse(control))) == limits


@pytest.mark.skipif(
    "OUTFLANK_FAIRY" not in os.environ, reason="OUTFLANK_FAIRY names the command of Fairy-Stockfish"
)
def test_fairy_stockfish_plays_a_game(sit: Sit) -> None:
    """``OUTFLANK_FAIRY="fairy-stockfish"``, or ``cmd='node uci.js' dir=FOLDER`` as an engine is entered."""
    text = os.environ["OUTFLANK_FAIRY"]
    entry = text if "cmd=" in text else f"cmd={shlex.quote(text)}"
    player = make_player(EngineSpec.parse(f"name=F protocol=uci depth=3 {entry}"), Rules())
    try:
        game = referee(player, sit(name="G"), stall=60)
    finally:
        player.stop()

    assert game.ending is Ending.DISCS
    assert any(turn.score for turn in game.turns if turn.colour is Colour.BLACK)

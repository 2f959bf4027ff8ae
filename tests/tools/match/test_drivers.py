"""Engines of each protocol under the referee: their games, scores, books and claims, and their faults by name."""

import os
import shlex
import sys

import pytest

from outflank.engine import Colour, Rules
from outflank.engine.evaluation import weights
from outflank.protocol.drivers import EngineSpec, make_driver
from outflank.protocol.formats import ggf
from outflank.tests.support.books import small_book
from outflank.tests.support.dialogue import Sit, fake_driver
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.runs import page_of, referee, replays, run_of, summary_of
from outflank.tests.tools.match.test_referee import FAULTS
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.report.figures import Figures

SET_GAME = "A > set game "


def test_a_game_keeps_name_and_version_of_engines_in_their_own_words(sit: Sit) -> None:
    command = shlex.join([sys.executable, "-m", "outflank", "gtp"])
    with make_driver(EngineSpec.parse(f"name=C cmd={shlex.quote(command)}"), Rules()) as outflank:
        outflank.open()
    game = referee(sit("crash in genmove"), sit(name="N", speak="nboard"), opening="f5d6")

    assert outflank.identity == f"Outflank {weights.version()}"
    assert game.identities == {"A": "fake", "N": "Fake Engine"}


def scores(game: GameRecord) -> list[float | None]:
    return [turn.score for turn in game.turns]


def test_what_an_engine_says_of_its_positions_is_kept_from_blacks_side(sit: Sit) -> None:
    """The fake says that it is a disc ahead for each move it has chosen."""
    game = referee(sit("aloud", turn=90), sit("aloud", turn=90, name="B"), opening="f5d6")

    assert game.ending is Ending.DISCS
    assert scores(game)[:6] == [None, None, 1.0, -1.0, 2.0, -2.0]
    assert all((turn.score is None) == (turn.seconds is None) for turn in game.turns)


@pytest.mark.parametrize("fault", ["crash", "silence", "illegal", "resign", "refuse", "nonsense", "empty"])
def test_faults_have_the_same_names_when_an_engine_thinks_aloud(sit: Sit, fault: str) -> None:
    """The fault strikes in a command that is longer and answered by several lines."""
    game = referee(sit(f"{fault} aloud"), sit(name="B"))
    plain = {name: ending for name, ending, _ in FAULTS}

    assert (game.ending, game.winner) == (plain[fault], Colour.WHITE)


def test_a_false_claim_of_the_score_is_noted_and_changes_nothing(sit: Sit) -> None:
    true, false = sit("true score"), sit("false score", name="B", turn=90)
    games = [referee(true, false) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert true.remarks == []
    (remark,) = false.remarks
    assert remark.startswith("B reports a wrong final score: 'B+1' for ")
    referee(sit(), endless := sit("endless score", name="C"))
    (remark,) = endless.remarks
    assert remark.startswith("C reports a wrong final score: 'B+1B+1")
    assert len(remark) < 400


def test_an_engine_that_hangs_when_the_game_is_over_spoils_nothing(sit: Sit) -> None:
    hanging = sit("no answer to score")
    games = [referee(hanging, sit(name="B")) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    (remark,) = hanging.remarks
    assert remark.startswith("A fails when a game is over: engine A gave no complete answer in time")


@pytest.mark.parametrize(
    ("speak", "fault", "ending", "detail"),
    [
        ("nboard", "closed input", Ending.CRASH, "engine A closed its input but keeps running"),
        ("nboard", "crash on game", Ending.CRASH, "engine A exited with code 4 when asked 'ping"),
        ("nboard", "leave after move", Ending.CRASH, "engine A exited with code 0 when asked 'ping"),
        ("nboard", "illegal", Ending.ILLEGAL_MOVE, "engine A: a1 is illegal; "),
        ("nboard", "resign", Ending.RESIGNATION, "engine A resigned"),
        (
            "nboard",
            "no move without a depth",  # here the depth that its user gives it has no number
            Ending.STALL,
            " when asked 'go'; "
            """its last output was 'warning Must pick a depth with "set depth <n>" first'""",
        ),
        ("uci", "illegal", Ending.ILLEGAL_MOVE, "engine A: a1 is illegal; "),
        ("uci", "null move", Ending.PROTOCOL_ERROR, "engine A: expected a move as its answer, got '0000'"),
        ("uci", "empty", Ending.PROTOCOL_ERROR, "engine A: expected a move as its answer, got ''"),
        (
            "uci",
            "speaks GTP",
            Ending.PROTOCOL_ERROR,
            "engine A does not speak UCI: expected 'uciok', got '? unkn",
        ),
    ],
)
def test_each_fault_of_other_protocols_is_a_named_loss(
    sit: Sit, speak: str, fault: str, ending: Ending, detail: str
) -> None:
    """A game by GTP has its own table: test_referee.py."""
    extra = "command='set depth'" if "depth" in fault else ""
    game = referee(sit(fault, speak=speak, extra=extra), sit(name="G"), stall=1.5)

    assert (game.ending, game.winner) == (ending, Colour.WHITE)
    assert detail in game.detail
    assert ending is not Ending.STALL or " s (1.5 allowed" in game.detail


@pytest.fixture(scope="module")
def usual() -> str:
    """Return the game of two GTP engines."""
    with fake_driver(turn=90) as black, fake_driver(turn=90, name="G") as white:
        return referee(black, white).transcript


@pytest.mark.parametrize(
    ("speak", "fault"),
    [
        *(("nboard", fault) for fault in ("none", "blanks", "no score", "twice", "error flood", "too much")),
        *(("nboard", fault) for fault in ("banner", "no move without a depth")),
        *(("uci", fault) for fault in ("none", "error flood", "mate", "too many pieces", "banner")),
    ],
)
def test_what_is_no_fault_is_played_to_the_end(sit: Sit, usual: str, speak: str, fault: str) -> None:
    """The fake engines of all protocols play alike: the game is that of two GTP engines."""
    game = referee(sit(fault, speak=speak), sit(turn=90, name="G"), stall=20)

    assert game.ending is Ending.DISCS
    assert game.transcript == usual
    assert fault != "none" or scores(game)[:6:2] == [1.0, 2.0, 3.0]


def test_nboard_is_sent_the_whole_game_with_passes_and_times(sit: Sit) -> None:
    heard: list[str] = []
    black, white = sit(turn=90, name="G"), sit(heard=heard, turn=90, time="600+2", speak="nboard")
    game = referee(black, white, opening=WITH_PASSES[:-4])
    records = [line.removeprefix(SET_GAME) for line in heard if line.startswith(SET_GAME)]

    assert game.ending is Ending.DISCS
    for text in records:
        record = ggf.parse(text, Rules())
        known = game.turns[: len(record.moves)]
        assert [played.move for played in record.moves] == [turn.move for turn in known]
        assert (record.clock, record.black, record.white) == ("10:00/0:02", "opponent", "A")
        for played, turn in zip(record.moves, game.turns, strict=False):
            assert (played.seconds is None) == (turn.seconds is None)
            assert turn.seconds is None or played.seconds == pytest.approx(turn.seconds, abs=0.001)
            assert played.score is None
    assert "[PA]" in records[-1]


def test_each_game_begins_at_the_start(sit: Sit) -> None:
    heard: list[str] = []
    kept = sit(heard=heard, turn=90, speak="nboard")
    for _ in range(2):
        referee(kept, sit(turn=90, name="G"))

    assert sum(line.startswith(SET_GAME) and "]B[" not in line for line in heard) == 2
    assert heard.count("A > nboard 2") == 1


@pytest.mark.parametrize("opening", ["", WITH_PASSES[:-20]])
def test_outflank_plays_the_game_by_uci_that_it_plays_by_gtp(sit: Sit, opening: str) -> None:
    text = "cmd='outflank {0}' protocol={0} level=3 book=none"
    specs = [EngineSpec.parse(text.format(name)) for name in ("uci", "gtp")]
    with make_driver(specs[0], Rules()) as uci, make_driver(specs[1], Rules()) as gtp:
        by_uci, by_gtp = (referee(driver, sit(turn=90), opening=opening) for driver in (uci, gtp))

    assert by_uci.ending is Ending.DISCS
    assert by_uci.transcript == by_gtp.transcript
    assert None not in [turn.score for turn in by_uci.turns if turn.colour is Colour.BLACK and turn.seconds]


@pytest.mark.skipif(
    "OUTFLANK_FAIRY" not in os.environ, reason="OUTFLANK_FAIRY names the command of Fairy-Stockfish"
)
def test_fairy_stockfish_plays_a_game(sit: Sit) -> None:
    """``OUTFLANK_FAIRY="fairy-stockfish"``, or ``cmd='node uci.js' dir=FOLDER`` as an engine is entered."""
    text = os.environ["OUTFLANK_FAIRY"]
    spec = text if "cmd=" in text else f"cmd={shlex.quote(text)}"
    with make_driver(EngineSpec.parse(f"name=F protocol=uci depth=3 {spec}"), Rules()) as driver:
        game = referee(driver, sit(name="G"), stall=60)

    assert game.ending is Ending.DISCS
    assert any(turn.score for turn in game.turns if turn.colour is Colour.BLACK)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> GameRecord:
    """Return a by GTP and B by NBoard's protocol; both know the opening f5 d6 c4, B the reply d3 too."""
    path = small_book(tmp_path_factory.mktemp("book"))
    first = EngineSpec.parse(f"name=A cmd='outflank gtp' level=1 book={path}")
    second = EngineSpec.parse(f"name=B cmd='outflank nboard' protocol=nboard level=1 book={path}")
    with make_driver(first, Rules()) as black, make_driver(second, Rules()) as white:
        return referee(black, white, stall=30)


def test_moves_from_a_book_are_known_in_either_protocol_and_their_share_is_shown(game: GameRecord) -> None:
    told = [turn.from_book for turn in game.turns]

    assert game.ending is Ending.DISCS
    assert told[:4] == [True, True, True, True]
    assert set(told[4:]) <= {False, None}
    assert all(turn.from_book is None or turn.seconds is not None for turn in game.turns)

    run = run_of([game])
    engines = {engine.spec.name: engine.book_moves for engine in Figures(run).engines}
    known = {
        name: sum(turn.from_book is not None and turn.colour is colour for turn in game.turns)
        for name, colour in (("A", Colour.BLACK), ("B", Colour.WHITE))
    }
    page = page_of(run)

    assert engines == {name: (2, moves) for name, moves in known.items()}
    assert f'<td class="number">{200 / known["A"]:.1f} %</td>' in page
    (replayed,) = replays(page)
    assert replayed["booked"][:4] == [True] * 4
    assert [engine["book_moves"] for engine in summary_of(run)["engines"]] == [2, 2]

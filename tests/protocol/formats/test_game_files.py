"""Games as other programs write them: each format's habits, and what is made of them."""

import pytest

from outflank.engine import PRESETS, Colour, Game, Move, Position
from outflank.protocol.formats import ggf, sgf_write
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Ending, Recorder, Result
from outflank.tests.protocol.formats.reading import only, read

START = "---------------------------O*------*O--------------------------- *"
# Black passes after the eighth move.
WITH_A_PASS = "d3c3e6d2d1e1b2c1a3"


def moves(game: AnnotatedGame) -> str:
    return game.game().transcript(passes=True)


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3",
        "F5D6C3",
        "f5 d6 c3",
        "1. f5 d6 2. c3",
        "1.f5 2.d6 3.c3",
        "1 f5 2 d6 3 c3",
        "\ufeff1. F5 D6\n2. C3\n",
        "1. f5\n2. d6\n3. c3\n",
        "# a comment\n\nf5d6c3 # another",
        "f5d6c3\r\n",
    ],
)
def test_a_transcript_is_read_however_it_is_written(text: str) -> None:
    assert moves(only(text)) == "f5d6c3"


@pytest.mark.parametrize("word", ["", "pa", "PA", "ps", "pass", "--"])
def test_passes_are_read_in_every_form_or_left_out(word: str) -> None:
    expected = f"{WITH_A_PASS[:-2]}pa{WITH_A_PASS[-2:]}"

    assert moves(only(f"{WITH_A_PASS[:-2]}{word}{WITH_A_PASS[-2:]}")) == expected
    text = "".join(
        f"{'BW'[at % 2] if at < 8 else 'W'}[{WITH_A_PASS[2 * at : 2 * at + 2]}]{';' if at < 8 else ''}"
        for at in range(9)
    )
    passed = text.replace(";W[a3]", f";B[{word}];W[a3]") if word else text
    assert moves(only(f"(;GM[2];{passed})")) == expected


def test_a_numbered_line_is_a_game_of_its_own_unless_it_goes_on() -> None:
    games = read("1. f5d6c3d3c4\n2. f5d6c3d3c4\n3. f5f6e6\n4. f4\n")

    assert [moves(game) for game in games if isinstance(game, AnnotatedGame)] == [
        "f5d6c3d3c4",
        "f5d6c3d3c4",
        "f5f6e6f4",
    ]


def test_ggf_as_the_server_writes_it() -> None:
    text = (
        "1 (;GM[Othello]PC[GGS/os]DT[2003.05.17_12:30:00.GMT]PB[ant\\one]PW[b (2)]RB[2404.12]RW[1900]"
        f"TI[15:00//02:00]TY[8]RE[+12.000]BO[8 {START}]B[F5/1.25/3.5]W[d6//2]B[C3/-4];)"
    )
    game = only(text)

    assert (game.black, game.white, game.black_rating, game.white_rating) == (
        "ant\\one",
        "b (2)",
        2404.12,
        1900,
    )
    assert (game.place, game.date, game.clock) == ("GGS/os", "2003.05.17_12:30:00.GMT", "15:00//02:00")
    assert game.result == Result(Colour.BLACK, 12)
    assert [(move.score, move.seconds) for move in game.moves] == [(1.25, 3.5), (None, 2.0), (-4.0, None)]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("?", None),
        ("+0.00", Result(None, 0)),
        ("-64.00", Result(Colour.WHITE, -64)),
        ("+64.00:r", Result(Colour.BLACK, None, Ending.RESIGNATION)),
        ("-64.00:t", Result(Colour.WHITE, None, Ending.TIME)),
        ("+4.00:s", Result(Colour.BLACK, 4, Ending.AGREEMENT)),
        ("-3.50", Result(Colour.WHITE, None)),  # with komi
        ("-100.00", Result(Colour.WHITE, None)),
    ],
)
def test_results_in_ggf(text: str, result: Result | None) -> None:
    assert only(f"(;GM[Othello]RE[{text}]BO[8 {START}];)").result == result


@pytest.mark.parametrize("kind", ["10", "s10r18", "8a", "x", "8ar"])
def test_other_games_in_ggf_are_refused(kind: str) -> None:
    (game,) = read(f"(;GM[Othello]TY[{kind}]BO[8 {START}];)")

    assert str(game) == f"game 1: expected a game on 8 by 8 squares to the most discs, got TY[{kind}]"


def test_a_ggf_start_board_of_its_own() -> None:
    """NBoard separates rows by blanks."""
    rows = " ".join(["--------"] * 3 + ["---*O---", "---O*---"] + ["--------"] * 3)
    game = only(f"(;GM[Othello]TY[s8r20]BO[8 {rows} O]W[E6];)")

    assert game.first.side is Colour.WHITE
    assert moves(game) == "e6"


@pytest.mark.parametrize("blank", ["\n", "\t", "\r\n", "  "])
def test_any_blank_separates_a_ggf_start_board_from_its_size(blank: str) -> None:
    assert moves(only(f"(;GM[Othello]BO[8{blank}{START}]B[F5];)")) == "f5"


@pytest.mark.parametrize("text", ["", "8", "10 -", "x"])
def test_a_ggf_start_board_that_is_none_is_named(text: str) -> None:
    (game,) = read(f"(;GM[Othello]BO[{text}];)")

    assert isinstance(game, BadGame)
    assert "expected" in game.reason


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("B+12", Result(Colour.BLACK, 12)),
        ("W+4.0", Result(Colour.WHITE, -4)),
        ("W+R", Result(Colour.WHITE, None, Ending.RESIGNATION)),
        ("B+Time", Result(Colour.BLACK, None, Ending.TIME)),
        ("B+F", Result(Colour.BLACK, None, Ending.FORFEIT)),
        ("B+", Result(Colour.BLACK, None)),
        ("W+100", Result(Colour.WHITE, None)),
        ("B+-2", Result(Colour.BLACK, None)),
        ("B+3.5", Result(Colour.BLACK, None)),
        ("0", Result(None, 0)),
        ("Draw", Result(None, 0)),
        ("Void", None),
        ("?", None),
        ("", None),
    ],
)
def test_results_in_sgf(text: str, result: Result | None) -> None:
    assert only(f"(;GM[2]RE[{text}])").result == result


def test_a_winner_without_a_margin_is_given_none() -> None:
    game = AnnotatedGame(result=Result(Colour.WHITE))

    assert only(sgf_write.write(game)).result == game.result
    assert only(ggf.write(game)).result == Result(Colour.WHITE, None, Ending.RESIGNATION)


def test_texts_in_sgf_have_the_encoding_that_they_say() -> None:
    assert only(b"(;GM[2]CA[ISO-8859-2]PB[\xb3])").black == "ł"
    assert only("(;GM[2]PB[ü \\] x]C[two\nlines])").comment == "two\nlines"
    assert only(b"(;GM[2]PB[\xfc])").black == "ü"


def test_the_outcome_is_the_boards_where_the_record_is_silent() -> None:
    wipe_out = "f5d6c5f4e3f6g5e6e7"

    assert only(wipe_out).result is None
    assert only(wipe_out).outcome == Result(Colour.BLACK, 64)
    assert only("f5d6").outcome is None


def test_other_rules_go_with_a_transcript_from_outside() -> None:
    rules = PRESETS["ravensburger-1987"]
    game = Game(rules)
    while len(game.turns) < 30:
        game.play(game.position.legal_moves()[-1])

    assert moves(only(game.transcript(), rules=rules)) == game.transcript(passes=True)


def test_a_recorder_names_the_move_and_makes_implied_passes() -> None:
    recorder = Recorder(Position.parse("XO------" + "-" * 55 + "X O"))
    recorder.play(Move.parse("c1"), seconds=2.0)

    assert [(move.move.is_pass, move.seconds) for move in recorder.moves] == [(True, None), (False, 2.0)]
    recorder.play("pass")  # the game is over
    with pytest.raises(ValueError, match=r"^move 3: "):
        recorder.play("d1")


@pytest.mark.parametrize(
    ("text", "branches"),
    [
        ("(;GM[2];B[f5];W[d6])", False),
        ("(;GM[2];B[f5](;W[d6]))", False),
        ("(;GM[2];B[f5](;W[d6];B[c3])(;W[f6]))", True),
        ("(;GM[2](;B[f5](;W[d6])(;W[f6])))", True),
    ],
)
def test_an_sgf_game_says_whether_it_has_variations(text: str, branches: bool) -> None:
    assert only(text).has_branches is branches


def test_a_comment_with_a_game_in_it_cuts_no_game() -> None:
    recorder = Recorder(Position.start())
    recorder.play("f5", seconds=0.25, comment="(;FF[4] as pasted\n(;GM[2]\\")
    game = AnnotatedGame(Position.start(), recorder.moves, comment="see\n(;CA[UTF-8]")

    assert only(sgf_write.write(game)) == game


def test_zero_has_no_sign() -> None:
    recorder = Recorder(Position.start())
    recorder.play("f5", score=-0.001)
    recorder.play("d6", score=0.0)
    game = AnnotatedGame(Position.start(), recorder.moves)

    assert "B[F5/0.00]W[D6/0.00]" in ggf.write(game)
    assert sgf_write.write(game).count("V[0.00]") == 2

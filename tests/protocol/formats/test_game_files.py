"""Games as other programs write them: each format's habits, and what is made of them."""

import re
import struct
import time
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Colour, FileFormatError, Game, Move, Position, Rules, SettingsError
from outflank.protocol.formats import ggf, obf, pgn, read_games, sgf, transcript, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Recorder, Result, ResultReason
from outflank.protocol.formats.wthor import WthorWriter
from outflank.tests.support.gamefiles import games_in, one_move, only, read

START = "---------------------------O*------*O--------------------------- *"
# Black passes after the eighth move.
WITH_A_PASS = "d3c3e6d2d1e1b2c1a3"
OVER = "f5d6c5f4e3f6g5e6e7"  # Black wins by 64, with 13 discs on the board


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
        "f5-d6-c3",
        "F5 - D6 - C3",
        "1. f5 d6\n2. c3\n",
        "1. f5\nd6 2. c3",
        "# a comment\n\nf5d6c3 # another",
        "f5d6c3\r\n",
    ],
)
def test_a_transcript_is_read_however_it_is_written(text: str) -> None:
    assert moves(only(text)) == "f5d6c3"


@pytest.mark.parametrize("word", ["", "pa", "PA", "ps", "pass", "--", "@@@@"])
def test_passes_are_read_in_every_form_or_left_out(word: str) -> None:
    expected = f"{WITH_A_PASS[:-2]}pa{WITH_A_PASS[-2:]}"

    assert moves(only(f"{WITH_A_PASS[:-2]}{word}{WITH_A_PASS[-2:]}")) == expected
    text = "".join(
        f"{'BW'[at % 2] if at < 8 else 'W'}[{WITH_A_PASS[2 * at : 2 * at + 2]}]{';' if at < 8 else ''}"
        for at in range(9)
    )
    passed = text.replace(";W[a3]", f";B[{word}];W[a3]") if word else text
    assert moves(only(f"(;GM[2];{passed})")) == expected
    assert moves(only(f"(;GM[2];{passed.replace(f'B[{word}]', 'B[tt]')})")) == expected
    assert (
        moves(only(f'[Event "x"]\n\n{" ".join(re.findall("..", WITH_A_PASS[:-2]))} {word} a3 *')) == expected
    )


def test_single_dashes_separate_moves_and_double_ones_are_passes() -> None:
    game = only(f"{'-'.join(re.findall('..', WITH_A_PASS[:-2]))}---a3")

    assert moves(game) == f"{WITH_A_PASS[:-2]}pa{WITH_A_PASS[-2:]}"
    assert only(f"{WITH_A_PASS[:-2]}--{WITH_A_PASS[-2:]}") == game


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("1. f5 d6 2. c3 d3 40-24\n", ["f5d6c3d3 +16"]),  # copied from a server
        ("1. f5 d6\n2. c3\nd3 40-24\n\n1. f5 30-34\n1. f5 d6 1-0", ["f5d6c3d3 +16", "f5 -4", "f5d6 won"]),
        ("f5d6 c3d3 40-24\nf5d6 *\nf5\n1/2-1/2\n", ["f5d6c3d3 +16", "f5d6", "f5 +0"]),
        (f"{OVER} 13-0\n{OVER} 1-0\n", [OVER, f"{OVER} +64"]),
        # A numbered line is a game of its own unless it goes on.
        ("1. f5d6c3d3c4\n2. f5d6c3d3c4\n3. f5f6e6\n4. f4\n", ["f5d6c3d3c4", "f5d6c3d3c4", "f5f6e6f4"]),
        ("c4c5\nb6d3\n", ["c4c5b6d3"]),  # wrapped after whole moves
        ("f5d6\nf5f6\nd3\n", ["f5d6", "f5f6", "d3"]),
        ("f5d6\nc3d3\nc4f4 # good\ne3f3\n", ["f5d6c3d3c4f4", "line 4"]),
        ("f5d6 40-24\nc3\n", ["f5d6 +16", "line 2"]),
        ("f5d6\r\n\x1a", ["f5d6"]),  # a DOS file
        ("f5d6\x1a", ["f5d6"]),
    ],
)
def test_games_with_results_and_over_lines_are_told_apart(text: str, games: list[str]) -> None:
    def shown(game: object) -> str:
        if isinstance(game, BadGame):
            return game.where
        assert isinstance(game, AnnotatedGame)
        result = game.result
        margin = "" if result is None else " won" if result.margin is None else f" {result.margin:+d}"
        return game.game().transcript() + margin

    assert list(map(shown, read(text))) == games


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("f5d6c3\nd3c4\n", "line 2 is not a game of its own"),
        ("f5d6\n\nc3\nd3c4\n", "lines 3 to 4 are not games of their own"),
        ("1. f5 d6\n2. c3\n", ""),  # the numbers say it
        ("f5d6c3\n40-24\n", ""),  # a result alone
        ("f5d6c3\nf5f6\n", ""),
    ],
)
def test_lines_that_are_joined_because_the_moves_are_legal_get_a_notice(text: str, doubt: str) -> None:
    first = next(iter(read(text)))

    assert isinstance(first, AnnotatedGame)
    assert first.doubt.startswith(doubt)
    assert bool(first.doubt) is bool(doubt)


def test_a_pgn_without_its_tags_is_one_whole_game() -> None:
    """However its lines are wrapped: moves before a number belong to the line above."""
    text = " 1. f5 d6 2. c3\nd3 3. c4 f4 4.\nf6 f3 5. e6\n{Ann wins 40-24} 1-0\n"

    game = only(text)

    assert (moves(game), game.result) == ("f5d6c3d3c4f4f6f3e6", Result(Colour.BLACK))
    (bad,) = read(text.replace("f6 f3", "f6 a1"))
    assert str(bad).startswith("game 1: move 8: ")


def test_ggf_as_the_server_writes_it() -> None:
    text = (
        "1 (;GM[Othello]PC[GGS/os]DT[2003.05.17_12:30:00.GMT]PB[ant\\one]PW[b (2)]RB[2404.12]RW[1900]"
        f"TI[15:00//02:00]TY[8]RE[+12.000]BO[8 {START}]B[F5/1.25/3.5]W[d6//2]B[C3/-4];)"
    )
    game = only(text)

    assert (game.black, game.white) == ("ant\\one", "b (2)")
    assert (game.black_rating, game.white_rating) == (2404.12, 1900)
    assert (game.place, game.date, game.clock) == ("GGS/os", "2003.05.17_12:30:00.GMT", "15:00//02:00")
    assert game.result == Result(Colour.BLACK, 12)
    assert [(move.score, move.seconds) for move in game.moves] == [(1.25, 3.5), (None, 2.0), (-4.0, None)]


NO_SIZE = "expected a game on 8 by 8 squares in which the most discs win, got TY[{}]"


@pytest.mark.parametrize(
    ("tags", "sentence"),
    [
        *((f"TY[{kind}]BO[8 {START}]", NO_SIZE.format(kind)) for kind in ("10", "s10r18", "8a", "x", "8ar")),
        *((f"BO[{board}]", "expected ") for board in ("", "8", "10 -", "x")),
    ],
)
def test_other_games_and_boards_in_ggf_are_refused(tags: str, sentence: str) -> None:
    (game,) = read(f"(;GM[Othello]{tags};)")

    assert str(game).startswith(f"game 1: {sentence}")


NBOARDS_ROWS = " ".join(["--------"] * 3 + ["---*O---", "---O*---"] + ["--------"] * 3)


@pytest.mark.parametrize(
    ("board", "side"),
    [
        *((f"8{blank}{START}", Colour.BLACK) for blank in ("\n", "\t", "\r\n", "  ")),
        (f"8 {NBOARDS_ROWS} O", Colour.WHITE),
    ],
)
def test_a_ggf_start_board_may_have_any_blanks(board: str, side: Colour) -> None:
    game = only(f"(;GM[Othello]TY[s8r20]BO[{board}]{'B[F5]' if side is Colour.BLACK else 'W[E6]'};)")

    assert game.first.side is side
    assert moves(game) == ("f5" if side is Colour.BLACK else "e6")


@pytest.mark.parametrize(
    ("game", "result"),
    [
        ("sgf B+12", Result(Colour.BLACK, 12)),
        ("sgf W+4.0", Result(Colour.WHITE, -4)),
        ("sgf W+R", Result(Colour.WHITE, None, ResultReason.RESIGNATION)),
        ("sgf B+Time", Result(Colour.BLACK, None, ResultReason.TIME)),
        ("sgf B+F", Result(Colour.BLACK, None, ResultReason.FORFEIT)),
        *((f"sgf {text}", Result(Colour.BLACK, None)) for text in ("B+", "B+-2", "B+3.5")),
        ("sgf W+100", Result(Colour.WHITE, None)),
        ("sgf +12", Result(Colour.BLACK, 12)),
        ("sgf -4.00", Result(Colour.WHITE, -4)),
        ("sgf 40-24", Result(Colour.BLACK, 16)),
        ("sgf 0-1", Result(Colour.WHITE)),
        *((f"sgf {text}", None) for text in ("-127", "-127.000", "W+127", "B+-127", "65", "Void", "?", "")),
        *((f"sgf {text}", Result(None, 0)) for text in ("0", "Draw")),
        ("ggf ?", None),
        ("ggf +0.00", Result(None, 0)),
        ("ggf -64.00", Result(Colour.WHITE, -64)),
        ("ggf +64.00:r", Result(Colour.BLACK, None, ResultReason.RESIGNATION)),
        ("ggf -64.00:t", Result(Colour.WHITE, None, ResultReason.TIME)),
        ("ggf +4.00:s", Result(Colour.BLACK, 4, ResultReason.AGREEMENT)),
        ("ggf -3.50", Result(Colour.WHITE, None)),  # with komi
        ("ggf -100.00", Result(Colour.WHITE, None)),
        ("ggf -127.000", None),  # Edax's word for a game that is not over
    ],
)
def test_results_in_sgf_and_ggf(game: str, result: Result | None) -> None:
    form, _, text = game.partition(" ")
    whole = f"(;GM[2]RE[{text}])" if form == "sgf" else f"(;GM[Othello]RE[{text}]BO[8 {START}];)"

    assert only(whole).result == result


@pytest.mark.parametrize(
    ("charset", "name"),
    [
        ("Shift_JIS", b"\x8c\x5c"),  # the second byte is a backslash
        ("GBK", b"\x81\x5c\x81\x5d"),  # and a bracket
        ("GB18030", b"\x81\x5d"),
        ("Big5", b"\xa5\x5c"),
        ("ISO-2022-JP", b"\x1b$B7=\x1b(B"),
        ("ISO-8859-2", b"\xb3"),
    ],
)
@pytest.mark.parametrize(
    "text", ["(;GM[2]CA[{0}]PB[{1}]PW[Bob];B[f5])", "(;PB[{1}]\nCA[{0}]PW[Bob]\n;B[f5])"]
)
def test_an_sgf_is_decoded_before_it_is_parsed(charset: str, name: bytes, text: str) -> None:
    """Half a character may look like syntax, also where the charset is named after it."""
    data = text.format(charset, "NAME").encode().replace(b"NAME", name)
    utf8 = "(;GM[2]PB[ü \\] x]C[two\nlines];B[f5])\n".encode()

    before, game, after = games_in(utf8 + data + b"\n" + utf8)

    assert (game.black, game.white, moves(game)) == (name.decode(charset), "Bob", "f5")
    assert game == sgf.parse(data)
    assert (before, before.black, before.comment) == (after, "ü ] x", "two\nlines")


WITH_NAME = {
    "sgf": "(;GM[2]PB[{}];B[f5])",
    "sgf with another charset": "(;GM[2]CA[UTF-8]PB[{}];B[f5])",
    "sgf with an unknown charset": "(;GM[2]CA[UTF-16]PB[{}];B[f5])",
    "ggf": f"(;GM[Othello]PB[{{}}]BO[8 {START}]B[F5];)",
    "pgn": '[Event "x"]\n[Black "{}"]\n\n1. f5 *\n',
    "transcript": "f5 # {}\n",
}


@pytest.mark.parametrize("text", WITH_NAME.values(), ids=WITH_NAME)
@pytest.mark.parametrize(
    ("data", "name", "unread"),
    [
        ("Jörg".encode(), "Jörg", ()),
        (b"J\xf6rg", "Jörg", ()),
        ("Zoë".encode() + b" J\xf6rg", "Zoë Jörg", ()),
        (b"O\x92Brien", "O Brien", ("unreadable character",)),  # Windows-1252
    ],
)
def test_bytes_outside_the_charset_are_latin_1(
    text: str, data: bytes, name: str, unread: tuple[str, ...]
) -> None:
    game = only(text.encode().replace(b"{}", data))

    assert ((game.black or game.comment).strip(), game.unread) == (name, unread)


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


def test_zero_has_no_sign_and_a_winner_without_a_margin_is_given_none() -> None:
    recorder = Recorder(Position.start())
    recorder.play("f5", score=-0.001)
    recorder.play("d6", score=0.0)
    game = AnnotatedGame(Position.start(), recorder.moves, result=Result(Colour.WHITE))

    assert "B[F5/0.00]W[D6/0.00]" in ggf.write(game)
    assert sgf.write(game).count("V[0.00]") == 2
    assert only(sgf.write(game)).result == game.result
    assert only(ggf.write(game)).result == Result(Colour.WHITE, None, ResultReason.RESIGNATION)


OVER_IN = {
    "sgf": "(;GM[2]{}" + "".join(f";{'BW'[at % 2]}[{OVER[2 * at : 2 * at + 2]}]" for at in range(9)) + ")",
    "ggf": f"(;GM[Othello]{{}}BO[8 {START}]"
    + "".join(f"{'BW'[at % 2]}[{OVER[2 * at : 2 * at + 2]}]" for at in range(9))
    + ";)",
    "pgn": f'[Event "x"]\n[Result "{{0}}"]\n\n{" ".join(re.findall("..", OVER))} {{0}}\n',
}


def test_an_unfinished_game_of_edax_has_no_result_in_any_format() -> None:
    game = only(f"(;GM[othello]PC[Edax]PB[a]PW[b]RE[-127.000]BO[8 {START}]B[f5]W[d6];)")

    assert game.outcome is None
    assert "RE[?]" in sgf.write(game)
    assert "RE[?]" in ggf.write(game)
    with pytest.raises(FileFormatError, match="WTHOR can't store a game without a result"):
        WthorWriter(BytesIO()).add(game)


BY_64 = Result(Colour.BLACK, 64)


@pytest.mark.parametrize(
    ("form", "said", "recorded", "doubt"),
    [
        ("sgf", "RE[B+64]", BY_64, ""),
        ("sgf", "RE[B+13]", BY_64, ""),  # the discs on the board alone
        ("sgf", "RE[B+]", BY_64, ""),
        ("sgf", "RE[W+R]", Result(Colour.WHITE, None, ResultReason.RESIGNATION), ""),
        ("sgf", "RE[W+0.5]", Result(Colour.WHITE), ""),  # with komi
        ("sgf", "RE[W+2]", BY_64, "that White won by 2, but the board shows that Black won by 64"),
        ("sgf", "RE[0]", BY_64, "that it was a draw, but the board shows that Black won by 64"),
        ("sgf", "RE[W+]", BY_64, "that White won, but the board shows that Black won by 64"),
        ("ggf", "RE[-4]", BY_64, "that White won by 4, but the board"),
        ("ggf", "TY[8k]RE[-4]", Result(Colour.WHITE, -4), ""),
        ("pgn", "0-1", BY_64, "that White won, but the board"),
    ],
)
def test_the_board_is_believed_where_the_record_contradicts_it(
    form: str, said: str, recorded: Result, doubt: str
) -> None:
    game = only(OVER_IN[form].format(said))

    assert game.result == recorded
    assert doubt in game.doubt
    assert bool(doubt) is bool(game.doubt)


def test_where_one_of_record_and_board_is_silent_the_other_is_believed() -> None:
    assert only("(;GM[2]RE[W+2];B[f5])").result == Result(Colour.WHITE, -2)
    assert only("f5d6").outcome is only(OVER).result is None
    assert only(OVER).outcome == BY_64


EDAX_PGN = """[Event "?"]
[Site "edax"]
[Date "2026.??.??"]
[Date "0.0.0"]
[Time "255.0.0"]
[Round "?"]
[Black "Ann"]
[White "Bob [2]"]
[Result "{result}"]

 1. D3 C3 2. E6 D2 3. D1 E1
 4. B2 C1 5. pass A3{rest} {result}


"""


def test_a_pgn_by_edax_is_read_whole() -> None:
    first, second = games_in(
        EDAX_PGN.format(result="*", rest="\n{? wins -31-95}")
        + EDAX_PGN.format(result="0-1", rest="\n{Bob [2] wins 40-24}")
    )

    for game in (first, second):
        assert moves(game) == f"{WITH_A_PASS[:-2]}pa{WITH_A_PASS[-2:]}"
        assert (game.black, game.white, game.place, game.date) == ("Ann", "Bob [2]", "edax", "2026")
        assert (game.event, game.comment, game.unread) == ("", "", ())
    assert [first.result, second.result] == [None, Result(Colour.WHITE)]


def test_a_pgn_has_comments_variations_ratings_and_a_clock() -> None:
    text = (
        '[Event "Cup"]\n[Round "3"]\n[Black "Ann"]\n[BlackElo "1534"]\n[TimeControl "300+2"]\n[Result "30-34"]\n\n'
        "1. f5 {first\nchoice} d6!? ; the rest of a line {\n2. c3 (2. c5 (2. c6) f4) 2... d3 $1 {the end} 30-34\n"
    )
    game = only(text)

    assert moves(game) == "f5d6c3d3"
    assert [move.comment for move in game.moves] == ["first choice", "the rest of a line {", "", ""]
    assert (game.black_rating, game.clock, game.event, game.comment) == (1534, "5:00/0:02", "Cup", "the end")
    assert game.result == Result(Colour.WHITE, -4)
    assert game.unread == ("round", "!?", "variation", "$1")


def test_a_pgn_full_of_comments_is_read_in_linear_time() -> None:
    def seconds(count: int) -> float:
        text = "1. f5 " + "{a} " * count
        began = time.process_time()
        assert len(pgn.parse(text).comment) == 2 * count - 1
        return time.process_time() - began

    assert min(seconds(80_000) for _ in range(3)) < 10 * min(seconds(20_000) for _ in range(3))


def test_a_pgn_may_begin_on_another_board() -> None:
    game = only('[Event "?"]\n[FEN "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1"]\n\n1. f5 f6\n')

    assert game.first.board_string() == f"{'-' * 27}XO------OX{'-' * 27} O"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1. f5 d6 2. Nf3", "expected a move of a game in PGN, got 'Nf3'"),
        ("1. f5 d6 *  2. c3", "expected a move of a game in PGN, got 'c3'"),
        ("1. e4 e5", "move 1: e4 is illegal; legal for Black: "),
        ("1. f5 (1. d3", "expected the closing bracket of a variation in PGN, got none"),
        ("1. f5 )", "expected moves of a game in PGN, got an unmatched closing bracket"),
        ("1. f5 {no end", "expected a move of a game in PGN, got '{no end'"),
    ],
)
def test_a_pgn_is_refused_whole_and_takes_no_other_with_it(text: str, sentence: str) -> None:
    bad, other = read(f'[Event "a"]\n\n{text}\n\n[Event "b"]\n\n1. f5 *\n')

    assert str(bad).startswith(f"game 1: {sentence}")
    assert other == only('[Event "b"]\n\n1. f5 *\n')


EDX = struct.pack(  # as Edax 4.6 writes f5d6c3d3c4, the bytes after the names' ends included
    "<QQh5Bx32s32s60sB3xQ",
    0x0000000810000000,
    0x0000001008000000,
    *(2026, 11, 24, 255, 0, 0),
    b"Ann\0\x30\x8d\x20\x56",
    b"?\0\x02",
    bytes([37, 43, 18, 19, 26]).ljust(60, b"A"),
    0,
    0x56208D30EAE0,
)


def test_edax_s_own_games_are_read() -> None:
    game = only(EDX)

    assert (moves(game), game.black, game.white, game.result) == ("f5d6c3d3c4", "Ann", "", None)
    assert game.date == "2026-11-24"


def test_edax_s_own_games_may_begin_with_white_and_leave_passes_out() -> None:
    before = Game.from_transcript(WITH_A_PASS[:-2]).position
    board = struct.pack("<QQ", before.opp, before.own)
    moves_and_side = bytes([16]).ljust(60, b"A") + bytes([before.side is Colour.BLACK])

    game = only(board + EDX[16:88] + moves_and_side + EDX[149:], "edx")

    assert (moves(game), game.first.side) == ("a3", before.side.other)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (EDX[:90], "expected a game of 160 bytes, got 90"),
        (EDX[:8] + EDX[:8] + EDX[16:], "e4 has discs of both colours"),
        (EDX[:148] + b"\x02" + EDX[149:], "expected a side of 0 or 1, got 2"),
        (EDX[:88] + b"\x40" + EDX[89:], "expected moves from 0 to 63, got 64"),
        (EDX[:88] + b"\x00" + EDX[89:], "move 1: a1 is illegal; legal for Black: "),
        (bytes(160), "its first board has no discs"),
    ],
)
def test_a_game_of_edax_that_can_t_be_read_takes_no_other_with_it(data: bytes, sentence: str) -> None:
    first, bad = read(EDX + data, "edx")

    assert first == only(EDX)
    assert str(bad).startswith(f"game 2: {sentence}")
    assert len(read(bytes(1600), "edx")) == 1  # nothing but zeros ends the games


def test_a_stranger_s_comment_is_no_remark_of_ours() -> None:
    comments = (
        "C[exact at the end: +4 for Black]",
        "C[0.500 s; exact before the move: -6 for Black\nwell played]",
    )
    theirs = only(f"(;GM[2]{comments[0]};B[f5]{comments[1]})")
    ours = only(f"(;GM[2]AP[outflank:1.0.0]{comments[0]};B[f5]{comments[1]})")

    assert (theirs.exact, theirs.comment) == (None, comments[0][2:-1])
    assert (theirs.moves[0].seconds, theirs.moves[0].exact) == (None, None)
    assert theirs.moves[0].comment == comments[1][2:-1]
    assert (ours.exact, ours.moves[0].seconds, ours.moves[0].exact) == (4, 0.5, -6)
    assert ours.moves[0].comment == "well played"
    for game in (theirs, ours):
        again = only(sgf.write(game))
        assert again == game
        assert only(sgf.write(again)) == game


@pytest.mark.parametrize(
    ("comment", "of_move"),
    [
        *((text, text) for text in ("comment:", "comment:\nexact at the end: +4 for Black", "0.500 s")),
        ("see\n(;CA[UTF-8]", "(;FF[4] as pasted\n(;GM[2]\\"),
    ],
)
@pytest.mark.parametrize("seconds", [None, 0.25])
def test_any_comment_comes_back_as_one_and_cuts_no_game(
    comment: str, of_move: str, seconds: float | None
) -> None:
    game = one_move(comment, move=of_move, seconds=seconds)

    assert only(sgf.write(game)) == game


ALL_KINDS = "(;GM[2]FF[4]AP[x]KM[0]RO[3];B[f5]BM[1]C[good];C[nothing moves]LB[a1:x];W[d6]TE[1](;B[c3])(;B[c4])(;B[c5]))"


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        (ALL_KINDS, ("RO", "C", "LB", "TE", "variation", "variation")),
        (f"(;GM[Othello]TY[s8r20]KB[-3]BO[8 {START}]B[F5];)", ("TY", "KB")),
        ("(;GM[2];B[f5];W[d6])", ()),
        ("(;GM[2];B[f5](;W[d6]))", ()),
        ("(;GM[2];B[f5](;W[d6];B[c3])(;W[f6]))", ("variation",)),
        ("(;GM[2](;B[f5](;W[d6])(;W[f6])))", ("variation",)),
    ],
)
def test_a_game_says_what_of_it_was_not_read(text: str, unread: tuple[str, ...]) -> None:
    assert only(text).unread == unread


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[2]PB[\x1b\x9d0;x\x07Eve\x9b2J]EV[a\x01b];B[f5]C[one\ntwo \x1b[31m])",
        f"(;GM[Othello]PB[\x1bP1Eve\x9b2J]BO[8 {START}]B[F5];)",
        '[Event "\x1b]8;;x"]\n[Black "\x1bEve"]\n\n1. f5 {\x1bc}\n',
    ],
)
def test_no_text_of_a_game_has_control_characters(text: str) -> None:
    game = only(text)

    assert "Eve" in game.black
    for said in (game.black, game.event, game.comment, *(move.comment for move in game.moves)):
        assert said.replace("\n", "").isprintable()
    assert set(game.unread) == {"unreadable character"}


def test_what_nboard_does_not_know_is_in_no_ggf() -> None:
    """Its reader refuses a game with any other tag."""
    known = "GM PC DT PB PW RB RW TI TB TW TY BO B W RE CO KB KW KM"
    recorder = Recorder(Position.start())
    recorder.play("f5", seconds=1, score=2, exact=4, comment="good")
    game = AnnotatedGame(
        Position.start(), recorder.moves, "Ann", "Bob", 1.0, 2.0, Result(None, 0), 4, "game 1", "Cup", "here",
        "2026", "5:00", "well",
    )  # fmt: skip

    assert set(re.findall(r"([A-Z]+)\[", ggf.write(game))) <= set(known.split())


def test_a_start_board_of_its_own_needs_no_rules_in_ggf() -> None:
    """NBoard and others refuse a game with RU, and games of a server begin from random boards."""
    game = AnnotatedGame(Position.start().play("f5").play("d6"))

    text = ggf.write(game)

    assert "RU[" not in text
    assert only(text).first == game.first
    assert "RU[obversi]" in ggf.write(AnnotatedGame(Position.start(Rules.parse("obversi"))))


def test_games_are_read_from_a_path_a_stream_and_text_alone(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6\nf5f6\n")

    for good in (str(file), file, StringIO("f5d6\nf5f6\n"), BytesIO(file.read_bytes())):
        assert list(read_games(good)) == games_in("f5d6\nf5f6\n")
    with file.open() as text, file.open("rb") as data, file.open("rb", buffering=0) as raw:
        assert [len(list(read_games(stream))) for stream in (text, data, raw)] == [2, 2, 2]
    with pytest.raises(FileNotFoundError):
        list(read_games(tmp_path / "missing.ggf"))
    for source in (None, 5, b"games.ggf", ["games.ggf"]):
        with pytest.raises(TypeError, match="expected a path or an open file to read games from, got "):
            read_games(source)  # type: ignore[arg-type]


def test_every_format_has_the_same_verbs() -> None:
    game = AnnotatedGame.of(Game.from_transcript("f5d6c3d3c4"))
    for module in (transcript, obf, sgf, ggf):
        text = module.write(game)
        first = module.parse(text.splitlines()[0] if module is obf else text)
        assert next(iter(module.read(BytesIO(text.encode())))) == first, module
        assert first.first == game.first
    assert pgn.parse("1. f5 d6") == next(pgn.read(BytesIO(b"1. f5 d6")))
    assert sgf.parse(sgf.write(game).encode()) == sgf.parse(sgf.write(game))
    assert sgf.parse("(;GM[2]CA[ISO-8859-1]PB[Zoë];B[f5])").black == "Zoë", "text has been decoded already"
    with pytest.raises(SettingsError, match="WTHOR can store only games of Othello, not of reversi"):
        wthor.read(BytesIO(), Rules.parse("reversi"))

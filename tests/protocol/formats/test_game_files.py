"""Games as other programs write them: each format's habits, and what is made of them."""

import io
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Colour, Game, Move, Position, Rules
from outflank.protocol.formats import ggf, sgf_write, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Ending, Recorder, Result
from outflank.protocol.formats.files import FormatName, read_games
from outflank.protocol.formats.wthor_write import WthorWriter

START = "---------------------------O*------*O--------------------------- *"
# Black passes after the eighth move.
WITH_A_PASS = "d3c3e6d2d1e1b2c1a3"


def read(text: str | bytes, name: FormatName | None = None, rules: Rules | None = None) -> list[object]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_games(io.BytesIO(data), name=name, rules=rules))


def only(text: str | bytes, name: FormatName | None = None, rules: Rules | None = None) -> AnnotatedGame:
    (game,) = read(text, name, rules)
    assert isinstance(game, AnnotatedGame), game
    return game


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
        ("0", Result(None, 0)),
        ("Draw", Result(None, 0)),
        ("Void", None),
        ("?", None),
        ("", None),
    ],
)
def test_results_in_sgf(text: str, result: Result | None) -> None:
    assert only(f"(;GM[2]RE[{text}])").result == result


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


def database(folder: Path, games: list[AnnotatedGame], name: str = "games.wtb") -> Path:
    path = folder / name
    with path.open("wb") as stream:
        writer = WthorWriter(stream, (1999, 1, 2))
        for game in games:
            writer.add(game)
        for suffix, data in writer.finish().items():
            path.with_suffix(suffix).write_bytes(data)
    return path


def finished(black: str, white: str, event: str = "Cup") -> AnnotatedGame:
    recorder = Recorder(Position.start())
    for at in range(0, 18, 2):
        recorder.play("f5d6c5f4e3f6g5e6e7"[at : at + 2], exact=-10 if at == 8 else None)
    return AnnotatedGame(Position.start(), recorder.moves, black=black, white=white, event=event)


def test_wthor_has_names_years_and_theoretical_scores(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob"), finished("Bob", "Zoë", "")])
    with path.open("rb") as stream:
        first, second = read_games(stream, path)

    assert isinstance(first, AnnotatedGame)
    assert isinstance(second, AnnotatedGame)
    assert (first.black, first.white, first.event, first.date) == ("Ann", "Bob", "Cup", "1999")
    assert (second.black, second.white, second.event) == ("Bob", "Zoë", "")
    assert first.result == Result(Colour.BLACK, 64)
    assert [move.exact for move in first.moves] == [None] * 4 + [-10] + [None] * 4


def test_wthor_takes_the_names_of_its_folder_or_numbers(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob")])
    (tmp_path / "games.jou").rename(tmp_path / "WTHOR.JOU")
    (tmp_path / "games.trn").unlink()
    with path.open("rb") as stream:
        (game,) = read_games(stream, path)
    assert isinstance(game, AnnotatedGame)
    assert (game.black, game.event) == ("Ann", "")

    numbered = only(path.read_bytes())
    assert (numbered.black, numbered.white) == ("player 0", "player 1")


def test_wthor_files_that_say_something_else_are_named(tmp_path: Path) -> None:
    data = database(tmp_path, [finished("Ann", "Bob")]).read_bytes()

    def with_byte(at: int, value: int) -> list[str]:
        return [str(entry) for entry in read(data[:at] + bytes([value]) + data[at + 1 :], "wthor")]

    assert with_byte(12, 10) == ["expected a WTHOR file for boards of size 8, got 10"]
    assert with_byte(13, 1) == ["expected a WTHOR file of games (type 0), got type 1"]
    assert with_byte(16 + 6, 65) == ["game 1: expected at most 64 discs, got 65"]
    assert with_byte(16 + 8, 99) == ["game 1: expected moves of 11 to 88, got 99"]
    assert with_byte(16 + 8, 11)[0].startswith("game 1: move 1: expected black to play")
    assert with_byte(16 + 8 + 9, 92) == [str(entry) for entry in read(data, "wthor")]  # behind the last move
    assert with_byte(4, 2)[-1] == "expected 2 games, as the header says, got 1"
    assert [str(entry) for entry in read(data[:-1], "wthor")] == [
        "game 1: expected a game of 68 bytes, got 67"
    ]
    assert [str(entry) for entry in read(b"", "wthor")] == ["expected a WTHOR header of 16 bytes, got 0"]


def test_damaged_names_are_named(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob")])
    path.with_suffix(".jou").write_bytes(b"x")
    with path.open("rb") as stream:
        (bad,) = read_games(stream, path)

    assert bad == BadGame("", f"{path.with_suffix('.jou')}: expected a WTHOR header of 16 bytes, got 1")


def test_a_recorder_names_the_move_and_makes_implied_passes() -> None:
    recorder = Recorder(Position.parse("XO------" + "-" * 55 + "X O"))
    recorder.play(Move.parse("c1"), seconds=2.0)

    assert [(move.move.is_pass, move.seconds) for move in recorder.moves] == [(True, None), (False, 2.0)]
    recorder.play("pass")  # the game is over
    with pytest.raises(ValueError, match=r"^move 3: "):
        recorder.play("d1")


def test_zero_has_no_sign() -> None:
    recorder = Recorder(Position.start())
    recorder.play("f5", score=-0.001)
    recorder.play("d6", score=0.0)
    game = AnnotatedGame(Position.start(), recorder.moves)

    assert "B[F5/0.00]W[D6/0.00]" in ggf.write(game)
    assert sgf_write.write(game).count("V[0.00]") == 2


def test_a_wthor_header_is_what_it_was() -> None:
    header = wthor.Header(12, 0, 2003, 22, (2004, 2, 29))

    assert wthor.Header.unpack(header.pack()) == header

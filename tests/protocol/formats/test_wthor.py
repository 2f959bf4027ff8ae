"""WTHOR databases and OBF suites: read as published, written so that they read back, refused in words."""

import io
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Colour, FileFormatError, Position, Rules
from outflank.protocol.formats import obf, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Recorder, Result
from outflank.protocol.formats.wthor import WthorWriter
from outflank.tests.support import reference, strategies
from outflank.tests.support.gamefiles import games_in, only, read
from outflank.tests.support.positions import position_of

BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def database(folder: Path, games: list[AnnotatedGame], name: str = "games.wtb") -> Path:
    path = folder / name
    with path.open("wb") as stream:
        for suffix, data in wthor.write(games, stream, (1999, 1, 2)).items():
            path.with_suffix(suffix).write_bytes(data)
    return path


def finished(black: str, white: str, event: str = "Cup") -> AnnotatedGame:
    recorder = Recorder(Position.start())
    for at in range(0, 18, 2):
        recorder.play("f5d6c5f4e3f6g5e6e7"[at : at + 2], exact=-10 if at == 8 else None)
    return AnnotatedGame(Position.start(), recorder.moves, black=black, white=white, event=event)


def test_wthor_has_names_years_and_theoretical_scores(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob"), finished("Bob", "Zoë", "")])
    first, second = games_in(path)

    assert (first.black, first.white, first.event, first.date) == ("Ann", "Bob", "Cup", "1999")
    assert (second.black, second.white, second.event) == ("Bob", "Zoë", "")
    assert first.result == Result(Colour.BLACK, 64)
    assert [move.exact for move in first.moves] == [None] * 4 + [-10] + [None] * 4


@pytest.mark.parametrize(("margin", "even"), [(1, 2), (-1, -2), (0, 0), (2, 2), (63, 64), (-63, -64)])
def test_wthor_gives_an_odd_margin_to_its_winner(tmp_path: Path, margin: int, even: int) -> None:
    winner = Rules().winner_by(margin)
    game = finished("Ann", "Bob")
    broken_off = replace(game, moves=game.moves[:-1], result=Result(winner, margin))
    path = database(tmp_path, [broken_off])

    assert only(path.read_bytes()).result == Result(winner, even)


def test_wthor_refuses_a_margin_that_no_game_can_have(tmp_path: Path) -> None:
    writer = WthorWriter(io.BytesIO())
    with pytest.raises(FileFormatError, match=r"^expected a margin of at most 64 discs for WTHOR, got -100$"):
        writer.add(replace(finished("Ann", "Bob"), result=Result(Colour.WHITE, -100)))
    writer.add(finished("Zoë", "Bob"))

    assert b"Ann" not in writer.finish()[".jou"]


def test_wthor_files_that_say_something_else_are_named(tmp_path: Path) -> None:
    data = database(tmp_path, [finished("Ann", "Bob")]).read_bytes()

    def with_byte(at: int, value: int) -> list[str]:
        return [str(entry) for entry in read(data[:at] + bytes([value]) + data[at + 1 :], "wthor")]

    assert with_byte(12, 10) == ["expected a WTHOR file for boards of size 8, got 10"]
    assert with_byte(12, 0) == with_byte(12, 8)  # old files have no size
    assert with_byte(13, 1) == ["expected a WTHOR file of games (type 0), got type 1"]
    assert with_byte(16 + 6, 65) == ["game 1: expected at most 64 discs, got 65"]
    assert with_byte(16 + 8, 99) == ["game 1: expected moves from 11 to 88, got 99"]
    assert with_byte(16 + 8, 11)[0].startswith("game 1: move 1: a1 is illegal; legal for Black: ")
    assert with_byte(16 + 8 + 9, 92) == [str(entry) for entry in read(data, "wthor")]  # behind the last move
    assert with_byte(4, 2)[-1] == "the header says that there are 2 games, but the file contains 1"
    assert [str(entry) for entry in read(data[:-1], "wthor")] == [
        "game 1: expected a game of 68 bytes, got 67"
    ]
    assert [str(entry) for entry in read(b"", "wthor")] == ["expected a WTHOR header of 16 bytes, got 0"]


def test_damaged_names_are_named(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob")])
    path.with_suffix(".jou").write_bytes(b"x")
    (bad,) = read(path)

    assert bad == BadGame("", f"{path.with_suffix('.jou')}: expected a WTHOR header of 16 bytes, got 1")


@pytest.mark.parametrize("names", ["WTHOR", "wthor", "WTH", "Wth", "WTH_2018", "wth_2018"])
@pytest.mark.parametrize("in_capitals", [False, True])
def test_wthor_finds_names_under_every_name_in_use(tmp_path: Path, names: str, in_capitals: bool) -> None:
    path = database(tmp_path, [finished("Ann", "Bob")], "WTH_2018.wtb")
    for suffix in (".jou", ".trn"):
        path.with_suffix(suffix).rename(tmp_path / (names + (suffix.upper() if in_capitals else suffix)))
    game = only(path)

    assert (game.black, game.white, game.event, game.unnamed) == ("Ann", "Bob", "Cup", "")


def test_wthor_takes_the_names_of_the_year_of_all_or_says_why_there_are_none(tmp_path: Path) -> None:
    path = database(tmp_path, [finished("Ann", "Bob")], "WTH_2018.wtb")
    few = database(tmp_path, [], "few.wtb").with_suffix(".jou").read_bytes()
    database(tmp_path, [finished("Eve", "Max")], "WTH.wtb")
    (tmp_path / "WTH.trn").unlink()
    assert (only(path).black, only(path).event) == ("Ann", "Cup")

    path.with_suffix(".trn").unlink()
    path.with_suffix(".jou").unlink()
    assert (only(path).black, only(path).event, only(path).unnamed) == ("Eve", "", "")
    (tmp_path / "WTH.jou").unlink()
    assert only(path).unnamed == "there is no WTH_2018.jou, WTHOR.JOU or WTH.JOU in its folder"
    (tmp_path / "Wth.Jou").write_bytes(few)
    assert only(path).unnamed == "Wth.Jou has no names for them"
    assert (only(path).black, only(path).white) == ("player 0", "player 1")


@pytest.mark.parametrize("suffix", [".jou", ".trn"])
def test_a_file_of_names_is_refused_in_one_sentence(tmp_path: Path, suffix: str) -> None:
    path = database(tmp_path, [finished(f"Ann {number}", "Bob") for number in range(100)])
    (bad,) = read(path.with_suffix(suffix))

    assert str(bad) == "this is a WTHOR file of names; the games are in the file that ends in .wtb"


def test_an_unfinished_game_of_edax_has_no_result(tmp_path: Path) -> None:
    """Edax writes 32 - 127 / 2 discs and 92 for each move that is missing."""
    game = finished("Ann", "Bob")
    path = database(tmp_path, [replace(game, moves=game.moves[:3], result=Result(None, 0))])
    data = bytearray(path.read_bytes())
    data[16 + 6 : 16 + 8] = bytes([225, 225])
    data[16 + 8 + 3 :] = bytes([92]) * 57
    read_back = only(bytes(data))

    assert (read_back.result, read_back.outcome, read_back.discs_played) == (None, None, 3)


def test_a_wthor_result_that_contradicts_the_board_is_not_believed(tmp_path: Path) -> None:
    path = database(tmp_path, [replace(finished("Ann", "Bob"), result=Result(Colour.WHITE, -4))])
    game = only(path)

    assert game.result == Result(Colour.BLACK, 64)
    assert (
        game.doubt
        == "the record says that White won by 4, but the board shows that Black won by 64; the board counts"
    )


def test_wthor_counts_what_it_has_no_place_for() -> None:
    writer = WthorWriter(io.BytesIO())
    for name, date in (("Ann", "1999"), ("a name of twenty letters", "2003"), ("中", "1999")):
        writer.add(replace(finished(name, "Bob"), date=date))
    writer.add(replace(finished("Ann", "Bob"), moves=finished("", "").moves[:2], result=Result(None, 0)))
    writer.finish()

    assert writer.lost == {"years other than the first game's": 1, "letters of names": 2, "exact scores": 3}


def parse(line: str) -> obf.Problem:
    return obf.parse_problem(line, Rules())


def test_a_line_is_a_position_and_the_scores_of_its_moves() -> None:
    problem = parse(f"{BOARD}; G8:+18; H1:+12; A2:+6;")

    assert problem.position == Position.parse(BOARD)
    assert {str(move): score for move, score in problem.scores.items()} == {"g8": 18, "h1": 12, "a2": 6}
    assert problem.score == 18


@pytest.mark.parametrize(
    ("line", "score"),
    [
        (f"{BOARD};", None),
        (f"{BOARD}; -8;", -8),  # the position's own
        (f"{BOARD}; G8:+18; --:-127;", 18),  # which marks what has no score
        (f"{BOARD.replace(' ', '')}; G8:+18;", 18),
        (f"{BOARD}; G8:+18; % the corner", 18),
    ],
)
def test_a_line_is_read_with_less_and_with_more(line: str, score: int | None) -> None:
    problem = parse(line)

    assert (problem.position, problem.score) == (Position.parse(BOARD), score)
    assert len(problem.scores) == ("G8" in line)


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        (BOARD[:60] + ";", 61, "64 squares"),
        ("Q" + BOARD[1:], 1, "expected X, O or -"),
        (f"{BOARD}; G8:+18; A8:+2;", 77, "a8"),
        (f"{BOARD}; G8:18x;", 69, "expected a move and its score"),
        (f"{BOARD}; G8:+99;", 69, "from -64 to"),
        (f"{BOARD}; G8:+18; G8:+16;", 77, "one score for each move"),
        (f"{BOARD}; G8:+18; +16;", 77, "one score for each move"),
    ],
)
def test_what_is_no_obf_is_told_with_its_column(line: str, column: int, words: str) -> None:
    with pytest.raises(obf.LineError, match=words) as caught:
        parse(line)

    assert caught.value.column == column


def test_a_bad_or_long_line_takes_no_other_with_it_and_comments_and_blanks_are_no_problems() -> None:
    good = f"{BOARD}; G8:+18;"
    lines = [good, "nonsense", "% nothing else", "", "   ", f"{good}{' ' * 70_000}H1:+20;", good]
    problems, errors = obf.read_suite(BytesIO("\n".join(lines).encode()), "x.obf", Rules())

    assert [problem.line for problem in problems] == [1, 7]
    nonsense, long = map(str, errors)
    assert nonsense.startswith("x.obf:2:1: expected")
    assert long == "x.obf:6:65537: the line has 65536 bytes or more, which is too long"


@given(data=st.data())
def test_what_is_written_reads_back(data: st.DataObject) -> None:
    game = data.draw(strategies.games(reference.SHEETS["othello"]))
    position = position_of(game.board, game.side, Rules())
    scores = {move: data.draw(st.integers(-64, 64)) for move in position.legal_moves()}
    problem = obf.Problem(position, scores)

    assert parse(str(problem)) == problem


@pytest.mark.parametrize("name", ["all.jou", "all.trn", "all.wtb"])
def test_a_file_of_wthor_is_no_suite_of_positions(name: str) -> None:
    stream = BytesIO()
    names = wthor.write([replace(only("f5d6c3"), result=Result(Colour.BLACK, 2), black="A")], stream)
    data = names.get(Path(name).suffix, stream.getvalue())

    with pytest.raises(
        FileFormatError, match=f"^{name}: this is not a file of positions: its contents are not text$"
    ):
        obf.read_suite(BytesIO(data), name, Rules())

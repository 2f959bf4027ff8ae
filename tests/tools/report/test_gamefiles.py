"""Records read back: what is written is the game, in the words of each format; WTHOR byte by byte."""

import random
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from outflank.engine import (
    PASS,
    PRESETS,
    Colour,
    FileFormatError,
    Game,
    Move,
    Position,
    Rules,
)
from outflank.engine.squares import square_name
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.wthor import WthorWriter
from outflank.storage.files import UnwritableError
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.gamefiles import only
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES, random_game
from outflank.tests.support.runs import broken_off, judged, played
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.report.gamefiles import game_writer
from outflank.tools.report.records import annotated_game, headline, transcript_line

ONE_DIRECTION = PRESETS["ravensburger-1987"]
SECOND_WINS = PRESETS["ravensburger-2006"]  # White begins, so an equal count is Black's
GGF_FIELD = re.compile(r"([A-Z]+)\[([^\]]*)\]")


def as_ggf(record: GameRecord) -> str:
    return ggf.write(annotated_game(record))


def as_sgf(record: GameRecord) -> str:
    return sgf.write(annotated_game(record))


def sgf_nodes(text: str) -> list[dict[str, list[str]]]:
    """Return the nodes of the main line as the grammar of sgfmill reads them."""
    tree = sgf_grammar.parse_sgf_game(text.encode())
    return [
        {name: [value.decode() for value in values] for name, values in node.items()}
        for node in sgf_grammar.main_sequence_iter(tree)
    ]


def sgf_game(text: str, rules: Rules) -> Game:
    game = Game(rules)
    for node in sgf_nodes(text)[1:]:
        (name,) = {"B", "W"} & node.keys()
        move = Move.parse(node[name][0]) if node[name][0] else PASS
        game.play(move, Colour.BLACK if name == "B" else Colour.WHITE)
    return game


def ggf_game(text: str) -> tuple[dict[str, str], Game]:
    fields = GGF_FIELD.findall(text)
    turns = [field for field in fields if field[0] in ("B", "W")]
    tags: dict[str, str] = dict(field for field in fields if field not in turns)
    rules = Rules.parse(tags.get("RU", "othello"))
    game = Game(rules, Position.parse(tags["BO"].removeprefix("8 "), rules))
    for name, value in turns:
        word, *more = value.split("/")
        direction = f"/{more[0]}" if more and more[0].isalpha() else ""
        game.play(Move.parse(word + direction), Colour.BLACK if name == "B" else Colour.WHITE)
    return tags, game


@pytest.mark.parametrize(
    ("transcript", "rules"), [(WIPE_OUT, Rules()), (WITH_PASSES, Rules()), (ONE_WAY, ONE_DIRECTION)]
)
def test_all_three_formats_tell_the_same_game(transcript: str, rules: Rules) -> None:
    record = played(transcript, rules)
    line, _, comment = transcript_line(record).partition("#")

    assert Game.from_transcript(line, rules).position == Game.from_transcript(transcript, rules).position
    assert comment.strip() == headline(record)
    for game in (sgf_game(as_sgf(record), rules), ggf_game(as_ggf(record))[1]):
        assert [turn.move for turn in game.turns] == [turn.move for turn in record.turns]
    assert record.forced_passes == (0 if transcript == WIPE_OUT else 2)
    if rules is ONE_DIRECTION:  # a direction stands before evaluation and time
        assert "e6/n " in record.transcript
        in_ggf = as_ggf(played(transcript, rules, opening=15))
        assert "W[E6/N//0.250]" in in_ggf or "B[E6/N//0.250]" in in_ggf
        assert "[e6/n]" in as_sgf(record)


def test_ggf_in_full_and_the_facts_in_the_root_of_sgf() -> None:
    text = as_ggf(played(number=3))

    assert text.startswith("(;GM[Othello]PC[outflank ")
    assert text.endswith(
        "]DT[2026-05-17T12:30:00+02:00]PB[A]PW[B]RE[+64.00]TY[8]"
        "BO[8 ---------------------------O*------*O--------------------------- *]"
        "B[F5]W[D6]B[C5//0.250]W[F4//0.250]B[E3//0.250]W[F6//0.250]B[G5//0.250]W[E6//0.250]B[E7//0.250];)\n"
    )

    root, first, _, third, *_ = sgf_nodes(as_sgf(played(number=3)))

    assert root.keys() == {"FF", "GM", "SZ", "CA", "AP", "DT", "GN", "GV", "PB", "PW", "RE"}
    assert (root["GM"], root["SZ"], root["PB"], root["RE"]) == (["2"], ["8"], ["A"], ["B+64"])
    assert first == {"B": ["f5"]}
    assert third == {"B": ["c5"], "C": ["0.250 s"]}


@pytest.mark.parametrize("transcript", [WIPE_OUT, WITH_PASSES])
@pytest.mark.parametrize("opening", [0, 2, 6])
def test_files_of_a_run_say_which_moves_were_given(transcript: str, opening: int) -> None:
    record = played(transcript, opening=opening)

    assert record.given == opening
    assert only(as_sgf(record)).given == opening
    assert only(as_ggf(record)).given == opening


def test_moves_without_a_time_are_given_only_where_all_later_moves_of_ours_have_one() -> None:
    text = as_ggf(played(opening=4))

    assert only(text).given == 4
    assert only(text.replace("PC[outflank", "PC[GGS/os")).given == 0
    assert only(text.replace("W[G5//0.250]", "W[G5]").replace("B[G5//0.250]", "B[G5]")).given == 0
    assert only(text.replace("//0.250", "")).given == 0


@pytest.mark.parametrize(("value", "given"), [("2", 2), ("99", 3), ("-1", 0), ("x", 0), ("9999", 0)])
def test_a_strange_number_of_given_moves_spoils_no_game(value: str, given: int) -> None:
    assert only(f"(;GM[2]GV[{value}];B[f5];W[d6];B[c3])").given == given


def test_evaluations_are_the_movers_in_ggf_and_blacks_in_sgf() -> None:
    record = judged(values={2: 1.5, 3: -2.25}, exact={3: -4})

    assert "B[C5/1.50/0.250]W[F4/2.25/0.250]B[E3//0.250]" in as_ggf(record)
    assert sgf_nodes(as_sgf(record))[3] == {"B": ["c5"], "V": ["1.50"], "C": ["0.250 s"]}
    assert sgf_nodes(as_sgf(record))[4]["C"] == ["0.250 s; exact before the move: -4 for Black"]


def test_an_adjudicated_game_has_its_exact_margin() -> None:
    record = replace(broken_off(Ending.ADJUDICATION, Colour.WHITE), margin=6)

    assert ggf_game(as_ggf(record))[0]["RE"] == "+6.00:s"
    assert sgf_nodes(as_sgf(record))[0]["RE"] == ["B+6"]
    assert headline(record) == "game 1: A - B +6"


def test_a_game_from_a_board_of_its_own_or_by_other_rules_is_written_with_it() -> None:
    game = Game(first=Position.parse("-" * 26 + "OX------XO" + "-" * 28 + " X"))
    while not game.position.is_over:
        game.play(game.position.legal_moves()[0])
    record = replace(played(), turns=AnnotatedGame.of(game).moves)

    assert [turn.move for turn in ggf_game(as_ggf(record))[1].turns] == [turn.move for turn in game.turns]
    assert sgf_nodes(as_sgf(record))[0]["AB"] == ["d4", "c5"]
    with pytest.raises(FileFormatError, match="WTHOR can store only Othello from its start position"):
        files(record)

    obversi = PRESETS["obversi"]
    game = Game(obversi)
    while not game.position.is_over:
        game.play(game.position.legal_moves()[0])
    record = played(game.transcript(), obversi)
    root = sgf_nodes(as_sgf(record))[0]
    tags, _ = ggf_game(as_ggf(record))

    assert root["RU"] == [tags["RU"]] == ["obversi"]
    assert (root["AW"], root["AB"], root["PL"]) == (["d4", "e4"], ["d5", "e5"], ["B"])
    assert tags["BO"] == "8 ---------------------------OO------**--------------------------- *"


@pytest.mark.parametrize(
    ("ending", "in_ggf", "in_sgf"),
    [
        (Ending.RESIGNATION, "-64.00:r", "W+R"),
        (Ending.TIME, "-64.00:t", "W+T"),
        (Ending.STALL, "-64.00:t", "W+T"),
        (Ending.CRASH, "-64.00:r", "W+F"),
        (Ending.ILLEGAL_MOVE, "-64.00:r", "W+F"),
        (Ending.PROTOCOL_ERROR, "-64.00:r", "W+F"),
    ],
)
def test_an_early_end_is_named(ending: Ending, in_ggf: str, in_sgf: str) -> None:
    record = broken_off(ending, Colour.BLACK, detail="A said: [stop]\\")
    root = sgf_nodes(as_sgf(record))[0]

    assert ggf_game(as_ggf(record))[0]["RE"] == in_ggf
    assert root["RE"] == [in_sgf]
    assert sgf_grammar.text_value(root["C"][0].encode()) == b"A said: [stop]\\"
    words = "resigns" if ending is Ending.RESIGNATION else f"loses by {ending}"
    assert headline(record) == f"game 1: A - B, A {words}"


def test_a_tie_is_a_draw_or_the_win_of_the_second_player_where_the_rules_say_so() -> None:
    drawn, won = played(_tie(Rules())), played(_tie(SECOND_WINS), SECOND_WINS)

    assert sgf_nodes(as_sgf(drawn))[0]["RE"] == ["0"]
    assert ggf_game(as_ggf(drawn))[0]["RE"] == "+0.00"
    assert headline(drawn) == "game 1: A - B +0"
    assert (won.margin, won.winner) == (0, Colour.BLACK)
    assert sgf_nodes(as_sgf(won))[0]["RE"] == ["B+0"]


@pytest.mark.parametrize("name", ["a]b", "a\\b", "ü [x]", ";)"])
def test_odd_names_break_no_record(name: str) -> None:
    record = played(names=(name, "B"))

    assert sgf_grammar.simpletext_value(sgf_nodes(as_sgf(record))[0]["PB"][0].encode()).decode() == name
    assert ggf_game(as_ggf(record))[0]["PB"] == name.replace("]", ")")


def _tie(rules: Rules) -> str:
    rng = random.Random(1)
    while True:
        game = random_game(rng, rules)
        if game.position.score(Colour.BLACK) == 0:
            return game.transcript()


def files(*games: GameRecord) -> dict[str, bytes]:
    stream = BytesIO()
    writer = WthorWriter(stream, (2026, 5, 17))
    for game in games:
        writer.add(annotated_game(game, "A Match"))
    others = writer.finish()
    return {".wtb": stream.getvalue(), **others}


def rows(data: bytes) -> Iterator[tuple[tuple[int, int, int], int, int, str]]:
    """Yield the indices of tournament, Black and White, both scores and the transcript of each game."""
    (count,) = struct.unpack_from("<I", data, 4)
    assert len(data) == 16 + 68 * count
    for at in range(16, len(data), 68):
        *indices, score, theoretical = struct.unpack_from("<3H2B", data, at)
        moves = [square_name((byte // 10 - 1) * 8 + byte % 10 - 1) for byte in data[at + 8 : at + 68] if byte]
        yield (indices[0], indices[1], indices[2]), score, theoretical, "".join(moves)


def test_the_file_of_games_in_full_and_without_games_and_names_in_latin_1() -> None:
    data, empty = files(played(names=("Zoë", "Ann")))[".wtb"], files()

    assert data[:16] == bytes([20, 26, 5, 17, 1, 0, 0, 0, 0, 0, 0xEA, 0x07, 8, 0, 0, 0])
    assert data[16:33] == bytes([0, 0, 0, 0, 1, 0, 64, 64, 56, 64, 53, 46, 35, 66, 57, 65, 75])
    assert data[33:] == bytes(51)
    assert len(empty[".wtb"]) == len(empty[".jou"]) == 16

    written = files(played(names=("Zoë", "a name of more than twenty letters")), played(names=("Zoë", "中")))

    assert written[".jou"][8:10] == b"\3\0"
    names = (b"Zo\xeb", b"a name of more than", b"?")
    assert written[".jou"][16:] == b"".join(name.ljust(20, b"\0") for name in names)
    assert written[".trn"][16:] == b"A Match".ljust(26, b"\0")


@pytest.mark.parametrize(("loser", "discs"), [(Colour.BLACK, 0), (Colour.WHITE, 64)])
def test_a_game_that_broke_off_keeps_its_moves_and_counts_the_whole_board(loser: Colour, discs: int) -> None:
    ((_, score, theoretical, read),) = rows(files(broken_off(Ending.TIME, loser))[".wtb"])

    assert (score, theoretical, read) == (discs, discs, "f5d6c3")


def test_the_theoretical_score_is_from_where_all_games_were_solved() -> None:
    """One was solved from 57 empty squares on, the other from 56 on."""
    solved = judged({}, {3: -4, 4: -6, 5: 8}), judged({}, {4: 10, 5: 12})
    data, both = files(*solved, played(number=3))[".wtb"], files(*solved)[".wtb"]

    assert (data[14], [theoretical for _, _, theoretical, _ in rows(data)]) == (0, [64, 64, 64])
    assert (both[14], [theoretical for _, _, theoretical, _ in rows(both)]) == (56, [29, 37])


@pytest.mark.parametrize("has_old", [False, True])
def test_a_full_disk_leaves_all_files_of_wthor_or_none(has_old: bool, tmp_path: Path) -> None:
    record = annotated_game(played())
    games = [replace(record, black=f"player {number}", white="Zoe") for number in range(40)]
    ends = set()
    for size in (0, 16, 100, 1000, 1500, 2000, 2735, 2736, 3000, 10_000):
        folder = tmp_path / str(size)
        folder.mkdir()
        output = folder / "x.wtb"
        if has_old:
            output.write_bytes(b"old")
        with no_file_beyond(size), suppress(UnwritableError), game_writer("wthor", output) as writer:
            for game in games:
                writer.write(game)
        made = {path.suffix for path in folder.iterdir()}
        whole = made == {".wtb", ".jou", ".trn"}
        assert whole or (made == ({".wtb"} if has_old else set()))
        assert whole or not has_old or output.read_bytes() == b"old"
        ends.add(whole)

    assert ends == {True, False}

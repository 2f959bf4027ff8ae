"""Records read back: what is written is the game, in the words of each format."""

import random
import re
from dataclasses import replace
from io import BytesIO

import pytest
from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from outflank.engine import PASS, PRESETS, Colour, Game, Move, Position, Rules
from outflank.protocol.formats import ggf as ggf_format
from outflank.protocol.formats import sgf as sgf_write
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import read_games
from outflank.tests.sample_games import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.tools.samples import broken_off, judged, played
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.report.records import annotated_game, headline, transcript_line

ONE_DIRECTION = PRESETS["ravensburger-1987"]
GGF_FIELD = re.compile(r"([A-Z]+)\[([^\]]*)\]")


def ggf(record: GameRecord) -> str:
    return ggf_format.write(annotated_game(record))


def sgf(record: GameRecord) -> str:
    return sgf_write.write(annotated_game(record))


def read_back(text: str) -> AnnotatedGame:
    (game,) = read_games(BytesIO(text.encode()))
    assert isinstance(game, AnnotatedGame)
    return game


def sgf_nodes(text: str) -> list[dict[str, list[str]]]:
    """The nodes of the main line as the grammar of sgfmill reads them."""
    tree = sgf_grammar.parse_sgf_game(text.encode())
    return [
        {name: [value.decode() for value in values] for name, values in node.items()}
        for node in sgf_grammar.main_sequence_iter(tree)
    ]


def sgf_game(text: str, rules: Rules) -> Game:
    """The game that the nodes tell, played move by move."""
    game = Game(rules)
    for node in sgf_nodes(text)[1:]:
        (name,) = {"B", "W"} & node.keys()
        move = Move.parse(node[name][0]) if node[name][0] else PASS
        game.play(move, Colour.BLACK if name == "B" else Colour.WHITE)
    return game


def ggf_game(text: str) -> tuple[dict[str, str], Game]:
    """Tags and game of a GGF line, the start taken from its board."""
    tags: dict[str, str] = {}
    turns = []
    for name, value in GGF_FIELD.findall(text):
        if name in ("B", "W"):
            turns.append((name, value))
        else:
            tags[name] = value
    rules = Rules.parse(tags.get("RU", "othello"))
    game = Game(rules, Position.parse(tags["BO"].removeprefix("8 "), rules))
    for name, value in turns:
        word, *fields = value.split("/")
        direction = f"/{fields[0]}" if fields and fields[0].isalpha() else ""
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
    for game in (sgf_game(sgf(record), rules), ggf_game(ggf(record))[1]):
        assert [turn.move for turn in game.turns] == [turn.move for turn in record.turns]


def test_the_samples_have_what_they_are_for() -> None:
    assert played(WITH_PASSES).forced_passes == 2
    assert played(ONE_WAY, ONE_DIRECTION).forced_passes == 2
    assert "e6/n " in played(ONE_WAY, ONE_DIRECTION).transcript


def test_ggf_in_full() -> None:
    text = ggf(played(number=3))

    assert text.startswith("(;GM[Othello]PC[outflank ")
    assert text.endswith(
        "]DT[2026-05-17T12:30:00+02:00]PB[A]PW[B]RE[+64.00]TY[8]"
        "BO[8 ---------------------------O*------*O--------------------------- *]"
        "B[F5]W[D6]B[C5//0.250]W[F4//0.250]B[E3//0.250]W[F6//0.250]B[G5//0.250]W[E6//0.250]B[E7//0.250];)\n"
    )


@pytest.mark.parametrize("transcript", [WIPE_OUT, WITH_PASSES])
@pytest.mark.parametrize("opening", [0, 2, 6])
def test_files_of_a_run_say_which_moves_were_given(transcript: str, opening: int) -> None:
    """A review of them blames nobody for the opening."""
    record = played(transcript, opening=opening)

    assert record.given == opening
    assert read_back(sgf(record)).given == opening
    assert read_back(ggf(record)).given == opening


def test_moves_without_a_time_are_given_only_where_all_later_moves_of_ours_have_one() -> None:
    text = ggf(played(opening=4))

    assert read_back(text).given == 4
    assert read_back(text.replace("PC[outflank", "PC[GGS/os")).given == 0
    assert read_back(text.replace("W[G5//0.250]", "W[G5]").replace("B[G5//0.250]", "B[G5]")).given == 0
    assert read_back(text.replace("//0.250", "")).given == 0


@pytest.mark.parametrize(("value", "given"), [("2", 2), ("99", 3), ("-1", 0), ("x", 0), ("9999", 0)])
def test_a_strange_number_of_given_moves_spoils_no_game(value: str, given: int) -> None:
    assert read_back(f"(;GM[2]GV[{value}];B[f5];W[d6];B[c3])").given == given


def test_sgf_has_the_facts_in_its_root() -> None:
    root, first, _, third, *_ = sgf_nodes(sgf(played(number=3)))

    assert root.keys() == {"FF", "GM", "SZ", "CA", "AP", "DT", "GN", "GV", "PB", "PW", "RE"}
    assert (root["GM"], root["SZ"], root["PB"], root["RE"]) == (["2"], ["8"], ["A"], ["B+64"])
    assert first == {"B": ["f5"]}
    assert third == {"B": ["c5"], "C": ["0.250 s"]}


def test_evaluations_are_the_movers_in_ggf_and_blacks_in_sgf() -> None:
    record = judged(values={2: 1.5, 3: -2.25}, exact={3: -4})

    assert "B[C5/1.50/0.250]W[F4/2.25/0.250]B[E3//0.250]" in ggf(record)
    assert sgf_nodes(sgf(record))[3] == {"B": ["c5"], "V": ["1.50"], "C": ["0.250 s"]}
    assert sgf_nodes(sgf(record))[4]["C"] == ["0.250 s; exact before the move: -4 for Black"]


def test_an_adjudicated_game_has_its_exact_margin() -> None:
    record = replace(broken_off(Ending.ADJUDICATION, Colour.WHITE), margin=6)

    assert ggf_game(ggf(record))[0]["RE"] == "+6.00:s"
    assert sgf_nodes(sgf(record))[0]["RE"] == ["B+6"]
    assert headline(record) == "game 1: A - B +6"


def test_a_game_from_a_board_of_its_own_is_written_with_it() -> None:
    game = Game(first=Position.parse("-" * 26 + "OX------XO" + "-" * 28 + " X"))
    while not game.position.is_over:
        game.play(game.position.legal_moves()[0])
    record = replace(played(), turns=game.turns, seconds=(None,) * len(game.turns), values=(), exact=())

    assert [turn.move for turn in ggf_game(ggf(record))[1].turns] == [turn.move for turn in game.turns]
    assert sgf_nodes(sgf(record))[0]["AB"] == ["d4", "c5"]


def test_forced_passes_are_written_down() -> None:
    record = played(WITH_PASSES)

    assert len(re.findall(r"[BW]\[PA\]", ggf(record))) == 2
    assert sum([""] in node.values() for node in sgf_nodes(sgf(record))) == 2


def test_other_rules_are_named_with_their_start() -> None:
    obversi = PRESETS["obversi"]
    game = Game(obversi)
    while not game.position.is_over:
        game.play(game.position.legal_moves()[0])
    record = played(game.transcript(), obversi)
    root = sgf_nodes(sgf(record))[0]
    tags, _ = ggf_game(ggf(record))

    assert root["RU"] == [tags["RU"]] == ["obversi"]
    assert (root["AW"], root["AB"], root["PL"]) == (["d4", "e4"], ["d5", "e5"], ["B"])
    assert tags["BO"] == "8 ---------------------------OO------**--------------------------- *"


def test_a_direction_stands_before_evaluation_and_time() -> None:
    record = played(ONE_WAY, ONE_DIRECTION, opening=15)

    assert "W[E6/N//0.250]" in ggf(record) or "B[E6/N//0.250]" in ggf(record)
    assert "[e6/n]" in sgf(record)


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
    root = sgf_nodes(sgf(record))[0]

    assert ggf_game(ggf(record))[0]["RE"] == in_ggf
    assert root["RE"] == [in_sgf]
    assert sgf_grammar.text_value(root["C"][0].encode()) == b"A said: [stop]\\"
    assert headline(record) == f"game 1: A - B B wins by {ending}"


def test_the_second_player_wins_a_tie_where_the_rules_say_so() -> None:
    """By ravensburger-2006 White begins, so an equal count is Black's."""
    record = played(rules=PRESETS["ravensburger-2006"], transcript=_tie(PRESETS["ravensburger-2006"]))

    assert (record.margin, record.winner) == (0, Colour.BLACK)
    assert sgf_nodes(sgf(record))[0]["RE"] == ["B+0"]


def test_a_draw_is_written_as_such() -> None:
    record = played(_tie(Rules()))

    assert sgf_nodes(sgf(record))[0]["RE"] == ["0"]
    assert ggf_game(ggf(record))[0]["RE"] == "+0.00"
    assert headline(record) == "game 1: A - B +0"


@pytest.mark.parametrize("name", ["a]b", "a\\b", "ü [x]", ";)"])
def test_odd_names_break_no_record(name: str) -> None:
    record = played(names=(name, "B"))

    assert sgf_grammar.simpletext_value(sgf_nodes(sgf(record))[0]["PB"][0].encode()).decode() == name
    assert ggf_game(ggf(record))[0]["PB"] == name.replace("]", ")")


def _tie(rules: Rules) -> str:
    """A game that ends with as many black discs as white ones."""
    rng = random.Random(1)
    while True:
        game = Game(rules)
        while not game.position.is_over:
            game.play(rng.choice(game.position.legal_moves()))
        if game.position.score(Colour.BLACK) == 0:
            return game.transcript()

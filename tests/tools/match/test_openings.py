"""What ``--openings`` says, openings from files and by chance, and the shipped suite of balanced ones."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from outflank.engine import (
    PRESETS,
    FileFormatError,
    Game,
    Limit,
    Move,
    NotationError,
    Rules,
    Searcher,
    SettingsError,
)
from outflank.tests.support.positions import WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import played
from outflank.tools.match.openings.sources import (
    SUITE,
    OpeningsChoice,
    balanced_openings,
    default_openings,
    judge,
    openings_of,
    play_random,
    random_openings,
    read_openings,
    suite,
)
from outflank.tools.report.records import transcript_line

OTHELLO = Rules()


def count_different(openings: Sequence[tuple[Move, ...]], rules: Rules) -> int:
    boards = set()
    for opening in openings:
        game = Game(rules)
        for move in opening:
            game.play(move)
        boards.add(game.position.canonical()[0])
    return len(boards)


def file_with(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "openings.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "openings"),
    [
        ("# named\nf5d6c3  # diagonal\n\nF5 F6\n", ["f5 d6 c3", "f5 f6"]),
        ("(;GM[2];B[f5];W[d6])(;GM[2];B[f5];W[f6])", ["f5 d6", "f5 f6"]),
    ],
)
def test_any_file_of_games_has_openings(tmp_path: Path, text: str, openings: list[str]) -> None:
    read = read_openings(file_with(tmp_path, text), OTHELLO)

    assert [" ".join(map(str, moves)) for moves in read] == openings


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("f5d6\nf5a1\n", r"openings\.txt, line 2: move 2 of the transcript: "),
        ("f5d6\n\n!!\n", r"openings\.txt, line 3: expected a move"),
        ("# nothing\n", r"openings\.txt: it contains no games \(transcript\)"),
        (
            "(;GM[2]AB[d4]AW[e4];B[f4])",
            r"openings\.txt: an opening begins at .*, not at the start of othello",
        ),
        (
            WIPE_OUT,
            r"a finished game can't be an opening \(.*openings[.]txt:8 takes the first 8 moves of each game\): f5d6c5",
        ),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(FileFormatError, match=sentence):
        read_openings(file_with(tmp_path, text), OTHELLO)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(FileFormatError, match="No such file"):
        read_openings(tmp_path / "missing", OTHELLO)
    with pytest.raises(FileFormatError, match="Is a directory"):
        read_openings(tmp_path, OTHELLO)
    with pytest.raises(
        FileFormatError, match="it is not a file of games: its contents are not text, WTHOR or edx"
    ):
        read_openings(binary, OTHELLO)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_random_openings_are_legal_different_and_depend_on_the_seed_alone(rules: Rules) -> None:
    openings = list(random_openings(8, 20, rules, seed=7))

    assert openings == list(random_openings(8, 20, rules, seed=7))
    assert openings[:5] == list(random_openings(8, 5, rules, seed=7))
    assert openings != list(random_openings(8, 20, rules, seed=8))
    assert count_different(openings, rules) == 20
    for moves in openings:
        assert len(moves) == 8
        game = Game(rules)
        for move in moves:
            game.play(move)
        assert not game.position.is_over


def test_where_there_are_no_more_different_openings_some_come_twice_and_no_others_are_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All first moves are images of each other: the second opening is the only one that is sought in vain."""
    drawn = []

    def counted(*arguments: object) -> object:
        drawn.append(arguments)
        return play_random(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("outflank.tools.match.openings.sources.play_random", counted)
    openings = list(random_openings(1, 100, OTHELLO, seed=1))

    assert (len(openings), count_different(openings, OTHELLO)) == (100, 1)
    assert len(drawn) == 1 + 200 + 98


@pytest.mark.parametrize(
    "text", ["random:", "random:x", "random:-1", "random:41", "random:²", f"random:{'4' * 5000}"]
)
def test_a_malformed_choice_is_named(text: str) -> None:
    with pytest.raises(NotationError, match="expected random:N with N from 0 to 40"):
        OpeningsChoice.parse(text)


@pytest.mark.parametrize(
    "text", ["balanced", "random:8", "random:0", "openings.txt", "./balanced", "./random:5", "./random:x:3"]
)
def test_a_choice_is_written_as_it_is_read(text: str) -> None:
    choice = OpeningsChoice.parse(text)

    assert str(choice) == text
    assert OpeningsChoice.parse(str(choice)) == choice


def test_the_first_moves_of_games_as_a_run_exports_them(tmp_path: Path) -> None:
    """Comments and forced passes included; the choice is written as it is read."""
    games = [played(WITH_PASSES), played(number=2)]
    file = tmp_path / "games.txt"
    file.write_text("".join(map(transcript_line, games)))
    choice = OpeningsChoice.parse(f"{file}:7")

    assert [" ".join(map(str, moves)) for moves in choice.take(2, Rules(), seed=1)] == [
        "d3 e3 f4 c5 d2 f3 d6",
        "f5 d6 c5 f4 e3 f6 g5",
    ]
    assert str(choice) == f"{file}:7"


def test_a_short_file_is_read_again_from_its_top_also_if_its_name_ends_in_a_number(tmp_path: Path) -> None:
    file = tmp_path / "openings:1"
    file.write_text("f5d6\nf5f6\n")
    drawn = OpeningsChoice.parse(str(file)).take(3, OTHELLO, seed=1)

    assert [str(moves[1]) for moves in drawn] == ["d6", "f6", "d6"]


def test_the_suite_has_every_level_position_once_after_eight_moves(rng: random.Random) -> None:
    games = [Game.from_transcript(transcript) for transcript in suite()]

    assert len(games) > 10_000
    assert len({game.position.canonical()[0] for game in games}) == len(games)
    assert all(len(game.turns) == 8 and not game.position.must_pass for game in games)
    assert all(not game.position.is_over for game in games)
    assert suite() == sorted(suite())
    header = SUITE.read_text().split("\nf5")[0]
    assert f"{len(suite())} of the 67239 positions after 8 moves" in header
    assert "outflank openings make --moves 8 --within 2 --depth 14 --selectivity 73" in header

    searcher = Searcher(16)

    for transcript in rng.sample(suite(), 30):
        result = searcher.search(Game.from_transcript(transcript).position, Limit(depth=8, selectivity=73))
        assert abs(result.score) <= 8, transcript


def test_balanced_openings_depend_on_the_seed_and_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list(balanced_openings(30, OTHELLO, seed=7))

    assert drawn == list(balanced_openings(30, OTHELLO, seed=7))
    assert drawn[:5] == list(balanced_openings(5, OTHELLO, seed=7))
    assert drawn != list(balanced_openings(30, OTHELLO, seed=8))
    assert count_different(drawn, OTHELLO) == 30
    assert list(OpeningsChoice.parse("balanced").take(30, OTHELLO, seed=7)) == drawn
    two = ["f5d6c3d3c4f4f6f3", "f5f6e6f4"]
    monkeypatch.setattr("outflank.tools.match.openings.sources.suite", lambda: two)
    repeated = list(balanced_openings(5, OTHELLO, seed=1))
    assert repeated[:2] == repeated[2:4]
    assert count_different(repeated, OTHELLO) == 2


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_the_default_is_balanced_where_the_rules_allow_it(rules: Rules) -> None:
    assert len(list(default_openings(rules).take(3, rules, seed=1))) == 3
    assert str(default_openings(rules)) == ("balanced" if rules.name == "othello" else "random:8")
    if rules.name == "reversi":
        with pytest.raises(SettingsError, match=r"for rules with Othello's start and moves, not for reversi"):
            balanced_openings(1, rules, seed=1)


@pytest.mark.parametrize(("moves", "positions"), [(1, 1), (2, 3), (3, 14), (4, 60), (5, 322)])
def test_each_position_is_there_once_up_to_symmetry(moves: int, positions: int) -> None:
    found = openings_of(moves)

    assert len(found) == positions
    assert len({position.canonical()[0] for _, position in found}) == positions
    assert all(text.startswith("f5") and len(text) == 2 * moves for text, _ in found)


def test_openings_are_judged_from_the_side_of_black() -> None:
    """After f5f6 White has answered diagonally, which is known to be level; after f5 f4 White is behind."""
    positions, deep = dict(openings_of(2)), Limit(depth=12, selectivity=73)
    level, bad = positions["f5d6"], positions["f5f4"]

    assert abs(judge(level, 10, deep) or 0) <= 2
    assert (judge(bad, 20, deep) or 0) > 2
    assert judge(bad, 1, deep) is None

"""Games come out of SGF files as other programs write them, and damaged files are refused in words."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.engine import Colour
from outflank.protocol.formats import sgf
from outflank.tests.support.dialogue import Dialogue

pytest.importorskip("sgfmill")

Load = Callable[..., str]

PLAIN = "(;FF[4]GM[2]SZ[8]PB[a]PW[b]RE[B+12];B[f5];W[d6];B[c3])"
EDAX = "(;PC[Edax]GM[2]SZ[8]RE[Void]B[f5];W[d6];B[c3];)"
CAPITALS = "(;GM[2]\n;B[F5]\n;W[D6]\n;B[C3]\n)"
BY_A_GO_PROGRAM = "(;FF[4]CA[UTF-8]GM[1]SZ[8];B[fd];W[dc];B[cf])"
VARIATIONS = "(;GM[2];B[f5](;W[d6];B[c3])(;W[f6];B[e6]))"
WITH_COMMENTS = "junk (;GM[2]C[a \\] and (; inside];B[f5]C[good];W[d6];B[c3])(;GM[2];B[d3])"


@pytest.fixture
def dialogue() -> Dialogue:
    return Dialogue()


@pytest.fixture
def load(dialogue: Dialogue, tmp_path: Path) -> Load:
    """Load a text, or the moves of it that come before a number."""

    def load(sgf: str, before: str = "") -> str:
        (tmp_path / "game.sgf").write_text(sgf, encoding="utf-8")
        return dialogue.send(f"loadsgf {tmp_path / 'game.sgf'} {before}")

    return load


@pytest.mark.parametrize("sgf", [PLAIN, EDAX, CAPITALS, BY_A_GO_PROGRAM, VARIATIONS, WITH_COMMENTS])
def test_a_game_is_loaded_whoever_wrote_it(dialogue: Dialogue, load: Load, sgf: str) -> None:
    assert load(sgf) == "=\n\n"

    assert dialogue.session.game.transcript() == "f5d6c3"


@pytest.mark.parametrize(
    ("before", "transcript"), [(1, ""), (2, "f5"), (3, "f5d6"), (4, "f5d6c3"), (99, "f5d6c3")]
)
def test_a_number_stops_before_that_move(
    dialogue: Dialogue, load: Load, before: int, transcript: str
) -> None:
    load(PLAIN, f" {before}")

    assert dialogue.session.game.transcript() == transcript


@pytest.mark.parametrize("passed", ["", ";B[]"])
def test_a_pass_counts_as_a_move_to_take_back_only_if_the_file_has_it(
    dialogue: Dialogue, load: Load, passed: str
) -> None:
    """After f5f6d3g5h5h4g7h6 Black has no move."""
    moves = ";B[f5];W[f6];B[d3];W[g5];B[h5];W[h4];B[g7];W[h6]"
    assert load(f"(;GM[2]{moves}{passed};W[e7])") == "=\n\n"

    dialogue.ask("undo")

    assert dialogue.ask("gogui-rules_side_to_move") == ("white" if passed else "black")
    dialogue.ask(f"gg-undo {9 if passed else 8}")
    assert dialogue.refuse("undo").startswith("cannot undo")


def test_passes_after_the_end_are_read_over(dialogue: Dialogue, load: Load) -> None:
    moves = ";B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]"

    assert load(f"(;GM[2]{moves};W[];B[])") == "=\n\n"

    assert dialogue.ask("final_score") == "B+64"


@pytest.mark.parametrize("discs", ["AB[d4][d5]AW[e4][e5]", "AB[d4:d5]AW[e5:e4]", "AB[dd:de]AW[e4:e5]"])
def test_discs_set_up_replace_the_start(dialogue: Dialogue, load: Load, discs: str) -> None:
    assert load(f"(;GM[2]{discs}PL[W])") == "=\n\n"

    assert dialogue.ask("gogui-rules_legal_moves") == "C3 C4 C5 C6"


@pytest.mark.parametrize(
    ("rest", "transcript", "side"),
    [
        (";W[f4]", "f4", Colour.BLACK),
        (";B[c4]", "c4", Colour.WHITE),
        ("", "", Colour.BLACK),
        ("PL[W];W[f4]", "f4", Colour.BLACK),
    ],
)
def test_without_pl_the_first_move_says_who_begins_from_discs_set_up(
    dialogue: Dialogue, load: Load, rest: str, transcript: str, side: Colour
) -> None:
    game = f"(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]{rest})"
    assert load(game) == "=\n\n"
    assert dialogue.session.game.transcript() == transcript

    assert load(game, " 1") == "=\n\n"  # although the first move is left out
    assert dialogue.session.position.side is (side.other if transcript else side)


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("RU[ravensburger-1987];W[f4];B[f5];W[d6/ne]", "ravensburger-1987"),
        ("RU[Japanese]", "reveris"),  # which we do not know, so that ours stay in force
    ],
)
def test_the_file_may_name_the_rules(dialogue: Dialogue, load: Load, game: str, rules: str) -> None:
    dialogue.ask("outflank-rules reveris")

    assert load(f"(;GM[2]{game})") == "=\n\n"
    assert dialogue.ask("outflank-rules") == rules


DAMAGED = {
    "": "this is not SGF: no SGF data found",
    "(;GM[2];B[f5]": "this is not SGF: unexpected end of SGF data",
    "(;GM[4];B[f5])": "expected a game of Othello (GM[2]), got GM[4]",
    "(;GM[2]SZ[10];B[f5])": "expected a board of size 8, got SZ[10]",
    "(;GM[2];B[a1])": "move 1: a1 is illegal; legal for Black: d3 c4 f5 e6",
    "(;GM[2];B[f5];B[d6])": "move 2: expected a move for White, got a move for Black",
    "(;GM[2];B[f5];W[x9])": "move 2: expected a square from a1 to h8, got 'x9'",
    "(;GM[2]AB[a1:z9])": "expected a square from a1 to h8, got 'z9'",
    "(;GM[2];W[f4])": "move 1: expected a move for Black, got a move for White",
    "(;GM[2]AB[e4][d5]AW[d4][e5]PL[B];W[f4])": "move 1: expected a move for Black, got a move for White",
    "(;GM[2];B[f5];AE[e5]AW[d3];W[d6])": "node 3 sets up discs with AW, which only node 1 may do",
    "(;GM[2];B[f5];AE[e5];W[d6])": "node 3 sets up discs with AE, which only node 1 may do",
    "(;GM[2]AE[d4];B[f5])": "node 1 sets up squares with AE; only AB and AW are supported",
    "(;GM[2]AB[d4]AW[d4])": "d4 has discs of both colours",
    "(" * 1000 + ";": "this is not SGF: ",
    "(;" * 100000 + ")" * 100000: "",
    "(;GM[2];" + "B[f5]" * 100000 + ")": "",
}


@pytest.mark.parametrize("sgf", DAMAGED, ids=lambda sgf: sgf[:30])
def test_a_damaged_file_changes_nothing_and_is_refused_in_words(
    dialogue: Dialogue, load: Load, sgf: str
) -> None:
    dialogue.ask("play b d3")
    before = dialogue.state()

    answer = load(sgf)

    if DAMAGED[sgf]:
        assert answer.startswith(f"? cannot load file: {DAMAGED[sgf]}")
        assert dialogue.state() == before
    else:
        assert answer[0] in "=?"


@pytest.mark.parametrize("name", ["missing.sgf", ".", "/dev/zero", "/dev/null", "\x00", "ä" * 300])
def test_what_is_no_readable_file_is_refused(dialogue: Dialogue, tmp_path: Path, name: str) -> None:
    before = dialogue.state()

    sentence = dialogue.refuse(f"loadsgf {tmp_path / name}")
    assert sentence.startswith("cannot load file: ")
    assert sentence.count(str(tmp_path / name.strip("\0")).rstrip("/")) == 1

    assert dialogue.state() == before


def test_a_name_in_any_encoding_is_found(dialogue: Dialogue, tmp_path: Path) -> None:
    file = tmp_path / b"partie-n\xb01-\xc3\xa9.sgf".decode("utf-8", "surrogateescape")
    file.write_text(PLAIN)

    assert dialogue.send(f"loadsgf {file}") == "=\n\n"


def test_without_sgfmill_the_failure_says_what_to_install(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    sgf._grammar.cache_clear()
    monkeypatch.setitem(sys.modules, "sgfmill", None)

    answer = load(PLAIN)

    assert answer.startswith(
        "? cannot load file: SGF needs sgfmill, which is not installed (pip install 'outflank[match]')"
    )

"""What follows from claims is what a search finds, rests on them alone, and wrong claims are found by solving them."""

import io
import json
import lzma
import random
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from outflank.book.keys import after_passes, key_of
from outflank.engine import FileFormatError, Limit, Position, Rules, Searcher, SettingsError
from outflank.tests.support.positions import reached
from outflank.tests.support.transcripts import run
from outflank.tools.solving.claims import Deduction, audit_words, bounds_of, drawn, read_claims
from outflank.tools.solving.proofs import check
from outflank.tools.solving.proofs.write import ProofWriter

RULES = [Rules.parse(text) for text in ("othello", "othello,scoring=count", "ravensburger-2006")]
PLIES = 3


def exact(position: Position) -> int:
    return int(Searcher(1).search(position, Limit.solve()).score)


def frontier(root: Position, plies: int = PLIES) -> list[Position]:
    """Return the boards some plies later, each of its images once, those where the game is over left out."""
    level = {root}
    for _ in range(plies):
        level = {after_passes(at.play(move))[0] for at in level for move in at.legal_moves()}
    return list({key_of(at)[0]: at for at in level if not at.is_over}.values())


def before_passes(position: Position) -> Position:
    """Return the board on which the other side has to pass, if it has to there."""
    before = Position.parse(
        f"{position.board_string()[:65]}{'XO'[position.side.letter == 'B']}", position.rules
    )
    return before if before.must_pass else position


def text_of(positions: list[Position], slack: int = 0) -> str:
    """Return true claims about positions, with bounds `slack` discs beyond their scores."""
    rows = ["position,lower,upper"]
    for position in positions:
        score = exact(position)
        rows.append(f"{position.board_string()},{max(score - slack, -64)},{min(score + slack, 64)}")
    return "\n".join(rows) + "\n"


def deduction(text: str, rules: Rules) -> Deduction:
    return Deduction(read_claims(io.BytesIO(text.encode()), "claims", rules))


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_a_score_follows_from_claims_about_all_boards_some_plies_later(seed: int, rules: Rules) -> None:
    root = reached(seed, 9, rules)
    score = exact(root)
    follows = deduction(text_of(frontier(root)), rules)
    wider = deduction(text_of(frontier(root), 4), rules)

    assert follows.bounds(root) == (score, score)
    lower, upper = wider.bounds(root)
    assert lower <= score <= upper
    assert (lower, upper) != (score, score)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_claim_about_a_side_that_must_pass_is_about_the_board_after_the_pass(
    rules: Rules, tmp_path: Path
) -> None:
    passes = 0
    for seed in range(4):
        root = reached(seed, 9, rules)
        positions = [before_passes(at) for at in frontier(root)]
        passes += sum(at.must_pass for at in positions)
        claims, proof, score = tmp_path / "claims.csv", tmp_path / "proof", exact(root)
        claims.write_text(text_of(positions))
        proof.write_text(proof_from(claims, root))

        assert deduction(claims.read_text(), rules).bounds(root) == (score, score)
        assert checked(claims, proof).returncode == 0
    assert passes


@pytest.mark.parametrize("seed", range(4))
def test_the_claims_needed_are_enough_and_without_them_less_follows(seed: int) -> None:
    root = reached(seed, 9)
    text = text_of(frontier(root))
    follows = deduction(text, root.rules)
    bounds = follows.bounds(root)
    needed = follows.needed(root, bounds)
    kept, others = list[str](), list[str]()
    for row in text.splitlines()[1:]:
        (kept if key_of(Position.parse(row[:66]))[0] in needed else others).append(row)

    assert others
    assert deduction("\n".join(kept), root.rules).bounds(root) == bounds
    assert deduction("\n".join(others), root.rules).bounds(root) != bounds


def proof_from(claims: Path, root: Position) -> str:
    follows, lines = deduction(claims.read_text(), root.rules), list[str]()
    ProofWriter(root, exact(root), 0, follows, follows).write(lines.append)
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Position, Path, Path]:
    root = reached(5, 10)
    claims, proof = tmp_path / "claims.csv", tmp_path / "proof"
    claims.write_text(text_of(frontier(root)))
    proof.write_text(proof_from(claims, root))
    return root, claims, proof


def checked(claims: Path, proof: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-S", "-I", check.__file__, "--claims", str(claims), str(proof)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_the_checker_confirms_what_follows_and_refuses_less(
    files: tuple[Position, Path, Path], rng: random.Random
) -> None:
    root, claims, proof = files
    said = checked(claims, proof)

    assert (said.returncode, said.stderr) == (0, "")
    assert f"{exact(root):+d} is proven for {root.board_string()}" in said.stdout
    assert " claims, " in said.stdout
    heading, *rows = claims.read_text().splitlines()
    images = []
    for row in rows:
        board, lower, upper = row.split(",")
        images.append(f"{rng.choice(Position.parse(board).symmetries()).board_string()},{lower},{upper}")
    claims.write_text("\n".join([heading, *images]))
    assert checked(claims, proof).returncode == 0

    # Each claim that is needed, one at a time; and a proof that names no claims.
    root, claims, proof = files
    follows = deduction(claims.read_text(), root.rules)
    needed = follows.needed(root, follows.bounds(root))
    rows = claims.read_text().splitlines()
    refused = 0
    for i, row in enumerate(rows[1:], 1):
        if key_of(Position.parse(row[:66]))[0] in needed and refused < 10:
            claims.write_text("\n".join(rows[:i] + rows[i + 1 :]))
            said = checked(claims, proof)

            assert said.returncode == 1
            assert "expected a claim of " in said.stderr
            refused += 1
    assert refused


def test_random_changes_of_such_a_proof_are_refused(
    files: tuple[Position, Path, Path], rng: random.Random, capsys: pytest.CaptureFixture[str]
) -> None:
    _, claims, proof = files
    lines = proof.read_text().splitlines()
    for _ in range(30):
        i = rng.randrange(8, len(lines) - 1)
        new = rng.choice([[], [lines[i], lines[i]], [lines[i].removesuffix(" claim") + " =9"], ["a1 claim"]])
        proof.write_text("".join(f"{line}\n" for line in [*lines[:i], *new, *lines[i + 1 :]]))

        assert check.main(["--claims", str(claims), str(proof)]) == 1
        assert int(capsys.readouterr().err.partition("line ")[2].partition(":")[0]) >= i + 1


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("XO X,0,0", "line 2: expected 64 squares of X O -"),
        (f"{'-' * 64} X,0,0", "line 2: the game is over on this board"),
        ("BOARD,4,2", "line 2: expected -64 <= lower <= upper <= 64, got 4 and 2"),
        ("BOARD,-65,2", "line 2: expected -64 <= lower"),
        ("BOARD,1.5,2", "line 2: expected 64 squares"),
        ("BOARD,1", "x.csv: line 2: expected 64 squares"),
        ("", "x.csv has no claims"),
        ("BOARD,2,4\nIMAGE,6,64", "the claims in lines 2 and 3 contradict each other: they are"),
    ],
)
def test_a_line_that_is_no_claim_is_named(row: str, sentence: str) -> None:
    position = reached(1, 10)
    for word, at in (("BOARD", position), ("IMAGE", position.symmetries()[3])):
        row = row.replace(word, at.board_string())
    text = f"position,lower,upper\n{row}\n"
    with pytest.raises((FileFormatError, SettingsError)) as error:
        bounds_of(read_claims(io.BytesIO(text.encode()), "x.csv", Rules()))

    assert sentence in str(error.value)


def test_the_command_prints_what_follows_and_has_it_checked(
    files: tuple[Position, Path, Path], tmp_path: Path
) -> None:
    root, claims, _ = files
    proof, needed, board = tmp_path / "new.proof", tmp_path / "needed.csv", root.board_string()
    result = run(
        "proof", "derive", str(claims), "--board", board, "--proof", str(proof), "--needed", str(needed)
    )
    replacing = run("proof", "derive", str(claims), "--board", board, "--needed", str(needed))
    again = run("proof", "derive", str(needed), "--board", board, "--json")

    assert f"'{needed}' was replaced" in replacing.stderr
    assert f"{exact(root):+d} is proven for {board}" in result.output
    assert lzma.decompress(proof.read_bytes()).startswith(b"outflank proof 3\n")
    facts = json.loads(again.stdout)
    assert (facts["lower"], facts["upper"]) == (exact(root), exact(root))
    assert facts["claims"] == facts["needed"] == needed.read_text().count("\n") - 1


FAR = "O-XXXXXX-OXXOOOXOOXXXOOXOOXOOXXXOOOOOOXX---OOOOX----O--X-------- O,-30,-30\n"


def test_claims_that_bear_on_the_position_too_little_are_refused_in_words(
    files: tuple[Position, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, claims, _ = files
    wider, board = text_of(frontier(root), 4), ["--board", root.board_string()]
    monkeypatch.setattr("outflank.tools.solving.claims._MOST_BOARDS", 1000)
    for text, words, sentence in (
        (wider, [*board, "--proof", str(tmp_path / "new")], "only bounds follow: leave out"),
        (FAR, [], "more than 1,000 boards were followed, and none of them has a claim: use --board"),
        (f"{reached(2, 9).board_string()},0,0\n", board, "no claim applies to "),
    ):
        claims.write_text(text)
        result = run("proof", "derive", str(claims), *words, code=1)

        assert sentence in result.output


def test_claims_that_contradict_each_other_by_the_rules_are_refused_and_named(tmp_path: Path) -> None:
    rows = (
        "OOOOXOOOOOO-OOOOOO-OOOOOOOOOOOOOOOOOOOOOXOOOO-OOOO-OOOOOOOOOO-OO X,-64,-4",
        "OOOOXOOOOOO-OOOOOO-OOOOOOOOOOOOOOOOOOOOOXXXXXXOOOO-OOOOOOOOOO-OO O,-64,-8",
    )
    board = "OOOOXOOOOOO-OOOOOO-OOO-OOOOOOXOOOOOOOOOOXOOOO-OOOO-OOOOOOOOOO-OO O"
    (tmp_path / "c.csv").write_text("\n".join(rows))
    proof = tmp_path / "c.proof"
    result = run("proof", "derive", str(tmp_path / "c.csv"), "--board", board, "--proof", str(proof), code=1)

    assert (
        f"the claims contradict each other about {rows[0][:66]}: -4 or less is claimed in line 1, and more follows "
        "from line 2"
    ) in result.output
    assert not proof.exists()


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_a_contradiction_is_found_on_every_board_that_a_result_needs(
    side: str, plies: int, tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.solving.claims._MOST_NAMED", 1000)
    root = reached(3, 9)
    level = frontier(root, plies)
    follows = deduction(text_of(level), root.rules)
    met = follows.needed(root, follows.bounds(root))
    board = rng.choice([at for at in level if key_of(at)[0] in met])
    score = exact(board)
    false = f"{score + 2},64" if side == "lower" else f"-64,{score - 2}"
    text = f"{text_of(frontier(root))}{board.board_string()},{false}\n"
    (tmp_path / "c.csv").write_text(text)
    result = run("proof", "derive", str(tmp_path / "c.csv"), "--board", root.board_string(), code=1)

    found = re.search(
        r"contradict each other about (.{66}): ([+-]\d+) or (more|less) is claimed in line (\d+), and (less|more) "
        r"follows from lines? (\d+(?:, \d+)*)",
        result.output,
    )
    assert found
    assert key_of(Position.parse(found[1])) == key_of(board)
    assert int(found[2]) == (score + 2 if side == "lower" else score - 2)
    assert int(found[4]) == text.count("\n")
    rows = text.splitlines()
    (tmp_path / "c.csv").write_text("\n".join(rows[int(line) - 1] for line in found[6].split(", ")))
    facts = json.loads(run("proof", "derive", str(tmp_path / "c.csv"), "--board", found[1], "--json").stdout)
    assert (facts["upper"] < score + 2) if side == "lower" else (facts["lower"] > score - 2)


@pytest.mark.parametrize("seed", range(3))
def test_a_claim_about_the_very_board_counts(seed: int, tmp_path: Path) -> None:
    root = reached(seed, 9)
    score, claims = exact(root), tmp_path / "c.csv"
    claims.write_text(text_of([root]))
    result = run("proof", "derive", str(claims), "--board", root.board_string())

    assert f"{score:+d} for {root.board_string()} under othello, from 1 of 1 claim, " in result.output
    claims.write_text(f"{text_of(frontier(root), 2)}{root.board_string()},{max(score - 4, -64)},64\n")
    facts = json.loads(run("proof", "derive", str(claims), "--board", root.board_string(), "--json").stdout)
    assert facts["lower"] <= score <= facts["upper"]
    assert facts["lower"] >= max(score - 2, -64)


def test_the_checker_reads_claims_in_little_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    """A file took thirty times its size, and one without an end all memory."""
    claims, proof = tmp_path / "c.csv", tmp_path / "p"
    boards = ("".join(rng.choices("XO-", k=64)) for _ in range(1_000))
    claims.write_text("".join(f"{board} X,-64,64\n" for board in boards))
    proof.write_text("outflank proof 3\n")
    tracemalloc.start()
    check.main(["--claims", str(claims), str(proof)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 6 * claims.stat().st_size
    assert check.main(["--claims", "/dev/zero", str(proof)]) == 1
    assert "line 2 of /dev/zero: expected position,lower,upper" in capsys.readouterr().err
    monkeypatch.setattr(check, "MOST_CLAIMS", 50_000)
    assert check.main(["--claims", str(claims), str(proof)]) == 1
    assert "has more than 50,000 bytes of claims" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("false", "empties"),
    [(0, 12), (3, 12), pytest.param(1, 24, marks=[pytest.mark.slow, pytest.mark.timeout(900)])],
)
def test_an_audit_finds_false_claims(false: int, empties: int, tmp_path: Path, rng: random.Random) -> None:
    count = 12 if empties < 24 else 8
    heading, *rows = text_of([reached(seed, empties) for seed in range(count)]).splitlines()
    wrong = sorted(rng.sample(range(len(rows)), false))
    for i in wrong:
        board, lower, upper = rows[i].split(",")
        score = int(lower) + (2 if int(upper) < 60 else -4)
        rows[i] = f"{board},{score},{score}"
    claims = tmp_path / "claims.csv"
    claims.write_text("\n".join([heading, *rows]))
    result = run("proof", "audit", "--hash", "4", str(claims), "--workers", "1", code=int(false > 0))

    assert f"{count} of {count} claims solved again, {false} wrong" in result.output
    for i in wrong:
        assert f"line {i + 2}: " in result.output


def test_a_sample_is_drawn_by_its_seed_and_grows_and_says_what_may_be_wrong() -> None:
    """By the rule of three."""
    text = text_of([reached(seed, 8) for seed in range(20)])
    claims = read_claims(io.BytesIO(text.encode()), "x", Rules())

    assert drawn(claims, 5, 7) == drawn(claims, 9, 7)[:5]
    assert drawn(claims, 5, 7) != drawn(claims, 5, 8)
    assert len(drawn(claims, 99, 7)) == 20
    assert "at most 3.00% of all claims are wrong" in audit_words(2587, 100, 0)
    assert "all claims are true" in audit_words(100, 100, 0)
    assert "confidence" not in audit_words(2587, 100, 1)
    assert audit_words(2587, 3, 0).endswith("0 wrong: too few to estimate how many of all claims are wrong")

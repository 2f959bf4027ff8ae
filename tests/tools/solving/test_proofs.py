"""What is written in a proof is true, and the checker believes nothing: whatever is wrong in one is found."""

import lzma
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import PRESETS, Limit, Position, Rules, Searcher, SettingsError
from outflank.engine.search.proving import Prover
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import board, problems, reached
from outflank.tools.solving.proofs import check, write
from outflank.tools.solving.proofs.write import ProofWriter

COUNT = Rules.parse("othello,scoring=count")
BEFORE_PLAY = 8  # lines of the header, "lower" among them
POSITION = problems("ffo-1")[4].position
SCORE = 32


def proof(position: Position, score: int, prover: Prover, searched: int = 6) -> list[str]:
    lines: list[str] = []
    ProofWriter(position, score, searched, prover).write(lines.append)
    return lines


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def packed(lines: list[str]) -> bytes:
    return lzma.compress(text_of(lines).encode())


def written(position: Position, searched: int) -> list[str]:
    score = int(Searcher(1).search(position, Limit.solve()).score)
    return proof(position, score, Prover(position.rules, 1), searched=searched)


class Checked:
    """Runs both checkers on texts: that in Python, and its sibling in C where there is a compiler."""

    def __init__(self, path: Path, sibling: Path | None, capsys: pytest.CaptureFixture[str]) -> None:
        self._path, self._sibling, self._capsys = path, sibling, capsys

    def complaint(self, lines: list[str]) -> str:
        """Return the checkers' complaint about a text; empty if it holds."""
        return self.complaints(lines)[0]

    def complaints(self, lines: list[str]) -> tuple[str, str]:
        """Return each checker's complaint; they agree on whether the text is a proof, and on its claim."""
        data = text_of(lines).encode()
        said, complaint = self._run(data)
        if self._sibling is None:
            return complaint, complaint
        other = subprocess.run([self._sibling], input=data, capture_output=True, timeout=500)
        theirs = other.stderr.decode()
        assert_obeyed_by_no_terminal(other.stdout.decode() + theirs)
        assert other.returncode == bool(complaint) == bool(theirs), data
        assert complaint or other.stdout.decode() == said
        return complaint, theirs

    def complaint_about(self, data: bytes) -> str:
        return self._run(data)[1]

    def _run(self, data: bytes) -> tuple[str, str]:
        self._path.write_bytes(data)
        self._capsys.readouterr()
        code = check.main([str(self._path)])
        said, complaint = self._capsys.readouterr()
        assert code == complaint.count("\n") <= 1
        assert_obeyed_by_no_terminal(said + complaint)
        return said, complaint


def assert_obeyed_by_no_terminal(text: str) -> None:
    assert text.replace("\n", "").isprintable(), text


@pytest.fixture(scope="module")
def sibling(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = tmp_path_factory.mktemp("c") / "check"
    source = Path(check.__file__).with_suffix(".c")
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", program, source], check=True, timeout=100)
    return program


@pytest.fixture
def checked(tmp_path: Path, sibling: Path | None, capsys: pytest.CaptureFixture[str]) -> Checked:
    return Checked(tmp_path / "proof", sibling, capsys)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Return a proof of FFO #5 with five squares left to the search."""
    return written(POSITION, 5)


@given(strategies.games(reference.SHEETS["othello"]), st.sampled_from("XO"))
def test_moves_and_turned_discs_are_the_oracles(game: reference.Game, side: str) -> None:
    own, opp = sides(game.board, side)
    expected = {
        name: sum(1 << 8 * row + column for row, column in discs)
        for name, discs in reference.moves(game.board, side, "all").items()
    }

    assert {check.NAMES[square]: discs for square, discs in check.moves(own, opp)} == (
        expected or {"pass": 0}
    )


@given(strategies.games(reference.SHEETS["othello"], whole=True), st.sampled_from(["empties", "count"]))
def test_final_scores_are_the_oracles(game: reference.Game, scoring: str) -> None:
    expected = reference.final_score(game.board, reference.Sheet(scoring=scoring))

    assert check.final_score(*sides(game.board, "X"), scoring == "count") == expected


def sides(cells: reference.Board, side: str) -> tuple[int, int]:
    text = reference.text_of(cells)
    own = sum(1 << i for i in range(64) if text[i] == side)
    return own, sum(1 << i for i in range(64) if text[i] == reference.other(side))


@pytest.mark.parametrize("rules", [Rules(), COUNT, Rules.parse("ravensburger-2006")], ids=str)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("searched", [0, 5])
def test_ends_of_random_games_are_proven(seed: int, rules: Rules, searched: int, checked: Checked) -> None:
    """With nothing left to the search passes, early ends and wipe-outs are walked."""
    assert checked.complaint(written(reached(seed, 8, rules), searched)) == ""


@pytest.mark.parametrize("side", ["X", "O"])
@pytest.mark.parametrize(("black", "white"), [("c1", "b1"), ("a1", "h8"), ("a1", "")])
def test_wipe_outs_and_games_that_are_over_are_proven(
    black: str, white: str, side: str, checked: Checked
) -> None:
    position = Position.parse(f"{board(black, white)} {side}")

    assert checked.complaint(written(position, 6)) == ""


def test_a_position_that_begins_with_a_pass_is_proven(checked: Checked) -> None:
    positions = (reached(seed, 7) for seed in range(1000))
    lines = written(next(position for position in positions if position.must_pass), 4)

    assert lines[BEFORE_PLAY] == "root pass"
    assert checked.complaint(lines) == ""
    # The premise of the test of random games: both sides have to pass.
    random_ends = [line for seed in range(12) for line in written(reached(seed, 8), 0)]
    assert any(line.startswith("pass ") for line in random_ends)
    assert any(line.endswith(" pass") for line in random_ends)


@pytest.mark.parametrize("wrong", [-2, -1, 1, 2])
def test_a_changed_score_is_refused(wrong: int, lines: list[str], checked: Checked) -> None:
    score = lines.index(f"score {SCORE:+d}")
    complaint = checked.complaint([*lines[:score], f"score {SCORE + wrong:+d}", *lines[score + 1 :]])

    assert "line " in complaint
    assert "for the prover after the reply" in complaint


def test_a_missing_reply_or_end_is_refused_by_its_line(
    lines: list[str], checked: Checked, rng: random.Random
) -> None:
    """Where the next line names another reply: one that names the same may be another proof's."""
    reply = [line.split()[0] for line in lines]
    told = [each for each in range(BEFORE_PLAY, len(lines) - 1) if reply[each] != reply[each + 1]]
    for missing in rng.sample(told, 25):
        complaint = checked.complaint(lines[:missing] + lines[missing + 1 :])

        assert complaint.partition("line ")[2].startswith(f"{missing + 1}:"), lines[missing]

    for kept in [1, BEFORE_PLAY, len(lines) - 1, *rng.sample(range(len(lines)), 10)]:
        if kept:
            assert f"line {kept + 1}: expected " in checked.complaint(lines[:kept])
    for kept in rng.sample(range(10, len(packed(lines))), 5):
        assert "line " in checked.complaint_about(packed(lines)[:kept])


def test_an_answer_that_is_no_move_or_a_worse_one_is_refused(lines: list[str], checked: Checked) -> None:
    """Whatever follows a worse one: it lacks the bound."""
    played = BEFORE_PLAY + 1
    for answer in ("d4", "pass"):
        changed = [*lines[:played], f"{lines[played].split()[0]} {answer}", *lines[played + 1 :]]

        assert f"line {played + 1}: expected one of the answers " in checked.complaint(changed)
    short = written(POSITION, 9)
    for move in POSITION.legal_moves():
        if short[BEFORE_PLAY] != f"root {move}":
            assert checked.complaint([*short[:BEFORE_PLAY], f"root {move}", *short[BEFORE_PLAY + 1 :]])


@pytest.mark.parametrize(
    ("line", "text", "sentence"),
    [
        (1, "outflank proof 2", "line 1: expected 'outflank proof 3', got"),
        (3, "turns one", "line 3: expected turns and all, since rules that turn in one direction"),
        (4, "scoring discs", "line 4: expected scoring and empties or count"),
        (5, "board XO X", "line 5: expected board and 64 squares"),
        (6, "score 32", "line 6: expected score and a number with a sign"),
        (7, "searched 17", "line 7: expected searched and a number up to 16"),
        (8, "upper", "line 8: expected 'lower'"),
        (0, "end", ": expected 'outflank proof 3'"),  # what follows a proof is a proof
    ],
)
def test_a_header_that_is_none_is_refused_in_words(
    line: int, text: str, sentence: str, lines: list[str], checked: Checked
) -> None:
    changed = [*lines[: line - 1], text, *lines[line:]] if line else [*lines, text]

    assert sentence in checked.complaint(changed)


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"\xff\xfe\n", b"outflank proof 3", b"x" * 10000, lzma.compress(b""), b"\xfd7zXZ\x00junk"],
)
def test_what_is_no_proof_is_refused_in_words(data: bytes, checked: Checked) -> None:
    assert "line 1: expected " in checked.complaint_about(data)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "usage: "),
        (["a", "b"], 2, "usage: "),
        (["--help"], 2, "usage: "),
        (["/none"], 1, "check.py: /none: [Errno 2] No such file"),
    ],
)
def test_wrong_usage_and_a_missing_file_are_told(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check.main(arguments) == code
    assert capsys.readouterr().err.startswith(said)


def test_it_runs_alone_and_packed(lines: list[str]) -> None:
    """As a file, without Outflank or anything installed on the path, from standard input; as a module likewise."""
    command = [sys.executable, "-S", "-I", str(Path(check.__file__)), "-"]
    alone = subprocess.run(command, input=packed(lines), capture_output=True, timeout=100)

    assert (alone.returncode, alone.stderr) == (0, b"")
    assert alone.stdout.startswith(b"line 1: +32 is proven for ")
    code = (
        "import sys, outflank.tools.solving.proofs.check; print(*(n for n in sys.modules if 'outflank' in n))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    names = check.__name__.split(".")
    assert loaded.stdout.split() == [".".join(names[:count]) for count in range(1, len(names) + 1)]


def test_a_board_that_comes_again_is_proven_once(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = written(POSITION, 4)
    monkeypatch.setattr(write, "REMEMBERED", 1)
    forgetful = written(POSITION, 4)

    assert len(lines) < len(forgetful)
    assert "line " in checked.complaint(forgetful)
    monkeypatch.setattr(check, "REMEMBERED", 1)
    assert checked.complaint_about(packed(forgetful)) == ""


def test_the_same_proof_is_written_again_and_none_of_a_wrong_score() -> None:
    prover = Prover(Rules(), 1)

    assert proof(POSITION, SCORE, prover) == proof(POSITION, SCORE, prover)
    for wrong in (SCORE - 2, SCORE + 2):
        with pytest.raises(SettingsError, match="can't be reached from"):
            proof(POSITION, wrong, Prover(Rules(), 1))


@pytest.mark.parametrize("to_move", ["winner", "loser"])
def test_a_wipe_out_of_many_squares_is_proven_by_its_winner_alone(to_move: str, checked: Checked) -> None:
    """FFO #39, 26 empty squares: the other half, which shows nothing, would take millions of lines."""
    position = problems("ffo-20")[19].position
    lines = proof(position, 64, Prover(Rules(), 1), 10)
    if to_move == "loser":
        position = position.play(lines[BEFORE_PLAY].split()[1])
        lines = proof(position, -64, Prover(Rules(), 1), 10)
    winning, losing = ("lower", "upper") if to_move == "winner" else ("upper", "lower")

    assert len(lines) < 300
    assert lines[lines.index(losing) + 1] in ("upper", "end")
    assert checked.complaint(lines) == ""
    for false in (lines[: lines.index(winning) + 1], [line.replace("64", "62") for line in lines]):
        assert checked.complaint([*false, "end"]) != ""


def altered(lines: list[str], rng: random.Random) -> tuple[int, list[str]]:
    """Return the number of a line, and the lines with that one changed, missing or twice."""
    while True:
        i = rng.randrange(len(lines))
        letter = rng.randrange(len(lines[i]))
        changed = f"{lines[i][:letter]}{rng.choice('abcdefgh12345678=XO-+ pasx')}{lines[i][letter + 1 :]}"
        new = rng.choice([[changed], [changed], [], [lines[i], lines[i]]])
        result = [*lines[:i], *new, *lines[i + 1 :]]
        if result != lines:
            return i + 1, result


def refused_after(complaint: str, number: int) -> bool:
    return int(complaint.partition("line ")[2].partition(":")[0]) >= number


def test_random_changes_are_refused(lines: list[str], checked: Checked, rng: random.Random) -> None:
    """But for the few that make another proof, such as one with the same moves in another order."""
    refused = 0
    for _ in range(40):
        number, changed = altered(lines, rng)
        complaints = checked.complaints(changed)
        if complaints[0]:
            assert all(refused_after(each, number) for each in complaints)
            refused += 1
    assert refused >= 36


FORGED = "othello\x1b[2K\x1b[1Gline 1: +64 is proven for the start under othello"
BAD_OPTIONS = ("", "a=b", "scoring=count", "turns=one", "tie=draw,tie=draw", "start=XO", "begins=red")
BAD_RULES = [
    *("chess", "", " ", "othello ", "Othello", "solo", FORGED, "othello\r", "reversi", "ravensburger-1987"),
    *(f"othello,{option}" for option in (*BAD_OPTIONS, "tie=second,begins=white", "start=diagonal,")),
    *("\xff\x07", f"othello{'x' * 300}"),
]


@pytest.mark.parametrize("rules", BAD_RULES)
def test_rules_that_are_unknown_or_do_not_mean_what_the_proof_says_are_refused(
    rules: str, lines: list[str], checked: Checked
) -> None:
    assert checked.complaint([lines[0], f"rules {rules}", *lines[2:]]) != ""


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "options", ["", ",turns=all", ",scoring=count", f",start={'-' * 62}XO,begins=white,turns=all,tie=second"]
)
def test_rules_mean_what_the_engine_takes_them_for(
    preset: str, options: str, lines: list[str], checked: Checked
) -> None:
    """Scored by empty squares this position is proven, however else it is played."""
    for scoring in ("", ",scoring=empties", ",scoring=count"):
        text = preset + options + ("" if "scoring" in options else scoring)
        rules = Rules.parse(text)
        changed = [lines[0], f"rules {text}", *lines[2:]]
        right = (rules.turns, rules.scoring) == ("all", "empties")

        assert (checked.complaint(changed) == "") == right


def test_random_rules_are_read_alike_by_both(lines: list[str], checked: Checked, rng: random.Random) -> None:
    """Words of rules in any order, with letters changed to any byte of ASCII; proofs that hold are few."""
    words = [
        *check.PRESETS,
        *(f"{key}={word}" for key, values in check.OPTIONS.items() for word in values.split("|")),
    ]
    accepted = 0
    for _ in range(80):
        name = rng.choice(["othello", "reveris", rng.choice(words)])
        text = ",".join([name, *rng.sample(words[len(check.PRESETS) :], rng.choice([0, 0, 1, 2]))])
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.choice([*range(1, 10), *range(11, 128)])) + text[at + 1 :]
        changed = [lines[0], f"rules {text}", *lines[2:]]
        accepted += checked.complaint(changed) == ""
    assert 1 < accepted < 60


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_hundred_random_changes_of_a_large_proof_are_refused(
    sibling: Path | None, rng: random.Random
) -> None:
    """Of FFO #40, 20 empty squares: more than the checker remembers."""
    if sibling is None:
        pytest.skip("no C compiler")
    position = problems("ffo-40")[0].position
    lines = written(position, 6)

    def said(lines: list[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sibling], input=text_of(lines), capture_output=True, text=True, timeout=500)

    assert len(lines) > write.REMEMBERED
    assert said(lines).returncode == 0
    for _ in range(100):
        number, changed = altered(lines, rng)
        refused = said(changed)

        assert refused.returncode == 1
        assert refused_after(refused.stderr, number)


def test_a_board_without_discs_proves_nothing(checked: Checked) -> None:
    lines = ["outflank proof 3", "rules othello", "turns all", "scoring empties", f"board {'-' * 64} X"]
    lines += ["score +4", "searched 6", "lower", "upper", "end"]
    for refused in checked.complaints(lines):
        assert "line 8: expected +4 for the prover after the reply root, got less" in refused


def test_a_check_goes_on_where_it_was_with_the_same_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ended again and again; lines that were checked are read again, but not searched again."""
    for module, name in ((check, "NOTED"), (check, "REMEMBERED"), (write, "REMEMBERED")):
        monkeypatch.setattr(module, name, 50)
    file, state = tmp_path / "proof", tmp_path / "state"
    lines = written(POSITION, 4)
    file.write_text(text_of([*lines, *written(POSITION, 6)]))
    whole = check.Checker.search
    searches = 0

    def interrupted(checker: check.Checker, own: int, opp: int, reply: str) -> None:
        nonlocal searches
        searches += checker.number >= checker.done
        if searches > 200:
            searches = 0
            raise KeyboardInterrupt
        whole(checker, own, opp, reply)

    def checked_again() -> int:
        return check.main(["--state", str(state), str(file)])

    codes: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(check.Checker, "search", interrupted)
        while not codes or (codes[-1] == 130 and len(codes) < 500):
            codes.append(checked_again())

    assert codes[-1] == 0
    assert codes.count(130) > 2
    assert capsys.readouterr().out.count("is proven for") >= 2
    assert not state.exists()

    file.write_text(text_of(lines[:400]))
    assert checked_again() == 1
    assert state.exists()
    file.write_text(text_of(lines).replace("score +32", "score +30"))
    capsys.readouterr()
    assert checked_again() == 1
    assert "the lines that were checked before" in capsys.readouterr().err
    state.write_text("{}[")
    assert checked_again() == 1
    assert "is not the stored progress of a check" in capsys.readouterr().err

"""What tests rest on: the oracle against published counts and facts that anyone can check by hand, transcripts."""

import os
import subprocess
from pathlib import Path

import pytest

from outflank.tests.support import processes, reference
from outflank.tests.support.processes import StallMeter, judge_calmly
from outflank.tests.support.transcripts import check, execute, fitted, sections


@pytest.mark.parametrize(
    ("start", "published"),
    [("diagonal", [1, 4, 12, 56, 244, 1396]), ("parallel-north", [1, 4, 14, 68, 292, 1690])],
)
def test_counts_the_published_leaves(start: str, published: list[int]) -> None:
    board = reference.start_board(start)

    assert published == [reference.leaves(board, "X", "all", depth, pass_is_free=False) for depth in range(6)]


def test_has_eight_different_symmetries_with_the_identity_and_a_quarter_turn_first() -> None:
    board = reference.board_of("XO-O" + "-" * 60)
    images = [reference.text_of(image(board)) for image in reference.SYMMETRIES]

    assert images[0] == reference.text_of(board)
    assert len(set(images)) == 8
    assert images[1][7::8].startswith("XO-O"), "a quarter turn takes row 1 to column h"


def test_deals_a_side_without_a_disc_in_hand_one_of_the_other_sides() -> None:
    """Black moves three times running while White can't: two discs are his own, the third was White's."""
    rows = ["XXXXXXXX"] * 8
    for row in (0, 3, 6):
        rows[row] = "XO-XXXXX"
    game = reference.Game(reference.Sheet(), reference.board_of("".join(rows)))
    hands = [(game.hand["X"], game.hand["O"])]
    for move in ("c1", "pass", "c4", "pass", "c7"):
        game.play(move)
        hands.append((game.hand["X"], game.hand["O"]))

    assert hands == [(2, 1), (1, 1), (1, 1), (0, 1), (0, 1), (0, 0)]
    assert game.choices() == []


def test_processes_that_a_run_leaves_behind_are_killed_and_named() -> None:
    with subprocess.Popen(
        ["sleep", "1000"], env={"OUTFLANK_TEST_LEFT": "yes", "PATH": os.environ["PATH"]}
    ) as left:
        assert processes.kill_remains("OUTFLANK_TEST_LEFT=yes") == [f"{left.pid}: sleep 1000"]

    assert processes.kill_remains("OUTFLANK_TEST_LEFT=yes") == []


def fails(meter: StallMeter) -> None:
    """Last long enough to be watched, and fail."""
    while not meter.seconds:
        pass
    raise AssertionError("too late")


def test_what_fails_once_may_pass_the_next_time() -> None:
    chances = iter((fails, lambda meter: None))

    judge_calmly(lambda meter: next(chances)(meter))

    assert not list(chances)


@pytest.mark.parametrize(("running", "outcome"), [(1, pytest.fail.Exception), (1000, pytest.skip.Exception)])
def test_what_always_fails_is_the_machines_doing_only_where_that_is_crowded(
    running: int, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_running", lambda: running)

    with pytest.raises(outcome, match="too late"):
        judge_calmly(fails)


TRANSCRIPT = """\
## perft
$ cat > depth <<END
$ 5
END
$ outflank board f5 \\
    --line d6 > board

# Leaves are counted.
$ cat depth | outflank perft 1 | tail -1
leaves               5   <number> s, <number> leaves/s
$ outflank perft x
"""
ACCEPTED = """\
leaves               4   <number> s, <number> leaves/s
$ outflank perft x
! Error: Invalid value for 'DEPTH': expected a whole number from 0 to 128, got 'x'
[exit 2]
"""


def test_a_transcript_that_differs_fails_with_a_diff_and_can_be_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTFLANK_ACCEPT", raising=False)
    file = tmp_path / "a.console"
    file.write_text(TRANSCRIPT)
    (section,) = sections(file)
    with pytest.raises(pytest.fail.Exception, match=r"\n-leaves               5.*\n\+leaves               4"):
        check(section, tmp_path)
    monkeypatch.setenv("OUTFLANK_ACCEPT", "1")
    check(section, tmp_path)

    assert file.read_text() == TRANSCRIPT[: TRANSCRIPT.index("leaves  ")] + ACCEPTED
    monkeypatch.delenv("OUTFLANK_ACCEPT")
    (section,) = sections(file)
    check(section, tmp_path)


@pytest.mark.parametrize(
    ("shown", "printed", "fitting"),
    [
        ("a b", "a b", "a b"),
        ("a ... d", "a b c d", "a ... d"),
        ("<number> s", "1,234.5 s", "<number> s"),
        ("<number> s", "x s", "x s"),
        ("...|d", "a|b|d", "...|d"),
        ("a|...", "a", "a|..."),
        ("a|...|<move>", "a|b|pass", "a|...|<move>"),
        ("a|c <number>|d", "a|b|c 5", "a|b|c <number>"),
    ],
)
def test_lines_that_fit_a_transcript_are_kept(shown: str, printed: str, fitting: str) -> None:
    assert fitted(shown.split("|"), printed.split("|")) == fitting.split("|")


@pytest.mark.parametrize(
    ("command", "out", "error", "code"),
    [
        ("outflank perft 0 --json | grep -o leaves | head -1", "leaves\n", "", 0),
        ("outflank jump 2> file | cat", "", "", 2),
        ("printf 'a\\nb' > 'file'", "", "", 0),
        ("(outflank perft x >&2 2> file; echo $?)", "2\n", "", 0),
        ("cat <<END\n$ a\nEND", "$ a\n", "", 0),
        ("cat > file <<'END'\na\nEND", "", "", 0),
        ("NO_COLOR=1 printenv NO_COLOR", "1\n", "", 0),
        ("cat nosuch", "", "cat: nosuch: No such file or directory\n", 1),
    ],
)
def test_a_command_of_a_transcript_runs_as_in_a_shell(
    command: str, out: str, error: str, code: int, tmp_path: Path
) -> None:
    printed = execute(command, tmp_path)

    assert (printed.out.decode(), printed.error.decode(), printed.code) == (out, error, code)
    assert (tmp_path / "file").exists() == ("file" in command.replace("such file", ""))

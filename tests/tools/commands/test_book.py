"""``outflank book``: books are grown, here or on a cluster, changed and checked from the command line."""

import json
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.book import Book, BookWriter
from outflank.engine import Position, Rules, SettingsError
from outflank.engine.evaluation.weights import checksum
from outflank.tests.support.installation import ROOT
from outflank.tests.support.program import OUTFLANK, outflank
from outflank.tools.commands.program import cli

START = Position.start()
GAME = "f5f4e3f6g5d6e7g4"
PARALLEL = Rules.parse("othello,start=parallel-north")


def run(*words: object, code: int = 0) -> Result:
    """Run ``outflank book`` with these words."""
    result = CliRunner().invoke(cli, ["book", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def facts(*words: object) -> dict[str, Any]:
    """What a command prints with ``--json``."""
    found: dict[str, Any] = json.loads(run(*words, "--json").stdout)
    return found


def build(path: Path, positions: int = 30, level: int = 2) -> Path:
    run("build", path, "--positions", positions, "--level", level, "--workers", 1)
    return path


def test_a_book_is_built_and_goes_on_growing(tmp_path: Path) -> None:
    path = build(tmp_path / "b")
    told = facts("build", path, "--positions", 45, "--workers", 1)
    with Book.open(path) as book:
        entry = book.probe(START)
        history = book.history()

    assert entry is not None
    assert (told["positions"], told["added"], told["level"]) == (45, 15, 2)
    assert told["root"] == {"score": entry.score, "lower": entry.lower, "upper": entry.upper}
    assert told["main_line"].startswith("f5")
    assert [change.what.partition(",")[0].partition(": ")[2] for change in history] == [
        "build --plies 24 --ply-cost 0.25 --positions 30",
        "build --plies 24 --ply-cost 0.25 --positions 45",
    ]
    assert "weights" in history[0].what


def test_two_processes_build_a_whole_book(tmp_path: Path) -> None:
    path = tmp_path / "b"
    printed = run("build", path, "--max-error", 1, "--plies", 6, "--level", 3, "--workers", 2).stdout
    checked = facts("check", path, "--workers", 1)

    assert "main line" in printed
    assert checked["faults"] == []
    assert checked["unfinished"] == 0
    assert checked["sample"]["searched"] > 10


def test_a_book_for_other_rules_is_refused(tmp_path: Path) -> None:
    path = build(tmp_path / "b", 1)
    result = run("build", path, "--rules", "obversi", code=1)

    assert "is a book for othello from diagonal, not for obversi from parallel-north" in result.stderr


def test_a_book_of_another_sheet_goes_on_by_its_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "b"
    run("build", path, "--positions", 5, "--level", 1, "--workers", 1, "--rules", "ravensburger-1987")

    assert facts("build", path, "--positions", 9, "--workers", 1)["rules"] == "ravensburger-1987"


def test_games_are_added_and_a_bad_one_is_named(tmp_path: Path) -> None:
    path = build(tmp_path / "b")
    result = run("extend", path, GAME, "f5a1", "--plies", 6, "--workers", 1, code=1)
    with Book.open(path) as book:
        position, known = START, []
        for at in range(0, len(GAME), 2):
            position = position.play(GAME[at : at + 2])
            known.append(position in book)

    assert known == [True] * 6 + [False] * 2
    assert "f5a1, line 1: move 2 of the transcript: expected" in result.stderr
    assert "games      1" in result.stdout


def test_a_book_learns_a_little_where_a_game_left_it(tmp_path: Path) -> None:
    path = build(tmp_path / "b", 4)
    (tmp_path / "games.txt").write_text(f"{GAME}\n{GAME}\n")
    told = facts("learn", path, tmp_path / "games.txt", "--beyond", 3, "--workers", 1)

    assert (told["games"], told["added"]) == (2, 3)
    assert facts("learn", path, GAME, "--workers", 1)["added"] == 2


def test_a_book_learns_from_a_run(tmp_path: Path) -> None:
    path = build(tmp_path / "b", 4)
    engines = [f"--engine=name={name} cmd='outflank gtp --depth 1'" for name in "AB"]
    outflank("match", "--games", 2, *engines, "--openings", "random:4", "--out", tmp_path / "run", check=True)
    told = facts("learn", path, tmp_path / "run", "--workers", 1)

    assert told["games"] == 2
    assert told["added"] >= 2


def test_deepening_merging_and_pruning_leave_a_whole_book(tmp_path: Path) -> None:
    one, two = build(tmp_path / "a", 40), tmp_path / "b"
    run("build", two, "--positions", 40, "--level", 1, "--ply-cost", 2, "--workers", 1)
    assert facts("deepen", one, "--level", 3, "--plies", 4, "--workers", 1)["searches"] > 5
    assert facts("deepen", one, "--level", 3, "--plies", 4, "--workers", 1)["searches"] == 0
    assert facts("deepen", one, "--level", 3, "--plies", 4, "--workers", 1, "--again")["searches"] > 5
    merged = facts("merge", tmp_path / "c", one, two, "--workers", 1)
    assert merged["positions"] == merged["added"] > 45
    pruned = facts("prune", tmp_path / "c", "--positions", 20)
    assert (pruned["positions"], pruned["removed"]) == (20, merged["positions"] - 20)
    for path in (one, two, tmp_path / "c"):
        assert facts("check", path, "--sample", 5, "--workers", 1)["faults"] == []


def test_a_book_that_is_merged_with_itself_too_is_one_file(tmp_path: Path) -> None:
    """As by ``merge a *``: a reader of the file would keep what is new in another beside it."""
    one, two = build(tmp_path / "a", 20), tmp_path / "b"
    run("build", two, "--positions", 20, "--level", 1, "--ply-cost", 2, "--workers", 1)
    merged = facts("merge", one, one, two, "--level", 1, "--workers", 1)

    assert merged["added"] > 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b"]


def test_a_merge_that_is_refused_makes_no_book(tmp_path: Path) -> None:
    other, reversi = build(tmp_path / "a"), tmp_path / "b"
    run("build", reversi, "--rules", "reversi", "--positions", 5, "--level", 1, "--workers", 1)
    result = run("merge", tmp_path / "new", other, reversi, "--workers", 1, code=1)

    assert "is a book for reversi from diagonal, not for othello" in result.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a", "b"]


def test_a_check_names_faults_and_fails(tmp_path: Path) -> None:
    path = build(tmp_path / "b")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE position SET score = score + 2")
    connection.commit()
    connection.close()
    result = run("check", path, code=1)

    assert result.stdout.count("fault: a row is damaged: its checksum is wrong") == 10
    assert "and 20 more faults" in result.stdout
    assert "has 30 faults (named above)" in result.stderr


def test_a_book_says_which_evaluation_judged_it(tmp_path: Path) -> None:
    """Its history does; one that another evaluation judged is no fault, but its scores are others."""
    path, here = build(tmp_path / "b"), checksum()
    assert f"judged by the evaluation {here}; that of this Outflank is {here}\n" in run("stats", path).stdout
    assert "gives other scores" not in run("check", path, "--sample", 0).stdout

    with BookWriter.open(path) as book:
        book.note("extend --plies 4, games: 1, level 3, weights 00c0ffee, from 30 positions")
        book.commit()
    assert f"judged by the evaluation {here} and 00c0ffee; " in run("stats", path).stdout
    assert json.loads(run("stats", path, "--json").stdout)["evaluations"] == [here, "00c0ffee"]
    assert (
        f"the evaluation 00c0ffee judged this book, and this Outflank has {here}, which gives other scores; "
        in run("check", path, "--sample", 0).stdout
    )
    assert json.loads(run("check", path, "--sample", 0, "--json").stdout)["evaluations"] == [here, "00c0ffee"]

    run("deepen", path, "--level", 3, "--again")
    assert f"judged by the evaluation {here}; " in run("stats", path).stdout


def test_the_shipped_books_say_which_evaluation_judged_them() -> None:
    """And docs/book.md names it."""
    page = (ROOT / "docs" / "book.md").read_text()

    for name in ("standard", "parallel"):
        with Book.open(ROOT / "book" / "data" / f"{name}.book") as book:
            (evaluation,) = book.judged_by()
        assert evaluation in page


@pytest.mark.parametrize("command", ["build", "deepen --level 3", "extend", "prune", "check", "merge"])
def test_what_is_no_book_is_refused_in_a_sentence(tmp_path: Path, command: str) -> None:
    foreign = tmp_path / "b"
    foreign.write_text("no book")
    more: dict[str, list[object]] = {"extend": [GAME], "merge": [foreign]}
    result = run(*command.split()[:1], foreign, *command.split()[1:], *more.get(command, []), code=1)

    assert result.stderr.startswith("outflank: can't read ")
    assert result.stderr.count("\n") == 1
    assert foreign.read_text() == "no book"


def test_a_signal_ends_a_build_that_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "b"
    command = [OUTFLANK, "book", "build", str(path), "--level", "4"]
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        before = path.stat().st_mtime_ns if path.exists() else 0
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline and not changed(path, before):
                    time.sleep(0.05)
                time.sleep(1.5)
                process.send_signal(number)
                _, told = process.communicate(timeout=60)
            finally:
                process.kill()

        assert process.returncode == code
        assert f"Interrupted: {path} keeps its " in told
        assert facts("check", path, "--sample", 0)["faults"] == []
    assert facts("build", path, "--budget", "1s", "--workers", 1)["positions"] > 10


def changed(path: Path, before: int) -> bool:
    wal = path.with_name(path.name + "-wal")
    return wal.exists() and wal.stat().st_size > 0 and (before == 0 or wal.stat().st_mtime_ns > before)


@pytest.mark.slow
def test_a_book_grows_on_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        words = "--level", 4, "--positions", 40, "--cluster", cluster.scheduler_address
        built = facts("build", tmp_path / "b", *words)

    assert (built["positions"], built["added"]) == (40, 40)
    run("check", tmp_path / "b")


def test_a_book_is_of_one_start_and_used_by_its_games_alone(tmp_path: Path) -> None:
    path = tmp_path / "b"
    words = "--level", 4, "--positions", 40, "--rules", PARALLEL, "--workers", 1
    assert facts("build", path, *words)["rules"] == str(PARALLEL)
    run("check", path)
    with Book.open(path, PARALLEL) as book:
        assert Position.start(PARALLEL) in book
        with pytest.raises(SettingsError, match="from parallel-north, not for othello from diagonal"):
            book.probe(Position.start())

    fitting, other = (
        outflank(
            "gtp", "--book", path, "--level", 1, "--rules", rules, input="kata-genmove_analyze b\nquit\n"
        )
        for rules in (PARALLEL, Rules())
    )
    assert " book 1" in fitting.stdout
    assert fitting.stderr == ""
    assert " book 1" not in other.stdout
    assert (
        "is a book for othello,start=parallel-north, not for othello; playing without a book" in other.stderr
    )


def scores(path: Path | str, position: str) -> dict[str, int]:
    """The scores of the moves that a book knows in a position."""
    return {move["move"]: move["score"] for move in facts("show", path, position)["moves"]}


def test_the_shipped_books_have_names_and_are_looked_into_without_one() -> None:
    shipped = facts("show")

    assert shipped["book"].endswith("/standard.book")
    assert facts("show", "f5d6") == facts("show", "standard", "f5d6")
    assert facts("show", "parallel")["rules"].startswith("othello,start=parallel")
    assert "there is no book 'x'" in run("show", "x", "f5d6", code=2).output
    assert facts("check", "parallel", "--sample", 0)["positions"] == 1500


def test_a_shipped_book_is_copied_and_never_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run("build", "standard", "--positions", 3, code=2).output
    run("merge", "mine.book", "parallel", "--workers", 1)

    assert "the book standard comes with the package and is never changed" in refused
    assert facts("show", "mine.book")["score"] == facts("show", "parallel")["score"]
    # A file of that name is that file.
    build(tmp_path / "mine", 3).rename(tmp_path / "standard")
    assert facts("build", "standard", "--positions", 5, "--workers", 1)["positions"] == 5


def test_a_book_grows_and_is_deepened_from_a_position(tmp_path: Path) -> None:
    path = tmp_path / "b"
    run("build", path, "f5d6c3", "--positions", 12, "--level", 2, "--workers", 1)
    first = facts("show", path, "f5d6c3")
    deepened = facts("deepen", path, "f5d6c3", "--level", 3, "--workers", 1)

    # All but the three positions on the way lie after f5d6c3.
    with Book.open(path) as book:
        assert sum(record.position.empties <= 57 for record in book.records()) == 9
        assert {record.level for record in book.records() if record.position.empties > 57} == {2}
        assert {record.level for record in book.records() if record.position.empties <= 57} == {3}
        assert [change.what.partition(" --")[0].rpartition(": ")[2] for change in book.history()] == [
            "build f5d6c3",
            "deepen f5d6c3",
        ]
    assert len(first["moves"]) > 1
    assert deepened["searches"] >= 9
    assert facts("check", path, "--sample", 0)["faults"] == []
    assert "move 2, f6, is not in the book" in run("deepen", path, "f5f6", "--level", 3, code=1).output


def test_a_score_set_by_hand_is_kept_and_counts(tmp_path: Path) -> None:
    path = build(tmp_path / "b")
    before = scores(path, "f5")
    run("set", path, "f5d6", "+20")
    run("build", path, "--positions", 45, "--workers", 1)
    run("deepen", path, "--level", 3, "--again", "--workers", 1)
    shown = facts("show", path, "f5d6")

    assert (shown["score"], shown["set_by_hand"], shown["level"]) == (20, True, None)
    assert scores(path, "f5")["d6"] == -20 != before["d6"]
    assert facts("check", path, "--sample", 5, "--workers", 1)["faults"] == []
    text, copy, other = tmp_path / "t", tmp_path / "copy", build(tmp_path / "other", 5, 4)
    run("export", path, "-o", text)
    run("import", text, copy)
    run("merge", other, copy, "--workers", 1)
    assert facts("show", copy, "f5d6") == {**shown, "book": str(copy)}
    assert facts("show", other, "f5d6")["score"] == 20
    run("set", path, "f5d6", "none")
    assert facts("show", path, "f5d6")["set_by_hand"] is False
    assert scores(path, "f5d6")[facts("show", path, "f5d6")["moves"][0]["move"]] < 20
    assert facts("check", path, "--sample", 0)["faults"] == []


def test_a_score_set_by_hand_adds_the_way_to_its_position(tmp_path: Path) -> None:
    path = build(tmp_path / "b", 3)
    run("set", path, "f5f4e3f6g5", "-7")

    assert facts("show", path, "f5f4e3f6g5")["score"] == -7
    assert facts("check", path, "--sample", 0)["unreachable"] == 0
    assert "expected none or a score from -64 to +64, got '65'" in run("set", path, "f5", "65", code=2).output


def test_only_games_that_pass_the_filters_are_added(tmp_path: Path) -> None:
    path, games = build(tmp_path / "b", 3), tmp_path / "games.sgf"
    games.write_text("(;GM[2]PB[Ann]EV[Cup];B[f5];W[d6];B[c3])(;GM[2]PB[Bob];B[f5];W[f4];B[e3])")

    assert facts("extend", path, games, "--event", "cup", "--workers", 1)["games"] == 1
    with Book.open(path) as book:
        assert START.play("f5").play("d6").play("c3") in book
        assert START.play("f5").play("f4").play("e3") not in book
        assert "extend --event cup --plies 24, games: 1" in book.history()[-1].what
    assert "no game passes the filters" in run("learn", path, games, "--player", "Zoe", code=1).output

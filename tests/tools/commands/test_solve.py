"""``outflank solve``: exact scores in a table or as JSON, and proofs that the checker confirms."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.tools.analysis.proofs import check
from outflank.tools.commands.program import cli
from outflank.tools.commands.solve import solve

FFO = Path(__file__).parents[2] / "data" / "ffo"
FIRST = (FFO / "fforum-1-19.obf").read_text().splitlines()[0]
BOARD = FIRST.partition(";")[0]
LINES = (FFO / "fforum-1-19.obf").read_text().splitlines()
PROVEN_BOARD = LINES[4].partition(";")[0]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(solve, ["--hash", "4", *arguments])


def run_program(tmp_path: Path, text: str, *arguments: str) -> Result:
    """Solve a file with this text, errors turned into sentences as the program does."""
    (tmp_path / "x.obf").write_text(text)
    return CliRunner().invoke(cli, ["solve", str(tmp_path / "x.obf"), "--hash", "4", *arguments])


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_published_scores_of_a_suite_are_confirmed() -> None:
    result = run(str(FFO / "fforum-1-19.obf"), "--check")

    assert result.exit_code == 0, result.output
    assert "19 solved" in result.output
    assert "19 of 19 agree with the file" in result.output


def test_the_published_scores_of_all_moves_are_confirmed(tmp_path: Path) -> None:
    lines = (FFO / "fforum-1-19.obf").read_text().splitlines()[:6]

    assert run_program(tmp_path, "\n".join(lines), "--check", "--all-moves").exit_code == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_published_scores_of_all_moves_of_20_to_39_are_confirmed() -> None:
    assert run(str(FFO / "fforum-20-39.obf"), "--check", "--all-moves").exit_code == 0


def test_json_has_a_line_for_each_position() -> None:
    (found,) = objects(run("--board", BOARD, "--json"))

    assert (found["score"], found["move"], found["exact"], found["empties"]) == (18, "g8", True, 14)
    assert found["position"] == BOARD
    assert found["nodes"] > 0
    assert found["pv"][0] == "g8"


def test_json_of_a_finished_game_has_no_move() -> None:
    """As ``analyze`` has it."""
    (found,) = objects(run("X" * 64 + " X", "--json", "--all-moves"))

    assert (found["score"], found["move"], found["moves"], found["pv"]) == (64, None, {}, [])
    assert " over " in run("X" * 64 + " X").output


GAME = "f5f6f7g5f4d6c3f3e3d3c5g4c2c6e2e7h3d2f2c4d1h4g3g6e6h2h6e1b3d7b5b6h5h7c8d8a6c7e8f8g8b7b4a3f1"


def test_positions_are_taken_as_analyze_takes_them(tmp_path: Path) -> None:
    """A transcript, a board that begins like an option, a file of games, and OBF, in one call."""
    sgf, games = tmp_path / "game.sgf", tmp_path / "games.txt"
    games.write_text(f"{GAME}\n{GAME}a4\n")
    moves = "".join(f";{'BW'[i % 2]}[{GAME[2 * i : 2 * i + 2]}]" for i in range(4))
    sgf.write_text(f"(;GM[2]{moves})")
    result = run(GAME, BOARD, str(games), str(FFO / "fforum-1-19.obf"), "--json")
    found = [one["position"] for one in objects(result)]

    assert found[:2] == [found[2], BOARD]
    assert [line.partition(";")[0] for line in LINES] == found[4:]
    assert objects(run(str(sgf), "--json", "--time", "0.01"))[0]["empties"] == 56


def test_a_game_by_other_rules_is_not_proven_by_these(tmp_path: Path) -> None:
    (tmp_path / "x.sgf").write_text("(;GM[2]RU[reversi];W[e3])")
    result = run_program_with(str(tmp_path / "x.sgf"), "--job", str(tmp_path / "job"))

    assert result.exit_code == 1
    assert "position 1 is by the rules reversi: give --rules reversi" in result.output
    assert not (tmp_path / "job").exists()


def test_all_moves_get_a_score() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--all-moves"))

    assert found["moves"] == {"g8": 18, "h1": 12, "h7": 6, "a2": 6, "a3": 4, "b1": -4, "a4": -22, "g2": -24}


def test_wld_tells_only_who_wins() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--wld"))

    assert (found["score"], found["wld"]) == (1, True)


def test_a_selective_solution_is_not_called_exact() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--selectivity", "73"))

    assert (found["exact"], found["selectivity"]) == (False, 73)


@pytest.mark.parametrize("wrong", ["G8:+18", "H1:+12"])
def test_a_difference_from_the_file_is_told_and_fails(wrong: str, tmp_path: Path) -> None:
    """A score that is not the file's, and a best move that is not."""
    line = FIRST.replace(wrong, wrong[:3] + "+20")
    result = run_program(tmp_path, line, "--check")

    assert result.exit_code == 1
    assert "0 of 1 agree with the file" in result.output
    assert "the file says something else of position 1" in result.output


def test_a_line_that_cannot_be_read_fails_but_the_others_are_solved(tmp_path: Path) -> None:
    result = run_program(tmp_path, f"{FIRST}\nnonsense\n{FIRST}\n")

    assert result.exit_code == 1
    assert "2 solved" in result.output
    assert ":2:1: expected" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [str(FFO / "fforum-1-19.obf"), "--board", BOARD],
        ["--board", "XO"],
        ["nowhere.obf"],
        ["--chekc", BOARD],
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(arguments: list[str]) -> None:
    suite = str(FFO / "fforum-1-19.obf")
    result = run(*(suite if argument == "SUITE" else argument for argument in arguments))

    assert result.exit_code == 2
    assert "Error: " in result.output


def test_a_file_without_a_position_fails(tmp_path: Path) -> None:
    result = run_program(tmp_path, "% nothing\n")

    assert result.exit_code == 1
    assert result.output.endswith("x.obf has no positions\n")


def test_one_direction_rules_are_solved_by_the_sheets_count() -> None:
    position = "XXXXXXXXXOOOOOOXXOXXXXOXXOXOOXOXXOXOOXOXXOXXXXOXXOOOOOO---OOOOO- X"
    (found,) = objects(run("--board", position, "--rules", "ravensburger-1987", "--json"))

    assert found["exact"]


def run_program_with(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["solve", "--hash", "4", *arguments])


def test_the_proofs_of_a_suite_stand_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.obf").write_text("\n".join((LINES[4], LINES[6])))
    path = tmp_path / "two.proof"
    result = run_program_with(str(tmp_path / "two.obf"), "--proof", str(path), "--json")
    first, second = (json.loads(line)["proof"] for line in result.stdout.splitlines())

    assert result.exit_code == 0, result.output
    assert (first["line"], second["line"]) == (1, first["lines"] + 1)
    assert (
        f"proofs 2, lines {first['lines'] + second['lines']:,}, bytes {path.stat().st_size:,}"
        in result.stderr
    )
    assert check.main([str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"line {proof['line']}: {score} is proven for {line[:66]} by othello, scoring empties, {proof['lines']} lines"
        for proof, score, line in ((first, "+32", LINES[4]), (second, "+8", LINES[6]))
    ]


def test_other_scores_are_proven_by_their_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "count.proof"
    result = run_program_with(
        "--board", PROVEN_BOARD, "--rules", "othello,scoring=count", "--proof", str(path)
    )

    assert result.exit_code == 0, result.output
    assert "proof: " in result.output
    assert check.main([str(path)]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--wld"], "--proof proves the score, so it goes without"),
        (["--time", "1"], "--proof proves the score, so it goes without"),
        (["--selectivity", "73"], "--proof proves the score, so it goes without"),
        (["--rules", "ravensburger-1987"], "--proof needs rules under which a move turns every direction"),
        (["--proof", "-"], "it needs the name of a file, not '-' for standard output"),
    ],
)
def test_what_is_not_proven_is_wrong_usage(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    result = run_program_with("--board", PROVEN_BOARD, "--proof", str(tmp_path / "x"), *arguments)

    assert result.exit_code == 2
    assert sentence in result.output
    assert list(tmp_path.iterdir()) == []


def test_options_that_clash_are_told_before_the_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.obf").write_text("nonsense\n")
    result = run_program_with(str(tmp_path / "x.obf"), "--proof", str(tmp_path / "x.proof"), "--wld")

    assert result.exit_code == 2
    assert ":1:1: expected" not in result.output


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("none/x", "outflank: can't write 'none/x' (No such file or directory)\n"),
        ("run.db", "outflank: can't write to "),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, sentence: str
) -> None:
    (tmp_path / "run.db").write_bytes(b"SQLite format 3\0 and all that was played")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["solve", "--board", PROVEN_BOARD, "--proof", name])

    assert result.exit_code == 1
    assert result.output.startswith(sentence)
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_a_file_without_a_position_leaves_an_older_proof(tmp_path: Path) -> None:
    (tmp_path / "x.obf").write_text("nonsense\n")
    (tmp_path / "x.proof").write_text("old")
    result = run_program_with(str(tmp_path / "x.obf"), "--proof", str(tmp_path / "x.proof"))

    assert result.exit_code == 1
    assert (tmp_path / "x.proof").read_text() == "old"


def test_the_positions_are_not_written_over(tmp_path: Path) -> None:
    suite = tmp_path / "x.obf"
    suite.write_text(LINES[4])
    result = run_program_with(str(suite), "--proof", str(tmp_path / "." / "x.obf"))

    assert result.exit_code == 2
    assert "which is read: name another file" in result.output
    assert suite.read_text() == LINES[4]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_the_proofs_that_are_whole(number: int, code: int, tmp_path: Path) -> None:
    """The last of these positions would take hours."""
    hard = (FFO / "fforum-40-59.obf").read_text().splitlines()[-1]
    (tmp_path / "x.obf").write_text("\n".join((LINES[4], LINES[6], hard)))
    path = tmp_path / "x.proof"
    command = [sys.executable, "-m", "outflank.tools.commands.program", "solve", "--hash", "4", "--json"]
    with subprocess.Popen(
        [*command, str(tmp_path / "x.obf"), "--proof", str(path)], stdout=subprocess.PIPE, text=True
    ) as solver:
        assert solver.stdout is not None
        proofs = [json.loads(solver.stdout.readline())["proof"] for _ in range(2)]
        solver.send_signal(number)
        assert solver.wait(timeout=60) == code

    assert proofs[1]["line"] == proofs[0]["lines"] + 1
    assert check.main([str(path)]) == 0
    assert [file.name for file in tmp_path.iterdir() if file.suffix != ".obf"] == ["x.proof"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_scores_of_ffo_1_to_19_are_proven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ffo.proof"

    assert run_program_with(str(FFO / "fforum-1-19.obf"), "--check", "--proof", str(path)).exit_code == 0
    assert check.main([str(path)]) == 0
    assert capsys.readouterr().out.count(" is proven for ") == 19


@pytest.mark.parametrize(("wanted", "score", "bound"), [(18, ">=+", "lower"), (19, "<=+", "upper")])
def test_a_bound_is_told_as_one(wanted: int, score: str, bound: str) -> None:
    result = run("--board", FIRST, "--at-least", str(wanted), "--check")
    (found,) = objects(run("--board", FIRST, "--at-least", str(wanted), "--json"))

    assert result.exit_code == 0, result.output
    assert score in result.output
    assert (found["at_least"], found["bound"]) == (wanted, bound)
    assert (found["score"] >= wanted) == (bound == "lower")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ([], "exact scores"),
        (["--wld"], "win, draw or loss only"),
        (["--at-least", "10"], "only whether +10 is reached"),
    ],
)
def test_a_job_finds_what_a_search_finds_and_continues_with_its_question(
    question: list[str], words: str, tmp_path: Path
) -> None:
    suite = tmp_path / "x.obf"
    suite.write_text("\n".join(LINES[:2]) + "\n")
    job = ["--job", str(tmp_path / "job"), "--workers", "1", "--json"]
    plain = objects(run(str(suite), "--json", *question))
    first = objects(run(str(suite), *job, *question, "--check"))
    again = run(*job)

    for name in ("score", "position", "bound"):
        if question != ["--at-least", "10"] or name != "score":  # a bound may be another
            assert [one[name] for one in first] == [one[name] for one in plain]
    assert [one["differences"] for one in first] == [[], []]
    assert first[0]["job"]["searches"] > 0
    assert [one["job"]["searches"] for one in objects(again)] == [0, 0]
    assert [(one["wld"], one["at_least"]) for one in objects(again)] == [
        (one["wld"], one["at_least"]) for one in plain
    ]
    assert words in again.stderr


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (["--at-least", "4"], "was begun with --wld: leave --at-least 4 out to continue it"),
        (["--frontier", "9"], "was begun with another --frontier: leave it out"),
        (["--rules", "reversi"], "is by the rules othello: give these or another folder"),
    ],
)
def test_another_question_of_a_job_is_refused(other: list[str], sentence: str, tmp_path: Path) -> None:
    job = ["--job", str(tmp_path / "job"), "--workers", "1"]
    assert run("--board", FIRST, *job, "--wld").exit_code == 0
    result = run_program_with(*job, *other)

    assert result.exit_code == 1
    assert sentence in result.output
    assert run(*job, "--wld").exit_code == 0


@pytest.mark.parametrize(
    ("given", "force"),
    [
        ([], "1 worker of 3 threads"),
        (["--threads", "2"], "1 worker of 2 threads"),
        (["--workers", "2"], "2 workers, "),
        (["--workers", "2", "--threads", "2"], "2 workers of 2 threads"),
    ],
)
def test_one_worker_with_all_processors_is_the_default(
    given: list[str], force: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.commands.solve.processors", lambda: 3)
    result = run("--board", FIRST, "--job", str(tmp_path / "job"), *given)

    assert result.exit_code == 0, result.output
    assert force in result.output
    assert "+18" in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["--job", "JOB", "--board", BOARD, "--time", "1"],
        ["--job", "JOB", "--board", BOARD, "--all-moves"],
        ["--job", "JOB", "--board", BOARD, "--param", "window=2"],
        ["--board", BOARD, "--workers", "2"],
        ["--board", BOARD, "--frontier", "12"],
        ["--board", BOARD, "--wld", "--at-least", "2"],
        ["--job", "JOB", "--board", BOARD, "--rules", "ravensburger-1987"],
    ],
)
def test_options_that_do_not_go_with_a_job_are_wrong_usage(arguments: list[str], tmp_path: Path) -> None:
    result = run(*(str(tmp_path / "job") if argument == "JOB" else argument for argument in arguments))

    assert result.exit_code == 2
    assert "Error: " in result.output
    assert not (tmp_path / "job").exists()

"""``outflank report`` and ``outflank export`` as a user meets them, on the folder of a run."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.engine import PRESETS, Colour
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import broken_off, played, run_of, write_files_of
from outflank.tools.commands.program import cli
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.state.events import GameEnded, GameStarted
from outflank.tools.match.state.store import Store, read_run
from outflank.tools.report.records import CSV_COLUMNS

GAMES = (played(WITH_PASSES), played(WIPE_OUT, number=2, names=("B", "A")))


def outflank(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def stored(folder: Path, *games: GameRecord) -> Path:
    """The folder of a run with these games."""
    settings = run_of(games, settings={"rules": games[0].rules}).settings
    with Store.create(folder / "run", settings, [()], "id") as store:
        for game in games:
            begun = GameStarted(game.pairing, game.attempt, game.started)
            store.write([begun, GameEnded(game)], settings.rules)
    return folder / "run"


@pytest.mark.parametrize("name", ["", "run.db"])
def test_a_report_is_written_beside_the_run(tmp_path: Path, name: str) -> None:
    folder = stored(tmp_path, *GAMES)
    result = outflank("report", folder / name)

    assert (result.exit_code, result.stdout) == (0, f"{folder / 'report.html'}\n")
    assert "0 : 2" in (folder / "report.html").read_text()


def test_a_report_goes_where_it_is_told(tmp_path: Path) -> None:
    folder = stored(tmp_path, *GAMES)
    told, printed = (
        outflank("report", folder, "-o", tmp_path / "r.html"),
        outflank("report", folder, "-o", "-"),
    )

    assert told.stdout == f"{tmp_path / 'r.html'}\n"
    assert printed.stdout == (tmp_path / "r.html").read_text()
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("name", "words"), [("ggf", "(;GM[Othello]"), ("sgf", "(;FF[4]"), ("transcript", "d3e3f4")]
)
def test_games_are_exported(tmp_path: Path, name: str, words: str) -> None:
    folder = stored(tmp_path, *GAMES)
    printed = outflank("export", folder, "--format", name)
    printed_too = outflank("export", folder, "--format", name, "-o", "-")
    written = outflank("export", folder, "--format", name, "-o", tmp_path / "games")

    assert printed.exit_code == written.exit_code == 0
    assert printed.stdout.startswith(words)
    assert (printed_too.exit_code, printed_too.stdout) == (0, printed.stdout)
    assert written.stdout == f"{tmp_path / 'games'}\n"
    assert (tmp_path / "games").read_text() == printed.stdout


@pytest.mark.parametrize(
    ("suffix", "words"), [(".csv", "game,"), (".txt", "d3e3f4"), (".sgf", "(;FF[4]"), (".wtb", "")]
)
def test_the_suffix_of_the_output_names_the_format(tmp_path: Path, suffix: str, words: str) -> None:
    result = outflank("export", stored(tmp_path, *GAMES), "-o", tmp_path / f"games{suffix}")

    assert result.exit_code == 0, result.stderr
    assert (tmp_path / f"games{suffix}").read_text("latin-1").startswith(words)


@pytest.mark.parametrize("output", [(), ("-o", "-"), ("-o", "games.obf"), ("-o", "games")])
def test_a_suffix_that_names_no_format_is_refused(tmp_path: Path, output: tuple[str, ...]) -> None:
    result = outflank("export", stored(tmp_path, *GAMES), *output)

    assert result.exit_code == 2
    assert "give --format FORMAT, or -o FILE that ends in .sgf, .ggf, .txt, .wtb or .csv" in " ".join(
        result.stderr.split()
    )


def test_a_run_s_own_files_are_what_is_exported(tmp_path: Path) -> None:
    folder = stored(tmp_path, *GAMES)
    write_files_of(read_run(folder), tmp_path)

    for name, file in (("ggf", "games.ggf"), ("sgf", "games.sgf"), ("transcript", "games.txt")):
        assert outflank("export", folder, "--format", name).stdout == (tmp_path / file).read_text()
    assert "EV[" not in (tmp_path / "games.ggf").read_text()
    assert "EV[Outflank match]" in (tmp_path / "games.sgf").read_text()


def test_an_export_says_what_it_leaves_out(tmp_path: Path) -> None:
    folder = stored(tmp_path, *GAMES)

    assert outflank("export", folder, "--format", "sgf").stderr == ""
    assert outflank("export", folder, "--format", "ggf").stderr == (
        "outflank: left out: title (2), event (2), for which GGF has no place\n"
    )


def table_of(printed: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed)))


def test_csv_has_a_row_for_each_game(tmp_path: Path) -> None:
    fault = broken_off(Ending.TIME, Colour.WHITE, number=3, detail='took 1.2 s, "late"\nvery')
    folder = stored(tmp_path, *GAMES, fault)
    printed = outflank("export", folder, "--format", "csv")
    written = outflank("export", folder, "--format", "csv", "-o", tmp_path / "games.csv")
    first, second, third = table_of(printed.stdout)

    assert printed.exit_code == written.exit_code == 0
    assert (tmp_path / "games.csv").read_text() == printed.stdout
    assert tuple(first) == CSV_COLUMNS
    assert (first["game"], first["round"], first["pair"], first["opening"]) == ("1", "1", "1", "d3 e3")
    assert (first["black"], first["white"], first["result"], first["black_points"]) == ("A", "B", "0-1", "0")
    assert (first["black_discs"], first["white_discs"], first["margin"]) == ("10", "54", "-44")
    assert (second["black"], second["result"], second["margin"]) == ("B", "1-0", "64")
    assert (second["black_seconds"], second["white_seconds"]) == ("1.000", "0.750")
    assert second["black_longest"] == "0.250"
    assert (third["ending"], third["margin"], third["result"]) == ("time", "", "1-0")
    assert third["detail"] == 'took 1.2 s, "late" very'
    assert second["moves"] == WIPE_OUT


def test_csv_of_a_run_without_games_is_its_heading(tmp_path: Path) -> None:
    with Store.create(tmp_path / "run", run_of((), settings={"games": 1}).settings, [()], "id"):
        pass

    assert outflank("export", tmp_path / "run", "--format", "csv").stdout == ",".join(CSV_COLUMNS) + "\n"


@pytest.mark.parametrize("name", ['=HYPERLINK("http://x")', "+1", "-1", "@x"])
def test_no_cell_of_csv_is_a_formula(tmp_path: Path, name: str) -> None:
    """A run may come from a stranger."""
    run = run_of([played(names=(name, "B"))], names=(name, "B"))
    with Store.create(tmp_path / "run", run.settings, [()], "id") as store:
        for game in run.games:
            store.write([GameStarted(game.pairing, 1, game.started), GameEnded(game)], game.rules)

    (row,) = table_of(outflank("export", tmp_path / "run", "--format", "csv").stdout)
    assert row["black"] == f"'{name}"


def test_the_columns_of_csv_are_described() -> None:
    page = (Path(__file__).parents[3] / "docs" / "report.md").read_text()
    table = page.split("| column of `csv` |")[1].split("\n\n")[0]
    described = [
        name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]

    assert sorted(described) == sorted(CSV_COLUMNS)


def test_wthor_is_three_files(tmp_path: Path) -> None:
    result = outflank("export", stored(tmp_path, *GAMES), "--format", "wthor", "-o", tmp_path / "games.wtb")
    files = [tmp_path / f"games{suffix}" for suffix in (".wtb", ".jou", ".trn")]

    assert (result.exit_code, result.stdout.split()) == (0, [str(file) for file in files])
    assert [file.stat().st_size for file in files] == [16 + 2 * 68, 16 + 2 * 20, 16 + 26]


def test_wthor_needs_a_file_and_othello(tmp_path: Path) -> None:
    folder = stored(tmp_path, played(ONE_WAY, PRESETS["ravensburger-1987"]))
    no_file = outflank("export", folder, "--format", "wthor")
    other_rules = outflank("export", folder, "--format", "wthor", "-o", tmp_path / "games.wtb")

    assert no_file.exit_code == 2
    assert "WTHOR needs the name of a file (-o FILE), since its names go to files beside it" in no_file.stderr
    assert other_rules.exit_code == 1
    assert other_rules.stderr.startswith(
        "outflank: WTHOR holds Othello from its start only, and game 1 is raven"
    )
    assert not list(tmp_path.glob("games*"))


@pytest.mark.parametrize("command", [["report"], ["export", "--format", "ggf"]])
def test_what_is_no_run_is_said_in_words(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "run.db").write_text("no run")

    assert outflank(*command, tmp_path / "missing").exit_code == 2
    damaged = outflank(*command, tmp_path)
    assert damaged.exit_code == 1
    assert damaged.stderr.startswith("outflank: can't read ")


def test_a_run_that_goes_on_has_a_report(tmp_path: Path) -> None:
    settings = run_of(GAMES).settings
    with Store.create(tmp_path / "run", settings, [()], "id") as store:
        store.write([GameStarted(GAMES[0].pairing, 1, GAMES[0].started), GameEnded(GAMES[0])], settings.rules)
        result = outflank("report", tmp_path / "run", "-o", "-")

    assert result.exit_code == 0
    assert "after 1 game (not finished)" in result.stdout


def test_what_is_derived_from_a_run(tmp_path: Path) -> None:
    run = run_of([GAMES[0], broken_off(Ending.CRASH, Colour.WHITE, number=2)])

    assert write_files_of(run, tmp_path) == ""
    assert {path.name for path in tmp_path.iterdir()} == {
        "fault-game-2.txt", "games.ggf", "games.sgf", "games.txt", "report.html", "summary.json",
    }  # fmt: skip
    assert (tmp_path / "fault-game-2.txt").read_text() == "A > genmove black\nA < = a1\n"
    assert (tmp_path / "games.txt").read_text().splitlines()[1] == "f5d6c3  # game 2: A - B A wins by crash"


def test_a_dialogue_of_a_game_that_was_played_again_without_a_fault_is_removed(tmp_path: Path) -> None:
    """As a run has it whose pair was voided after it had been interrupted."""
    crash = broken_off(Ending.CRASH, Colour.WHITE)
    (tmp_path / "fault-game-1-of-mine.txt").touch()
    write_files_of(run_of([crash, broken_off(Ending.CRASH, Colour.WHITE, number=2)]), tmp_path)

    assert write_files_of(run_of([crash, GAMES[1]]), tmp_path) == ""
    assert {path.name for path in tmp_path.glob("fault-*")} == {
        "fault-game-1.txt",
        "fault-game-1-of-mine.txt",
    }


def test_what_cannot_be_written_is_named_and_the_rest_is_written(tmp_path: Path) -> None:
    (tmp_path / "games.sgf").mkdir()
    trouble = write_files_of(run_of(GAMES), tmp_path)

    assert trouble.startswith(f"can't write {str(tmp_path / 'games.sgf')!r} (")
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    "command", [["report"], ["export", "--format", "ggf"], ["export", "--format", "sgf"]]
)
def test_no_output_overwrites_the_run(tmp_path: Path, command: list[str]) -> None:
    folder = stored(tmp_path, *GAMES)
    before = (folder / "run.db").read_bytes()
    result = outflank(*command, folder, "-o", folder / "run.db")

    assert result.exit_code == 1
    assert result.stderr.startswith("outflank: can't write to ")
    assert (folder / "run.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["run.db"]


@pytest.mark.parametrize("name", ["g.jou", "g.trn", "run.db"])
def test_the_files_of_wthor_do_not_overwrite_each_other(tmp_path: Path, name: str) -> None:
    result = outflank("export", stored(tmp_path, *GAMES), "--format", "wthor", "-o", tmp_path / name)

    assert result.exit_code == 2
    assert "a file for WTHOR ends in .wtb, unlike" in result.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["sgf", "ggf"])
def test_a_review_of_a_run_blames_nobody_for_the_opening(tmp_path: Path, name: str) -> None:
    folder = stored(tmp_path, played(WITH_PASSES, opening=20))
    file = tmp_path / f"games.{name}"
    outflank("export", folder, "--format", name, "-o", file)
    text = outflank("review", file, "--level", 1, "--exact-from", 4)
    printed = outflank("review", file, "--level", 1, "--exact-from", 4, "--json").stdout
    facts = json.loads(printed.splitlines()[0])

    assert "Given: 20 moves" in text.stdout
    assert facts["given"] == 20
    assert {move["class"] for move in facts["moves"][:20]} == {"given"}
    counted = sum(move["class"] not in ("given", "forced") for move in facts["moves"])
    assert sum(side["moves"] for side in facts["sides"].values()) == counted <= len(facts["moves"]) - 20

"""The commands as a user meets them."""

import json
from pathlib import Path

import numpy as np
import pytest

from outflank.engine import Colour, Limit, Position, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.patterns import PHASES
from outflank.engine.search.probcut import margins
from outflank.tests.support.transcripts import run
from outflank.tools.train import probcut
from outflank.tools.train.dataset import empties, load


def succeed(*arguments: object) -> str:
    return run("train", *arguments).stdout


def test_selfplay_prints_what_it_played(tmp_path: Path, nothing: Path) -> None:
    quick = ("--depth", 1, "--exact-from", 6, "--workers", 1)
    options = ("--games", 10, "--shard", 5, *quick, "--weights", nothing)

    made = json.loads(succeed("selfplay", tmp_path / "games", *options, "--json"))

    assert made["games"] == 10
    assert made["settings"]["seed"] == 1
    assert made["settings"]["evaluation"] == weights.checksum(nothing)
    assert succeed("selfplay", tmp_path / "games", *options) == f"10 games in {tmp_path / 'games'}, seed 1\n"
    assert succeed("selfplay", tmp_path / "few", "--games", 10, *quick).startswith("10 games in ")
    assert (
        "11 games are rounded up to 15, to fill files of 5 (--shard)"
        in run("train", "selfplay", tmp_path / "more", *options, "--games", 11).stderr
    )


def test_fit_writes_weights_that_a_searcher_reads(tmp_path: Path, games: Path) -> None:
    out, picture = tmp_path / "fitted.bin", tmp_path / "errors.svg"

    reports = json.loads(succeed("fit", games, "--solved", games, "-o", out, "--plot", picture, "--json"))
    table = succeed("fit", games, "-o", tmp_path / "other.bin").splitlines()

    assert [report["phase"] for report in reports] == list(range(PHASES))
    assert sum(report["positions"] for report in reports) > 1000
    assert weights.provenance(out)["games"][0]["games"] == 60
    assert "<svg" in picture.read_text()
    columns = "empties positions kept out steps MAE RMSE spread bias even odd slope"
    assert (" ".join(table[0].split()), len(table)) == (columns, 1 + PHASES)
    assert Searcher(1, weights=out).search(Position.start(), Limit(depth=2)).move


def test_label_solves_each_board_once(tmp_path: Path, games: Path) -> None:
    options = ("--boards", 30, "--fewest", 6, "--most", 8, "--workers", 1, "--json")

    for folder, chosen in (("a", ("--games", games)), ("b", ())):
        assert json.loads(succeed("label", tmp_path / folder, *chosen, *options))["boards"] == 30
        assert len(load([tmp_path / folder])) == 30
        assert len({(row["own"], row["opp"]) for row in load([tmp_path / folder])}) == 30


def test_label_goes_on_where_it_was_but_not_with_other_settings(tmp_path: Path, games: Path) -> None:
    options = ("--games", games, "--fewest", 6, "--workers", 1, "--shard", 10)
    whole, parts = tmp_path / "whole", tmp_path / "parts"

    succeed("label", whole, *options, "--most", 8, "--boards", 30)
    assert succeed("label", parts, *options, "--most", 8, "--boards", 17) == f"17 boards in {parts}, seed 1\n"
    assert succeed("label", parts, *options, "--most", 8, "--boards", 30) == f"30 boards in {parts}, seed 1\n"

    assert load([parts]).tobytes() == load([whole]).tobytes()
    refused = run("train", "label", parts, *options, "--most", 9, "--boards", 40, code=1)
    assert "to be made with" in refused.stderr
    assert len(load([parts])) == 30
    short = tmp_path / "short"  # a budget ends after a shard
    assert succeed("label", short, *options, "--budget", "0.001s") == f"10 boards in {short}, seed 1\n"


def test_label_keeps_the_perfect_line(tmp_path: Path, games: Path) -> None:
    options = ("--boards", 20, "--fewest", 7, "--most", 8, "--workers", 1, "--json")

    succeed("label", tmp_path / "a", "--games", games, *options, "--line-to", 5)

    records = load([tmp_path / "a"])
    assert np.count_nonzero(records["place"] == 0) == 20
    assert len(records) > 50
    assert empties(records).min() == 5
    for row in records:
        position = Position(int(row["own"]), int(row["opp"]), Colour.BLACK)
        assert Searcher(1).search(position, Limit.solve()).score == row["result"] == row["guess"]


def test_probcut_writes_a_model_that_the_engine_reads(tmp_path: Path, games: Path) -> None:
    out = tmp_path / "probcut.json"

    table = succeed("probcut", games, "-o", out, "--boards", 2, "--depth", 5, "--workers", 1)

    assert table.splitlines()[0].split() == ["depth", "shallow", "samples", "measured", "model"]
    assert len(margins(out)) > 0
    assert json.loads(out.read_text())["provenance"]["weights"] == f"CRC-32 {weights.checksum()}"


def test_network_adds_to_the_tables_of_a_file(tmp_path: Path, games: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    tables, out = tmp_path / "tables.bin", tmp_path / "both.bin"
    succeed("fit", games, "-o", tables)

    table = succeed("network", games, "--tables", tables, "-o", out, "--epochs", 2).splitlines()
    reports = json.loads(
        succeed("network", games, "--tables", tables, "-o", out, "--epochs", 1, "--seed", 2, "--json")
    )

    assert table[0].split()[:5] == ["stage", "epoch", "trained", "held", "out"]
    assert table[0].split()[5:] == ["bias", "even", "bias", "odd", "slope"]
    assert len(table) == 1 + 3 * 3
    assert [report["epoch"] for report in reports] == 3 * [0, 1]
    assert weights.provenance(out)["network"]["seed"] == 2
    assert weights.provenance(out)["tables"] == weights.provenance(tables)
    assert weights.read(out).tables == weights.read(tables).tables
    assert Searcher(1, weights=out).search(Position.start(), Limit(depth=2)).move


@pytest.mark.timeout(600)
def test_all_goes_from_nothing_to_weights_and_can_be_repeated(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    options = ("--budget", "1s", "--shard", 3, "--depth", 1, "--exact-from", 6, "--workers", 1)
    late = ("--late-depth", 2, "--late-exact-from", 12)

    first = succeed("all", tmp_path, *options, *late).splitlines()

    assert [line.split(":")[0] for line in first[:-1]] == [f"generation {number}" for number in range(5)]
    provenance = weights.provenance(tmp_path / "weights-5.bin")
    last, of_tables = provenance["games"], provenance["tables"]["games"]
    assert [made["weights"] for made in last if "labels" not in made][-1] == "weights-4.bin"
    assert [made["weights"] for made in last if "labels" in made] == [
        f"weights-{number}.bin" for number in range(5)
    ]
    assert [made["judging"]["end_selectivity"] for made in of_tables] == [100, 87, 87]
    assert [made["judging"]["end_selectivity"] for made in last if "labels" not in made] == [87, 87]
    assert provenance["calibration"]["seed"] == 1
    assert probcut.is_fitted_to(tmp_path / "probcut.json", tmp_path / "weights-5.bin")
    assert succeed("all", tmp_path, *options, *late).splitlines() == first[-1:]

    # As if a budget of half a second had made all that.
    (tmp_path / "spent.json").write_text('{"games 0": 0.5}')
    more = succeed("all", tmp_path, *options, *late, "--budget", "2s").splitlines()

    assert [line.split(":")[0] for line in more[:-1]] == ["generation 5"]
    assert weights.provenance(tmp_path / "weights-6.bin")["games"][-1]["weights"] == "weights-5.bin"
    assert probcut.is_fitted_to(tmp_path / "probcut.json", tmp_path / "weights-6.bin")

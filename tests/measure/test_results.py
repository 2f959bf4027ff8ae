"""What docs/results.md shows is what was measured, and every measurement can be made again."""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.measure.figures import BEGIN, END, Effort, Figure, machine, tables, updated, with_tables
from outflank.measure.results import MEASUREMENTS, main
from outflank.tests.support.installation import ROOT

DOCUMENT = json.loads((ROOT / "docs" / "results.json").read_text())
WITH_SUITES = {"hard-20", "accuracy"}


def test_the_page_shows_what_was_measured() -> None:
    page = (ROOT / "docs" / "results.md").read_text()

    assert page == with_tables(page, DOCUMENT), "make results"


def test_the_readme_quotes_what_was_measured() -> None:
    readme = (ROOT / "README.md").read_text().partition("## Measured")[2]
    quoted = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", readme, re.MULTILINE))
    rows = re.findall(r"^\| (.+?) \| (.+?) \| \d+ \| \d+ \|$", tables(DOCUMENT), re.MULTILINE)
    measured = {what: re.sub(r" \(.+? to .+?\)", "", values) for what, values in rows}

    assert len(measured.keys() & quoted.keys()) >= 5
    assert quoted == {**quoted, **{what: measured[what] for what in measured.keys() & quoted.keys()}}


def test_everything_was_measured() -> None:
    assert set(DOCUMENT["measured"]) == set(MEASUREMENTS)


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measurement_yields_figures_with_a_command(name: str) -> None:
    if name in WITH_SUITES and "OUTFLANK_SUITES" not in os.environ:
        pytest.skip("OUTFLANK_SUITES does not name a folder of suites")
    figures = list(MEASUREMENTS[name](Effort(runs=1, quick=True)))

    assert figures
    for figure in figures:
        assert figure.what
        assert figure.command.startswith(("outflank ", "make ", "python ", "head ", "awk "))
        assert min(figure.values) >= 0


def test_the_median_is_shown_with_its_spread() -> None:
    figure = Figure("a thing", "ms", "outflank bench", (3.0, 1.0, 20.0))
    count = Figure("a count", "nodes", "outflank bench", (1234567,))
    document = updated({}, "thing", [figure, count], load=1.25)

    assert "| a thing | 3 ms (1 to 20) | 3 | 1 |\n| a count | 1,234,567 nodes | 1 | 1 |\n" in tables(document)
    assert "\n1. `outflank bench` (load 1.2)\n" in tables(document)


def test_the_figures_of_one_thing_share_a_row() -> None:
    nodes, seconds = Figure("a thing", "nodes", "x", (7,)), Figure("a thing", "s", "x", (1.0, 2.0))

    assert "| a thing | 7 nodes; 1.5 s (1 to 2) | 2 | 1 |\n" in tables(updated({}, "a", [nodes, seconds], 0))


def test_of_many_runs_the_spread_leaves_out_the_stragglers() -> None:
    figure = Figure("a thing", "ms", "", (*map(float, range(100)), 1e6))

    assert figure.spread == pytest.approx((4.1, 95.9))


def test_a_measurement_made_again_replaces_itself_alone() -> None:
    old, new = (Figure("a", "s", "", (value,)) for value in (1.0, 2.0))
    document = updated(updated(updated({}, "a", [old], 0), "b", [old], 0), "a", [new], 0)

    assert [document["measured"][name]["figures"][0]["median"] for name in ("a", "b")] == [2.0, 1.0]


def test_what_another_machine_measured_is_dropped() -> None:
    elsewhere = {"machine": {**machine(), "cpu": "another"}, "measured": {"b": []}}

    assert set(updated(elsewhere, "a", [], 0)["measured"]) == {"a"}


def test_the_command_writes_the_figures_and_the_tables(tmp_path: Path) -> None:
    out, page = tmp_path / "results.json", tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    ran = CliRunner().invoke(
        main, ["--only", "program", "--runs", "1", "--out", str(out), "--page", str(page)]
    )

    assert ran.exit_code == 0, ran.output
    assert set(json.loads(out.read_text())["measured"]) == {"program"}
    assert page.read_text().startswith(f"before\n{BEGIN}\n\nMeasured on ")
    assert "memory in use" in page.read_text()
    assert page.read_text().endswith(f"{END}\nafter\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "nothing"], "'nothing' is not one of"),
        (["--only", "hard-20"], "expected OUTFLANK_SUITES to name a folder with hard-20.obf in it"),
        (["--quick", "--page", __file__], "expected a page to be made without --quick"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OUTFLANK_SUITES", raising=False)
    ran = CliRunner().invoke(main, arguments)

    assert ran.exit_code == 2
    assert sentence in ran.stderr

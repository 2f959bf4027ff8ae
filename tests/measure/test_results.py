"""What docs/results.md shows is what was measured, and every measurement can be made again."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.measure.figures import (
    BEGIN,
    BEGIN_SOME,
    END,
    NAMES,
    SOME,
    Figure,
    MeasureEffort,
    machine,
    some_figures,
    tables,
    updated,
    with_figures,
)
from outflank.measure.results import MEASUREMENTS, bench, main
from outflank.tests.support.installation import ROOT

DOCUMENT = json.loads((ROOT / "docs" / "results.json").read_text())
PLACE = rf"<!-- figure: |{BEGIN}|{BEGIN_SOME}"


QUOTING = [
    page for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")] if re.search(PLACE, page.read_text())
]


@pytest.mark.parametrize("page", QUOTING, ids=lambda page: page.name)
def test_a_page_shows_what_was_measured(page: Path) -> None:
    assert page.read_text() == with_figures(page.read_text(), DOCUMENT), "make results"


def test_make_renews_every_page_that_shows_figures() -> None:
    (line,) = re.findall(r"^QUOTING = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert {ROOT / name for name in line.split()} == set(QUOTING)


def test_the_counts_of_nodes_are_those_of_this_program() -> None:
    """Nodes repeat exactly on any machine; the signature is their sum, perft's included."""
    kept = {(each["what"], each["unit"]): each["median"] for each in DOCUMENT["measured"]["bench"]["figures"]}
    measured = list(bench(MeasureEffort(runs=1)))
    found = [each for each in measured if each.unit.endswith("nodes")]

    assert {each.command for each in measured} == {"outflank bench"}
    assert min(min(each.values) for each in measured) > 0
    assert found[0].what == "the signature of `outflank bench`"
    assert {(each.what, each.unit): each.as_json()["median"] for each in found} == {
        key: value for key, value in kept.items() if key[1].endswith("nodes")
    }, "make results ARGS='--only bench'"


def test_every_measurement_was_made_and_every_row_and_name_is_that_of_a_figure() -> None:
    assert set(DOCUMENT["measured"]) == set(MEASUREMENTS)
    assert len(re.findall(r"^\| .+ \| \d.+ \|$", some_figures(DOCUMENT), re.MULTILINE)) == len(SOME)
    for name in NAMES:
        old = f"a <!-- figure: {name} -->old<!-- end --> b"
        assert re.fullmatch(r"a <!-- figure: .+ -->[0-9.,]+<!-- end --> b", with_figures(old, DOCUMENT))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("no figure", "the page has no place for figures"),
        ("<!-- figure: size -->7<!-- end -->", "no figure is called 'size': the names are signature, "),
    ],
)
def test_a_page_that_can_not_be_made_is_refused(page: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        with_figures(page, DOCUMENT)


@pytest.mark.parametrize("name", [name for name in MEASUREMENTS if name != "bench"])
def test_a_measurement_yields_figures_with_a_command(name: str) -> None:
    """The test above has the bench."""
    figures = list(MEASUREMENTS[name](MeasureEffort(runs=1, quick=True)))

    assert figures
    for figure in figures:
        assert figure.what
        assert figure.command.startswith(("outflank ", "make ", "python ", "head "))
        assert min(figure.values) >= 0


def test_the_median_is_shown_with_its_spread() -> None:
    """That of many runs leaves out the stragglers; the figures of one thing share a row."""
    many = Figure("a thing", "ms", "", (*map(float, range(100)), 1e6))
    nodes, seconds = Figure("a thing", "nodes", "x", (7,)), Figure("a thing", "s", "x", (1.0, 2.0))
    figure = Figure("a thing", "ms", "outflank bench", (3.0, 1.0, 20.0))
    count = Figure("a count", "nodes", "outflank bench", (1234567,))
    document = updated({}, "thing", [figure, count], load=1.25)

    assert "| a thing | 3 ms (1 to 20) | 3 | 1 |\n| a count | 1,234,567 nodes | 1 | 1 |\n" in tables(document)
    assert "\n1. `outflank bench` (load 1.2)\n" in tables(document)
    assert many.spread == pytest.approx((4.1, 95.9))
    assert "| a thing | 7 nodes; 1.5 s (1 to 2) | 2 | 1 |\n" in tables(updated({}, "a", [nodes, seconds], 0))


def test_a_measurement_made_again_replaces_itself_and_what_another_machine_measured() -> None:
    old, new = (Figure("a", "s", "", (value,)) for value in (1.0, 2.0))
    document = updated(updated(updated({}, "a", [old], 0), "b", [old], 0), "a", [new], 0)

    assert [document["measured"][name]["figures"][0]["median"] for name in ("a", "b")] == [2.0, 1.0]
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
        (["--quick", "--page", __file__], "expected a page to be made without --quick"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list[str], sentence: str) -> None:
    ran = CliRunner().invoke(main, arguments)

    assert ran.exit_code == 2
    assert sentence in ran.stderr

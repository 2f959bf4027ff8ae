"""The sequential test on the command line."""

import json
import math

import pytest
from click.testing import CliRunner

from outflank.tools.commands.sprt import sprt


def test_the_published_pairs_accept_nothing_yet() -> None:
    told = CliRunner().invoke(sprt, ["365", "16618", "36229", "16974", "390", "--test", "0,2"])

    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "test: elo0=0.0 elo1=2.0 alpha=0.05 beta=0.05 model=normalized",
        "score: 0.5014",
        "elo: 0.9993",
        "ratio: 2.25",
        "low: -2.944",
        "high: 2.944",
        "verdict: none",
    ]


def test_games_without_pairs_get_the_ratio_of_older_runners_too() -> None:
    options = ["--json", "--test", "elo0=0 elo1=10 alpha=0.01 beta=0.01 model=logistic", "149", "1", "3"]
    told = json.loads(CliRunner().invoke(sprt, options).stdout)

    assert told["bayesian_ratio"] == pytest.approx(-4.69, abs=0.005)
    assert told["low"] == pytest.approx(-4.595, abs=0.001)
    assert told["verdict"] is None


@pytest.mark.parametrize("games", [("1", "10000", "3"), ("0", "30000", "0"), ("0", "1000000000000", "0")])
def test_games_nearly_all_drawn_get_it_too(games: tuple[str, ...]) -> None:
    told = CliRunner().invoke(sprt, ["--json", *games])

    assert told.exit_code == 0
    assert -math.inf < json.loads(told.stdout)["bayesian_ratio"] < 0


def test_a_verdict_names_the_hypothesis() -> None:
    assert json.loads(CliRunner().invoke(sprt, ["--json", "0", "0", "500"]).stdout)["verdict"] == "elo1"
    assert json.loads(CliRunner().invoke(sprt, ["--json", "500", "0", "0"]).stdout)["verdict"] == "elo0"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1", "2"], "give three counts or five, not all of them 0: 1 2 is none of these"),
        (["0", "0", "0"], "give three counts or five, not all of them 0: 0 0 0 is none of these"),
        (["1", "2", "3", "--test", "5,0"], "expected elo0 below elo1"),
        (
            ["3", "4", "5", "--test", "elo0=0,elo1=8000,model=logistic"],
            "expected logistic bounds from -2000 to 2000 Elo, got 0 and 8000",
        ),
        (["1", "2", "x"], "expected a whole number from 0 to 1000000000000, got 'x'"),
        ([], "Missing argument 'COUNTS...'"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(arguments: list[str], sentence: str) -> None:
    told = CliRunner().invoke(sprt, arguments)

    assert told.exit_code == 2
    assert sentence in " ".join(told.stderr.replace("│", " ").split())

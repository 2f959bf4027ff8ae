"""``outflank bench`` and ``outflank bench accuracy``: the same work for the same nodes, errors counted right."""

import json
from pathlib import Path

import pytest

from outflank.engine import Limit, Position, Searcher
from outflank.protocol.formats.samples import samples
from outflank.tests.support.transcripts import run

_FFO = samples()["ffo-1"]


@pytest.fixture
def _little_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = tmp_path / "bench.obf"
    suite.write_text(f"{Position.start().board_string()};\n{_FFO.read_text().splitlines()[0]}\n")
    monkeypatch.setattr("outflank.tools.commands.bench._SUITE", suite)
    monkeypatch.setattr("outflank.tools.commands.bench._MIDGAME", Limit(depth=5))
    monkeypatch.setattr("outflank.tools.commands.bench._SELECTIVE_MIDGAME", Limit(depth=6, selectivity=73))
    monkeypatch.setattr("outflank.tools.commands.bench._PERFT_DEPTH", 4)


def _items(*arguments: str) -> dict[str, int]:
    shown = run("bench", "--json", "--hash", "4", *arguments).output
    return {item["name"]: item["nodes"] for item in map(json.loads, shown.splitlines())}


@pytest.mark.usefixtures("_little_work")
def test_the_nodes_repeat_and_the_signature_is_their_sum_and_people_get_a_row_for_each_item() -> None:
    first, second = _items(), _items()
    output = run("bench", "--hash", "4").output

    assert first == second
    assert first.pop("signature") == sum(first.values())
    assert first["perft 4"] == 244
    assert output.startswith("outflank ")
    assert "14 empties, exact" in output
    assert output.splitlines()[-1].startswith("signature")


def _accuracy(path: Path, *arguments: object) -> str:
    return run("bench", "accuracy", path, *arguments).stdout


def test_a_search_to_the_end_makes_no_error() -> None:
    found = json.loads(_accuracy(_FFO, "--depth", 20, "--json"))

    assert (found["mae"], found["within3"], found["best_move_rate"]) == (0, 1, 1)
    assert (found["bias"], found["discs_lost"]) == (0, 0)
    assert found["slope"] == pytest.approx(1)


def test_the_error_of_an_evaluation_is_its_mean_distance_from_the_best_score(nothing: Path) -> None:
    searcher, errors, scores = Searcher(hash_mb=1), [], []
    for line in _FFO.read_text().splitlines():
        board, _, entries = line.partition(";")
        scores.append(max(int(entry.split(":")[1]) for entry in entries.split(";") if entry.strip()))
        errors.append(abs(searcher.evaluate(Position.parse(board)) - scores[-1]))
    words = ("--depth", 0, "--json")
    found, of_zeros = (json.loads(_accuracy(_FFO, *words, *more)) for more in ((), ("--weights", nothing)))

    assert found["mae"] == pytest.approx(sum(errors) / len(errors))
    assert found["within3"] == sum(error <= 3 for error in errors) / len(errors)
    assert found["nodes"] == 0
    assert of_zeros["mae"] == pytest.approx(sum(map(abs, scores)) / len(scores))
    assert of_zeros["bias"] == pytest.approx(-sum(scores) / len(scores))


def test_the_chosen_moves_cost_is_told_where_all_moves_have_scores(tmp_path: Path) -> None:
    board = Position.start().board_string()
    all_alike = f"{board}; D3:+4; C4:+4; F5:+4; E6:+4;\n"
    one_best = f"{board}; D3:-2; C4:+4; F5:-2; E6:-2;\n"
    unknown = f"{board}; +4;\n{board}; C4:+4;\n"

    (tmp_path / "a.obf").write_text(all_alike + one_best + unknown)
    found = json.loads(_accuracy(tmp_path / "a.obf", "--depth", 2, "--json"))

    assert found["positions"] == 4
    chosen = Searcher(1).search(Position.start(), Limit(depth=2)).move
    assert found["discs_lost"] == (0 if str(chosen) == "c4" else 3)
    assert found["best_move_rate"] == (1 if str(chosen) == "c4" else 0.5)


def test_leaves_of_both_parities_are_told_apart(tmp_path: Path) -> None:
    even = Position.start()
    odd = even.play(even.legal_moves()[0])
    suite = tmp_path / "a.obf"
    suite.write_text(f"{even.board_string()}; +10;\n{odd.board_string()}; -6;\n")

    found = json.loads(_accuracy(suite, "--depth", 1, "--json"))
    table = _accuracy(suite, "--depth", 1).splitlines()

    searcher = Searcher(1)
    for name, position, exact in (("odd leaves", even, 10), ("even leaves", odd, -6)):
        score = searcher.search(position, Limit(depth=1)).score
        assert found[name]["positions"] == 1
        assert found[name]["bias"] == score - exact
    assert found["bias"] == (found["odd leaves"]["bias"] + found["even leaves"]["bias"]) / 2
    assert table[0].split() == ["all", "even", "leaves", "odd", "leaves"]
    assert table[1].split() == ["positions", "2", "1", "1"]

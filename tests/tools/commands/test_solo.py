"""``outflank solo``: playing, watching, solving, many deals, and what it says to bad input."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.engine.solo.game import Deal, DealerView
from outflank.tests.support.program import at_terminal
from outflank.tools.commands.program import cli

ESCAPE = "\x1b["
EDGE = "a1 b1 c1 d1 e1 f1 g1 h1 a8 b8 c8 d8 e8 f8 g8 h8 a2 a3 a4 a5 h2 h3 h4 h5"


def run(*arguments: str, typed: str = "", color: bool = False) -> Result:
    return CliRunner().invoke(cli, ["solo", *arguments], input=typed, prog_name="outflank", color=color)


def objects(*arguments: str, typed: str = "") -> list[dict[str, Any]]:
    """The JSON objects of a run that has to succeed."""
    result = run(*arguments, "--json", typed=typed)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


class TestPlaying:
    """Moves on standard input."""

    def test_moves_are_played_and_told(self) -> None:
        result = run("--seed", "1", typed="black d3\ngc5\nstop\n")

        assert result.exit_code == 0
        assert "seed 1, variant chips" in result.stdout
        assert "black d3: turns d4, turns up g2 g8\n" in result.stdout.replace("g8 g2", "g2 g8")
        assert "gold c5: turns d5, turns up b- g7\n" in result.stdout
        assert result.stdout.endswith("score 0 of 24: stopped before the end\n")
        assert result.stderr == ""

    def test_the_picture_is_the_players_view(self) -> None:
        view = DealerView.start(Deal.shuffled(1)).player_view()
        lines = run("--seed", "1").stdout.splitlines()

        assert [line.split() for line in lines[3:12]] == [line.split() for line in str(view).splitlines()]

    def test_the_end_of_the_input_ends_the_game_with_the_score_as_it_is(self) -> None:
        assert run("--seed", "1").stdout.endswith("score 0 of 24: stopped before the end\n")

    def test_a_whole_game_played_from_a_pipe_ends_by_itself(self) -> None:
        moves = [line["move"] for line in objects("--seed", "7", "--auto") if line["kind"] == "move"]
        told = objects("--seed", "7", typed="".join(f"{move}\n" for move in moves))

        assert [line["move"] for line in told if line["kind"] == "move"] == moves
        assert told[-1]["kind"] == "result"
        assert told[-1]["over"]

    def test_a_hint_can_be_asked_for(self) -> None:
        assert "hint: " in run("--seed", "1", typed="hint\n").stdout
        assert "hint: " in run("--seed", "1", "--hint").stdout

    def test_moves_and_help_can_be_asked_for(self) -> None:
        out = run("--seed", "1", typed="moves\nhelp\n\n").stdout

        assert "black d3, black c4, black f5, black e6, gold e3, gold f4, gold c5, gold d6" in out
        assert "a move is a colour and a square" in out

    @pytest.mark.parametrize(("typed", "sentence"), [("z9\n", "got 'z9'"), ("gold d3\n", "got gold d3")])
    def test_a_bad_line_in_a_pipe_ends_it_with_a_sentence_after_the_score(
        self, typed: str, sentence: str
    ) -> None:
        result = run("--seed", "1", typed=f"black d3\n{typed}")

        assert result.exit_code == 1
        assert "score 0 of 24: stopped before the end" in result.stdout
        assert sentence in result.stderr
        assert "Traceback" not in result.output

    def test_json_hides_closed_chips_too(self) -> None:
        settings, board, *_ = objects("--seed", "1")

        assert settings["seed"] == 1
        assert board["open"] == {}
        assert len(board["closed"]) == len(settings["layout"]) == 24
        assert board["moves"][0] == "black d3"
        assert board == objects("--seed", "2")[1]

    def test_somebody_at_a_terminal_is_told_and_asked_again(self) -> None:
        """Through a pseudo-terminal: a bad move does not end the game, and the board is coloured."""
        said = at_terminal(["solo", "--seed", "1"], b"a1\nblack d3\nstop\n")

        assert "got a1" in said
        assert "turns d4" in said
        assert "stopped before the end" in said
        assert ESCAPE in said


class TestWatchingAndSolving:
    """--auto and --open."""

    def test_auto_plays_to_the_end(self) -> None:
        result = run("--seed", "1", "--auto")

        assert result.exit_code == 0
        assert " of 24: " in result.stdout.splitlines()[-1]
        assert "stopped" not in result.stdout

    def test_open_finds_the_best_play_and_a_bound(self) -> None:
        solution = objects("--seed", "1", "--open")[-1]
        game = DealerView.start(Deal.shuffled(1))
        for move in solution["moves"]:
            game = game.play(game.parse_move(move))

        assert solution["score"] == game.score() == solution["bound"] == 24
        assert (
            run("--seed", "1", "--open")
            .stdout.splitlines()[-1]
            .startswith("best score found 24 of 24, which no play surpasses")
        )

    def test_variant_sum_counts_numbers(self) -> None:
        assert objects("--seed", "1", "--open", "--variant", "sum")[-1]["score"] == 220
        assert "score 0 of 220" in run("--seed", "1", "--variant", "sum").stdout

    def test_many_deals_are_told_in_sum(self) -> None:
        *deals, results = objects("--seed", "3", "--auto", "--games", "4", "--random")[1:]
        scores = [deal["score"] for deal in deals]

        assert [deal["seed"] for deal in deals] == [3, 4, 5, 6]
        assert (results["worst"], results["best"]) == (min(scores), max(scores))
        assert results["mean"] == pytest.approx(sum(scores) / 4, abs=0.001)
        assert run("--seed", "3", "--open", "--games", "2").stdout.splitlines()[-1] == (
            "2 deals: mean 24.00 +/- 0.00 of 24, standard deviation 0.00, worst 24, best 24, perfect 100.0%"
        )

    def test_colours_are_for_terminals_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert ESCAPE in run("--seed", "1", color=True).stdout
        assert ESCAPE not in run("--seed", "1").stdout
        monkeypatch.setenv("NO_COLOR", "1")
        assert ESCAPE not in run("--seed", "1", color=True).stdout


class TestSettings:
    """Seeds, layouts, and options that do not go together."""

    def test_without_a_seed_the_deal_is_any_and_told(self) -> None:
        assert objects()[0]["seed"] != objects()[0]["seed"]

    def test_chips_that_can_never_be_won_get_a_warning(self) -> None:
        result = run("--seed", "1", "--layout", EDGE)

        assert result.exit_code == 0
        assert "chips on a1 b1 c1 d1 e1 f1 g1 h1 " in result.stderr
        assert result.stderr.endswith("can never be won\n")
        assert "layout a1,b1" in result.stdout

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["--layout", "a1,b1"], "Invalid value for '--layout': expected corners or 24 different squares"),
            (["--layout", "z9"], "expected a square from a1 to h8, got 'z9'"),
            (["--variant", "product"], "Invalid value for '--variant'"),
            (["--seed", "-1"], "Invalid value for '--seed'"),
            (["--games", "0", "--auto"], "Invalid value for '--games'"),
            (["--auto", "--open"], "--auto (watch) and --open (solve) exclude each other"),
            (["--auto", "--hint"], "--hint is for a game of your own, without --auto and --open"),
            (["--games", "2"], "--games needs --auto or --open"),
            (["--auto", "--random"], "--random needs --auto and --games"),
            (["e4"], "unexpected extra argument"),
        ],
    )
    def test_bad_input_is_answered_with_one_sentence_and_exit_code_2(
        self, arguments: list[str], sentence: str
    ) -> None:
        result = run(*arguments)

        assert result.exit_code == 2
        assert result.stdout == ""
        assert sentence in result.stderr
        assert "Traceback" not in result.stderr

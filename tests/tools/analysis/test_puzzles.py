"""Problems: each is proven, none is like another, and what is said of its difficulty is what happens."""

import re
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from click.shell_completion import ShellComplete

from outflank.engine import Game, Limit, Searcher, SearchInfo, Symmetry
from outflank.protocol.formats import obf, sgf, transcript
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.human_strength import choose
from outflank.tests.support.transcripts import run
from outflank.tools.analysis.puzzles import (
    ELOS,
    Goal,
    Puzzle,
    failures,
    find,
    obf_line,
    plies_needed,
    problems_of,
    render_page,
    sgf_game,
    solved_share,
)
from outflank.tools.cli.program import cli

EMPTIES = range(6, 15)


# Of opponents of people's strength, who leave problems behind.
GAMES = """\
f5f6f7g5f4d6c3f3e3d3c5g4c2c6e2e7h3d2f2c4d1h4g3g6e6h2h6e1b3d7b5b6h5h7c8d8a6c7e8f8g8b7b4a3f1a7a4a5b2g2g7b1c1h8a1b8a2g1h1a8
f5f6e6f4g3c6g5f3g4g6e7h6h5h3d3d6e3h4f7f2c3c4e2e1f1d1c1d2c2b3c7f8b6e8b5b4c5a5g7c8a6a4a3d7g8b7a8h8h7a7b8g1h1d8h2g2a2a1b2b1
f5d6c3f4c6b6d7e6f6e3d3g4e7c5e2f3c4f8g3g5h4c7e8f7g8d2g6b5d8f1b4a4b3f2c2h3h2b1c1a2a3d1a1b2e1h5h6g2c8b7a5a7a6a8b8h8h1g1g7h7
f5f4e3f2c3e6f3f6e2d3g3d2g4c2d6g5c1c7g6b3f1c4f7h3c5c6a3h5d7d8e7e1d1b6a6b4a4b7b5a5e8h6g7c8g1g2b8a8a7b2a1f8h1h2h4a2b1h8h7g8
f5d6c4b3d7e6c5f4f6e7f8c8f7c6f3e8d8g8e3c7c3c2b5a6b4a3a5a4b7g6h6d3b8a8g7h8g5h7g4h3g3f2d2d1e2e1h5b6f1g1c1b1g2h1a7h4b2a1a2h2
f5f4c3c4b3b4b5g6c5d6e7d7c7f8d3a4a3a6f6e6a5a2f7e3g5h6g3c6h4h5h7f3g4h2g7h8g8h3e8d8b7b6f2f1e2a8c2e1d1g2d2c1h1g1b1b2c8b8a1a7"""


@pytest.fixture(scope="module")
def games() -> list[AnnotatedGame]:
    return [transcript.parse(line) for line in GAMES.splitlines()]


@pytest.fixture(scope="module")
def puzzles(games: list[AnnotatedGame]) -> list[Puzzle]:
    found = list(find(games, "win", EMPTIES, workers=1))
    assert len(found) >= 3
    return found


@pytest.mark.parametrize("goal", get_args(Goal))
def test_one_move_alone_does_what_is_asked(games: list[AnnotatedGame], goal: Goal) -> None:
    solver = Searcher(16)
    for puzzle in find(games[:4], goal, EMPTIES, workers=1):
        scores = {}
        for move in puzzle.position.legal_moves():
            after = puzzle.position.play(move)
            score = solver.search(after, Limit.solve()).score
            scores[move] = score if after.side is puzzle.position.side else -score

        assert scores == puzzle.scores
        best = max(scores.values())
        assert [move for move, score in scores.items() if score == best] == [puzzle.solution]
        if goal == "win":
            assert [score > 0 for score in sorted(scores.values())][-2:] == [False, True]
        assert puzzle.position.empties in EMPTIES


def test_images_and_processes_have_no_other_problems(
    games: list[AnnotatedGame], puzzles: list[Puzzle]
) -> None:
    images = []
    for game in games:
        for symmetry in (Symmetry.TRANSPOSE, Symmetry.HALF_TURN):
            image = Game()
            for played in game.moves:
                image.play(symmetry.move(played.move))
            images.append(AnnotatedGame.of(image))

    found = list(find([*games, *images], "win", EMPTIES, workers=1))

    assert list(find(games, "win", EMPTIES, workers=2)) == puzzles
    assert [each.position for each in found] == [each.position for each in puzzles]


def test_a_game_that_goes_another_way_near_the_end_has_no_problem_of_the_same_plies(
    games: list[AnnotatedGame], puzzles: list[Puzzle]
) -> None:
    first = puzzles[0]
    game = next(each for each in games if first.position in each.positions)
    cut = AnnotatedGame(game.first, game.moves[: first.ply + 2])
    later = AnnotatedGame(game.moves[first.ply + 1].before, game.moves[first.ply + 1 :])

    found = list(find([cut, later], "win", EMPTIES, workers=1))

    assert found[0].position == first.position
    assert all(puzzle.position not in [move.before for move in later.moves[:5]] for puzzle in found)


def test_the_failures_are_how_often_an_opponent_fails(puzzles: list[Puzzle]) -> None:
    searcher, draws = Searcher(4), 300
    for puzzle in puzzles[:3]:
        for elo in (ELOS[0], 1300):
            moves = [choose(searcher, puzzle.position, elo, Limit(depth=1), None) for _ in range(draws)]
            failed = sum(move != puzzle.solution for move in moves) / draws

            assert failed == pytest.approx(puzzle.failures[elo], abs=0.13)


def test_from_its_plies_on_a_search_finds_the_solution(puzzles: list[Puzzle]) -> None:
    searcher = Searcher(16)
    for puzzle in puzzles:
        searcher.clear()
        limit = Limit(depth=puzzle.position.empties - 1, selectivity=73)
        infos: list[SearchInfo] = []
        searcher.search(puzzle.position, limit, on_info=infos.append)
        best = {info.depth: info.pv[0] for info in infos}

        assert all(move == puzzle.solution for depth, move in best.items() if depth >= puzzle.plies)
        assert puzzle.plies == 1 or best[puzzle.plies - 1] != puzzle.solution
        assert plies_needed(puzzle.position, puzzle.solution, searcher) == puzzle.plies


def test_what_every_level_finds_is_no_problem_and_others_are_six_plies_apart(
    games: list[AnnotatedGame],
) -> None:
    position = games[0].positions[54]
    lines = Searcher(4).search(position, Limit.solve(), multipv=len(position.legal_moves())).lines
    assert [line.score > 0 for line in lines[:2]] == [True, False]
    assert max(failures(position, lines[0].move, lines, Searcher(4)).values()) < 0.1

    assert [puzzle.ply for puzzle, _ in problems_of("win", EMPTIES, games[0])] == [47]
    found = [[puzzle.ply for puzzle, _ in problems_of("best", EMPTIES, game)] for game in games[:4]]
    assert max(map(len, found)) > 1
    assert all(later - earlier >= 6 for plies in found for earlier, later in pairwise(plies))


def test_lines_end_with_their_score_and_are_written_but_not_shown(puzzles: list[Puzzle]) -> None:
    for number, puzzle in enumerate(puzzles, 1):
        position = puzzle.position
        for move in puzzle.line:
            position = position.play(move)
        outcome = position.outcome()
        problem = obf.parse_problem(obf_line(puzzle, number))
        game = sgf.parse(sgf_game(puzzle, number))

        assert outcome is not None
        assert outcome.margin_of(puzzle.position.side) == puzzle.scores[puzzle.solution]
        assert (problem.position, problem.scores) == (puzzle.position, puzzle.scores)
        assert [played.move for played in game.moves if not played.move.is_pass] == [
            move for move in puzzle.line if not move.is_pass
        ]
        assert game.first == puzzle.position
        assert f"Solution: {puzzle.solution}." in game.moves[0].comment

    page = render_page(puzzles)
    shown = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)

    assert page.count("<details>") == page.count("<article>") == len(puzzles)
    assert "All moves" in page
    assert "All moves" not in shown
    assert f"{solved_share(puzzles, ELOS[0]):.0%}" in shown


def test_the_command_writes_what_the_quiz_asks(
    puzzles: list[Puzzle], games: list[AnnotatedGame], tmp_path: Path
) -> None:
    source, written = tmp_path / "games.txt", tmp_path / "found.obf"
    source.write_text(GAMES)
    forms = ("-o", tmp_path / "found.sgf", "-o", tmp_path / "found.html")
    words = ("--empties", "6-14", "--by", "difficulty", "--count", 3, "--workers", 1, "-o", written)

    told = run("puzzles", "find", source, *words, *forms)

    assert told.stderr.startswith("3 problems; expected share solved, by Elo rating\n")
    problems, _ = obf.read_suite(BytesIO(written.read_bytes()), "found", games[0].rules)
    easiest = sorted(puzzles[:3], key=lambda puzzle: puzzle.difficulty)
    assert [each.position for each in problems] == [each.position for each in easiest]
    assert (tmp_path / "found.sgf").read_text().count("(;") == 3

    wrong = next(move for move in easiest[0].scores if move != easiest[0].solution)
    typed = f"{easiest[0].solution}\nsolution\n{easiest[2].solution}\n"
    assert "2 of 3 problems solved" in run("puzzles", "solve", written, typed=typed).stdout
    typed = f"{wrong}\n{easiest[0].solution}\nquit\n"
    asked = run("puzzles", "solve", written, typed=typed).stdout
    assert f"No: {wrong} " in asked
    assert f"Right: {easiest[0].solution} +" in asked
    assert "0 of 1 problem solved" in asked


def test_each_command_has_its_help_and_is_completed() -> None:
    asked = run("puzzles", "solve", "--help").stdout
    assert "Usage: outflank puzzles solve [OPTIONS] [FILE]" in asked
    assert "--empties" not in asked
    for words, word, expected in (
        ("outflank puzzles ", "", {"find", "solve", ""}),
        ("outflank puzzles games.ggf --un", "--un", {"--unique"}),
        ("outflank puzzles solve --ru", "--ru", {"--rules"}),
    ):
        shell = ShellComplete(cli, {}, "outflank", "_OUTFLANK_COMPLETE")
        found = shell.get_completions(words.removesuffix(word).split()[1:], word)

        assert {item.value for item in found} == expected

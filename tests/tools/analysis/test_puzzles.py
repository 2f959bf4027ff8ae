"""Problems: each is proven, none is like another, and what is said of its difficulty is what happens."""

import re
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest

from outflank.engine import Colour, Game, Limit, Searcher, SearchInfo, Symmetry
from outflank.protocol.formats import obf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.weaker import choose
from outflank.tests.support.program import outflank
from outflank.tools.analysis.puzzles.find import ELOS, Finder, Goal, Puzzle, find, plies_needed
from outflank.tools.analysis.puzzles.show import obf_line, render_page, sgf_game, solved_share

WINS = Finder(Goal.WIN, 6, 14)
BESTS = Finder(Goal.BEST, 6, 14)


@pytest.fixture(scope="module")
def games() -> list[AnnotatedGame]:
    """Of opponents of people's strength, who leave problems behind."""
    searcher, made = Searcher(4), []
    for seed in range(8):
        game = Game()
        while not game.position.is_over:
            position = game.position
            elo = 1500 if position.side is Colour.BLACK else 1600
            game.play("pass" if position.must_pass else choose(searcher, position, elo, Limit(depth=1), seed))
        made.append(AnnotatedGame.of(game))
    return made


@pytest.fixture(scope="module")
def puzzles(games: list[AnnotatedGame]) -> list[Puzzle]:
    found = list(find(games, WINS, workers=1))
    assert len(found) >= 3
    return found


@pytest.mark.parametrize("finder", [WINS, BESTS], ids=["one wins", "one is best"])
def test_one_move_alone_does_what_is_asked(games: list[AnnotatedGame], finder: Finder) -> None:
    solver = Searcher(16)
    for puzzle in find(games[:4], finder, workers=1):
        scores = {}
        for move in puzzle.position.legal_moves():
            after = puzzle.position.play(move)
            score = solver.search(after, Limit.solve()).score
            scores[move] = score if after.side is puzzle.position.side else -score

        assert scores == puzzle.scores
        best = max(scores.values())
        assert [move for move, score in scores.items() if score == best] == [puzzle.solution]
        if finder is WINS:
            assert [score > 0 for score in sorted(scores.values())][-2:] == [False, True]
        assert finder.least <= puzzle.position.empties <= finder.most


def test_the_best_line_ends_the_game_with_the_score(puzzles: list[Puzzle]) -> None:
    for puzzle in puzzles:
        position = puzzle.position
        for move in puzzle.line:
            position = position.play(move)
        outcome = position.outcome()

        assert outcome is not None
        assert outcome.margin_of(puzzle.position.side) == puzzle.scores[puzzle.solution]


def test_images_of_a_game_have_no_other_problems(games: list[AnnotatedGame], puzzles: list[Puzzle]) -> None:
    images = []
    for game in games:
        for symmetry in (Symmetry.TRANSPOSE, Symmetry.HALF_TURN):
            image = Game()
            for played in game.moves:
                image.play(symmetry.move(played.move))
            images.append(AnnotatedGame.of(image))

    found = list(find([*games, *images], WINS, workers=1))

    assert [each.position for each in found] == [each.position for each in puzzles]


def test_problems_of_a_game_are_six_plies_apart(games: list[AnnotatedGame]) -> None:
    seen = 0
    for game in games[:4]:
        plies = [puzzle.ply for puzzle in BESTS(game).puzzles]
        assert all(later - earlier >= 6 for earlier, later in pairwise(plies))
        seen = max(seen, len(plies))

    assert seen > 1


def test_a_game_that_goes_another_way_near_the_end_has_no_problem_of_the_same_plies(
    games: list[AnnotatedGame], puzzles: list[Puzzle]
) -> None:
    first = puzzles[0]
    game = next(each for each in games if first.position in each.positions)
    cut = AnnotatedGame(game.first, game.moves[: first.ply + 2])
    later = AnnotatedGame(game.moves[first.ply + 1].before, game.moves[first.ply + 1 :])

    found = list(find([cut, later], WINS, workers=1))

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


def test_processes_find_the_same_problems(games: list[AnnotatedGame], puzzles: list[Puzzle]) -> None:
    assert list(find(games, WINS, workers=2)) == puzzles


def test_files_are_read_back(puzzles: list[Puzzle]) -> None:
    for number, puzzle in enumerate(puzzles, 1):
        problem = obf.parse_problem(obf_line(puzzle, number))
        game = sgf.parse(sgf_game(puzzle, number))

        assert (problem.position, problem.scores) == (puzzle.position, puzzle.scores)
        assert [played.move for played in game.moves if not played.move.is_pass] == [
            move for move in puzzle.line if not move.is_pass
        ]
        assert game.first == puzzle.position
        assert f"Solution: {puzzle.solution}." in game.moves[0].comment


def test_the_page_hides_the_solutions(puzzles: list[Puzzle]) -> None:
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
    source.write_text(
        "".join("".join(str(m.move) for m in g.moves if not m.move.is_pass) + "\n" for g in games)
    )
    forms = ("--sgf", tmp_path / "found.sgf", "--html", tmp_path / "found.html")
    words = ("--empties", "6-14", "--by", "difficulty", "--count", 3, "--workers", 1, "-o", written)

    told = outflank("puzzles", source, *words, *forms)

    assert told.returncode == 0, told.stderr
    assert told.stderr.startswith("3 problems; solved by an opponent of Elo\n")
    problems = obf.read_suite(BytesIO(written.read_bytes()), "found", games[0].rules).problems
    easiest = sorted(puzzles[:3], key=lambda puzzle: puzzle.difficulty)
    assert [each.position for each in problems] == [each.position for each in easiest]
    assert (tmp_path / "found.sgf").read_text().count("(;") == 3

    wrong = next(move for move in easiest[0].scores if move != easiest[0].solution)
    typed = f"{easiest[0].solution}\nsolution\n{easiest[2].solution}\n"
    assert "2 of 3 problems solved" in outflank("puzzles", "solve", written, input=typed).stdout
    typed = f"{wrong}\n{easiest[0].solution}\nquit\n"
    asked = outflank("puzzles", "solve", written, input=typed).stdout
    assert f"No: {wrong} " in asked
    assert f"Right: {easiest[0].solution} +" in asked
    assert "0 of 1 problem solved" in asked


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ("f5d6", "--empties", "20-8"),
            2,
            "expected empty squares from 2 to 30, the fewer first, got '20-8'",
        ),
        (("f5d6", "--empties", "x"), 2, "expected empty squares such as 8-20, got 'x'"),
        (("f5d6",), 1, "there is no such problem in the games, so nothing was written"),
        (("no such file",), 1, "no such file: can't be read (No such file or directory)"),
        (("solve",), 2, "puzzles solve needs the name of one file"),
        (("solve", "a", "b"), 2, "puzzles solve needs the name of one file"),
        (("solve", "a", "--unique"), 2, "--unique does not go with puzzles solve"),
        (("solve", "/dev/null"), 1, "/dev/null has no positions"),
    ],
)
def test_a_bad_call_gets_one_sentence(
    words: tuple[str, ...], code: int, sentence: str, tmp_path: Path
) -> None:
    told = outflank("puzzles", *words, cwd=tmp_path)

    assert told.returncode == code
    assert sentence in told.stderr
    assert "Traceback" not in told.stderr


def test_a_file_that_holds_the_games_is_not_written(tmp_path: Path) -> None:
    games = tmp_path / "games.txt"
    games.write_text("f5d6c3\n")

    told = outflank("puzzles", games, "-o", games)

    assert (told.returncode, games.read_text()) == (2, "f5d6c3\n")
    assert "name another file" in told.stderr

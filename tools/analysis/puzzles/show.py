"""Output of problems: OBF and SGF, a page with hidden solutions, and a quiz at a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from outflank.engine import IllegalMoveError, Limit, Move, NotationError, Position, Searcher
from outflank.protocol.formats import sgf
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder, for_black
from outflank.protocol.formats.obf import Problem
from outflank.tools.analysis.puzzles.find import ELOS, Goal, Puzzle
from outflank.tools.play.dialogue import InputLines
from outflank.tools.report.board import board_text, is_coloured, say
from outflank.tools.report.page import page_parts, templates
from outflank.tools.report.search import moves_text, score_text
from outflank.tools.runtime.progress import counted, warn

_BOARD_PIXELS = 300
_SOLVED_WHEN_ASKED = 24  # empty squares; solving more would keep a person waiting


def solved_share(puzzles: Sequence[Puzzle], elo: int) -> float:
    """Return the mean share of the problems that a weaker opponent solves, 0 to 1."""
    return 1.0 - sum(puzzle.failures[elo] for puzzle in puzzles) / len(puzzles)


def obf_line(puzzle: Puzzle, number: int) -> str:
    """Return the problem with the scores of all moves; goal, difficulty and game are a comment."""
    failed = " ".join(f"{elo}: {share:.0%}" for elo, share in puzzle.failures.items())
    facts = (
        f"{number}, {puzzle.goal}",
        counted(puzzle.plies, "ply", "plies"),
        f"fails {failed}",
        puzzle.source,
    )
    return f"{Problem(puzzle.position, puzzle.scores)} % {'; '.join(filter(None, facts))}\n"


def sgf_game(puzzle: Puzzle, number: int) -> str:
    """Return the problem as a game that begins there; its moves are the best line to the end."""
    position = puzzle.position
    recorder = Recorder(position)
    for move in puzzle.line:
        recorder.play(move)
    score = for_black(puzzle.scores[puzzle.solution], position.side)
    first, *rest = recorder.moves
    solution = f"Solution: {puzzle.solution}. {_scores_text(puzzle.scores)}. {difficulty_text(puzzle)}."
    moves = (replace(first, exact=None if score is None else round(score), comment=solution), *rest)
    comment = f"{question(position, puzzle.goal)}."
    return sgf.write(
        AnnotatedGame(position, moves, title=f"Problem {number}", event=puzzle.source, comment=comment)
    )


def render_page(puzzles: Sequence[Puzzle]) -> str:
    """Return an HTML page of at least one problem, with hidden solutions."""
    from markupsafe import Markup  # a dependency of jinja2

    shown = [
        {
            "number": number,
            # the image contains no text from outside
            "board": Markup(puzzle.position.svg(size=_BOARD_PIXELS, legal=False)),
            "question": question(puzzle.position, puzzle.goal),
            "empties": puzzle.position.empties,
            "solution": str(puzzle.solution),
            "scores": _scores_text(puzzle.scores),
            "line": moves_text(puzzle.line),
            "difficulty": difficulty_text(puzzle),
            "source": f"{puzzle.source or 'From a game'}, ply {puzzle.ply + 1}",
        }
        for number, puzzle in enumerate(puzzles, 1)
    ]
    levels = [(elo, f"{solved_share(puzzles, elo):.0%}") for elo in ELOS]
    parts = page_parts(puzzles[0].position.rules)
    return templates().get_template("puzzles.html").render(puzzles=shown, levels=levels, **parts)


def question(position: Position, goal: Goal) -> str:
    """Return ``Black to move: one move alone wins``."""
    asked = "one move alone wins" if goal == "win" else "one move is the best"
    return f"{position.rules.colour_name(position.side)} to move: {asked}"


def difficulty_text(puzzle: Puzzle) -> str:
    """Return ``Found by a search of 9 plies; failures by Elo: 600 83%, ...`` with about five levels."""
    shown = [*ELOS][:: max(1, len(ELOS) // 5)]
    failed = ", ".join(f"{elo} {puzzle.failures[elo]:.0%}" for elo in shown)
    return f"Found by a search of {counted(puzzle.plies, 'ply', 'plies')}; failures by Elo: {failed}"


def _scores_text(scores: Mapping[Move, int]) -> str:
    return ", ".join(f"{move} {score_text(score)}" for move, score in scores.items())


HELP = """\
a move          such as f5
solution        shows the best move; the problem counts as not solved
skip            the next problem
board           the board
quit            end"""


def ask_all(problems: Sequence[Problem], lines: InputLines) -> None:
    """Ask problems at a terminal, one after the other until the end of the input.

    Raises: NotationError or IllegalMoveError for an invalid line; at a terminal it is shown instead.
    """
    searcher = Searcher()
    asked = solved = 0
    for number, problem in enumerate(problems, 1):
        scores = _scores(problem, searcher)
        if scores is None:
            warn(
                f"problem {number} is left out: it has no choice of moves, or too many empty squares to solve"
            )
            continue
        goal: Goal = "win" if sum(score > 0 for score in scores.values()) == 1 else "best"
        say()
        say(board_text(problem.position, coloured=is_coloured()))
        say(f"Problem {number} of {len(problems)}. {question(problem.position, goal)}.")
        at_once = _ask(problem.position, scores, lines)
        if at_once is None:
            break
        asked += 1
        solved += at_once
    say(f"{solved} of {counted(asked, 'problem')} solved at the first try.")


def _scores(problem: Problem, searcher: Searcher) -> Mapping[Move, int] | None:
    """Return the scores of all moves, from the file if it has all of them; None if this is not a problem."""
    moves, position = problem.position.legal_moves(), problem.position
    if len(moves) < 2:
        return None
    if problem.scores.keys() == set(moves):
        return problem.scores
    if position.empties > _SOLVED_WHEN_ASKED:
        return None
    lines = searcher.search(position, Limit.solve(), multipv=len(moves)).lines
    return {line.move: round(line.score) for line in lines}


def _ask(position: Position, scores: Mapping[Move, int], lines: InputLines) -> bool | None:
    """Ask until the problem is solved or skipped; return whether the first try was right, None to quit."""
    best = max(scores.values())
    tried = False
    while (line := lines.next("Your move: ", float("inf"))) is not None:
        word = line.strip().lower()
        if word in ("quit", "exit", "q"):
            return None
        if word in ("skip", "solution"):
            if word == "solution":
                say(f"Solution: {_scores_text({m: s for m, s in scores.items() if s == best})}.")
            return False
        if word in ("help", "?"):
            say(HELP)
        elif word == "board":
            say(board_text(position, coloured=is_coloured()))
        elif word and (move := _read(word, position, lines)):
            if scores[move] == best:
                say(f"Right: {move} {score_text(best)}.")
                return not tried
            tried = True
            say(f"No: {move} {score_text(scores[move])}. Try again, or say solution or skip.")
    return None


def _read(text: str, position: Position, lines: InputLines) -> Move | None:
    try:
        return position.parse_move(text)
    except (NotationError, IllegalMoveError) as error:
        if not lines.is_terminal:
            raise
        warn(str(error))
        return None

"""OBF, the format of endgame suites. Each line has a position and the scores of its moves.

``<64 squares> X; A2:+38; C7:+36;``: fields end with ``;``, and scores are final disc differences for the side to
move. A score without a move is the score of the position. A pass is ``PA`` or ``PS``, ``%`` begins a comment, and -127
means an unknown score. The format is Edax's. Edax's suites write moves in upper case, as we do.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from outflank.engine import Colour, FileFormatError, IllegalMoveError, Move, NotationError, Position, Rules
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import OTHELLO, TOO_LONG, TextLine, capped, move_name, read_lines

_FIELD = re.compile(r"[^;\s][^;]*")  # begins after leading blanks, at the field's column
_BOARD = re.compile(r"(?:8\s)?[-._|Xx*bBOowW012●○・\s]*")
_SCORE = re.compile(r"[+-]?\d{1,3}")
_NO_SCORE = -127
_HIGHEST = 64
_MOST_BYTES = 1 << 24  # the maximum size of a file; enough for a hundred thousand positions
_MOST_ERRORS = 1000


@dataclass(frozen=True, slots=True)
class Problem:
    """A position with known scores.

    Attributes:
        position: the position.
        scores: the scores of moves, in the order of the file; may be empty.
        own_score: the score of the position, if the file gives this score instead of scores of moves; otherwise None.
        line: the number of the line in the file, 1 for the first line.
    """

    position: Position
    scores: Mapping[Move, int] = field(default_factory=dict)
    own_score: int | None = None
    line: int = 1

    @property
    def score(self) -> int | None:
        """The score of the best move, or the score of the position; None if the file gives neither score."""
        return max(self.scores.values(), default=self.own_score)

    def __str__(self) -> str:
        """Return the line in the form that ``parse_problem`` reads."""
        fields = [self.position.board_string()]
        fields += [f"{move_name(move)}:{score:+d}" for move, score in self.scores.items()]
        if self.own_score is not None:
            fields.append(f"{self.own_score:+d}")
        return "; ".join(fields) + ";"


Suite = tuple[tuple[Problem, ...], tuple[FileFormatError, ...]]
"""The problems of a file in order, and an error for each line that can't be read."""


def read_problems(lines: Iterable[str], name: str, rules: Rules) -> Suite:
    """Parse the lines of a suite. A line that can't be parsed does not affect other lines.

    Args:
        lines: the lines of the file.
        name: the name of the file for error messages: ``NAME:LINE:COLUMN: expected ..., got ...``.
        rules: the rules of the positions.

    Raises: FileFormatError if a thousand lines can't be read.
    """
    return _suite((TextLine(number, text) for number, text in enumerate(lines, 1)), name, rules)


def read_suite(stream: BinaryIO, name: str, rules: Rules) -> Suite:
    """Read the problems of an untrusted stream; see ``read_problems``.

    Raises: FileFormatError if the file is too long or not text, or if a thousand lines can't be parsed.
    """
    try:
        file = capped(stream, _MOST_BYTES)
        if b"\0" in file.peek():
            raise FileFormatError("this is not a file of positions: its contents are not text")
        return _suite(read_lines(file), name, rules)
    except FileFormatError as error:
        raise FileFormatError(f"{name}: {error}") from None


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Yield each position as a game without moves, and a ``BadGame`` for each line that can't be parsed."""
    for number, problem in _problems(read_lines(stream), rules):
        if isinstance(problem, LineError):
            yield BadGame(f"line {number}", f"{problem} (column {problem.column})")
        else:
            yield _game(problem)


def parse(text: str, rules: Rules = OTHELLO) -> AnnotatedGame:
    """Parse one line as a game without moves. The score of the line's position becomes the game's `exact`.

    Raises: LineError.
    """
    return _game(parse_problem(text, rules))


def _game(problem: Problem) -> AnnotatedGame:
    score, blacks = problem.score, problem.position.side is Colour.BLACK
    return AnnotatedGame(problem.position, exact=score if score is None or blacks else -score)


def write(game: AnnotatedGame) -> str:
    """Return a line for each position in which a disc was played, with the position's exact score if it is known.

    The last position also gets a line if the game has no moves, or if the game is not over and `game.exact` is known.
    """
    positions = [(played.before, played.exact) for played in game.moves if not played.move.is_pass]
    if not positions or (game.exact is not None and not game.final.is_over):
        positions.append((game.final, game.exact))
    lines = [
        Problem(position, own_score=exact if exact is None or position.side is Colour.BLACK else -exact)
        for position, exact in positions
    ]
    return "".join(f"{line}\n" for line in lines)


class LineError(NotationError):
    """An error in a line of OBF.

    Attributes:
        column: the column of the first wrong character, 1 for the first column.
    """

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


def parse_problem(line: str, rules: Rules = OTHELLO, number: int = 1) -> Problem:
    """Parse one line. `number`: the line number in the file. Raises: LineError."""
    (board, board_column), *fields = _fields(line)
    position = _position(board, board_column, rules)
    scores: dict[Move, int] = {}
    own_score = None
    for text, column in fields:
        try:
            move, score = _entry(text, position)
        except (NotationError, IllegalMoveError) as error:
            raise LineError(str(error), column) from None
        if score == _NO_SCORE:
            continue
        if move in scores or own_score is not None or (move is None and scores):
            raise LineError(
                f"expected one score for each move or one for the position, also got {text!r}", column
            )
        if move is None:
            own_score = score
        else:
            scores[move] = score
    return Problem(position, scores, own_score, number)


def _suite(lines: Iterable[TextLine], name: str, rules: Rules) -> Suite:
    problems: list[Problem] = []
    errors: list[FileFormatError] = []
    for number, problem in _problems(lines, rules):
        if not isinstance(problem, LineError):
            problems.append(problem)
            continue
        errors.append(FileFormatError(f"{name}:{number}:{problem.column}: {problem}"))
        if len(errors) == _MOST_ERRORS:
            raise FileFormatError(
                f"this is not a file of positions: {_MOST_ERRORS} lines can't be read, for example: {problem}"
            )
    return tuple(problems), tuple(errors)


def _problems(lines: Iterable[TextLine], rules: Rules) -> Iterator[tuple[int, Problem | LineError]]:
    """Yield the number of each line with its problem or error. Comments, which may have any length, are skipped."""
    for number, text, is_whole in lines:
        try:
            if not (is_whole or "%" in text):
                raise LineError(TOO_LONG, len(text) + 1)
            if _without_comment(text).strip():
                yield number, parse_problem(text, rules, number)
        except LineError as error:
            yield number, error


def _without_comment(line: str) -> str:
    return line.partition("%")[0]


def _fields(line: str) -> list[tuple[str, int]]:
    return [(match[0], match.start() + 1) for match in _FIELD.finditer(_without_comment(line))] or [("", 1)]


def _position(text: str, column: int, rules: Rules) -> Position:
    try:
        return Position.parse(text, rules)
    except NotationError as error:
        readable = _BOARD.match(text)
        assert readable is not None
        raise LineError(str(error), column + readable.end()) from None


def _entry(text: str, position: Position) -> tuple[Move | None, int]:
    """Parse ``A2:+38``, or ``+38`` for the position itself. If the score is unknown, the move is not checked."""
    move, colon, number = (part.strip() for part in text.rpartition(":"))
    if not _SCORE.fullmatch(number):
        raise NotationError(f"expected a move and its score such as A2:+38, got {text!r}")
    score = int(number)
    if abs(score) > _HIGHEST and score != _NO_SCORE:
        raise NotationError(f"expected a score from -{_HIGHEST} to +{_HIGHEST}, got {number}")
    return (position.parse_move(move) if colon and score != _NO_SCORE else None), score

"""A game with moves, times, scores, players and result: the common representation of all file formats."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeVar

from outflank import __version__
from outflank.engine import (
    PASS,
    Colour,
    FileFormatError,
    Game,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
)
from outflank.engine.moves import as_move
from outflank.protocol.lines import printable, without_controls

Record = TypeVar("Record", str, bytes)
WHOLE_BOARD = 64
_LONGEST_REASON = 300  # characters
UNREADABLE = "unreadable character"
"""The word in a game's `unread` for each control character; an undeclared charset often causes control characters."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")  # all control characters except white space
_TEXTS = ("black", "white", "title", "event", "place", "date", "clock", "comment")


PROGRAM = f"outflank {__version__}"
"""The name and version of this program in the files that it writes."""


class ResultReason(StrEnum):
    """The way in which a game ended."""

    DISCS = "discs"
    RESIGNATION = "resignation"
    TIME = "time"
    FORFEIT = "forfeit"
    AGREEMENT = "agreement"


@dataclass(frozen=True, slots=True)
class Result:
    """The result in a game's record.

    Attributes:
        winner: the winner; None for a draw.
        margin: Black's margin in discs under the rules' scoring; None if the discs did not decide the game.
        ending: the way in which the game ended.
    """

    winner: Colour | None
    margin: int | None = None
    ending: ResultReason = ResultReason.DISCS

    @property
    def decided_margin(self) -> int:
        """Black's margin in discs. If the discs did not decide the game, the winner's margin counts as 64 discs."""
        if self.margin is not None or self.winner is None:
            return self.margin or 0
        return WHOLE_BOARD if self.winner is Colour.BLACK else -WHOLE_BOARD

    @property
    def manner(self) -> str:
        """The ending as a phrase: `` by resignation``; empty if the ending is by discs or unknown."""
        return "" if self.ending is ResultReason.DISCS else f" by {self.ending}"


RESULT_WORD = r"1/2-1/2|\d{1,2}-\d{1,2}(?!\d)|\*"
_WINS = {"1-0": Result(Colour.BLACK), "0-1": Result(Colour.WHITE), "1/2-1/2": Result(None, 0)}


def read_result(text: str, is_over: bool = False) -> Result | None:
    """Parse ``1-0`` (Black's win), ``0-1``, ``1/2-1/2`` or the discs of both sides, such as ``40-24``.

    Returns: the result; None for any other text. If `is_over`, the discs of both sides also give None, since the final
        board shows them.
    """
    if text in _WINS:
        return _WINS[text]
    discs = re.fullmatch(r"(\d{1,2})\s*-\s*(\d{1,2})", text)
    if discs is None or is_over or abs(margin := int(discs[1]) - int(discs[2])) > WHOLE_BOARD:
        return None
    return Result(None if not margin else Colour.BLACK if margin > 0 else Colour.WHITE, margin)


@dataclass(frozen=True, slots=True)
class AnnotatedMove:
    """A turn of a game; forced passes are turns too.

    Attributes:
        before: the position in which the move was made.
        move: the move, which is legal.
        seconds: the time that the mover took; None if unknown.
        score: the mover's evaluation of the position, in discs from Black's point of view; None if unknown.
        exact: Black's margin in discs with best play by both sides from `before`; None if unknown.
        from_book: True if the move came from an opening book; None if unknown.
        comment: the comment on the move.
        fault: the grade of the move: 0 for no mark, 1 for doubtful, 2 for bad, 3 for very bad.
        instead: a better line from `before`; empty if none is known.
        implied: True if the move is a pass that the record left out; ignored when moves are compared.
    """

    before: Position
    move: Move
    seconds: float | None = None
    score: float | None = None
    exact: int | None = None
    from_book: bool | None = None
    comment: str = ""
    fault: int = 0
    instead: tuple[Move, ...] = ()
    implied: bool = field(default=False, compare=False)

    @property
    def colour(self) -> Colour:
        """The side that made the move."""
        return self.before.side

    @property
    def after(self) -> Position:
        """The position after the move."""
        return self.before.play(self.move)


def for_black(score: float | None, side: Colour) -> float | None:
    """Convert a score of `side` to Black's point of view, or back."""
    return score if score is None or side is Colour.BLACK else 0.0 - score


@dataclass(frozen=True, slots=True, repr=False)
class AnnotatedGame:
    """A finished or unfinished game with its annotations.

    All texts may be empty. They have no control characters except line feeds in a comment.

    Attributes:
        first: the first position, which also has the rules of the game.
        moves: the turns in order, including passes that the record left out.
        black: the name of Black's player.
        white: the name of White's player.
        black_rating: Black's rating; None if unknown.
        white_rating: White's rating; None if unknown.
        result: the recorded result; None if the record has none.
        exact: Black's margin in discs with best play by both sides from the position after the last move; None if
            unknown.
        title: the name or number of the game.
        event: the tournament.
        place: the place of the game; for a game on GGS, the name of the server or program.
        date: the date as recorded, such as an ISO date with or without time, or a year; ``clocks.day_of`` parses it.
        clock: the time control in the notation of GGF or of ``clocks.clock_text``.
        comment: the comment on the whole game.
        given: the number of turns at the beginning that the players did not choose, such as a match's opening.
        unread: a word for each part of the record that was dropped: ``variation``, the name of a property, or
            ``UNREADABLE``.
        unnamed: the reason why the players have numbers instead of names, as a clause; empty if they have names.
        doubt: a sentence about a contradiction between the record and the board, or about lines that may belong to
            another game; empty if there is no doubt.
    """

    first: Position = field(default_factory=Position.start)
    moves: tuple[AnnotatedMove, ...] = ()
    black: str = ""
    white: str = ""
    black_rating: float | None = None
    white_rating: float | None = None
    result: Result | None = None
    exact: int | None = None
    title: str = ""
    event: str = ""
    place: str = ""
    date: str = ""
    clock: str = ""
    comment: str = ""
    given: int = 0
    unread: tuple[str, ...] = field(default=(), compare=False)
    unnamed: str = field(default="", compare=False)
    doubt: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Replace control characters by blanks, and add ``UNREADABLE`` to `unread` for each one except white space."""
        texts = {name: text for name in _TEXTS if not (text := getattr(self, name)).isprintable()}
        comments = [each.comment for each in self.moves if each.comment and not each.comment.isprintable()]
        if not (texts or comments):
            return  # fast path, since a game is created for each request to an engine
        for name, text in texts.items():
            clean = without_controls(text)
            object.__setattr__(self, name, clean if name == "comment" else clean.replace("\n", " "))
        if comments:
            moves = (replace(each, comment=without_controls(each.comment)) for each in self.moves)
            object.__setattr__(self, "moves", tuple(moves))
        if lost := _CONTROLS.findall("".join([*texts.values(), *comments])):
            object.__setattr__(self, "unread", (*self.unread, *[UNREADABLE] * len(lost)))

    @classmethod
    def of(cls, game: Game) -> "AnnotatedGame":
        """Return a game's record without annotations, which ``dataclasses.replace`` can add."""
        return cls(
            game.first, tuple(AnnotatedMove(turn.before, turn.move, implied=turn.implied) for turn in game)
        )

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.first.rules

    @property
    def final(self) -> Position:
        """The position after the last move."""
        return self.moves[-1].after if self.moves else self.first

    @property
    def positions(self) -> tuple[Position, ...]:
        """All positions from the first to the final one."""
        return (*(move.before for move in self.moves), self.final)

    @property
    def discs_played(self) -> int:
        """The number of moves without passes."""
        return sum(not move.move.is_pass for move in self.moves)

    @property
    def outcome(self) -> Result | None:
        """The recorded result, else the result of the final board; None if the game is unfinished."""
        if self.result is not None:
            return self.result
        outcome = self.final.outcome()
        return None if outcome is None else Result(outcome.winner, outcome.margin_of(Colour.BLACK))

    @property
    def is_standard(self) -> bool:
        """Whether the game has Othello's rules and start position, which readers of a file assume by default."""
        start = Position.start()
        same_start = (self.first.own, self.first.opp, self.first.side) == (start.own, start.opp, start.side)
        return same_start and self.rules.is_othello

    def game(self, *, implied: bool = False) -> Game:
        """Return the moves as a ``Game``, which can be continued.

        Args:
            implied: True to imply the passes that the record left out: ``undo`` takes back an implied pass together
                with the move after it. False to make each pass a separate turn.
        """
        game = Game(first=self.first)
        for played in self.moves:
            if not (implied and played.implied):
                game.play(played.move)
        return game

    def transcript(self, passes: bool = False) -> str:
        """Return the moves as text; see ``Game.transcript``."""
        return self.game().transcript(passes)

    def __repr__(self) -> str:
        names = [
            name or side for name, side in zip((self.black, self.white), self.rules.colour_names, strict=True)
        ]
        return f"<AnnotatedGame {' - '.join(names)}, {self.discs_played} moves: {self.transcript()}>"

    def _repr_svg_(self) -> str:
        """Return the last position as an SVG image for a notebook."""
        return self.final.svg(last=self.moves[-1].move if self.moves else None)


@dataclass(frozen=True, slots=True)
class BadGame:
    """An entry of a file that can't be read as a game.

    Attributes:
        where: the position of the entry in the file, ``game 12`` or ``line 12``; empty for the whole file.
        reason: the reason, with the expected and the actual text; always printable and short.
    """

    where: str
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", printable(self.reason, _LONGEST_REASON))

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" if self.where else self.reason

    def of(self, source: str) -> str:
        """Return an error message about the entry. `source`: the name of the file or text."""
        return f"{source}{', ' if self.where else ': '}{self}"


def parsed_games(
    records: Iterable[Record | FileFormatError], parse: Callable[[Record, Rules], AnnotatedGame], rules: Rules
) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the games of a file, with a numbered ``BadGame`` in place of each game that can't be parsed.

    Args:
        records: the text or the bytes of each game, or an error for a game that can't be read.
        parse: the format's parser for one game.
        rules: the rules of games whose record names no rules.
    """
    for number, record in enumerate(records, 1):
        try:
            if isinstance(record, FileFormatError):
                raise record
            yield parse(record, rules)
        except (FileFormatError, NotationError, IllegalMoveError) as error:
            yield BadGame(f"game {number}", str(error))


class Recorder:
    """Builds the moves of a game from a record, which may leave out passes.

    Args:
        first: the start position of the game.
    """

    def __init__(self, first: Position) -> None:
        self.first = first
        self._game = Game(first=first)
        self._moves: list[AnnotatedMove] = []
        self._number = 0  # the number of moves that were read from the record

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._game.position.is_over

    @property
    def moves(self) -> tuple[AnnotatedMove, ...]:
        """All turns so far."""
        return tuple(self._moves)

    def play(self, move: Move | str | int, colour: Colour | None = None, **known: Any) -> None:
        """Play the next move of the record. A pass after the end, which some programs write, is ignored.

        Args:
            move: the move.
            colour: the side that made the move; None for the side to move.
            known: the values of further attributes of ``AnnotatedMove``.

        Raises: NotationError or IllegalMoveError with the number of the move, 1 for the first.
        """
        self._number += 1
        position = self._game.position
        try:
            wanted = as_move(move)
            if wanted.is_pass and position.is_over:
                return
            made = self._game.play(wanted, colour)
        except (NotationError, IllegalMoveError) as error:
            raise type(error)(f"move {self._number}: {error}") from None
        if not made.is_pass and position.must_pass:
            self._moves.append(AnnotatedMove(position, PASS, implied=True))
            position = position.pass_()
        self._moves.append(AnnotatedMove(position, made, **known))


def with_board_believed(game: AnnotatedGame) -> AnnotatedGame:
    """Return the game with the result of its final board, and with a `doubt` if the recorded result contradicts it.

    A recorded margin may leave out the empty squares that the rules give to the winner. This is not a contradiction.
    """
    outcome, recorded = game.final.outcome(), game.result
    if (
        outcome is None
        or recorded is None
        or recorded.ending not in (ResultReason.DISCS, ResultReason.AGREEMENT)
    ):
        return game
    counted = Result(outcome.winner, outcome.margin_of(Colour.BLACK))
    if (recorded.winner, recorded.margin) == (counted.winner, counted.margin):
        return game
    on_board = game.final.discs(Colour.BLACK) - game.final.discs(Colour.WHITE)
    if recorded.winner is counted.winner and recorded.margin in (on_board, None):
        return replace(game, result=replace(recorded, margin=counted.margin))
    names = dict(zip(Colour, game.rules.colour_names, strict=True))
    doubt = (
        f"the record says that {_in_words(recorded, names)}, but the board shows that {_in_words(counted, names)}; "
        "the board counts"
    )
    return replace(game, result=counted, doubt=doubt)


def exact_margins(game: AnnotatedGame) -> Iterator[tuple[int, int]]:
    """Yield the number of empty squares and Black's exact margin for each position whose exact margin is known."""
    for played in game.moves:
        if played.exact is not None:
            yield played.before.empties, played.exact
    if game.exact is not None:
        yield game.final.empties, game.exact


def _in_words(result: Result, names: Mapping[Colour, str]) -> str:
    if result.winner is None:
        return "it was a draw"
    return f"{names[result.winner]} won" + ("" if result.margin is None else f" by {abs(result.margin)}")

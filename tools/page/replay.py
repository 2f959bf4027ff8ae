"""The format of games on pages, shared by reports, reviews, live runs and ``outflank web``.

Pages also send games back to ``outflank web`` in this format. ``Replay`` is a dataclass, which msgspec can decode. It
is not a msgspec struct, since reports must work if the extra ``web``, and thus msgspec, is not installed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, Literal

from outflank.book.names import opening_of
from outflank.engine import Colour, Move, NotationError, Position, Rules
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.protocol.formats.annotated import (
    WHOLE_BOARD,
    AnnotatedGame,
    AnnotatedMove,
    Recorder,
    Result,
    ResultReason,
)
from outflank.protocol.lines import printable

Disc = Literal["X", "O"]
"""Black (``X``) or White (``O``), independent of the colour names in the rules."""
UNFINISHED = "unfinished"
_LONGEST_COMMENT = 20_000
_MOST_TURNS = 200
_FAULTS = range(4)  # see ``AnnotatedMove.fault``


def disc_of(colour: Colour | None) -> str:
    """Return ``X`` for Black, ``O`` for White, and an empty text for None."""
    return {Colour.BLACK: "X", Colour.WHITE: "O", None: ""}[colour]


def _colour_of(disc: str) -> Colour | None:
    return {"X": Colour.BLACK, "O": Colour.WHITE}.get(disc)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A game with its record, review and display texts. Scores are for Black, in discs.

    Columns such as ``seconds`` have one value for each turn, or are empty if no turn has a value. ``exact``,
    ``review`` and ``depths`` have one more value, for the final position.

    Attributes:
        number: the number of the game on the page, 1 for the first.
        rules: the rules, as ``Rules.parse`` reads them; empty for the page's default.
        start: the first board, as 64 characters.
        begins: the side to move on the first board.
        turns: the moves, including passes, separated by blanks.
        one_way: True if a move turns discs in only one direction.
        black: the name of Black's player; may be empty.
        white: the name of White's player; may be empty.
        black_rating: Black's rating.
        white_rating: White's rating.
        ending: the way in which the game ended, as one word.
        winner: the winning side, ``X`` or ``O``; empty for a draw and for an unfinished game.
        margin: Black's lead by the scoring of the rules; None if the discs did not decide the game.
        result: the result as text.
        is_recorded: True if the record contains a result, so that the game can't be continued.
        fault: True if the game was lost by a fault.
        detail: a sentence about the ending.
        title: the name or number of the game in its file.
        event: the tournament.
        place: the place where the game was played.
        date: the date as recorded.
        clock: the time control as recorded.
        comment: the comment on the whole game.
        occasion: the event and the date, as text for the list of games.
        called: the name of the opening.
        warning: the sentence about doubtful or unread parts of the record.
        unread: the parts of the record that were not read, see ``AnnotatedGame.unread``.
        colours: the name of each side's colour and the fill of its discs; empty for the page's defaults.
        remark: the text that replaces the ending in the list of games.
        given: the number of opening turns that no player chose.
        seconds: the time that each turn took, in seconds.
        values: the mover's evaluation at each turn.
        exact: the margin with best play from each position.
        booked: a flag for each turn: True if the move came from an engine's book; None if unknown.
        comments: the comment on each turn.
        faults: the recorded mark of each turn, see ``AnnotatedMove.fault``.
        instead: the better line that the record gives for each turn.
        implied: a flag for each turn: True for a pass that the record left out.
        review: the reviewer's score of each position.
        depths: the depth or certainty of each score in ``review``.
        lost: the discs lost by each turn, according to the review.
        classes: the class of each turn's error; empty for turns without an error.
        better: the better line for each turn with an error.
        choices: the reviewer's lines at each turn. Each line has its moves, its score, and 1 if the score is proven.
        turned: the position of the turning point; None without errors. The turning point is the last error that changed
            the result, or the costliest error if no error changed the result.
    """

    number: int
    rules: str
    start: str
    begins: Disc
    turns: str
    one_way: bool = False
    black: str = ""
    white: str = ""
    black_rating: float | None = None
    white_rating: float | None = None
    ending: str = UNFINISHED
    winner: str = ""
    margin: int | None = None
    result: str = ""
    is_recorded: bool = False
    fault: bool = False
    detail: str = ""
    title: str = ""
    event: str = ""
    place: str = ""
    date: str = ""
    clock: str = ""
    comment: str = ""
    occasion: str = ""
    called: str = ""
    warning: str = ""
    unread: Sequence[str] = ()
    colours: Sequence[tuple[str, str]] = ()
    remark: str = ""
    given: int = 0
    seconds: Sequence[float | None] = ()
    values: Sequence[float | None] = ()
    exact: Sequence[int | None] = ()
    booked: Sequence[bool | None] = ()
    comments: Sequence[str] = ()
    faults: Sequence[int] = ()
    instead: Sequence[str] = ()
    implied: Sequence[bool] = ()
    review: Sequence[float | None] = ()
    depths: Sequence[str] = ()
    lost: Sequence[float] = ()
    classes: Sequence[str] = ()
    better: Sequence[str] = ()
    choices: Sequence[Any] = ()
    turned: int | None = None

    @classmethod
    def of(cls, game: AnnotatedGame, number: int = 1) -> "Replay":
        """Return the replay of a game."""
        outcome, opening = game.outcome, opening_of(game.positions)
        start, begins = game.first.board_string().split()
        columns: dict[str, Any] = {name: _column(game.moves, value) for name, value in _COLUMNS.items()}
        exact = [*(turn.exact for turn in game.moves), game.exact]
        return cls(
            number=number,
            rules=str(game.rules),
            start=start,
            begins="X" if begins == "X" else "O",
            turns=" ".join(str(turn.move) for turn in game.moves),
            one_way=game.rules.one_direction,
            black=game.black,
            white=game.white,
            black_rating=game.black_rating,
            white_rating=game.white_rating,
            ending=UNFINISHED if outcome is None else str(outcome.ending),
            winner=disc_of(None if outcome is None else outcome.winner),
            margin=None if outcome is None else outcome.margin,
            result=result_text(game),
            is_recorded=game.result is not None,
            title=game.title,
            event=game.event,
            place=game.place,
            date=game.date,
            clock=game.clock,
            comment=game.comment,
            occasion=occasion_text(game),
            called="" if opening is None else str(opening),
            warning=_warning(game),
            unread=game.unread,
            given=game.given,
            exact=exact if any(value is not None for value in exact) else (),
            **columns,
        )

    def facts(self) -> dict[str, Any]:
        """Return the game as plain data, without fields that have their default values."""
        made = {name: getattr(self, name) for name in _defaults()}
        return {name: value for name, value in made.items() if value != _defaults()[name]}

    def annotated(self) -> AnnotatedGame:
        """Return the game with all facts that files can store. Raises: NotationError, IllegalMoveError."""
        rules = Rules.parse(self.rules) if self.rules else Rules()
        margins = [margin for margin in (*self.exact, self.margin) if margin is not None]
        if any(abs(margin) > WHOLE_BOARD for margin in margins) or not set(self.faults) <= set(_FAULTS):
            raise NotationError(f"expected margins up to {WHOLE_BOARD} and faults up to {_FAULTS[-1]}")
        recorder = Recorder(Position.parse(f"{self.start} {self.begins}", rules))
        for ply, word in enumerate(self.turns.split()[:_MOST_TURNS]):
            recorder.play(word, **{name: read(self, ply) for name, read in _READERS.items()})
        result = None
        if self.is_recorded and self.ending in list(ResultReason):
            result = Result(_colour_of(self.winner), self.margin, ResultReason(self.ending))
        known = {name: getattr(self, name) for name in _TEXTS}
        return AnnotatedGame(
            recorder.first,
            recorder.moves,
            black_rating=self.black_rating,
            white_rating=self.white_rating,
            result=result,
            exact=_at(self.exact, len(recorder.moves), None),
            comment=self.comment[:_LONGEST_COMMENT],
            given=max(0, min(self.given, len(recorder.moves))),
            unread=tuple(self.unread),
            **known,
        )


_TEXTS = ("black", "white", "title", "event", "place", "date", "clock")
_COLUMNS: Mapping[str, tuple[Callable[[AnnotatedMove], Any], Any]] = {
    "seconds": (lambda turn: None if turn.seconds is None else round(turn.seconds, 3), None),
    "values": (lambda turn: None if turn.score is None else round(turn.score, 4), None),
    "booked": (lambda turn: turn.from_book, None),
    "comments": (lambda turn: turn.comment, ""),
    "faults": (lambda turn: turn.fault, 0),
    "instead": (lambda turn: " ".join(map(str, turn.instead)), ""),
    "implied": (lambda turn: turn.implied, False),
}
"""The columns by name: the function that returns the value of a turn, and the value for an unknown fact."""


def _column(
    turns: Sequence[AnnotatedMove], column: tuple[Callable[[AnnotatedMove], Any], Any]
) -> Sequence[Any]:
    value_of, nothing = column
    values = [value_of(turn) for turn in turns]
    return values if any(value != nothing for value in values) else ()


def _at(values: Sequence[Any], place: int, nothing: Any) -> Any:
    return values[place] if place < len(values) else nothing


def _line(text: str) -> tuple[Move, ...]:
    return tuple(Move.parse(word) for word in text.split())


_READERS: Mapping[str, Callable[[Replay, int], Any]] = {
    "seconds": lambda game, ply: _at(game.seconds, ply, None),
    "score": lambda game, ply: _at(game.values, ply, None),
    "exact": lambda game, ply: _at(game.exact, ply, None),
    "from_book": lambda game, ply: _at(game.booked, ply, None),
    "comment": lambda game, ply: _at(game.comments, ply, "")[:_LONGEST_COMMENT],
    "fault": lambda game, ply: _at(game.faults, ply, 0),
    "instead": lambda game, ply: _line(_at(game.instead, ply, "")),
    "implied": lambda game, ply: _at(game.implied, ply, False),
}


@cache
def _defaults() -> dict[str, Any]:
    return {each.name: None if each.default is MISSING else each.default for each in fields(Replay)}


def occasion_text(game: AnnotatedGame) -> str:
    """Return the event and the date, such as ``World Championship, 2018``. Unknown parts are left out."""
    return ", ".join(printable(text, None) for text in (game.event, game.date) if text)


def result_text(game: AnnotatedGame) -> str:
    """Return ``40-24`` for a finished game, else the recorded result, such as ``+8`` or ``White wins by time``."""
    outcome = game.outcome
    if outcome is None:
        return ""
    if game.final.is_over:
        return f"{game.final.discs(Colour.BLACK)}-{game.final.discs(Colour.WHITE)}"
    if outcome.margin is not None:
        return f"{outcome.margin:+d}"
    if outcome.winner is None:
        return "draw"
    return f"{game.rules.colour_name(outcome.winner)} wins{outcome.manner}"


def colours_of(rules: Rules) -> Sequence[tuple[str, str]]:
    """Return the name of each side's colour, and the fill of its discs in images."""
    return [(name, DISC_COLOURS[name].image) for name in rules.colour_names]


def _warning(game: AnnotatedGame) -> str:
    parts = [game.doubt, f"players are shown as numbers, since {game.unnamed}" if game.unnamed else ""]
    if game.unread:
        parts.append(f"not read: {', '.join(dict.fromkeys(game.unread))}")
    return "; ".join(filter(None, parts))

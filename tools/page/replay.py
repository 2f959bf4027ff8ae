"""A game as the program of the pages replays it: reports, reviews, live runs and ``outflank web`` send it in this form.

``outflank web`` gets games back in the same form, decoded by these types. It is a dataclass and not a msgspec struct:
reports are made where the extra ``web``, which brings msgspec, is not installed, and msgspec decodes dataclasses too.
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
"""Black or White, whatever the rule sheet calls them."""
UNFINISHED = "unfinished"
_LONGEST_COMMENT = 20_000
_MOST_TURNS = 200
_FAULTS = range(4)  # see ``AnnotatedMove.fault``


def disc_of(colour: Colour | None) -> str:
    """Return ``X`` for Black, ``O`` for White, and an empty text for nobody."""
    return {Colour.BLACK: "X", Colour.WHITE: "O", None: ""}[colour]


def _colour_of(disc: str) -> Colour | None:
    return {"X": Colour.BLACK, "O": Colour.WHITE}.get(disc)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A game with all that is known about it; scores are Black's, in discs.

    A column has a value for each turn, or is empty if no turn has one. ``exact``, ``review`` and ``depths`` have one
    more value, for the final position.

    Attributes:
        number: the number of the game on the page, 1 for the first.
        rules: the rules, as ``Rules.parse`` reads them; empty for the usual ones of the page.
        start: the first board, 64 letters.
        begins: the side to move on the first board.
        turns: the moves, passes among them, with blanks between them.
        one_way: whether a move turns one direction only.
        black: the name of Black's player; may be empty.
        white: the name of White's player; may be empty.
        black_rating: Black's rating.
        white_rating: White's rating.
        ending: the way in which the game ended, in a word.
        winner: the winner; empty for a draw and for an unfinished game.
        margin: Black's lead by the scoring of the rules; None if the discs did not decide.
        result: the result in words.
        is_recorded: whether the record states the result, so that the game can't be continued.
        fault: whether the game ended by the loser's fault.
        detail: a sentence about the ending.
        title: the name or number of the game in its file.
        event: the tournament.
        place: the place where it was played.
        date: the date as recorded.
        clock: the time control as recorded.
        comment: the comment on the whole game.
        occasion: the event and the date, as the list of games shows them.
        called: the name of the opening.
        warning: a sentence about a part of the record that is not kept, or contradicts the board.
        unread: the parts of the record that are not kept, see ``AnnotatedGame.unread``.
        colours: the name of each side's colour, and the fill of its discs; empty for the page's defaults.
        remark: the text in the list of games in place of the ending.
        given: the number of turns at the beginning that nobody chose.
        seconds: the time that each turn took.
        values: the mover's evaluation at each turn.
        exact: the margin with best play from each position.
        booked: whether each turn came from an engine's book; None if unknown.
        comments: the comment on each turn.
        faults: the mark of each turn in the record, see ``AnnotatedMove.fault``.
        instead: the better line that the record names at each turn.
        implied: whether each turn is a pass that the record left out.
        review: the reviewer's score of each position.
        depths: the certainty of these scores.
        lost: the discs that each turn lost, by the review.
        classes: the class of each error, empty for other turns.
        better: the better line at each error.
        choices: the lines of the moves at each turn: moves, score, and 1 if it is proven.
        turned: the position at which the game turned; None if it did not.
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
        """Return a game of a file."""
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
        """Return the game as plain data, without the values that are the defaults."""
        made = {name: getattr(self, name) for name in _defaults()}
        return {name: value for name, value in made.items() if value != _defaults()[name]}

    def annotated(self) -> AnnotatedGame:
        """Return the game with all that a file can keep. Raises: NotationError, IllegalMoveError."""
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
"""The columns that a record fills, with the value that stands for nothing."""


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
    """Return ``World Championship, 2018``: the event and the date, or the known one."""
    return ", ".join(printable(text, None) for text in (game.event, game.date) if text)


def result_text(game: AnnotatedGame) -> str:
    """Return ``40-24`` for a finished game, else the recorded result: ``+8``, ``White wins by time``; or nothing."""
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
    """Return the name of each side's colour, and what fills its discs in pictures."""
    return [(name, DISC_COLOURS[name].image) for name in rules.colour_names]


def _warning(game: AnnotatedGame) -> str:
    parts = [game.doubt, f"players have numbers for names: {game.unnamed}" if game.unnamed else ""]
    if game.unread:
        parts.append(f"not read: {', '.join(dict.fromkeys(game.unread))}")
    return "; ".join(filter(None, parts))

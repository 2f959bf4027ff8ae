"""A game: positions in order, with the passes that the rules force, undo and redo, and its transcript."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from outflank.engine.moves import PASS, LegalMoves, Move, as_move
from outflank.engine.position import Position
from outflank.engine.rules import Outcome, Rules
from outflank.engine.squares import Colour
from outflank.errors import IllegalMoveError, NotationError, SettingsError

# Move numbers are skipped: "1. f5", "12.d3", and bare numbers at the start of a word.
_MOVE_NUMBER = re.compile(r"(?<![a-z0-9])\d+\s*\.+|(?<![a-z0-9])\d+(?=\s)", re.IGNORECASE)
_WORD = re.compile(
    r"[\s,]*(?:-(?!-)\s*)?(pass|[a-z]{2}|--|@@@@|[a-z][0-9](?:/[a-z]+)?)", re.IGNORECASE
)  # a single dash separates moves


@dataclass(frozen=True, slots=True)
class Turn:
    """One entry of a game's history.

    Attributes:
        before: the position in which the move was made.
        move: the move, or a pass.
        implied: True if the move is a pass that was not recorded, and that the next move implies.
    """

    before: Position
    move: Move
    implied: bool = False

    @property
    def colour(self) -> Colour:
        """The side that made the move."""
        return self.before.side


class Game(Sequence[Turn]):
    """A game: the sequence of its turns, with methods to play and undo moves. A failed call changes nothing.

    Args:
        rules: the rules of the game, or its first position.
        first: the first position, which must be under the same rules; the start of `rules` if left out.

    Raises: SettingsError if `first` is not a position or is under other rules.
    """

    def __init__(self, rules: Rules | Position | None = None, first: Position | None = None) -> None:
        if isinstance(rules, Position):
            if first is not None and first != rules:
                raise SettingsError(f"expected one position to begin with, got {rules!r} and {first!r}")
            rules, first = None, rules
        if first is None:
            first = Position.start(Rules() if rules is None else rules)
        elif not isinstance(first, Position):
            raise SettingsError(f"expected a position to begin with, got {first!r}")
        elif rules is not None and rules != first.rules:
            raise SettingsError(f"the first position is under {first.rules}, not under {rules}")
        self._first = first
        self._turns: list[Turn] = []
        self._undone: list[Turn] = []
        self._position = self._first

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._first.rules

    @property
    def first(self) -> Position:
        """The first position."""
        return self._first

    @property
    def position(self) -> Position:
        """The current position."""
        return self._position

    @property
    def positions(self) -> tuple[Position, ...]:
        """All positions from the first to the current one."""
        return (*(turn.before for turn in self._turns), self._position)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Everything played so far, passes included."""
        return tuple(self._turns)

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves played so far, passes included."""
        return tuple(turn.move for turn in self._turns)

    @property
    def is_over(self) -> bool:
        """Whether neither side can move."""
        return self._position.is_over

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of the side to move, see ``Position.legal_moves``."""
        return self._position.legal_moves()

    def play(self, move: Move | str | int, colour: Colour | None = None) -> Move:
        """Play for `colour` (the side to move if None) and return the move as made.

        If the side to move has no move, its pass is implied and the other side makes the move.

        Raises: IllegalMoveError, NotationError: see ``Position.parse_move``; IllegalMoveError if it is
            not the turn of `colour`; NotationError if `colour` is not a colour.
        """
        move = as_move(move)
        position, implied = self._position, []
        if colour is None:
            colour = position.side.other if position.must_pass and not move.is_pass else position.side
        if Colour(colour) is not position.side:
            if not position.must_pass:
                mover, other = map(position.rules.colour_name, (position.side, position.side.other))
                raise IllegalMoveError(f"{mover} is to move, got a move for {other}")
            implied = [Turn(position, PASS, implied=True)]
            position = position.pass_()
        made = position.parse_move(move)
        turns = [*implied, Turn(position, made)]
        self._turns += turns
        self._undone.clear()
        self._position = position.play(made)
        return made

    def pass_(self) -> None:
        """Pass for the side to move.

        Raises: IllegalMoveError if it has a move.
        """
        self.play(PASS)

    def undo(self) -> bool:
        """Take back the last move together with a pass it implied; return False if there is no move."""
        if not self._turns:
            return False
        self._take_back()
        if self._turns and self._turns[-1].implied:
            self._take_back()
        return True

    def redo(self) -> bool:
        """Play the move taken back last, with a pass it implied; return False if there is no such move."""
        if not self._undone:
            return False
        implied = self._undone[-1].implied
        self._replay()
        if implied:
            self._replay()
        return True

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game; None while it continues."""
        return self._position.outcome()

    def result(self) -> Outcome | None:
        """Return ``outcome()``; kept for programs that were written for version 1.0."""
        return self.outcome()

    def copy(self) -> "Game":
        """Return an independent copy, which includes the moves that can be redone."""
        copy = Game(first=self._first)
        copy._turns, copy._undone = self._turns[:], self._undone[:]
        copy._position = self._position
        return copy

    __copy__ = copy

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Turn, ...]: ...
    def __getitem__(self, index: int | slice) -> Turn | tuple[Turn, ...]:
        """Return the turn with this index, or a tuple of turns for a slice."""
        return tuple(self._turns[index]) if isinstance(index, slice) else self._turns[index]

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    def __len__(self) -> int:
        return len(self._turns)

    def __eq__(self, other: object) -> bool:
        """Return whether both games have the same first position and the same moves; undone moves do not count."""
        if not isinstance(other, Game):
            return NotImplemented
        return self._first == other._first and self.moves == other.moves

    def __bool__(self) -> bool:
        """Return True: a game without a turn is not an empty sequence."""
        return True

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook: the board, with the last move marked."""
        return self._position.svg(last=self._turns[-1].move if self._turns else None)

    def __str__(self) -> str:
        """Return the drawing of the board, see ``Position.__str__``."""
        return str(self._position)

    def __repr__(self) -> str:
        """Return an expression that creates the game: ``Game.from_transcript('f5d6', Rules.parse('othello'))``."""
        start = "" if self._first == Position.start(self.rules) else f", {self._first!r}"
        return (
            f"Game.from_transcript({self.transcript(passes=True)!r}, Rules.parse({str(self.rules)!r}){start})"
        )

    def hand(self, colour: Colour) -> int:
        """Return the number of discs `colour` still has in hand if the rule sheet deals 32 to each side.

        A side that plays without a disc in hand takes one from the other side, so the sum of both hands is always
        the number of empty squares. If the first position has an odd number of empty squares, its side to move is
        assumed to have the odd disc.

        Raises: NotationError if `colour` is not a colour.
        """
        side, empties = self._first.side, self._first.empties
        hands = {side: (empties + 1) // 2, side.other: empties // 2}
        for turn in self._turns:
            if not turn.move.is_pass:
                giver = turn.colour if hands[turn.colour] else turn.colour.other
                hands[giver] -= 1
        return hands[Colour(colour)]

    def transcript(self, passes: bool = False) -> str:
        """Return ``f5d6c3...``, with passes as ``pa`` if `passes`.

        Moves that name a direction (one-direction rules) are separated by blanks.
        """
        words = [
            "pa" if turn.move.is_pass else str(turn.move)
            for turn in self._turns
            if passes or not turn.move.is_pass
        ]
        return (" " if self.rules.one_direction else "").join(words)

    @classmethod
    def from_transcript(
        cls, text: str, rules: Rules | Position | None = None, first: Position | None = None
    ) -> "Game":
        """Read a transcript, with or without passes, move numbers, blanks, commas, single dashes and line ends.

        Raises: NotationError or IllegalMoveError naming the number of the offending move, 1 for the first;
            SettingsError: see ``Game``.
        """
        game = cls(rules, first)
        for number, word in enumerate(_words(text), 1):
            try:
                game.play(word)
            except (NotationError, IllegalMoveError) as error:
                raise type(error)(f"move {number} of the transcript: {error}") from None
        return game

    def _take_back(self) -> None:
        turn = self._turns.pop()
        self._undone.append(turn)
        self._position = turn.before

    def _replay(self) -> None:
        turn = self._undone.pop()
        self._turns.append(turn)
        self._position = turn.before.play(turn.move)


def _words(text: str) -> Iterator[str]:
    text = _MOVE_NUMBER.sub(" ", text).rstrip(" \t\r\n,")
    at = 0
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            raise NotationError(
                f"expected a move at character {at + 1} of the transcript, got {text[at : at + 10]!r}"
            )
        yield match[1]
        at = match.end()


def as_position(position: Position | Game) -> Position:
    """Return a position, or the current one of a game.

    Raises: TypeError if it is neither.
    """
    if isinstance(position, Position):
        return position
    if isinstance(position, Game):
        return position.position
    raise TypeError(f"expected a Position or a Game, got {position!r} ({type(position).__name__})")

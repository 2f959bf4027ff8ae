"""A game: its positions, its moves and passes, undo and redo, and transcripts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from outflank.engine.moves import PASS, LegalMoves, Move, as_move
from outflank.engine.position import Position
from outflank.engine.rules import Outcome, Rules
from outflank.engine.squares import Colour
from outflank.errors import IllegalMoveError, NotationError, SettingsError

# Matches move numbers, which are skipped: "1. f5", "12.d3", or a number before a blank.
_MOVE_NUMBER = re.compile(r"(?<![a-z0-9])\d+\s*\.+|(?<![a-z0-9])\d+(?=\s)", re.IGNORECASE)
_WORD = re.compile(
    r"[\s,]*(?:-(?!-)\s*)?(pass|[a-z]{2}|--|@@@@|[a-z][0-9](?:/[a-z]+)?)", re.IGNORECASE
)  # a single dash may separate moves


@dataclass(frozen=True, slots=True)
class Turn:
    """One entry of a game's history.

    Attributes:
        before: the position in which the move was made.
        move: the move, or a pass.
        implied: True for a pass that the caller left out, and that ``Game.play`` inserted before the other side's move.
    """

    before: Position
    move: Move
    implied: bool = False

    @property
    def colour(self) -> Colour:
        """The side that made the move."""
        return self.before.side


class Game(Sequence[Turn]):
    """A game: the sequence of its turns, with methods to play and undo moves. A call that fails changes nothing.

    Args:
        rules: the rules of the game, or its first position.
        first: the first position, which must be under `rules`; by default the start position of `rules`.

    Raises: SettingsError if `first` is not a position, if it is under other rules than `rules`, or if both arguments
        are positions that differ.
    """

    def __init__(self, rules: Rules | Position | None = None, first: Position | None = None) -> None:
        if isinstance(rules, Position):
            if first is not None and first != rules:
                raise SettingsError(f"expected one starting position, got {rules!r} and {first!r}")
            rules, first = None, rules
        if first is None:
            first = Position.start(Rules() if rules is None else rules)
        elif not isinstance(first, Position):
            raise SettingsError(f"expected a starting position, got {first!r}")
        elif rules is not None and rules != first.rules:
            raise SettingsError(f"the starting position is for {first.rules}, not for {rules}")
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
        """The positions so far: the first position and the position after each turn."""
        return (*(turn.before for turn in self._turns), self._position)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns so far, passes included."""
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
        """Play a move for `colour` (by default the side to move), and return the move as it was played.

        If the side to move has no legal move and `move` is not a pass, this side passes first (``Turn.implied``). Then
        the other side plays `move`.

        Raises: IllegalMoveError, NotationError: see ``Position.parse_move``; IllegalMoveError if it is not the turn of
            `colour`; NotationError if `colour` is not a colour.
        """
        move = as_move(move)
        position, implied = self._position, []
        if colour is None:
            colour = position.side.other if position.must_pass and not move.is_pass else position.side
        if colour is not position.side and Colour(colour) is not position.side:
            if not position.must_pass:
                mover, other = map(position.rules.colour_name, (position.side, position.side.other))
                raise IllegalMoveError(f"expected a move for {mover}, got a move for {other}")
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

        Raises: IllegalMoveError if this side has a legal move, or if the game is over.
        """
        self.play(PASS)

    def undo(self) -> bool:
        """Take back the last move, and the pass before it if the move implied the pass.

        Returns: False if there is no move to take back.
        """
        if not self._turns:
            return False
        self._take_back()
        if self._turns and self._turns[-1].implied:
            self._take_back()
        return True

    def redo(self) -> bool:
        """Redo the move that was taken back last, and the pass that this move implied.

        Returns: False if there is no move to redo, for example because another move was played.
        """
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
        """Return ``outcome()``. This method is kept for programs that were written for version 1.0."""
        return self.outcome()

    def copy(self) -> "Game":
        """Return an independent copy of the game. The moves that can be redone are copied too."""
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
        """Return whether both games have the same first position and the same moves. Undone moves are ignored."""
        if not isinstance(other, Game):
            return NotImplemented
        return self._first == other._first and self.moves == other.moves

    def __bool__(self) -> bool:
        """Return True even if the game has no turns, unlike other sequences."""
        return True

    def _repr_svg_(self) -> str:
        """Return an image of the board for notebooks, in which the last move is marked."""
        return self._position.svg(last=self._turns[-1].move if self._turns else None)

    def __str__(self) -> str:
        """Return a drawing of the current position; see ``Position.__str__``."""
        return str(self._position)

    def __repr__(self) -> str:
        """Return an expression that creates the game: ``Game.from_transcript('f5d6', Rules.parse('othello'))``."""
        start = "" if self._first == Position.start(self.rules) else f", {self._first!r}"
        return (
            f"Game.from_transcript({self.transcript(passes=True)!r}, Rules.parse({str(self.rules)!r}){start})"
        )

    def hand(self, colour: Colour) -> int:
        """Return the number of discs that `colour` has in hand, for rule sheets that deal 32 discs to each side.

        If a side has no disc in hand, it plays a disc of the other side's hand. So the sum of both hands is always the
        number of empty squares. If the first position has an odd number of empty squares, its side to move is assumed
        to have one disc more than the other side.

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
        """Return the moves as ``f5d6c3...``. Passes are written as ``pa`` if `passes` is True, else left out.

        Under one-direction rules, blanks separate the moves.
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

        Raises: NotationError or IllegalMoveError, whose message has the number of the bad move (1 for the first);
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
    """Return `position` itself or, if it is a game, the current position of the game.

    Raises: TypeError if `position` is neither a position nor a game.
    """
    if isinstance(position, Position):
        return position
    if isinstance(position, Game):
        return position.position
    raise TypeError(f"expected a Position or a Game, got {position!r} ({type(position).__name__})")

"""Frozen dataclasses for the rules of a game of the Reversi family, and for the outcome of a game.

The presets come from the rule sheets of the boxed games and from the tournament rules. ``docs/rules.md`` quotes the
sheets and lists the points that the sheets leave to interpretation.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from outflank.engine.boardtext import read_board, write_board
from outflank.engine.squares import Colour, mask_of, parse_square
from outflank.errors import NotationError, SettingsError

# The six ways to place two discs of each colour on the four centre squares. Each value names White's two squares.
STARTS = {
    "diagonal": ("d4", "e5"),
    "mirrored": ("e4", "d5"),
    "parallel-north": ("d4", "e4"),
    "parallel-south": ("d5", "e5"),
    "parallel-west": ("d4", "d5"),
    "parallel-east": ("e4", "e5"),
}
Turns = Literal["all", "one"]
Tie = Literal["draw", "second"]
Scoring = Literal["empties", "count"]
Termination = Literal["full board", "wipe-out", "no moves"]
DecidedBy = Literal["discs", "draw", "second"]
Result = Literal["win", "draw", "loss"]
_CHOICES: dict[str, tuple[str, ...]] = {
    "turns": get_args(Turns),
    "tie": get_args(Tie),
    "scoring": get_args(Scoring),
    "begins": tuple(Colour),
}
_CENTRE = frozenset(map(parse_square, ("d4", "e4", "d5", "e5")))
# The names of Black and White on each sheet.
_COLOUR_NAMES = {
    "othello": ("Black", "White"),
    "reveris": ("Black", "White"),
    "reversi": ("Black", "White"),
    "ravensburger-1987": ("Red", "White"),
    "ravensburger-2006": ("Black", "Gold"),
    "obversi": ("Red", "Yellow"),
}
_NAMES = tuple(_COLOUR_NAMES)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game of the Reversi family.

    ``Rules.parse("reversi")`` returns a preset. ``Rules("reversi")`` sets only the name and keeps the defaults of the
    other attributes.

    Attributes:
        name: the preset that the rules derive from. Its rule sheet gives the colours their names.
        start: the start position: a key of STARTS, or a board string (see ``Position.parse``) of 64 squares.
        begins: the colour that moves first.
        turns: the directions in which a move turns discs: ``all`` directions in which it brackets discs, or only
            ``one`` of them, which the mover chooses.
        tie: the result if both sides have equally many discs: a ``draw``, or a win for the ``second`` player.
        scoring: ``empties`` if the winner takes the empty squares; ``count`` if only the discs on the board count.
    """

    name: str = "othello"
    start: str = "diagonal"
    begins: Colour = Colour.BLACK
    turns: Turns = "all"
    tie: Tie = "draw"
    scoring: Scoring = "empties"

    def __post_init__(self) -> None:
        if self.name not in _NAMES:
            raise NotationError(f"expected one of the presets {' '.join(_NAMES)}, got {self.name!r}")
        for option, choices in _CHOICES.items():
            if getattr(self, option) not in choices:
                expected = " or ".join(choices)
                raise NotationError(f"expected {option}={expected}, got {option}={getattr(self, option)!r}")
        object.__setattr__(self, "begins", Colour(self.begins))
        if self.start not in STARTS:
            object.__setattr__(self, "start", _plain_board(self.start))

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """Read ``PRESET`` or ``PRESET,option=value,...``, the value of ``--rules``.

        The options are ``start begins turns tie scoring``. Blanks may replace the commas. The solo game on the rule
        sheet of 2006 is not a preset; ``engine/solo/game.py`` implements it.

        Raises: NotationError, whose message lists the available presets or options.
        """
        preset, *options = text.replace(",", " ").split() or [""]
        if preset == "solo":
            raise NotationError("expected rules for two players, got 'solo', which `outflank solo` plays")
        if preset not in _NAMES:
            raise NotationError(f"expected one of the presets {' '.join(_NAMES)}, got {preset!r}")
        settings: dict[str, Any] = {}
        for option in options:
            key, equals, value = option.partition("=")
            if key not in (*_CHOICES, "start") or not equals:
                raise NotationError(
                    f"expected one of the options start= {'= '.join(_CHOICES)}=, got {option!r}"
                )
            settings[key] = value
        return replace(PRESETS[preset], **settings)

    @property
    def colour_names(self) -> tuple[str, str]:
        """The names that the rule sheet gives Black and White."""
        return _COLOUR_NAMES[self.name]

    def colour_name(self, colour: Colour) -> str:
        """Return the name that the rule sheet gives a colour, for text that a person reads."""
        return self.colour_names[colour is Colour.WHITE]

    @property
    def shows_hand(self) -> bool:
        """Whether boards show the discs in hand, which they do if the rule sheet deals 32 discs to each side."""
        return self.name == "ravensburger-2006"

    @property
    def one_direction(self) -> bool:
        """Whether a move turns discs in one direction only."""
        return self.turns == "one"

    @property
    def start_discs(self) -> tuple[int, int]:
        """The masks of Black's discs and of White's discs at the start of a game, one bit per square."""
        if self.start not in STARTS:
            black, white, _ = read_board(self.start)
            return black, white
        whites = frozenset(map(parse_square, STARTS[self.start]))
        return mask_of(_CENTRE - whites), mask_of(whites)

    @property
    def has_othello_moves(self) -> bool:
        """Whether games have the same legal moves as in tournament Othello. Scoring and the tie rule may differ."""
        othello = PRESETS["othello"]
        ours, theirs = ((r.start_discs, r.begins, r.turns) for r in (self, othello))
        return ours == theirs

    @property
    def is_othello(self) -> bool:
        """Whether games are played and scored as in tournament Othello. The names of the colours may differ."""
        othello = PRESETS["othello"]
        return self.has_othello_moves and (self.tie, self.scoring) == (othello.tie, othello.scoring)

    def winner_by(self, margin: int) -> Colour | None:
        """Return the winner of a finished game, or None for a draw. `margin` is Black's score minus White's."""
        if margin:
            return Colour.BLACK if margin > 0 else Colour.WHITE
        return self.begins.other if self.tie == "second" else None

    def result_of(self, side: Colour, margin: int) -> Result:
        """Return the result of a finished game for `side`. `margin` is its score minus the opponent's."""
        winner = self.winner_by(margin if side is Colour.BLACK else -margin)
        return "draw" if winner is None else "win" if winner is side else "loss"

    def least_win(self, colour: Colour) -> int:
        """Return the smallest disc difference with which `colour` can win."""
        if self.tie == "second" and colour is not self.begins:
            return 0
        # If the winner takes the empty squares, the two counts add up to 64, so their difference is even.
        return 2 if self.scoring == "empties" else 1

    def __str__(self) -> str:
        """Return the text that ``parse`` reads: the preset, then the options whose values differ from the preset's."""
        preset = PRESETS[self.name]
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != getattr(preset, field.name)
        ]
        return ",".join([self.name, *changed])


def checked_rules(rules: Rules) -> Rules:
    """Return the rules. Raises: SettingsError if they are not a ``Rules``, for example the name of a preset."""
    if not isinstance(rules, Rules):
        raise SettingsError(f"expected rules such as Rules.parse('reversi'), got {rules!r}")
    return rules


def _plain_board(start: str) -> str:
    """Return a start board as 64 letters, so that rules with the same start board are equal."""
    try:
        black, white, side = read_board(start)
        if side is not None:
            raise NotationError(f"begins= says who moves, so nothing may follow the 64 squares: {start!r}")
    except NotationError as error:
        raise NotationError(f"expected start= {' '.join(STARTS)} or a board string: {error}") from None
    return write_board(black, white)


PRESETS = {
    rules.name: rules
    for rules in (
        Rules(),
        Rules("reveris", start="mirrored"),
        Rules("reversi", begins=Colour.WHITE, scoring="count"),
        Rules("ravensburger-1987", begins=Colour.WHITE, turns="one", scoring="count"),
        Rules("ravensburger-2006", begins=Colour.WHITE, tie="second", scoring="count"),
        Rules("obversi", start="parallel-north", scoring="count"),
    )
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a game, see ``Position.outcome``.

    Attributes:
        winner: the winner; None for a draw.
        margin: the difference of the scores, at least 0. It includes the empty squares if the winner takes the empty
            squares. It is 0 if the counts are equal, even if the tie rule makes one side the winner.
        termination: the reason why the game ended: a ``full board``; a ``wipe-out``, if one side has no disc left; or
            ``no moves``, if squares are empty and both sides have discs.
        decided_by: the rule that decided the game: ``discs`` if one side has more discs, else the value of
            ``Rules.tie``: ``draw`` or ``second``.
    """

    winner: Colour | None
    margin: int
    termination: Termination
    decided_by: DecidedBy

    def margin_of(self, colour: Colour) -> int:
        """Return the margin from one side's point of view: negative if this side has lost."""
        return self.margin if colour == self.winner else -self.margin

    def __str__(self) -> str:
        """Return ``B+12``, ``W+0`` or ``0``, the notation of GTP and SGF."""
        return f"{self.winner.letter}+{self.margin}" if self.winner else "0"

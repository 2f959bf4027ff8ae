"""Boards drawn for the tests of the rule sheets, and the words they are drawn with."""

from outflank.engine import PRESETS, Colour, Position

EMPTY = "-" * 64


def board(black: str = "", white: str = "") -> str:
    """64 squares with discs on the squares named."""
    letters = list(EMPTY)
    for names, letter in ((black, "X"), (white, "O")):
        for name in names.split():
            letters["12345678".index(name[1]) * 8 + "abcdefgh".index(name[0])] = letter
    return "".join(letters)


def squares(position: Position) -> str:
    """The legal moves as they are written, blanks between."""
    return " ".join(map(str, position.legal_moves()))


def start(name: str) -> Position:
    """The start of a preset."""
    return Position.start(PRESETS[name])


def rows(picture: str) -> str:
    """64 squares drawn as eight rows."""
    return "".join(picture.split())


# No ray from the three empty squares meets two colours, so neither side can move: 38 discs against 23.
OVER_WITH_THREE_EMPTY = rows("""
    --OOOOOO
    -XXXXXXX
    OXXXOOOO
    OXXXXOOO
    OXOXXXOO
    OXOXXXXX
    OXXXXXXX
    OXXXXXXX
""")
FULL_AND_EQUAL = "XXXXOOOO" * 8
# For each direction from d4, north first and clockwise: its name, the disc beside d4 and the one behind it.
EIGHT_WAYS_FROM_D4 = [
    ("n", "d3", "d2"),
    ("ne", "e3", "f2"),
    ("e", "e4", "f4"),
    ("se", "e5", "f6"),
    ("s", "d5", "d6"),
    ("sw", "c5", "b6"),
    ("w", "c4", "b4"),
    ("nw", "c3", "b2"),
]
# White has discs on b1, b4 and b7 only and can never move; Black can turn them from c1, c4 and c7.
WHITE_MUST_ALWAYS_PASS = "".join("XO-XXXXX" if row in (0, 3, 6) else "XXXXXXXX" for row in range(8))


def winner_of(over: Position) -> Colour | None:
    """Who has won a finished game."""
    outcome = over.outcome()
    assert outcome is not None
    return outcome.winner

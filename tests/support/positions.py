"""Boards and games that tests share, and conversions from the oracle's boards to the engine's positions."""

import functools
import random
from collections.abc import Iterable

from outflank.engine import PRESETS, Colour, Game, Position, Rules
from outflank.protocol.formats import obf
from outflank.protocol.formats.samples import samples
from outflank.tests.support import reference

COLOURS = {reference.BLACK: Colour.BLACK, reference.WHITE: Colour.WHITE}
MIDGAME = Game.from_transcript("f5d6c3d3c4f4c5b3c2e6c6b4b5d2").position
EMPTY = "-" * 64
# A search of 3,000 nodes ends during an iteration that has already found a new best move.
CUT_SHORT = Position.parse("O----X--OO--XX--OOOXXX---OXOXXXX--OXXXOX--XXXOOX------OX-------- O")
# White can turn b1 and b3; Black can do nothing, now or later.
BLACK_MUST_PASS = Position.parse("OX------" + "-" * 8 + "OX------" + "-" * 40 + "X")
# A short game that ends with no white disc left.
WIPE_OUT = "f5d6c5f4e3f6g5e6e7"
# A game with two forced passes.
WITH_PASSES = (
    "d3e3f4c5d2f3d6e2b6g5f1c4h6e1d1f6b3g3e6c1g6f2g1c7g2h1c6c3b2c2d8a6"
    "g4d7a7h2b1f5b4h3f7a1e7g7a5a4b5a8f8b8h5e8b7c8a3h8h7h4g8a2"
)
# A game by the rules ravensburger-1987, with moves that name a direction and two forced passes.
ONE_WAY = """c5 c4 f3 d6 b4 d3 c7 d7 e2 b6 d8 e3 c6 g3 g4 e6/n f4/w c8 f6/nw g6 a5 e1 b8 g5/n h6/nw d2 f5 a6
e7/ne g7 c2 b2 h4 e8/nw a7/ne h5/w h2 f7/w b1 g2/s c1 b5/ne b3/se b7/n f8/n c3/s h3/w a8/n a2 h1 f2 d1/s
h7/w h8/n g1 a4/s f1 a3/e g8/n a1/e"""


def mask_of(squares: Iterable[reference.Square]) -> int:
    """Return the mask of (row, column) pairs; bit 0 is a1."""
    return sum(1 << (8 * row + column) for row, column in squares)


def mask_of_discs(board: reference.Board, letter: str) -> int:
    return mask_of((row, column) for row in range(8) for column in range(8) if board[row][column] == letter)


@functools.cache
def mask_of_names(names: str) -> int:
    """Return the mask of squares whose names are separated by blanks, as in ``"d6 e6"``."""
    return mask_of(("12345678".index(name[1]), "abcdefgh".index(name[0])) for name in names.split())


def board_of_mask(mask: int) -> reference.Board:
    """Return a board with a black disc on each square of the mask."""
    return [
        [reference.BLACK if mask >> (8 * row + column) & 1 else reference.EMPTY for column in range(8)]
        for row in range(8)
    ]


def position_of(board: reference.Board, side: str, rules: Rules) -> Position:
    """Return the engine's position for a board and side to move, without use of the engine's text parser."""
    own, opp = mask_of_discs(board, side), mask_of_discs(board, reference.other(side))
    return Position(own, opp, COLOURS[side], rules)


def rules_of(name: str, sheet: reference.Sheet) -> Rules:
    """Return the engine's rules with this preset and the options of the oracle's sheet."""
    options = f"start={sheet.start},turns={sheet.turns},tie={sheet.tie},scoring={sheet.scoring}"
    return Rules.parse(f"{name},{options},begins={COLOURS[sheet.begins]}")


def problems(name: str) -> list[obf.Problem]:
    with samples()[name].open() as lines:
        return list(obf.read_problems(lines, name, Rules())[0])


def reached(seed: int, empties: int, rules: Rules | None = None) -> Position:
    """Return a position of a random game with `empties` empty squares, or the final one if the game ends earlier."""
    rng = random.Random(seed)
    position = Position.start(rules or Rules())
    while position.empties > empties and not position.is_over:
        position = position.play(rng.choice(position.legal_moves()))
    return position


def random_game(rng: random.Random, rules: Rules | None = None, moves: int | None = None) -> Game:
    """Return a random game, which is finished unless it ends after `moves` moves; forced passes count."""
    game = Game(rules)
    while not game.is_over and (moves is None or len(game.turns) < moves):
        game.play(rng.choice(game.legal_moves()))
    return game


def board(black: str = "", white: str = "") -> str:
    """Return the text of a board with discs on the named squares."""
    letters = list(EMPTY)
    for names, letter in ((black, "X"), (white, "O")):
        for name in names.split():
            letters["12345678".index(name[1]) * 8 + "abcdefgh".index(name[0])] = letter
    return "".join(letters)


def squares(position: Position) -> str:
    """Return the legal moves as text, separated by blanks."""
    return " ".join(map(str, position.legal_moves()))


def start(name: str) -> Position:
    return Position.start(PRESETS[name])


def rows(picture: str) -> str:
    """Return the text of a board that is drawn as eight rows."""
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
# For each direction from d4, clockwise from north: its name, the adjacent square, and the square after it.
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
    outcome = over.outcome()
    assert outcome is not None
    return outcome.winner

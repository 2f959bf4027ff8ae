"""Hypothesis strategies: rules, games, boards of many kinds, and invalid texts.

Boards and games come from the oracle, so the strategies do not depend on the engine.
"""

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from outflank.tests.support import reference
from outflank.tests.support.reference import BLACK, EMPTY, WHITE

PRESETS = tuple(reference.SHEETS)
sides = st.sampled_from([BLACK, WHITE])
masks = st.integers(min_value=0, max_value=2**64 - 1)


@st.composite
def sheets(draw: st.DrawFn) -> tuple[str, reference.Sheet]:
    """Draw a preset, and its sheet with any options changed; this covers the whole family of rules."""
    name = draw(st.sampled_from(PRESETS))
    sheet = replace(
        reference.SHEETS[name],
        start=draw(st.sampled_from(list(reference.CENTRES))),
        begins=draw(sides),
        turns=draw(st.sampled_from(["all", "one"])),
        tie=draw(st.sampled_from(["draw", "second"])),
        scoring=draw(st.sampled_from(["empties", "count"])),
    )
    return name, sheet


@st.composite
def games(draw: st.DrawFn, sheet: reference.Sheet, whole: bool = False) -> reference.Game:
    """Draw a random game under `sheet`, finished if `whole`, else stopped at a random ply."""
    # The longest game has 60 discs with a pass before each. The size is drawn, since lists of any size are short.
    plies = 120 if whole else draw(st.integers(0, 70))
    picks = draw(st.lists(st.integers(0, 255), min_size=plies, max_size=plies))
    game = reference.Game(sheet)
    for pick in picks:
        options = game.choices()
        if not options:
            break
        game.play(options[pick % len(options)])
    return game


@st.composite
def endgames(draw: st.DrawFn, sheet: reference.Sheet, plies: int) -> reference.Game:
    """Draw a random game under `sheet` that is at most `plies` plies from an end with at most four empty squares.

    Wiped-out boards are excluded: they have dozens of empty squares, which another move or sheet would make playable.
    """
    game = draw(games(sheet, whole=True))
    assume(reference.count(game.board, EMPTY) <= 4)
    for _ in range(draw(st.integers(0, plies))):
        if game.played:
            game.undo()
    return game


@st.composite
def _squares_filled(draw: st.DrawFn, free: str, letters: str) -> reference.Board:
    """Draw a board with any of `letters` on each square that `free` marks with ``?``, and `free`'s letter elsewhere."""
    drawn = draw(st.lists(st.sampled_from(letters), min_size=64, max_size=64))
    squares = (new if mark == "?" else mark for mark, new in zip(free, drawn, strict=True))
    return reference.board_of("".join(squares))


@st.composite
def _nearly_full(draw: st.DrawFn) -> reference.Board:
    """Draw a board with at most six empty squares at any place."""
    board = draw(_squares_filled("?" * 64, BLACK + WHITE))
    for square in draw(st.sets(st.integers(0, 63), max_size=6)):
        board[square // 8][square % 8] = EMPTY
    return board


@st.composite
def _long_lines(draw: st.DrawFn) -> reference.Board:
    """Draw a board with runs of one colour up to the edge, which a shift without a mask carries to the next row."""
    board = [[EMPTY] * 8 for _ in range(8)]
    for _ in range(draw(st.integers(1, 6))):
        row, column = draw(st.integers(0, 7)), draw(st.integers(0, 7))
        down, right = reference.STEPS[draw(st.sampled_from(list(reference.STEPS)))]
        letter = draw(sides)
        for _ in range(draw(st.integers(1, 8))):
            if 0 <= row < 8 and 0 <= column < 8:
                board[row][column] = letter
            row, column = row + down, column + right
    return board


_RIM = "????????" + "?------?" * 6 + "????????"
_SIDE_FILES = "??----??" * 8
_EDGES_ONLY_EMPTY_INSIDE = "????????" * 2 + "??----??" * 4 + "????????" * 2

boards = st.one_of(
    _squares_filled("?" * 64, EMPTY + BLACK + WHITE),
    _squares_filled("?" * 64, EMPTY * 4 + BLACK + WHITE),  # sparse
    _squares_filled("?" * 64, EMPTY + BLACK * 6 + WHITE),  # one colour nearly everywhere
    _squares_filled("?" * 64, BLACK + WHITE),  # full
    _squares_filled("?" * 64, EMPTY + BLACK),  # wiped out
    _squares_filled(_RIM, BLACK + WHITE),  # full edges, empty within
    _squares_filled(_SIDE_FILES, EMPTY + BLACK + WHITE),  # runs that could wrap from the h file to the a file
    _squares_filled(_EDGES_ONLY_EMPTY_INSIDE, EMPTY + BLACK + WHITE),
    _nearly_full(),
    _long_lines(),
)
"""A strategy for any board, with more boards that break wrong shifts and masks; few occur in games."""

_NO_SQUARES = "a 5 a0 a9 i1 i9 5f f55 ff5 é5 f\u0665 0 a1a1 - --- p passe"  # u0665 is an Arabic five
_NO_DIRECTIONS = "f5/ f5/x f5/north f5/n/e /n f5//n"
bad_moves = st.one_of(
    st.sampled_from(["", " ", "f 5", *_NO_SQUARES.split(), *_NO_DIRECTIONS.split()]),
    st.text(max_size=6).filter(lambda text: len(text.strip()) > 4 and "/" not in text),
)
"""A strategy for texts that are not moves under any rules."""

_EMPTY_BOARD = EMPTY * 64
bad_boards = st.one_of(
    st.integers(0, 63).map(lambda length: EMPTY * length),
    st.tuples(st.integers(0, 63), st.sampled_from("zQ?3é\0|/")).map(
        lambda at: _EMPTY_BOARD[: at[0]] + at[1] + _EMPTY_BOARD[at[0] + 1 :]
    ),
    st.sampled_from(["-", "- ?", "green", "X X", "XX", "blackish", "3"]).map((_EMPTY_BOARD + " ").__add__),
)
"""A strategy for invalid boards: too short, with an invalid letter, or with an invalid side to move."""

_NO_OPTIONS = (
    "turns turns= turns=two tie=lottery begins=green scoring=x start= start=sideways colour=red =one"
)
bad_rules = st.sampled_from(
    [
        "",
        "chess",
        "Othello?",
        "turns=one",
        "othello,start=----",
        *(f"othello,{option}" for option in _NO_OPTIONS.split()),
    ]
)
"""A strategy for texts that are not rules."""

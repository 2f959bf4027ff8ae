"""What Python programs meet: a sentence for each mistake, the errors to catch, and the words of ``help``."""

import ast
import importlib
import inspect
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank import engine
from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    IllegalMoveError,
    Limit,
    NotationError,
    OutflankError,
    OutOfRangeError,
    Position,
    Rules,
    Searcher,
    SettingsError,
    Symmetry,
    divide,
    perft,
    square_name,
    squares_of,
)
from outflank.engine.solo.core import SoloBoard
from outflank.engine.solo.game import Deal
from outflank.engine.solo.search import best_line, judged_moves

START: Any = Position.start()
OUT_OF_RANGE = (-1, 2**31, 2**40, 2**63, 2**64, 10**30, -(2**63) - 1)
NO_NUMBERS = (1.5, float("inf"), float("nan"), "x", None)
BEYOND_A_MASK = (-1, 2**64, 10**30, -(2**63) - 1, *NO_NUMBERS)
CALLS: dict[str, Callable[[Any], object]] = {
    "perft": lambda value: perft(START, value),
    "divide": lambda value: divide(START, value),
    "hash_mb": lambda value: Searcher(hash_mb=value),
    "threads": lambda value: Searcher(1, threads=value),
    "multipv": lambda value: Searcher(1).search(START, Limit(depth=1), multipv=value),
    "width": lambda value: best_line(SoloBoard(1, 2, 4, 8), width=value),
}
FIELDS = {f"Position.{name}" for name in ("own", "opp", "side", "rules")}  # Cython gives fields no docstring
ENGINE = Path(engine.__file__).parent
STUBS = {
    ".".join(path.relative_to(ENGINE).with_suffix("").parts): path for path in sorted(ENGINE.rglob("*.pyi"))
}


def test_errors_are_outflank_errors_that_hide_no_other_and_a_bad_value_is_a_value_error() -> None:
    kinds = [FileFormatError, IllegalMoveError, NotationError, SettingsError]

    assert all(issubclass(kind, OutflankError) for kind in kinds)
    assert all(issubclass(kind, ValueError) for kind in kinds[1:])
    assert not [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)]


@pytest.mark.parametrize("value", [*OUT_OF_RANGE, *NO_NUMBERS])
@pytest.mark.parametrize("name", CALLS)
def test_a_number_out_of_range_is_refused_in_words(name: str, value: object) -> None:
    with pytest.raises(OutflankError, match=r"^expected .*, got "):
        CALLS[name](value)


@pytest.mark.parametrize(
    "ask", [Position.start, Game, lambda rules: Position.parse("-" * 64, rules), START.with_rules]
)
def test_the_name_of_rules_is_no_rules(ask: Callable[[Any], object]) -> None:
    with pytest.raises(
        OutflankError, match=r"^expected rules such as Rules.parse\('reversi'\), got 'reversi'$"
    ):
        ask("reversi")


@pytest.mark.parametrize("value", [64, "f5", *OUT_OF_RANGE, *NO_NUMBERS])
def test_what_is_no_number_of_a_square_is_refused_in_one_sentence(value: Any) -> None:
    for call in (square_name, Symmetry.HALF_TURN.square):
        with pytest.raises(IndexError) as caught:
            call(value)
        assert str(caught.value) == f"expected a square from 0 to 63, got {value!r}"


@pytest.mark.parametrize("value", [64, *OUT_OF_RANGE, *NO_NUMBERS])
def test_a_square_or_a_symmetry_out_of_range_is_refused_in_words(value: Any) -> None:
    for call in (START.disc_at, START.play):
        with pytest.raises(OutflankError, match=r"^expected .*, got "):
            call(value)
    for call in (Symmetry, START.transformed):
        with pytest.raises(OutOfRangeError, match=r"^expected a symmetry from 0 to 7, got "):
            call(value)
    with pytest.raises(OutflankError, match=r" is illegal; Black needs a free square"):
        SoloBoard(1 << 27, 1 << 28, 0, 0).play(Colour.BLACK, value)


def test_a_game_begins_with_a_position_under_its_own_rules() -> None:
    """The rules that the position does not have were forgotten."""
    reversi = Rules.parse("reversi")
    calls: tuple[Callable[..., Game], ...] = (Game, lambda *given: Game.from_transcript("d3", *given))
    for begin in calls:
        with pytest.raises(OutflankError, match=r"^the starting position is for othello, not for reversi$"):
            begin(reversi, START)
        assert begin(reversi, START.with_rules(reversi)).rules == reversi
        with pytest.raises(OutflankError, match=r"^expected a starting position, got 'f5'$"):
            begin(None, "f5")
        with pytest.raises(OutflankError, match=r"^expected rules such as .*, got ''$"):
            begin("")


@pytest.mark.parametrize("value", BEYOND_A_MASK)
def test_what_is_no_mask_is_refused_in_words(value: Any) -> None:
    for call in (
        lambda: Position(value, 0, Colour.BLACK),
        lambda: Position(0, value, Colour.BLACK),
        lambda: SoloBoard(0, 0, 0, value),
        lambda: list(squares_of(value)),
        lambda: judged_moves(SoloBoard(1, 2, 4, 8), value),
    ):
        with pytest.raises(OutflankError, match=r"^expected a mask of 64 bits, got "):
            call()


@pytest.mark.parametrize("value", ["x", 0, "Black", b"black", 1.5])
def test_what_is_no_colour_is_refused_in_words(value: Any) -> None:
    board = SoloBoard(1 << 27, 1 << 28, 0, 0)
    for call in (
        START.legal_mask,
        START.discs,
        START.score,
        START.with_side,
        Game().hand,
        lambda value: Game().play("f5", value),
        board.legal_mask,
        board.chips_of,
    ):
        with pytest.raises(OutflankError, match=r"^expected black or white, got "):
            call(value)


def test_no_moves_to_search_are_refused_however_they_come() -> None:
    """An iterator counts as true: the search of its no moves never ended."""
    none: tuple[Any, ...] = ([], (), iter(()), (move for move in START.legal_moves() if move.is_pass))
    for moves in none:
        with pytest.raises(OutflankError, match=r"^there is no move to search: moves is empty$"):
            Searcher(1).search(START, Limit(depth=1), moves=moves)


def test_a_deal_needs_a_square_for_each_chip() -> None:
    for layout in (range(23), range(25)):
        with pytest.raises(OutflankError, match=rf"^expected 24 squares for the layout, got {len(layout)}$"):
            Deal.shuffled(1, layout)
    for layout in (range(-1, 23), range(50, 74)):
        with pytest.raises(OutflankError, match=r"^expected squares from 0 to 63, got "):
            Deal.shuffled(1, layout)
    with pytest.raises(OutflankError, match=r"^expected the numbers of 64 squares, got 1$"):
        best_line(SoloBoard(0, 0, 1, 0), 0, (1,))


def test_none_is_no_position() -> None:
    """perft(None, 3) read None as a board and ended the interpreter."""
    searcher: Any = Searcher(1)
    nothing: Any = None
    for call in (
        lambda: perft(nothing, 3),
        lambda: divide(nothing, 3),
        lambda: searcher.search(nothing, Limit(depth=1)),
        lambda: searcher.analyse(nothing),
        lambda: searcher.evaluate(nothing),
        lambda: best_line(nothing),
        lambda: judged_moves(nothing),
    ):
        with pytest.raises(TypeError, match="NoneType"):
            call()


def test_a_searcher_is_never_half_made_nor_made_twice() -> None:
    """Its numbers came out of memory that nobody had written; made again in a search, it ended the interpreter."""
    unmade = Searcher.__new__(Searcher)
    assert (unmade.hash_mb, unmade.threads) == (64, 1)
    assert unmade.search(START, Limit(depth=2)).depth == 2

    searcher = Searcher(hash_mb=1, threads=2)
    with searcher.analyse(START) as analysis:
        next(analysis)
        again: Any = searcher.__init__  # type: ignore[misc]
        again(hash_mb=2, threads=1)
        assert next(analysis).lines
    assert (searcher.hash_mb, searcher.threads) == (1, 2)
    assert searcher.search(START, Limit(depth=4)).depth == 4


def test_perft_lets_ctrl_c_through() -> None:
    """On a board with 30 moves everywhere perft(7) takes minutes; Ctrl-C ends it."""
    program = inspect.cleandoc(
        """
        import sys
        from outflank.engine import Position, perft
        board = Position.parse("-" * 8 + "-OOOOOO-" * 2 + "-OOXXOO-" + "-OOXXOO-" + "-OOOOOO-" * 2 + "-" * 8 + " X")
        assert len(board.legal_moves()) >= 20
        print("counting", flush=True)
        try:
            perft(board, 12)
        except KeyboardInterrupt:
            sys.exit(130)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as counting:
        assert counting.stdout is not None
        assert counting.stdout.readline() == b"counting\n"
        time.sleep(0.3)
        counting.send_signal(signal.SIGINT)
        try:
            assert counting.wait(20) == 130  # on a machine of any load
        finally:
            counting.kill()


def test_compiled_classes_show_their_signature() -> None:
    parameters = inspect.signature(Searcher).parameters
    assert " ".join(parameters) == "hash_mb threads seed weights parameters"
    assert parameters["threads"].default == 1
    assert list(inspect.signature(Position).parameters) == ["own", "opp", "side", "rules"]
    assert "last" in inspect.signature(Position.svg).parameters


@pytest.mark.parametrize("name", STUBS)
def test_the_docstring_is_that_of_the_stub(name: str) -> None:
    stub = ast.parse(STUBS[name].read_text())
    module = importlib.import_module(f"outflank.engine.{name}")

    for where, expected, told in _pairs(stub, module):
        assert expected == told, where


def _pairs(node: ast.Module | ast.ClassDef, owner: object, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the place of each docstring of our own, its text in the stub and its text at run time."""
    for found in node.body:
        if not isinstance(found, ast.ClassDef | ast.FunctionDef):
            continue
        where, said = f"{path}{found.name}", ast.get_docstring(found)
        if said and where not in FIELDS:
            yield where, said, inspect.getdoc(getattr(owner, found.name)) or ""
        if isinstance(found, ast.ClassDef):
            yield from _pairs(found, getattr(owner, found.name), f"{where}.")

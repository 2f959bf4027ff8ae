"""Reads a game from an SGF file. The grammar is sgfmill's, which knows no game; the meaning is ours."""

import re
import stat
from pathlib import Path

from outflank.engine import (
    Colour,
    FileFormatError,
    Game,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
)
from outflank.engine.squares import SQUARE_NAMES, parse_square

_LARGEST_FILE = 16 << 20
_COLOURS = {"B": Colour.BLACK, "W": Colour.WHITE}
_GAMES = ("1", "2")  # Othello, and Go, as which Go programs record what they take for Go
_GO_POINT = re.compile("[a-h][a-h]")

Node = dict[str, list[bytes]]


def load(path: str, rules: Rules, before: int | None = None) -> Game:
    """The main line of the first game in a file, up to the position before move `before`.

    Args:
        path: of the file.
        rules: taken unless the file names some of ours (RU).
        before: a number from 1; None for the whole game.

    Raises: OSError, FileFormatError, NotationError, IllegalMoveError; the latter two name the move.
    """
    root, *nodes = _main_line(_read(path))
    _check_game(root)
    game = Game(first=_first_position(root, _rules(root, rules)))
    moves = [(colour, text) for node in (root, *nodes) for colour, text in _moves(node)]
    for number, (colour, text) in enumerate(moves[: None if before is None else before - 1], 1):
        try:
            _play(game, colour, text)
        except (NotationError, IllegalMoveError) as error:
            raise type(error)(f"move {number}: {error}") from None
    return game


def _read(path: str) -> bytes:
    """The bytes of a file that is really one, and no device that would never end."""
    file = Path(path)
    if not stat.S_ISREG(file.stat().st_mode):
        raise FileFormatError(f"expected a file, got something else: {path!r}")
    with file.open("rb") as stream:
        data = stream.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        raise FileFormatError(f"expected a game of at most {_LARGEST_FILE} bytes, got more")
    return data


def _main_line(data: bytes) -> list[Node]:
    try:
        from sgfmill import sgf_grammar  # type: ignore[import-untyped]
    except ImportError:
        raise FileFormatError("expected sgfmill to be installed (pip install 'outflank[match]')") from None
    try:
        return list(sgf_grammar.main_sequence_iter(sgf_grammar.parse_sgf_game(data)))
    except ValueError as error:
        raise FileFormatError(f"expected an SGF file: {error}") from None


def _text(node: Node, key: str) -> str:
    """The first value of a property; empty if the node has none."""
    return node.get(key, [b""])[0].decode("utf-8", "replace").strip()


def _check_game(root: Node) -> None:
    if (game := _text(root, "GM")) not in ("", *_GAMES):
        raise FileFormatError(f"expected a game of Othello (GM[2]), got GM[{game}]")
    if (size := _text(root, "SZ")) not in ("", "8"):
        raise FileFormatError(f"expected a board of size 8, got SZ[{size}]")


def _rules(root: Node, rules: Rules) -> Rules:
    """The rules that the file names, `rules` if it names none of ours."""
    try:
        return Rules.parse(_text(root, "RU"))
    except NotationError:
        return rules


def _first_position(root: Node, rules: Rules) -> Position:
    """The discs set up in the root; left out, as they often are, the start of the rules."""
    discs = {letter: _discs(root.get(f"A{letter}", [])) for letter in _COLOURS}
    position = Position.start(rules)
    if any(discs.values()):
        position = Position(discs["B"], discs["W"], Colour.BLACK, rules).with_side(rules.begins)
    side = _text(root, "PL").upper()[:1]
    return position.with_side(_COLOURS[side]) if side in _COLOURS else position


def _discs(values: list[bytes]) -> int:
    """The squares that AB or AW name, one bit a square."""
    discs = 0
    for value in values:
        discs |= 1 << parse_square(_vertex(value.decode("utf-8", "replace")))
    return discs


def _moves(node: Node) -> list[tuple[Colour, str]]:
    """The moves of a node: one, or none."""
    return [(colour, _text(node, letter)) for letter, colour in _COLOURS.items() if letter in node]


def _play(game: Game, colour: Colour, text: str) -> None:
    move = Move.parse(_vertex(text) or "pass")
    # Some programs record the passes that end the game.
    if not (move.is_pass and game.position.is_over):
        game.play(move, colour)


def _vertex(text: str) -> str:
    """A square in our letters, whether it is written as ``f5`` or by a Go program as ``fd``."""
    text = text.strip()
    if not _GO_POINT.fullmatch(text):
        return text
    # Go programs draw row 1 at the bottom and count the rows of SGF from the top.
    row = 7 - "abcdefgh".index(text[1])
    return SQUARE_NAMES[8 * row + "abcdefgh".index(text[0])]

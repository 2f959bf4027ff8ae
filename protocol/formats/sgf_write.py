"""Writes SGF: a tree without branches, which ``sgf.py`` reads back."""

import re
from typing import Any

from outflank.engine import Colour, Position
from outflank.engine.squares import square_name, squares_of
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Ending, Result, program
from outflank.protocol.formats.clocks import for_sgf
from outflank.protocol.formats.dates import day_of
from outflank.protocol.formats.sgf import marked_as_comment
from outflank.protocol.formats.words import GIVEN

_ENDINGS = {Ending.RESIGNATION: "R", Ending.TIME: "T", Ending.FORFEIT: "F"}
_LIKE_A_ROOT = re.compile(rb"^\(;", re.MULTILINE)

Node = dict[str, list[str]]


def write(game: AnnotatedGame) -> str:
    """The game with its forced passes, which are empty moves."""
    from sgfmill import sgf_grammar  # type: ignore[import-untyped]  # not at the top: only files of games need it

    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [_raw(node, sgf_grammar) for node in (_root(game), *map(_node, game.moves))]
    text: bytes = sgf_grammar.serialise_game_tree(tree)
    return text.decode()


def _raw(node: Node, grammar: Any) -> dict[str, list[bytes]]:
    return {name: [_escaped(value, grammar) for value in values] for name, values in node.items()}


def _escaped(text: str, grammar: Any) -> bytes:
    """`text` as a value of which no line begins like a game: there ``brackets`` would take the one before for cut."""
    return _LIKE_A_ROOT.sub(rb"(\;", grammar.escape_text(text.encode("utf-8", "replace")))


def _root(game: AnnotatedGame) -> Node:
    main, overtime = for_sgf(game.clock)
    texts = {
        "DT": str(day_of(game.date) or game.date),
        "GN": game.title,
        "EV": game.event,
        "PC": game.place,
        "TM": main,
        "OT": overtime,
        "BR": _rating(game.black_rating),
        "WR": _rating(game.white_rating),
        "C": _joined(_exact("at the end", game.exact), game.comment),
        GIVEN: str(min(game.given, len(game.moves)) or ""),
    }
    root = {
        "FF": ["4"],
        "GM": ["2"],
        "SZ": ["8"],
        "CA": ["UTF-8"],
        "AP": [program().replace(" ", ":")],
        "PB": [game.black],
        "PW": [game.white],
        "RE": [_result(game.outcome)],
        **{name: [text] for name, text in texts.items() if text},
    }
    if not game.is_standard:
        root |= {"RU": [str(game.rules)], **_setup(game.first)}
    return root


def _node(played: AnnotatedMove) -> Node:
    node = {played.colour.letter: ["" if played.move.is_pass else str(played.move)]}
    if played.score is not None:
        blacks = played.score if played.colour is Colour.BLACK else -played.score
        node["V"] = [f"{round(blacks, 2) + 0.0:.2f}"]  # + 0.0: a zero has no sign
    seconds = "" if played.seconds is None else f"{played.seconds:.3f} s"
    remarks = filter(None, [seconds, _exact("before the move", played.exact)])
    if comment := _joined("; ".join(remarks), played.comment):
        node["C"] = [comment]
    return node


def _exact(where: str, margin: int | None) -> str:
    return "" if margin is None else f"exact {where}: {margin:+d} for Black"


def _joined(remarks: str, comment: str) -> str:
    """A comment, and in front of it what has no property of its own."""
    return "\n".join(filter(None, [remarks, comment])) if remarks else marked_as_comment(comment)


def _result(result: Result | None) -> str:
    if result is None:
        return "?"
    if result.winner is None:
        return "0"
    reason = str(abs(result.margin)) if result.margin is not None else _ENDINGS.get(result.ending, "")
    return f"{result.winner.letter}+{reason}"


def _rating(rating: float | None) -> str:
    return "" if rating is None else f"{rating:g}"


def _setup(first: Position) -> Node:
    discs = {"AB": first.black, "AW": first.white}
    squares = {
        name: [square_name(square) for square in squares_of(mask)] for name, mask in discs.items() if mask
    }
    return {**squares, "PL": [first.side.letter]}

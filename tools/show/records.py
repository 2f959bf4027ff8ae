"""Writes finished games down: transcripts, GGF and SGF.

Where the rules are not Othello's, both formats name them in RU and give the start board; moves under
one-direction rules keep their direction: ``D3/NE`` (in GGF before evaluation and time, ``B[D3/NE//0.25]``).
"""

from importlib.metadata import version

from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from outflank.engine import Colour, Move, Position, Rules
from outflank.engine.position import unpack
from outflank.engine.squares import square_name
from outflank.tools.games.results import Ending, GameRecord

_GGF_ENDINGS = {Ending.RESIGNATION: ":r", Ending.TIME: ":t", Ending.STALL: ":t"}
_SGF_ENDINGS = {Ending.RESIGNATION: "R", Ending.TIME: "T", Ending.STALL: "T"}
_WHOLE_BOARD = 64


def transcript_line(game: GameRecord) -> str:
    """The moves of a game and, behind ``#``, what it was: a line that ``--openings`` could read."""
    return f"{game.transcript}  # {headline(game)}"


def headline(game: GameRecord) -> str:
    """``game 3: A - B +12``, or how it ended if not by discs; the margin is Black's."""
    names, end = game.pairing.names, game.ending
    result = f"{game.margin:+d}" if game.margin is not None else f"{game.winner_name} wins by {end}"
    return f"game {game.pairing.number}: {names[Colour.BLACK]} - {names[Colour.WHITE]} {result}"


def ggf(game: GameRecord) -> str:
    """The game as one line of GGF; forced passes are written as PA."""
    names = game.pairing.names
    tags = [
        ("GM", "Othello"),
        ("PC", f"outflank {version('outflank')}"),
        ("DT", game.started),
        ("PB", _ggf_value(names[Colour.BLACK])),
        ("PW", _ggf_value(names[Colour.WHITE])),
        ("RE", _ggf_result(game)),
        ("TY", "8"),
        *([("RU", _ggf_value(str(game.rules)))] if not _is_standard(game.rules) else []),
        ("BO", f"8 {_ggf_board(game)}"),
    ]
    moves = [
        (turn.colour.letter, _ggf_move(turn.move, seconds))
        for turn, seconds in zip(game.turns, game.seconds, strict=True)
    ]
    return "(;" + "".join(f"{tag}[{value}]" for tag, value in [*tags, *moves]) + ";)"


def sgf(game: GameRecord) -> str:
    """The game as SGF, FF[4] GM[2]; forced passes are empty moves, seconds stand in comments."""
    names = game.pairing.names
    root = {
        "FF": ["4"],
        "GM": ["2"],
        "SZ": ["8"],
        "CA": ["UTF-8"],
        "AP": [f"outflank:{version('outflank')}"],
        "DT": [game.started[:10]],
        "GN": [f"game {game.pairing.number}"],
        "PB": [_sgf_text(names[Colour.BLACK])],
        "PW": [_sgf_text(names[Colour.WHITE])],
        "RE": [_sgf_result(game)],
    }
    if game.detail:
        root["C"] = [_sgf_text(game.detail)]
    if not _is_standard(game.rules):
        root |= {"RU": [_sgf_text(str(game.rules))], **_sgf_setup(Position.start(game.rules))}
    nodes = [root]
    for turn, seconds in zip(game.turns, game.seconds, strict=True):
        node = {turn.colour.letter: ["" if turn.move.is_pass else str(turn.move)]}
        if seconds is not None:
            node["C"] = [f"{seconds:.3f} s"]
        nodes.append(node)
    return _serialise(nodes)


def _is_standard(rules: Rules) -> bool:
    """Whether a reader that knows nothing of rules reads the game right."""
    othello = Rules()
    return (rules.start, rules.begins, rules.turns, rules.tie, rules.scoring) == (
        othello.start,
        othello.begins,
        othello.turns,
        othello.tie,
        othello.scoring,
    )


def _decided_margin(game: GameRecord) -> int:
    """Black's margin; a game that was not played to the end counts as the whole board."""
    if game.margin is not None:
        return game.margin
    return _WHOLE_BOARD if game.winner is Colour.BLACK else -_WHOLE_BOARD


def _ggf_result(game: GameRecord) -> str:
    return f"{_decided_margin(game):+.2f}{_GGF_ENDINGS.get(game.ending, '')}"


def _ggf_value(text: str) -> str:
    """GGF has no escape for the bracket that ends a value."""
    return text.replace("]", ")")


def _ggf_board(game: GameRecord) -> str:
    squares, side = Position.start(game.rules).board_string().split()
    return f"{squares} {side}".replace("X", "*")


def _ggf_move(move: Move, seconds: float | None) -> str:
    text = "PA" if move.is_pass else str(move).upper()
    return text if seconds is None else f"{text}//{seconds:.3f}"


def _sgf_result(game: GameRecord) -> str:
    if game.winner is None:
        return "0"
    reason = str(abs(game.margin)) if game.margin is not None else _SGF_ENDINGS.get(game.ending, "F")
    return f"{game.winner.letter}+{reason}"


def _sgf_setup(start: Position) -> dict[str, list[str]]:
    return {
        "AB": [square_name(square) for square in unpack(start.black)],
        "AW": [square_name(square) for square in unpack(start.white)],
        "PL": [start.side.letter],
    }


def _sgf_text(text: str) -> str:
    escaped: bytes = sgf_grammar.escape_text(text.encode())
    return escaped.decode()


def _serialise(nodes: list[dict[str, list[str]]]) -> str:
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [
        {name: [value.encode() for value in values] for name, values in node.items()} for node in nodes
    ]
    text: bytes = sgf_grammar.serialise_game_tree(tree)
    return text.decode()

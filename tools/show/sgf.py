"""Games in the smart game format, FF[4] GM[2]; the grammar is sgfmill's."""

from importlib.metadata import version

from sgfmill import sgf_grammar  # type: ignore[import-untyped]

from outflank.engine import Colour, Position, Turn
from outflank.engine.squares import square_name, squares_of
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.show.records import first_position, is_standard

_ENDINGS = {Ending.RESIGNATION: "R", Ending.TIME: "T", Ending.STALL: "T"}

Node = dict[str, list[str]]


def sgf(game: GameRecord) -> str:
    """The game as a tree without branches; forced passes are empty moves.

    V is what the mover's engine said, in discs from Black's side. Its seconds stand in the comment, and the
    exact margin before the move where it is known.
    """
    turns = zip(game.turns, game.values, game.seconds, game.exact, strict=True)
    return _serialise([_root(game), *(_node(*turn) for turn in turns)])


def _root(game: GameRecord) -> Node:
    names = game.pairing.names
    root = {
        "FF": ["4"],
        "GM": ["2"],
        "SZ": ["8"],
        "CA": ["UTF-8"],
        "AP": [f"outflank:{version('outflank')}"],
        "DT": [game.started[:10]],
        "GN": [f"game {game.pairing.number}"],
        "PB": [_text(names[Colour.BLACK])],
        "PW": [_text(names[Colour.WHITE])],
        "RE": [_result(game)],
    }
    if game.detail:
        root["C"] = [_text(game.detail)]
    if not is_standard(game):
        root |= {"RU": [_text(str(game.rules))], **_setup(first_position(game))}
    return root


def _node(turn: Turn, value: float | None, seconds: float | None, exact: int | None) -> Node:
    node = {turn.colour.letter: ["" if turn.move.is_pass else str(turn.move)]}
    if value is not None:
        node["V"] = [f"{value:.2f}"]
    remarks = [] if seconds is None else [f"{seconds:.3f} s"]
    if exact is not None:
        remarks.append(f"exact before the move: {exact:+d} for Black")
    if remarks:
        node["C"] = ["; ".join(remarks)]
    return node


def _result(game: GameRecord) -> str:
    if game.winner is None:
        return "0"
    reason = str(abs(game.margin)) if game.margin is not None else _ENDINGS.get(game.ending, "F")
    return f"{game.winner.letter}+{reason}"


def _setup(start: Position) -> Node:
    return {
        "AB": [square_name(square) for square in squares_of(start.black)],
        "AW": [square_name(square) for square in squares_of(start.white)],
        "PL": [start.side.letter],
    }


def _text(text: str) -> str:
    escaped: bytes = sgf_grammar.escape_text(text.encode())
    return escaped.decode()


def _serialise(nodes: list[Node]) -> str:
    tree = sgf_grammar.Coarse_game_tree()
    tree.sequence = [
        {name: [value.encode() for value in values] for name, values in node.items()} for node in nodes
    ]
    text: bytes = sgf_grammar.serialise_game_tree(tree)
    return text.decode()

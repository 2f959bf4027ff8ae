"""Games in the generic game format of the GGS server: a line each, as NBoard and WZebra read them."""

from importlib.metadata import version

from outflank.engine import Colour, Move
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.show.records import decided_margin, first_position, is_standard

_ENDINGS = {Ending.RESIGNATION: ":r", Ending.TIME: ":t", Ending.STALL: ":t", Ending.ADJUDICATION: ":s"}


def ggf(game: GameRecord) -> str:
    """The game as one line; forced passes are PA, evaluations are the mover's in discs, times in seconds."""
    names = game.pairing.names
    tags = [
        ("GM", "Othello"),
        ("PC", f"outflank {version('outflank')}"),
        ("DT", game.started),
        ("PB", _value(names[Colour.BLACK])),
        ("PW", _value(names[Colour.WHITE])),
        ("RE", f"{decided_margin(game):+.2f}{_ENDINGS.get(game.ending, '')}"),
        ("TY", "8"),
        *([] if is_standard(game) else [("RU", _value(str(game.rules)))]),
        ("BO", f"8 {_board(game)}"),
    ]
    moves = [
        (turn.colour.letter, _move(turn.move, turn.colour, value, seconds))
        for turn, value, seconds in zip(game.turns, game.values, game.seconds, strict=True)
    ]
    return "(;" + "".join(f"{tag}[{value}]" for tag, value in [*tags, *moves]) + ";)\n"


def _value(text: str) -> str:
    """GGF has no escape for the bracket that ends a value."""
    return text.replace("]", ")")


def _board(game: GameRecord) -> str:
    return first_position(game).board_string().replace("X", "*")


def _move(move: Move, colour: Colour, value: float | None, seconds: float | None) -> str:
    """``F5/-1.50/0.250``; what is unknown at the end is left out."""
    text = "PA" if move.is_pass else str(move).upper()
    judged = (
        "" if value is None else f"{value if colour is Colour.BLACK else 0 - value:.2f}"
    )  # 0 keeps no sign
    time = "" if seconds is None else f"{seconds:.3f}"
    return f"{text}/{judged}/{time}".rstrip("/")

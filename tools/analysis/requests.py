"""What a line asks for: positions to search, or something to be done with requests made before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from outflank.engine import (
    HIGHEST_LEVEL,
    SELECTIVITIES,
    Game,
    IllegalMoveError,
    Move,
    NotationError,
    Position,
    Rules,
    SettingsError,
)
from outflank.protocol.lines import printable
from outflank.tools.analysis.fields import Fields, RequestError, shown
from outflank.tools.analysis.wish import Wish

ActionName = Literal["query_version", "terminate", "terminate_all"]
ACTIONS: tuple[ActionName, ...] = get_args(ActionName)
_LIMITS = ("depth", "nodes", "time", "level", "selectivity")
FIELDS = (
    *("id", "moves", "position", "rules", "turns", *_LIMITS, "multipv", "allow", "avoid"),
    *("stable", "report_every", "priority"),
)
ACTION_FIELDS = ("id", "action", "terminate_id", "turns")
_MOST = 2**31 - 1
_MOST_PRIORITY = 1_000_000
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Query:
    """A position to search.

    Attributes:
        tags: what its answers begin with: the request's ``id``, and what else says where it came from.
        position: what to search.
        wish: how to search, and what to report.
        moves: consider only these; None for all.
        priority: those with a higher one are searched first.
    """

    tags: dict[str, Any]
    position: Position
    wish: Wish
    moves: tuple[Move, ...] | None = None
    priority: int = 0

    @property
    def identity(self) -> str | int | None:
        """The request's ``id``."""
        return cast("str | int | None", self.tags.get("id"))


@dataclass(frozen=True, slots=True)
class Action:
    """Something to be done with requests made before.

    Attributes:
        tags: as those of a query.
        name: what.
        target: whose ``id`` is to be terminated; None for all.
        turns: of that request; None for all.
    """

    tags: dict[str, Any]
    name: ActionName
    target: str | int | None = None
    turns: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about a request: it can't be answered, or (a warning) not all of it was understood.

    Attributes:
        tags: as those of a query.
        sentence: what was expected, and what came.
        field: which of the request's fields it concerns; None if it is all of it.
        is_warning: whether an answer comes all the same.
    """

    tags: dict[str, Any]
    sentence: str
    field: str | None = None
    is_warning: bool = False


Item = Query | Action | Remark


@dataclass(frozen=True, slots=True)
class Defaults:
    """What requests get that say nothing else."""

    rules: Rules = field(default_factory=Rules)
    wish: Wish = field(default_factory=Wish)


def read_request(line: str, number: int, defaults: Defaults) -> Iterator[Item]:
    """What a line asks for; a line that can't be understood gives a Remark that says why.

    Args:
        line: a JSON object.
        number: of the line, for one that has no ``id``.
        defaults: for what it leaves out.
    """
    tags: dict[str, Any] = {"id": None, "line": number}
    try:
        fields = Fields.read(line)
        tags = {"id": fields.identity()}
        known = ACTION_FIELDS if "action" in fields else FIELDS
        for name in fields.unknown(known):
            expected = f"expected one of {' '.join(known)}, got {shown(name)}"
            yield Remark(tags, expected, printable(name), is_warning=True)
        if "action" in fields:
            yield _action(fields, tags)
        else:
            yield from _queries(fields, tags, defaults)
    except RequestError as error:
        yield Remark(tags, printable(str(error), _LONGEST_REASON), error.field)


def _action(fields: Fields, tags: dict[str, Any]) -> Action:
    name = fields.text("action")
    if name not in ACTIONS:
        raise RequestError(f"expected an action out of {' '.join(ACTIONS)}, got {shown(name)}", "action")
    if name != "terminate":
        return Action(tags, name)
    target = fields.identity("terminate_id")
    return Action(tags, name, target, fields.turns(_MOST))


def _queries(fields: Fields, tags: dict[str, Any], defaults: Defaults) -> list[Query]:
    """A query for each of the turns that are wanted."""
    game = _game(fields, defaults.rules)
    wish = _wish(fields, defaults.wish)
    priority = fields.whole("priority", -_MOST_PRIORITY, _MOST_PRIORITY, 0) or 0
    turns = fields.turns(len(game))
    positions = game.positions
    wanted = [len(game)] if turns is None else turns
    moves = _moves(fields, positions[wanted[0]], len(wanted))
    if wish.stable and game.rules.one_direction:
        raise RequestError(
            f"stable discs are known only where a move turns every direction, not under {game.rules}",
            "stable",
        )
    return [Query(tags | {"turn": turn}, positions[turn], wish, moves, priority) for turn in wanted]


def _game(fields: Fields, rules: Rules) -> Game:
    """The moves that were made, from the position that is given or the start."""
    name = "rules"
    try:
        text = fields.text("rules")
        rules = rules if text is None else Rules.parse(text)
        name = "position"
        board = fields.text("position")
        first = Position.start(rules) if board is None else Position.parse(board, rules)
        name = "moves"
        return Game.from_transcript(fields.words("moves"), rules, first)
    except RequestError:
        raise
    except (NotationError, IllegalMoveError) as error:
        raise RequestError(str(error), name) from None


def _wish(fields: Fields, default: Wish) -> Wish:
    """How to search: a request that names a limit gets none of the limits that others get."""
    if any(name in fields for name in _LIMITS):
        default = replace(default, depth=None, nodes=None, seconds=None, level=None, selectivity=None)
    selectivity = fields.whole("selectivity", 0, 100, default.selectivity)
    if selectivity is not None and selectivity not in SELECTIVITIES:
        raise RequestError(
            f"expected a selectivity out of {' '.join(map(str, SELECTIVITIES))}, got {selectivity}",
            "selectivity",
        )
    try:
        wish = Wish(
            depth=fields.whole("depth", 1, _MOST, default.depth),
            nodes=fields.whole("nodes", 1, _MOST, default.nodes),
            seconds=fields.seconds("time", default.seconds),
            level=fields.whole("level", 0, HIGHEST_LEVEL, default.level),
            selectivity=selectivity,
            multipv=fields.whole("multipv", 1, _MOST, default.multipv) or 1,
            stable=fields.flag("stable", default.stable),
            report_every=fields.seconds("report_every", default.report_every),
        )
    except SettingsError as error:
        raise RequestError(str(error), "level") from None
    if not wish.is_limited:
        raise RequestError("it needs a limit too: depth, nodes or time", "selectivity")
    return wish


def _moves(fields: Fields, position: Position, positions: int) -> tuple[Move, ...] | None:
    """The moves that are to be considered; None for all."""
    given = {name: _listed(fields, name, position, positions) for name in ("allow", "avoid")}
    if given["allow"] is None and given["avoid"] is None:
        return None
    chosen = [
        move
        for move in position.legal_moves()
        if (given["allow"] is None or move in given["allow"]) and move not in (given["avoid"] or ())
    ]
    if not chosen:
        to_blame = "allow" if given["allow"] == [] else "avoid"
        raise RequestError("no legal move is left to search", to_blame)
    return tuple(chosen)


def _listed(fields: Fields, name: str, position: Position, positions: int) -> Sequence[Move] | None:
    """The legal moves that a field lists; None if it is missing."""
    if name not in fields:
        return None
    if positions > 1:
        raise RequestError(f"{name} goes with one turn only, and {positions} are asked for", name)
    try:
        return [position.parse_move(word) for word in fields.words(name).replace(",", " ").split()]
    except (NotationError, IllegalMoveError) as error:
        raise RequestError(str(error), name) from None

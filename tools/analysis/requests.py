"""Reads requests for analysis from lines of JSON: positions, limits of the search, and options of the report."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from outflank.engine import (
    HIGHEST_LEVEL,
    SELECTIVITIES,
    Game,
    IllegalMoveError,
    Limit,
    Move,
    NotationError,
    Position,
    Rules,
    SettingsError,
    limit_for_level,
)
from outflank.engine.search.limits import Percent
from outflank.protocol.lines import printable
from outflank.storage.outside_json import read_json_object
from outflank.tools.report.search import limit_words

_LONGEST_SHOWN = 60
_LONGEST_IDENTITY = 1_000  # the maximum length of an ``id``, which each answer repeats
_MOST_WARNINGS = 20  # the maximum number of warnings about one request
_MOST_SECONDS = 1_000_000_000


class _RequestError(NotationError):
    """A request can't be answered. `field` is the name of the wrong field; None if the whole request is wrong."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class _Fields:
    """The fields of one request. A field with the value null counts as missing.

    A method that reads a field raises _RequestError if the value is invalid. If the field is missing, a method with an
    argument `otherwise` returns the value of this argument.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    @classmethod
    def read(cls, line: str) -> "_Fields":
        try:
            return cls(read_json_object(line))
        except NotationError as error:
            raise _RequestError(str(error)) from None

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def unknown(self, known: Sequence[str]) -> list[str]:
        return [name for name in self._values if name not in known]

    def identity(self, name: str = "id") -> str | int:
        value = self._values.get(name)
        self._expect("text or a whole number", name, type(value) in (str, int))
        if isinstance(value, str) and len(value) > _LONGEST_IDENTITY:
            raise _RequestError(
                f"expected text of at most {_LONGEST_IDENTITY} characters for {name}, got {len(value)}",
                name,
            )
        return cast("str | int", value)

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        self._expect("text", name, value is None or isinstance(value, str))
        return value

    def whole(self, name: str, least: int, most: int, otherwise: int | None = None) -> int | None:
        value = self._values.get(name)
        is_fit = value is None or (type(value) is int and least <= value <= most)
        self._expect(f"a whole number from {least} to {most}", name, is_fit)
        return otherwise if value is None else value

    def seconds(self, name: str, otherwise: float | None = None) -> float | None:
        value = self._values.get(name)
        is_fit = value is None or (type(value) in (int, float) and 0 <= value <= _MOST_SECONDS)
        self._expect(f"seconds from 0 to {_MOST_SECONDS}", name, is_fit)
        return otherwise if value is None else float(value)

    def flag(self, name: str, otherwise: bool) -> bool:
        value = self._values.get(name)
        self._expect("true or false", name, value is None or isinstance(value, bool))
        return otherwise if value is None else bool(value)

    def words(self, name: str) -> str:
        """Read a text, or join a list of texts with blanks. Return an empty text if the field is missing."""
        value = self._values.get(name)
        words = value if isinstance(value, list) else ["" if value is None else value]
        self._expect("text or a list of texts", name, all(isinstance(word, str) for word in words))
        return " ".join(words)

    def turns(self, most: int) -> Sequence[int] | None:
        value = self._values.get("turns")
        if value == "all":
            return range(most + 1)
        turns = value if isinstance(value, list) else []
        is_fit = bool(turns) and all(type(turn) is int and 0 <= turn <= most for turn in turns)
        self._expect(f'"all" or a list of numbers from 0 to {most}', "turns", value is None or is_fit)
        return None if value is None else tuple(dict.fromkeys(turns))

    def _expect(self, expected: str, name: str, is_fit: bool) -> None:
        if not is_fit:
            raise _RequestError(f"expected {expected} for {name}, got {shown(self._values.get(name))}", name)


def shown(value: object) -> str:
    """Return a JSON value as text for a message."""
    return printable("nothing" if value is None else json.dumps(value), _LONGEST_SHOWN)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The limits of a search, and the contents of its answer.

    A limit of None does not apply. The search stops at the first limit that it reaches.

    Attributes:
        level: the level, 0 to 60, which sets the depth and the selectivity; see ``limit_for_level``.
        selectivity: the selectivity in percent; None for the default, see ``Limit.selectivity``.
        multipv: the number of best moves to report.
        stable: True to report stable discs, which can never be flipped.
        report_every: the seconds between progress reports; None to report only the result.

    Raises: SettingsError if a number is out of range, or if a level is combined with a depth or a selectivity.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    level: int | None = None
    selectivity: Percent | None = None
    multipv: int = 1
    stable: bool = False
    report_every: float | None = None

    def __post_init__(self) -> None:
        if self.level is not None and (self.depth, self.selectivity) != (None, None):
            raise SettingsError(
                "a level sets depth and selectivity: give either a level, or depth and selectivity"
            )
        self.limit(0)

    @property
    def is_limited(self) -> bool:
        """Whether at least one limit applies."""
        return (self.depth, self.nodes, self.seconds, self.level) != (None,) * 4

    def limit(self, empties: int) -> Limit:
        """Return the search limit for a position with `empties` empty squares."""
        if self.level is None:
            return Limit(self.depth, self.nodes, self.seconds, selectivity=self.selectivity)
        return replace(limit_for_level(self.level, empties), nodes=self.nodes, seconds=self.seconds)

    def words(self) -> list[str]:
        """Return a description of each limit: ``["level 10", "5 s"]``."""
        level = [] if self.level is None else [f"level {self.level}"]
        return level + limit_words(Limit(self.depth, self.nodes, self.seconds, selectivity=self.selectivity))


ActionName = Literal["query_version", "terminate", "terminate_all"]
ACTIONS: tuple[ActionName, ...] = get_args(ActionName)
_LIMITS = ("depth", "nodes", "time", "level", "selectivity")
FIELDS = (
    *("id", "moves", "position", "rules", "turns", *_LIMITS, "multipv", "allow", "avoid"),
    *("stable", "report_every", "priority", "yields"),
)
ACTION_FIELDS = ("id", "action", "terminate_id", "turns")
_MOST = 2**31 - 1
_MOST_PRIORITY = 1_000_000
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Query:
    """A position to search.

    Attributes:
        tags: the first fields of each answer: the request's ``id``, and fields that name the request's origin.
        moves: the moves to consider; None for all.
        priority: the priority in the queue; queries of higher priority are searched first.
        yields: True to stop the search early if it has used up its time slice while another client waits. The answer is
            then the result so far.
    """

    tags: dict[str, Any]
    position: Position
    search: SearchRequest
    moves: tuple[Move, ...] | None = None
    priority: int = 0
    yields: bool = False

    @property
    def identity(self) -> str | int | None:
        """The request's ``id``."""
        return cast("str | int | None", self.tags.get("id"))


@dataclass(frozen=True, slots=True)
class Action:
    """An action on earlier requests.

    Attributes:
        target: the ``id`` of the request to terminate; None for the actions without a target.
        turns: the numbers of the turns whose searches are terminated; None for all turns of the request.
    """

    tags: dict[str, Any]
    name: ActionName
    target: str | int | None = None
    turns: Sequence[int] | None = None

    def terminates(self, query: Query) -> bool:
        """Return whether this action terminates the search of a query."""
        if self.name != "terminate":
            return self.name == "terminate_all"
        return query.identity == self.target and (self.turns is None or query.tags.get("turn") in self.turns)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error or a warning about a request.

    Attributes:
        sentence: the message, for example with the expected and the actual value.
        field: the name of the wrong field; None if the whole request is wrong.
        is_warning: True for a warning, in which case the request is still answered; False for an error.
    """

    tags: dict[str, Any]
    sentence: str
    field: str | None = None
    is_warning: bool = False


Item = Query | Action | Diagnostic


@dataclass(frozen=True, slots=True)
class Defaults:
    """The default rules and limits of requests."""

    rules: Rules = field(default_factory=Rules)
    search: SearchRequest = field(default_factory=SearchRequest)


def read_request(line: str, number: int, defaults: Defaults) -> Iterator[Item]:
    """Yield the items of the request in a line. An invalid request yields a Diagnostic with the reason.

    `number` is the line number. It identifies the Diagnostic if the request has no valid ``id``.
    """
    tags: dict[str, Any] = {"id": None, "line": number}
    try:
        fields = _Fields.read(line)
        tags = {"id": fields.identity()}
        known = ACTION_FIELDS if "action" in fields else FIELDS
        unknown = fields.unknown(known)
        for name in unknown[:_MOST_WARNINGS]:
            expected = f"expected one of {' '.join(known)}, got {shown(name)}"
            yield Diagnostic(tags, expected, printable(name), is_warning=True)
        if more := unknown[_MOST_WARNINGS:]:
            yield Diagnostic(tags, f"{len(more)} more fields are unknown", is_warning=True)
        if "action" in fields:
            yield _action(fields, tags)
        else:
            yield from _queries(fields, tags, defaults)
    except _RequestError as error:
        yield Diagnostic(tags, printable(str(error), LONGEST_REASON), error.field)


def _action(fields: _Fields, tags: dict[str, Any]) -> Action:
    name = fields.text("action")
    if name not in ACTIONS:
        raise _RequestError(f"expected one of the actions {' '.join(ACTIONS)}, got {shown(name)}", "action")
    if name != "terminate":
        return Action(tags, name)
    target = fields.identity("terminate_id")
    return Action(tags, name, target, fields.turns(_MOST))


def _queries(fields: _Fields, tags: dict[str, Any], defaults: Defaults) -> list[Query]:
    game = _game(fields, defaults.rules)
    search = _search(fields, defaults.search)
    priority = fields.whole("priority", -_MOST_PRIORITY, _MOST_PRIORITY, 0) or 0
    turns = fields.turns(len(game))
    positions = game.positions
    wanted = [len(game)] if turns is None else turns
    moves = _moves(fields, positions[wanted[0]], len(wanted))
    if search.stable and game.rules.one_direction:
        raise _RequestError(
            f"stable discs are listed only under rules that turn discs in every direction, not under {game.rules}",
            "stable",
        )
    yields = fields.flag("yields", False)
    return [Query(tags | {"turn": turn}, positions[turn], search, moves, priority, yields) for turn in wanted]


def _game(fields: _Fields, rules: Rules) -> Game:
    name = "rules"
    try:
        text = fields.text("rules")
        rules = rules if text is None else Rules.parse(text)
        name = "position"
        board = fields.text("position")
        first = Position.start(rules) if board is None else Position.parse(board, rules)
        name = "moves"
        return Game.from_transcript(fields.words("moves"), rules, first)
    except _RequestError:
        raise
    except (NotationError, IllegalMoveError) as error:
        raise _RequestError(str(error), name) from None


def _search(fields: _Fields, default: SearchRequest) -> SearchRequest:
    """Return the limits and options of a request. If the request has any limit, no default limit applies."""
    if any(name in fields for name in _LIMITS):
        default = replace(default, depth=None, nodes=None, seconds=None, level=None, selectivity=None)
    selectivity = fields.whole("selectivity", 0, 100, default.selectivity)
    if selectivity is not None and selectivity not in SELECTIVITIES:
        raise _RequestError(
            f"expected a selectivity out of {' '.join(map(str, SELECTIVITIES))}, got {selectivity}",
            "selectivity",
        )
    try:
        search = SearchRequest(
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
        raise _RequestError(str(error), "level") from None
    if not search.is_limited:
        raise _RequestError("selectivity also needs a limit: depth, nodes or time", "selectivity")
    return search


def _moves(fields: _Fields, position: Position, positions: int) -> tuple[Move, ...] | None:
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
        raise _RequestError("no legal move is left to search", to_blame)
    return tuple(chosen)


def _listed(fields: _Fields, name: str, position: Position, positions: int) -> Sequence[Move] | None:
    if name not in fields:
        return None
    if positions > 1:
        raise _RequestError(f"{name} applies only to a single turn, got {positions} turns", name)
    try:
        return [position.parse_move(word) for word in fields.words(name).replace(",", " ").split()]
    except (NotationError, IllegalMoveError) as error:
        raise _RequestError(str(error), name) from None

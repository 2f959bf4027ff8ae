"""Analysis commands with continuous reports, in the formats of Leela Zero and KataGo."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic

from outflank.engine import Colour, Line, Move, Position, Result, SearchInfo
from outflank.protocol.server.gtp.grammar import HIGHEST_NUMBER, Arguments, CommandError, vertex
from outflank.protocol.server.movesource import BookInfo, OnInfo
from outflank.protocol.server.session import Session, think_aloud

_DEFAULT_CENTISECONDS = 100
_LEAST_INTERVAL = 0.01  # seconds
# A lead of this number of discs is reported as a win rate of 73 %. This is only a convention for displays.
_DISCS_A_LOGIT = 6.0
_CERTAIN: dict[Result, float] = {"win": 1.0, "draw": 0.5, "loss": 0.0}
# KataGo's keys that have no meaning in Reversi. Their values are read and ignored.
_IGNORED_KEYS = (
    "ownership",
    "ownershipstdev",
    "movesownership",
    "movesownershipstdev",
    "pvvisits",
    "pvedgevisits",
    "noresultvalue",
)
_KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", "rootinfo", *_IGNORED_KEYS)


def lz_analyze(session: Session, arguments: Arguments) -> Iterator[str]:
    """Score all moves with increasing depth, until the controller sends any line.

    At each interval, one line with a block for each move is sent, the best move first: `info move d3 visits 81234
    winrate 5312 prior 2500 lcb 5312 order 0 depth 8 prob 100 exact 0 book 0 bound exact pv d3 c3`. `visits` is the
    number of boards reached for all moves together, and `winrate` is computed from the score. `depth` is in plies, and
    `prob` is the selectivity in percent. `exact 1` means that the score is proven, and `book 1` means that the opening
    book contains the move. The other keys are sent only for programs that expect them.

    Arguments: [`colour`] [`centiseconds`] [`interval` n] [`minmoves` n] [`maxmoves` n] [`avoid|allow` colour
      vertex,vertex,... depth] ...
    Answer: `=`, then lines as described, then an empty line
    Fails: `syntax error` if a key is unknown or no move is left to analyze
    """
    return _analyze(session, _order(session, arguments), _lz_block)


def kata_analyze(session: Session, arguments: Arguments) -> Iterator[str]:
    """Analyze like `lz-analyze`, with win rates from 0 to 1 and scores in discs, both for the side to move.

    The keys are `move visits utility winrate scoreMean scoreLead prior lcb order depth prob exact book bound pv`. If
    `rootInfo true` is given, `rootInfo visits winrate scoreLead utility` follows after all blocks, as in KataGo. Sabaki
    does not request `rootInfo`. If a user requests it by hand in Sabaki, the last move disappears from the display,
    since Sabaki interprets everything after `pv` as moves. This also happens with KataGo.

    Arguments: as for `lz-analyze`, and [`rootInfo` true|false]; `ownership` and similar keys are ignored
    Answer: as for `lz-analyze`
    Fails: as for `lz-analyze`
    """
    return _analyze(session, _order(session, arguments), _kata_block)


def lz_genmove_analyze(session: Session, arguments: Arguments) -> Iterator[str]:
    """Play a move like `genmove`, and report the best move during the search in the form of `lz-analyze`.

    The last report always describes the move that is played, however long the interval is. A move from the opening book
    is reported immediately, with `visits 0`. The other moves in the book follow in the same report. All these moves
    have the book's scores and `book 1`. If `avoid` or `allow` excludes a legal move, the search chooses among the
    remaining moves, without the book.

    Arguments: as for `lz-analyze`; the colour is the side to move if left out
    Answer: `=`, then lines of `info`, then `play` and the move, then an empty line
    Fails: as for `genmove` and `lz-analyze`
    """
    return _genmove(session, _order(session, arguments), _lz_block)


def kata_genmove_analyze(session: Session, arguments: Arguments) -> Iterator[str]:
    """Play a move like `lz-genmove_analyze`, and report in the form of `kata-analyze`.

    Arguments: as for `kata-analyze`
    Answer: as for `lz-genmove_analyze`
    Fails: as for `lz-genmove_analyze`
    """
    return _genmove(session, _order(session, arguments), _kata_block)


@dataclass
class _Order:
    """A controller's request for an analysis: the moves to analyze, and the form of the reports."""

    colour: Colour
    interval: float = _DEFAULT_CENTISECONDS / 100  # seconds
    most_moves: int = HIGHEST_NUMBER
    root_info: bool = False
    avoided: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)


Block = Callable[[SearchInfo, int, Line, bool], str]


def _order(session: Session, arguments: Arguments) -> _Order:
    colour = arguments.colour() if arguments.next_is_colour() else session.position.side
    order = _Order(colour)
    if arguments.next_is_number():
        order.interval = arguments.whole("centiseconds", 0) / 100
    while arguments:
        key = arguments.choice("a key", _KEYS)
        if key == "interval":
            order.interval = arguments.whole("centiseconds", 0) / 100
        elif key == "minmoves":
            arguments.whole("moves", 0)  # ignored, since all moves up to ``maxmoves`` are reported
        elif key == "maxmoves":
            order.most_moves = arguments.whole("moves", 1)
        elif key == "rootinfo":
            order.root_info = arguments.choice("a boolean", ("true", "false")) == "true"
        elif key in _IGNORED_KEYS:
            arguments.choice("a boolean", ("true", "false"))
        else:
            _restrict(order, key, arguments)
    return order


def _restrict(order: _Order, key: str, arguments: Arguments) -> None:
    """Parse a restriction of moves.

    A restriction of the opponent's moves is ignored, since only root moves can be restricted.
    """
    colour = arguments.colour()
    squares = {vertex(Move.parse(word)) for word in arguments.word("vertices").split(",")}
    arguments.whole("a depth", 1)
    if colour is order.colour:
        (order.avoided if key == "avoid" else order.allowed).update(squares)


def _moves(position: Position, order: _Order) -> Sequence[Move]:
    legal = position.legal_moves()
    chosen = [
        move
        for move in legal
        if vertex(move) not in order.avoided and (not order.allowed or vertex(move) in order.allowed)
    ]
    if legal and not chosen:
        raise CommandError("syntax error", "no move is left to search")
    return chosen


def _analyze(session: Session, order: _Order, block: Block) -> Iterator[str]:
    position = session.position if session.position.is_over else session.position.with_side(order.colour)
    return _watch(session, position, _moves(position, order), order, block)


def _watch(
    session: Session, position: Position, moves: Sequence[Move], order: _Order, block: Block
) -> Iterator[str]:
    if not moves:
        session.inbox.wait_for_input()
        return
    entry = session.probe(position)
    known = frozenset(move.move for move in entry.moves) if entry else frozenset()
    with session.searcher.analyse(position, moves=moves, multipv=len(moves)) as analysis:
        while not session.inbox.wait_for_input(max(order.interval, _LEAST_INTERVAL)):
            if analysis.latest is not None:
                yield _line(analysis.latest, order, block, known)


def _genmove(session: Session, order: _Order, block: Block) -> Iterator[str]:
    position = session.turn_of(order.colour)
    moves = _moves(position, order)
    chosen = None if len(moves) == len(position.legal_moves()) else moves
    return _think_aloud(
        session, order, block, lambda on_info: session.genmove(order.colour, on_info, moves=chosen)
    )


def _think_aloud(
    session: Session, order: _Order, block: Block, think: Callable[[OnInfo], Move]
) -> Iterator[str]:
    reported, latest = -math.inf, None
    for report in think_aloud(session, think):
        if isinstance(report, Move):
            if latest is not None:
                yield _line(latest, order, block, _from_book(latest))
            yield f"play {report}"
        elif report is not None:
            latest = report
            if monotonic() - reported >= order.interval:
                reported, latest = monotonic(), None
                yield _line(report, order, block, _from_book(report))


def _from_book(info: SearchInfo) -> Collection[Move]:
    return [line.move for line in info.lines] if isinstance(info, BookInfo) else ()


def _line(info: SearchInfo, order: _Order, block: Block, known: Collection[Move]) -> str:
    shown = info.lines[: order.most_moves]
    blocks = (block(info, number, line, line.move in known) for number, line in enumerate(shown))
    text = " ".join(f"info {each}" for each in blocks)
    if not order.root_info:
        return text
    rate = _win_rate(info, info.lines[0])
    root = f"visits {info.nodes} winrate {rate:.4f} scoreLead {info.score:.2f} utility {2 * rate - 1:.4f}"
    return f"{text} rootInfo {root}"


def _lz_block(info: SearchInfo, number: int, line: Line, in_book: bool) -> str:
    rate = round(10000 * _win_rate(info, line))
    return (
        f"move {line.move} visits {info.nodes} winrate {rate} prior {10000 // len(info.lines)} lcb {rate} "
        f"order {number} {_own_keys(info, in_book)} pv {_pv(line)}"
    )


def _kata_block(info: SearchInfo, number: int, line: Line, in_book: bool) -> str:
    rate = _win_rate(info, line)
    return (
        f"move {line.move} visits {info.nodes} utility {2 * rate - 1:.4f} winrate {rate:.4f} "
        f"scoreMean {line.score:.2f} scoreLead {line.score:.2f} prior {1 / len(info.lines):.4f} "
        f"lcb {rate:.4f} order {number} {_own_keys(info, in_book)} pv {_pv(line)}"
    )


def _own_keys(info: SearchInfo, in_book: bool) -> str:
    """Return the keys that are Outflank's own. They precede ``pv``, since readers take all words after it for moves."""
    return (
        f"depth {info.depth} prob {info.selectivity} exact {int(info.exact)} book {int(in_book)} bound exact"
    )


def _pv(line: Line) -> str:
    return " ".join(map(str, line.pv))


def _win_rate(info: SearchInfo, line: Line) -> float:
    """Return the win rate of the side to move, from 0 to 1; 0, 0.5 or 1 if the result or the exact score is known."""
    if line.result is not None:  # unlike the score, the result takes the rule for ties into account
        return _CERTAIN[line.result]
    if info.exact:
        return 0.5 + 0.5 * ((line.score > 0) - (line.score < 0))
    return 1 / (1 + math.exp(-line.score / _DISCS_A_LOGIT))

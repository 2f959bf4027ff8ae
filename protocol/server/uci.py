"""Outflank as a UCI engine for Fairy-Stockfish's variant ``flipello``, Othello with moves like ``P@f5``.

Black, who moves first, is White in UCI. The squares keep their names. A pass is written as a move from a square to
itself (``a1a1``). ``0000`` and the common words for a pass, such as ``@@@@``, are also accepted. ``startpos`` is
Fairy-Stockfish's start position: ranks are numbered upwards, so Black's discs are on d4 and e5.
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise, takewhile

from outflank.engine import (
    PASS,
    Colour,
    Game,
    IllegalMoveError,
    Move,
    NotationError,
    OutflankError,
    Position,
    SearchInfo,
)
from outflank.engine.evaluation import weights
from outflank.engine.moves import PASS_WORDS
from outflank.engine.search.limits import HIGHEST_LEVEL
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.lines import LINE_CAP, LineKind, tell_fault, without_control_bytes
from outflank.protocol.server.session import Session, Strength, think_aloud

_DROP, _NULL = "P@", "0000"
_START = "8/8/8/3pP3/3Pp3/8/8/8 w"
_PIECES = 100  # UCI's centipawns for one disc
_MILLISECONDS = 1_000
# The parameters of ``go`` that take numbers. In the first tuple, numbers below 1 count as 1; in the second, negative
# numbers count as 0.
_SOME = ("depth", "nodes", "movetime", "wtime", "btime")
_PERHAPS_NONE = ("winc", "binc", "movestogo")
_GO_WORDS = (*_SOME, *_PERHAPS_NONE, "infinite", "mate", "ponder", "searchmoves")
_MOST = 2**31 - 1
_READY, _CHOICE = "readyok\n", "bestmove"
_ROW = re.compile(r"[Pp1-8]+")
_PASS = re.compile(r"([a-h][1-8])\1")
_OPTION = "option name UCI_Variant type combo default flipello var flipello\n"


class Uci:
    """The line protocol UCI; see ``serve.Wire``."""

    def __init__(self) -> None:
        self._has_begun = False
        self._has_position = True  # False if the last position was refused

    def kind(self, line: bytes) -> LineKind:
        """Return the kind of a line. Lines that are not commands are ignored, as the protocol requires."""
        word = _words(line)[:1]
        if not word or word[0] not in _COMMANDS:
            return LineKind(is_command=False)
        return LineKind(interrupts=word[0] in ("stop", "quit"), quits=word[0] == "quit")

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line, and yield each line of its answer when it is ready. ``go`` always gets one ``bestmove``."""
        if not self._has_begun:
            self._has_begun = True
            session.resume(_start())
        name, *rest = _words(line)
        if name in ("position", "ucinewgame"):
            self._has_position = False
        has_chosen = False
        try:
            if len(line) > LINE_CAP:
                too_long = f"the line is longer than {LINE_CAP} bytes"
                if name != "go":
                    raise NotationError(too_long)
                yield f"info string {too_long}, so its limits are ignored\n"
                rest = []
            if name == "go" and not self._has_position:
                raise NotationError("there is no position to search, since the last one was refused")
            for text in _COMMANDS[name](session, rest):
                has_chosen = has_chosen or text.startswith(_CHOICE)
                yield text
            if name in ("position", "ucinewgame"):
                self._has_position = True
        except OutflankError as error:
            yield f"info string {error}\n"
        except Exception as error:  # our bug in one command must not end the game
            tell_fault()
            yield f"info string internal error: {error!r}\n"
        if name == "go" and not has_chosen:
            yield f"{_CHOICE} (none)\n"


def _words(line: bytes) -> list[str]:
    return without_control_bytes(line).decode("utf-8", "replace").split()


def _uci(session: Session, words: list[str]) -> Iterator[str]:
    yield f"id name Outflank {weights.version()}\nid author the authors of Outflank\n{_OPTION}uciok\n"


def _isready(session: Session, words: list[str]) -> Iterator[str]:
    session.prepare()
    yield _READY


def _setoption(session: Session, words: list[str]) -> Iterator[str]:
    if words != ["name", "UCI_Variant", "value", "flipello"]:
        raise NotationError("the only option is UCI_Variant, and its only value is flipello")
    yield from ()


def _new_game(session: Session, words: list[str]) -> Iterator[str]:
    session.new_game()
    session.resume(_start())
    yield from ()


def _position(session: Session, words: list[str]) -> Iterator[str]:
    at = words.index("moves") if "moves" in words else len(words)
    if words[:1] == ["fen"]:
        game = Game(read_fen(words[1:at]))
    elif words[:at] == ["startpos"]:
        game = _start()
    else:
        raise NotationError("a position is 'startpos' or 'fen FEN', optionally followed by 'moves' and moves")
    for word in words[at + 1 :]:
        game.play(_read_move(word))
    session.resume(game)
    yield from ()


def _go(session: Session, words: list[str]) -> Iterator[str]:
    """Search, and answer with exactly one ``bestmove``. With ``infinite``, the answer waits for the next command.

    With ``ponder``, the search has no limit until ``ponderhit``; then, the other limits in the line apply. Any other
    command ends the search. If limits or moves in the line are invalid, they are reported and ignored, since the game
    needs a move. ``isready`` is answered during the search if no other command is queued before it.
    """
    usual, position = session.strength, session.position
    moves, strength, control = None, usual, NO_LIMIT
    try:
        moves = _searched_moves(words, position)
        strength, control = _limits(words, position.side, usual)
    except OutflankError as error:
        yield f"info string {error}\n"
    move = None
    try:
        if "ponder" in words:
            session.strength = replace(strength, level=HIGHEST_LEVEL)
            session.set_time(NO_LIMIT)
            move = yield from _search(session, moves, is_pondering=True)
        if move is None:
            session.strength = strength
            session.set_time(control)
            move = yield from _search(session, moves)
    finally:
        session.strength = usual
    if "infinite" in words:
        yield from _wait_for_command(session)
    yield f"{_CHOICE} {'(none)' if position.is_over else _word(position, move or PASS)}\n"


def _search(
    session: Session, moves: Sequence[Move] | None, *, is_pondering: bool = False
) -> Generator[str, None, Move | None]:
    """Search the position, yield reports during the search, and return the move.

    Return None if ``ponderhit`` ended the search.
    """
    position, move = session.position, None
    with closing(
        think_aloud(session, lambda on_info: session.choose(position.side, on_info, moves=moves))
    ) as reports:
        for report in reports:
            if isinstance(report, Move):
                move = report
            elif report is not None:
                yield _info(position, report)
            else:
                yield from _answer_pings(session)
                if is_pondering and session.inbox.take_if(_is_ponderhit):
                    return None
    if is_pondering:  # the search has ended by itself, so no further search is needed after ponderhit
        yield from _wait_for_command(session)
        session.inbox.take_if(_is_ponderhit)
    return move


def _wait_for_command(session: Session) -> Iterator[str]:
    """Wait for a command other than ``isready``, and answer each ``isready``."""
    session.inbox.wait_for_command()
    while session.inbox.take_if(_is_ping):
        yield _READY
        session.inbox.wait_for_command()


def _answer_pings(session: Session) -> Iterator[str]:
    while session.inbox.take_if(_is_ping):
        yield _READY


def _is_ping(line: bytes) -> bool:
    return _words(line)[:1] == ["isready"]


def _is_ponderhit(line: bytes) -> bool:
    return _words(line)[:1] == ["ponderhit"]


def _nothing(session: Session, words: list[str]) -> Iterator[str]:
    yield from ()


def _quit(session: Session, words: list[str]) -> Iterator[str]:
    session.closed = True
    yield from ()


_COMMANDS: dict[str, Callable[[Session, list[str]], Iterator[str]]] = {
    "uci": _uci,
    "isready": _isready,
    "setoption": _setoption,
    "ucinewgame": _new_game,
    "position": _position,
    "go": _go,
    "ponderhit": _nothing,
    "stop": _nothing,
    "quit": _quit,
}


def _start() -> Game:
    """Return a game from ``startpos``, which is also the position before the first command."""
    return Game(read_fen(_START.split()))


def read_fen(words: list[str]) -> Position:
    """Parse a FEN: eight rows, row 8 first, optional pieces in hand, and the side to move.

    Raises: NotationError.
    """
    rows = words[0].partition("[")[0].split("/") if words else []
    text = ""
    for row in reversed(rows):
        if not _ROW.fullmatch(row):
            raise NotationError(f"expected rows of P, p and 1 to 8 in the FEN, got {row!r}")
        text += re.sub("[1-8]", lambda digit: "-" * int(digit[0]), row)
        if len(text) % 8:
            raise NotationError(f"expected rows of 8 squares in the FEN, got {row!r}")
    if len(text) != 64 or words[1:2] not in (["w"], ["b"]):
        raise NotationError("a FEN has eight rows of eight squares, followed by w or b")
    side = Colour.BLACK if words[1] == "w" else Colour.WHITE
    return Position.parse(f"{text.translate(str.maketrans('Pp', 'XO'))} {side}")


def _read_move(word: str) -> Move:
    if word == _NULL or word.lower() in PASS_WORDS or _PASS.fullmatch(word):
        return PASS
    if not word.startswith(_DROP):
        raise NotationError(f"expected a move like P@f5, got {word!r}")
    return Move.parse(word.removeprefix(_DROP))


def _word(position: Position, move: Move) -> str:
    if not move.is_pass:
        return f"{_DROP}{move}"
    own = Move((position.own & -position.own).bit_length() - 1)
    return f"{own}{own}"


def _limits(words: list[str], side: Colour, usual: Strength) -> tuple[Strength, TimeControl]:
    numbers: dict[str, int] = {}
    for name, value in pairwise(words):
        if name in (*_SOME, *_PERHAPS_NONE):
            if not re.fullmatch(r"-?\d{1,12}", value, re.ASCII):
                raise NotationError(f"expected a whole number after {name}, got {value!r}")
            numbers[name] = min(max(int(value), 1 if name in _SOME else 0), _MOST)
    strength = replace(
        usual,
        level=HIGHEST_LEVEL if "infinite" in words else usual.level,
        depth=numbers.get("depth", usual.depth),
        nodes=numbers.get("nodes", usual.nodes),
    )
    if "movetime" in numbers:
        return strength, TimeControl(0, period=numbers["movetime"] / _MILLISECONDS, period_moves=1)
    own = "w" if side is Colour.BLACK else "b"
    if f"{own}time" not in numbers:
        return strength, NO_LIMIT
    left, gain = (numbers.get(f"{own}{name}", 0) / _MILLISECONDS for name in ("time", "inc"))
    if due := numbers.get("movestogo"):
        return strength, TimeControl(0, period=left, period_moves=due)
    return strength, TimeControl(left, increment=gain)


def _searched_moves(words: list[str], position: Position) -> list[Move] | None:
    if "searchmoves" not in words:
        return None
    following = words[words.index("searchmoves") + 1 :]
    moves = [_read_move(word) for word in takewhile(lambda word: word not in _GO_WORDS, following)]
    for move in moves:
        if not position.is_legal(move):
            raise IllegalMoveError(f"{_word(position, move)} is not legal, so it can't be searched")
    if not moves:
        raise NotationError("searchmoves needs moves like P@f5")
    return moves


def _info(position: Position, info: SearchInfo) -> str:
    line, words = position, []
    for move in info.pv:
        words.append(_word(line, move))
        line = line.play(move)
    return (
        f"info depth {info.depth} score cp {round(info.score * _PIECES)} nodes {info.nodes} "
        f"time {round(info.seconds * _MILLISECONDS)} pv {' '.join(words)}\n"
    )

"""NBoard's protocol: the table of its commands, and the class that reads and executes them.

Source: the protocol's page in the program NTest, by the protocol's author Chris Welty.

A command is a function of the session and the rest of the line, and yields the lines of the answer. docs/nboard.md is
generated from the commands' docstrings, which have the form described in ``gtp/commands.py``.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from outflank.engine import Colour, Line, Move, NotationError, OutflankError, Rules, SearchInfo
from outflank.engine.evaluation import weights
from outflank.engine.search.limits import HIGHEST_LEVEL
from outflank.protocol.clock import NO_LIMIT
from outflank.protocol.formats import ggf
from outflank.protocol.formats.clocks import parse_ggf
from outflank.protocol.formats.reading import move_name
from outflank.protocol.lines import LINE_CAP, LineKind, printable, tell_fault, without_control_bytes
from outflank.protocol.server.movesource import BookInfo, book_info
from outflank.protocol.server.session import Session, think_aloud

CommandFunction = Callable[[Session, str], Iterator[str]]
_HIGHEST = 2**31 - 1
_MOST_CONTEMPT = 100
_STATUS_CAP = 500  # characters
# A move as in version 1 of the protocol, without the word ``move``.
_BARE_MOVE = re.compile(rb"(?:[a-h][1-8]|pa)(?:/\S*)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})", re.ASCII)


def nboard(session: Session, argument: str) -> Iterator[str]:
    """Begin the dialogue.

    Arguments: the version of the protocol; Outflank always speaks version 2
    Answer: `set myname` with the name, the version and the checksum of the evaluation: `Outflank 1.1.0, evaluation
      f2eaca31`
    Fails: if the version is not a whole number of at least 1, or if the evaluation file can't be read
    """
    _read_whole(argument, "a version", 1, _HIGHEST)
    yield f"set myname Outflank {weights.version()}\n"


def set_depth(session: Session, argument: str) -> Iterator[str]:
    """Set the strength of play like `--level`: the search depth, and the number of empty squares to solve from.

    The setting lasts until the next `set depth`. Limits that were given as options remain in force. With `--elo`, the
    setting applies only to `hint` and `analyze`, and `go` still plays at the given rating.

    Arguments: plies, from 0; more than 60 count as 60
    Fails: if the argument is not a whole number of at least 0
    """
    level = min(_read_whole(argument, "a depth", 0, _HIGHEST), HIGHEST_LEVEL)
    session.strength = replace(session.strength, level=level)
    yield from ()


def set_game(session: Session, argument: str) -> Iterator[str]:
    """Set the game, the position at its end, and both clocks.

    The time control is the record's `TI`, `main/increment/extension`. Each clock is reduced by the times of that
    player's moves. Without `TI` there is no clock. `BO` is the starting position. `RU`, an Outflank extension, names
    rules other than Othello's. Rules under which a move names its direction can't be played in NBoard.

    Arguments: the game in GGF, `(;GM[Othello]...;)`
    Fails: if the record can't be read, contains an illegal move or does not record a game of Othello; the previous game
      is then kept. If only `TI` can't be read, a `status` says so, and the game is set without a clock
    """
    if not (argument.startswith("(;") and argument.endswith(")")):
        raise NotationError(f"expected a game in GGF, (;GM[Othello]...;), got {argument[:40]!r}")
    recorded = ggf.parse(argument, Rules())
    if recorded.rules.one_direction:
        raise NotationError(f"a move of {recorded.rules} names a direction, which NBoard can't express")
    session.resume(recorded.game())
    session.set_time(NO_LIMIT)
    try:
        control = parse_ggf(recorded.clock)
        if control.main or control.increment:
            session.set_time(control)
    except NotationError as error:
        yield _status(str(error))
    for played in recorded.moves:
        session.clocks[played.colour].spend(played.seconds or 0.0)


def set_contempt(session: Session, argument: str) -> Iterator[str]:
    """Set the value of a draw that `go` uses when it chooses a book move, in discs for Black.

    Arguments: from -100 (a draw is as good as a win for White) to 100 (as good as a win for Black)
    Fails: if the argument is not a whole number in that range
    """
    session.contempt = float(_read_whole(argument, "a contempt", -_MOST_CONTEMPT, _MOST_CONTEMPT))
    yield from ()


def move(session: Session, argument: str) -> Iterator[str]:
    """Play a move for the side to move, and take its time off the clock. A forced pass (`PA`) may be left out.

    A line that contains only a move, as in version 1 of the protocol, has the same effect.

    Arguments: `F5`, `F5/eval` or `F5/eval/seconds`; the evaluation is ignored, and both values may be empty
    Fails: if the move can't be read or is illegal; nothing is played then
    """
    made, seconds = _read_move(argument)
    if not (made.is_pass and session.position.is_over):
        session.game.play(made)
        session.clocks[session.game.turns[-1].colour].spend(seconds)
    yield from ()


def hint(session: Session, argument: str) -> Iterator[str]:
    """Report the best moves: first those that the opening book knows, then others, found by a deepening search.

    The search ends at the depth that was set; the clock does not limit it, and any other command ends it. A `search`
    line contains the line of best play without blanks, the score in discs from the point of view of the side to move,
    0, and the depth. The depth is written as `12` (plies), as `12@73%` if the search prunes moves that look hopeless,
    or as `100%` if the score is proven. A `book` line contains the same values for a book move, but the 0 is replaced
    by the number of book lines that begin with the move. Book moves are not searched, since NBoard shows one score per
    square, and a later score would replace the book's score.

    Arguments: the number of moves, 1 if left out
    Answer: `status`; a `book` line for each of the best moves that the book knows, up to the requested number. If there
      are fewer, each iteration adds a `search` line for each of the best other moves, up to the requested number, and
      `nodestats` with the boards reached and the seconds. `status` at the end
    Fails: if the argument is not a whole number of at least 1. If the game is over, a `status` says so and nothing else
      follows
    """
    count = _read_whole(argument or "1", "a number of moves", 1, _HIGHEST)
    position = session.position
    if position.is_over:
        yield _status("the game is over")
        return
    yield _status("analyzing")
    entry = session.probe(position)
    known = [] if entry is None else [each.move for each in entry.moves]
    if entry is not None:
        yield _found_lines(book_info(entry, session.probe), count)
    unknown = [each for each in position.legal_moves() if each not in known]
    wanted = min(count - len(known), len(unknown))
    if wanted > 0:
        limit = session.strength.limit(None, position.empties)
        with session.searcher.analyse(position, limit, moves=unknown, multipv=wanted) as analysis:
            for info in analysis:
                if session.inbox.interrupted:
                    break
                yield _found_lines(info)
    yield _status("waiting")


def go(session: Session, argument: str) -> Iterator[str]:
    """Choose a move without playing it: from the opening book, or by a search within the set depth and the clock.

    Any other command ends the search, and the best move so far is then the answer. Each `go` gets exactly one
    answer.

    Answer: `status`, then `book`, or `search` and `nodestats`, as for `hint`; then `=== F5/1.25/0.400`: the move, its
      score in discs from the point of view of the side to move (left out if unknown) and the seconds it took. `=== PA`
      if the side to move has to pass or the game is over
    """
    began, found = time.perf_counter(), None
    yield _status("thinking")
    side = session.position.side
    for report in think_aloud(session, lambda on_info: session.choose(side, on_info)):
        if isinstance(report, Move):
            yield _chosen(report, found, time.perf_counter() - began)
        elif report is not None:
            found = report.lines[0]
            yield _found_lines(report)


def ping(session: Session, argument: str) -> Iterator[str]:
    """Stop the work on all earlier commands. No line after the answer concerns an earlier position.

    Arguments: a whole number
    Answer: `pong` and the number
    Fails: if the argument is not a whole number
    """
    yield f"pong {_read_whole(argument, 'a number', -_HIGHEST, _HIGHEST)}\n"


def learn(session: Session, argument: str) -> Iterator[str]:
    """Add to the `--book` file the first two positions of the game that it does not contain.

    The positions are searched at the book's level, which takes some seconds. Any other command aborts the search and
    leaves the book unchanged. The book that comes with the package is never changed.

    Answer: `status`, then `learned`, then a `status` that says what was learned, or why nothing was learned. The second
      `status` comes last because NBoard clears its status line when it reads `learned`
    """
    yield _status("learning")
    outcome = _learned(session)
    yield "learned\n"
    yield _status(outcome)


def _learned(session: Session) -> str:
    if not session.books:
        return "the game was not learned: there is no book (--book FILE)"
    positions = session.game.positions
    try:
        count = session.books[0].learn(positions, session.searcher, lambda: session.inbox.interrupted)
    except OutflankError as error:
        return f"the game was not learned: {error}"
    if not count:
        return "the book already knows the whole game"
    return f"the book has learned {count} position{'' if count == 1 else 's'} of the game"


def analyze(session: Session, argument: str) -> Iterator[str]:
    """Score every position of the game to the depth that was set, from the last to the first.

    Any other command ends the analysis.

    Answer: `status`; for each position `analysis`, the number of moves made so far, passes included, and the score in
      discs from Black's point of view, as NBoard draws it; `status` at the end
    """
    game = session.game
    yield _status("analyzing the game")
    positions = game.positions
    for made, position in reversed(list(enumerate(positions))):
        limit = session.strength.limit(None, position.empties)
        score = session.searcher.search(position, limit, on_info=session.heed()).score
        if session.inbox.interrupted:
            break
        from_black = score if position.side is Colour.BLACK else 0.0 - score  # never -0.0
        yield f"analysis {made} {from_black:+.2f}\n"
    yield _status("waiting")


def quit_(session: Session, argument: str) -> Iterator[str]:
    """Stop the work on all earlier commands, and exit."""
    session.closed = True
    yield from ()


COMMANDS: dict[str, CommandFunction] = {
    "nboard": nboard,
    "set depth": set_depth,
    "set game": set_game,
    "set contempt": set_contempt,
    "move": move,
    "hint": hint,
    "go": go,
    "ping": ping,
    "learn": learn,
    "analyze": analyze,
    "quit": quit_,
}


class NBoard:
    """The line protocol of NBoard; see ``serve.Wire``."""

    def kind(self, line: bytes) -> LineKind:
        """Return the kind of a line. Lines that are not commands are ignored, as the protocol requires."""
        command = parse(line)
        if command is None:
            return LineKind(is_command=False)
        return LineKind(interrupts=True, quits=command[0] == "quit")

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line, and yield each line of the answer as soon as it is ready."""
        command = parse(line)
        if command is None:
            return
        name, argument = command
        try:
            if len(line) > LINE_CAP:
                raise NotationError(f"the line is longer than {LINE_CAP} bytes")
            yield from COMMANDS[name](session, argument)
        except OutflankError as error:
            yield _status(str(error))
        except Exception as error:  # our bug in one command must not end the game
            tell_fault()
            yield _status(f"internal error: {error!r}")


def parse(line: bytes) -> tuple[str, str] | None:
    """Return the name of a line's command, and the stripped rest of the line.

    Return None if the line is blank or not a command, since the protocol ignores such lines.
    """
    text = without_control_bytes(line).strip()
    if _BARE_MOVE.fullmatch(text):
        return "move", text.decode("utf-8", "replace")
    words = text.split(None, 2)
    count = 2 if words[:1] == [b"set"] else 1
    name = b" ".join(words[:count]).decode("utf-8", "replace")
    if name not in COMMANDS:
        return None
    rest = text.split(None, count)[count:]
    argument = rest[0].decode("utf-8", "replace") if rest else ""
    return name, argument


def _read_whole(text: str, what: str, least: int, most: int) -> int:
    """Return a whole number. Raises: NotationError if `text` is not a number in the range."""
    if not (_WHOLE.fullmatch(text) and least <= int(text) <= most):
        raise NotationError(f"expected {what} from {least} to {most}, got {text!r}")
    return int(text)


def _read_move(text: str) -> tuple[Move, float]:
    """Parse a move and its seconds, by default 0: ``F5``, ``F5/120``, ``F5//3.5``, ``F5/120/3.5``.

    The evaluation is not read, since its unit depends on the program that wrote it.

    Raises: NotationError.
    """
    word, *rest = (part.strip() for part in text.split("/"))
    if len(rest) > 2:
        raise NotationError(f"expected a move in the form F5/EVAL/SECONDS, got {text!r}")
    seconds = rest[1] if len(rest) == 2 else ""
    if seconds and not _NUMBER.fullmatch(seconds):
        raise NotationError(f"expected the seconds that the move took, got {seconds!r}")
    return Move.parse(word), max(float(seconds or 0), 0.0)


def _status(text: str) -> str:
    """Return the line that shows `text` to the user."""
    return f"status {printable(text, _STATUS_CAP)}\n"


def _found_lines(info: SearchInfo, most: int | None = None) -> str:
    """Return a line for each evaluated move of a search iteration or a book's entry, the best move first.

    Args:
        info: the search result or the book's entry.
        most: the maximum number of book moves to report; None for all.
    """
    if isinstance(info, BookInfo):
        counted = zip(info.lines[:most], info.counts, strict=False)
        return "".join(
            f"book {_pv(line)} {line.score:+.2f} {count} {_depth(info)}\n" for line, count in counted
        )
    lines = [f"search {_pv(line)} {line.score:+.2f} 0 {_depth(info)}\n" for line in info.lines]
    return "".join([*lines, f"nodestats {info.nodes} {info.seconds:.3f}\n"])


def _chosen(move: Move, found: Line | None, seconds: float) -> str:
    """Return the answer to ``go``. The evaluation is left out if `found` is about another move."""
    if move.is_pass:
        return f"=== {move_name(move)}\n"
    score = "" if found is None or found.move != move else f"{found.score:.2f}"
    return f"=== {move_name(move)}/{score}/{seconds:.3f}\n"


def _pv(line: Line) -> str:
    """Return the text of a line: its moves of two characters each, without separators."""
    moves: Sequence[Move] = line.pv or (line.move,)
    return "".join(map(move_name, moves))


def _depth(info: SearchInfo) -> str:
    """Return the depth ``12``, ``12@73%`` for a selective search, or ``100%`` for proven scores."""
    if info.exact:
        return "100%"
    return str(info.depth) if info.selectivity == 100 else f"{info.depth}@{info.selectivity}%"

"""Everything that reads bytes from outside, as functions of bytes: they read them, or raise OutflankError."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from io import BytesIO
from pathlib import Path

from outflank.book.forms import read_form
from outflank.book.store import Book
from outflank.engine import NotationError, OutflankError, Position, Rules, Searcher
from outflank.engine.evaluation import weights
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers import Reply, reports
from outflank.protocol.drivers.driver import judged
from outflank.protocol.drivers.gtp import read_reply
from outflank.protocol.drivers.nboard import read_choice, read_origin
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.formats import FormatName, ggf, obf, read_games, sgf, transcript
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import LineSplitter
from outflank.protocol.server.gtp.commands import Gtp
from outflank.protocol.server.gtp.grammar import parse
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.nboard.commands import NBoard
from outflank.protocol.server.serve import Wire
from outflank.protocol.server.session import Session, Strength
from outflank.tools.analysis import answers
from outflank.tools.analysis.requests import Defaults, SearchRequest
from outflank.tools.analysis.service import requests_of
from outflank.tools.arena.messages import CLIENT, SERVER
from outflank.tools.arena.messages import read as read_message
from outflank.tools.match.state.config_file import chosen_engines, read_config
from outflank.tools.match.state.store import read_run

Target = Callable[[bytes], object]
_MOST_GAMES = 50
_MOST_LINES = 60
# These search as long as they are told to.
_LONG = ("analy", "scores", "line", "hint", "gfx")
_WRITERS = (ggf.write, sgf.write, transcript.write, obf.write)


def gtp(data: bytes) -> None:
    """Run a GTP session without commands that search for long."""

    def is_short(line: bytes) -> bool:
        return (command := parse(line)) is None or not any(word in command[1] for word in _LONG)

    _session(Gtp(), data, is_short)


def nboard(data: bytes) -> None:
    """Run an NBoard session without commands that search."""
    _session(NBoard(), data, lambda line: not any(word in line for word in (b"go", b"hint", b"analyze")))


def gtp_answer(data: bytes) -> None:
    """Read a GTP engine's reports on moves, its choice and its result."""
    text = data.decode("utf-8", "replace")
    for report in reports.read_report(text):
        _ = report.pv, report.score, report.from_book
        with suppress(OutflankError):
            _ = report.move
    reports.is_true_claim(text, Position.start())
    with suppress(OutflankError):
        judged(read_reply(Reply(text)), Position.start(), "A")


def nboard_answer(data: bytes) -> None:
    """Read an NBoard engine's reports on moves and its choice."""
    for line in data.decode("utf-8", "replace").splitlines():
        reports.read_thought(line)
        read_origin(line)
        text, score = read_choice(line.removeprefix("==="))
        reports.possible_score(score)
        with suppress(OutflankError):
            judged(Reply(text), Position.start(), "A")


def requests(data: bytes) -> None:
    """Read requests to an analysis server, and write the answer to each."""
    for item in requests_of(BytesIO(data), Defaults(search=SearchRequest(depth=1))):
        json.dumps(answers.answer_facts(answers.Answer(item)))


def messages(data: bytes) -> None:
    """Read messages of an arena, a line each, as either side does."""
    for line in data.split(b"\n"):
        for schema in (CLIENT, SERVER):
            with suppress(NotationError):
                read_message(line, schema)


def games(name: FormatName | None, data: bytes) -> None:
    """Read a file of games, and write the games in every format that can hold them."""
    for _, entry in zip(range(_MOST_GAMES), read_games(BytesIO(data), name=name), strict=False):
        if isinstance(entry, AnnotatedGame):
            for write in _WRITERS:
                with suppress(OutflankError):
                    write(entry).encode()


def suite(data: bytes) -> None:
    """Read an OBF file as ``outflank solve`` does."""
    obf.read_suite(BytesIO(data), "suite", Rules())


def toml(data: bytes) -> None:
    with _file(data) as path:
        for read in (read_config, partial(chosen_engines, ())):
            with suppress(OutflankError):
                read(path)


def words(data: bytes) -> None:
    """Read the values of a command line: rules, a board, an engine, a clock."""
    text = data.decode("utf-8", "replace")
    for read in (Rules.parse, Position.parse, EngineSpec.parse, TimeControl.parse):
        with suppress(OutflankError):
            read(text)


def weights_file(data: bytes) -> None:
    with _file(data) as path:
        weights.read(path)


def run(data: bytes) -> None:
    with _file(data) as path:
        read_run(path)


def book(data: bytes) -> None:
    """Open a book of ours and look up its start, or read one in another form."""
    with suppress(OutflankError):
        for _ in read_form(BytesIO(data), Rules())[0]:
            pass
    with _file(data) as path, Book.open(path) as opened:
        opened.probe(Position.start())
        opened.damage()


TARGETS: dict[str, Target] = {
    "gtp": gtp,
    "nboard": nboard,
    "gtp_answer": gtp_answer,
    "nboard_answer": nboard_answer,
    "requests": requests,
    "messages": messages,
    "games": partial(games, None),
    "sgf": partial(games, "sgf"),
    "ggf": partial(games, "ggf"),
    "wthor": partial(games, "wthor"),
    "pgn": partial(games, "pgn"),
    "obf": suite,
    "transcript": partial(games, "transcript"),
    "toml": toml,
    "words": words,
    "weights": weights_file,
    "run": run,
    "book": book,
}


def survive(target: Target, data: bytes) -> None:
    """Call a target; whatever it raises but OutflankError is a fault of ours."""
    with suppress(OutflankError):
        target(data)


@cache
def _searcher() -> Searcher:
    return Searcher(1)


def _session(wire: Wire, data: bytes, is_short: Callable[[bytes], bool]) -> None:
    """Execute lines; AssertionError if an answer tells of a fault of ours."""
    session, splitter = Session(SearchSource(_searcher()), strength=Strength(depth=1)), LineSplitter()
    for line in [*splitter.feed(data), *splitter.feed(b"\n")][:_MOST_LINES]:
        wire.kind(line)
        if is_short(line) and not session.closed:
            told = "".join(wire.answer(session, line))
            assert "internal error" not in told, told


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    """Yield a file with this content, in memory where there is such a place."""
    memory = Path("/dev/shm")
    with tempfile.NamedTemporaryFile(dir=memory if memory.is_dir() else None) as file:
        file.write(data)
        file.flush()
        yield Path(file.name)

"""The analysis board in a browser: games read, played on, saved and reviewed; searches go over the socket of requests.

Everything lies below a token in the address, so that only who was told it gets an answer.
"""

import asyncio
import io
import itertools
import json
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.book.names import openings
from outflank.book.store import Book
from outflank.engine import (
    HIGHEST_LEVEL,
    PRESETS,
    FileFormatError,
    Game,
    Limit,
    OutflankError,
    Position,
    Rules,
    Searcher,
    limit_for_level,
)
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.protocol.drivers import EngineSpec
from outflank.protocol.formats import WRITTEN_FORMATS, FormatName, read_games
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.reading import OTHELLO
from outflank.protocol.server.booksource import shipped_books
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.storage.outside_json import read_json_object
from outflank.tools.analysis.answers import Answer, answer_facts
from outflank.tools.analysis.requests import Defaults, read_request
from outflank.tools.analysis.review.game import ReviewSettings, review_game
from outflank.tools.analysis.review.output import occasion_text
from outflank.tools.analysis.review.page import review_replay
from outflank.tools.analysis.service import AnalysisService
from outflank.tools.archive.table import Explorer
from outflank.tools.live.page import Tables
from outflank.tools.page.parts import page_parts, rendered, replayed
from outflank.tools.report.gamefiles import game_writer
from outflank.tools.web.practice import (
    SHIPPED_PROBLEMS,
    cards,
    merge_cards,
    note_answer,
    problems,
    progress_file,
)

MOST_BYTES = 4 << 20
"""Of a file that is opened."""
MOST_GAMES = 500
"""That are read of it."""
_SCRIPTS = (
    "viewer.js",
    "translations.js",
    "seats.js",
    "board.js",
    "search.js",
    "modes/play.js",
    "modes/practise.js",
)
_LONGEST_NAME = 100
_SOLVED_EMPTIES = 14
_JUDGING_LEVEL = 12  # of the moves in a drill
_USUAL_LEVEL, _USUAL_ELO = 4, 1200  # that the page proposes
_SUFFIXES: Mapping[str, str] = {"wthor": "wtb", "transcript": "txt"}


class AnalysisBoard:
    """The page and what it asks for.

    Args:
        token: the first part of every address.
        service: searches the positions of requests.
        defaults: rules of games, and rules and limits of requests, that name none.
        first: the games to begin with.
        explorer: the archive whose games are shown beside the board; None if there is none.
        engines: the engines that may be played against, besides Outflank.
        mode: what the page shows first: ``play``, ``study`` or ``practise``.
    """

    def __init__(
        self,
        token: str,
        service: AnalysisService,
        defaults: Defaults,
        first: Sequence[AnnotatedGame] = (),
        explorer: Explorer | None = None,
        engines: Sequence[EngineSpec] = (),
        mode: str = "study",
    ) -> None:
        self._service, self._defaults, self._rules = service, defaults, defaults.rules
        self._explorer = explorer
        self._first = first or [AnnotatedGame(Position.start(self._rules))]
        # A thread each: books belong to the thread that opened them, and one review is made at a time.
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="games")
        self._reviewers = ThreadPoolExecutor(1, thread_name_prefix="review")
        self._mode, self._engines = mode, [spec.name for spec in engines]
        self._progress = progress_file()
        self.tables = Tables(engines, lambda asked: _annotated(asked, self._rules), self._replay)
        self._books: dict[Rules, Book | None] = {}
        inner: list[BaseRoute] = [
            Route("/", self._page),
            Route("/first", self._games_to_begin_with),
            WebSocketRoute("/analysis", self._requests),
            WebSocketRoute("/play", self.tables.serve),
            Route("/read", self._read, methods=["POST"]),
            self._route("/game", self._described),
            Route("/save", self._save, methods=["POST"]),
            self._route("/review", self._reviewed, self._reviewers),
            self._route("/archive", self._played),
            self._route("/losses", self._lost, self._reviewers),
            Route("/problems", self._problems, methods=["GET", "POST"]),
            Route("/progress", self._cards, methods=["GET", "POST"]),
            self._route("/progress/answer", self._noted),
        ]
        self.routes: list[BaseRoute] = [Mount(f"/{token}", routes=inner)]

    @cached_property
    def _searcher(self) -> Searcher:
        """For reviews and drills, in the thread of ``_reviewers``."""
        return Searcher()

    async def _page(self, request: Request) -> Response:
        parts = page_parts(self._rules, *_SCRIPTS, asks=True)
        if self._explorer is not None:
            parts["archive"] = self._explorer.archive.path.name
        html = rendered(
            "analysis.html",
            names=[],
            endings=[],
            rows=[],
            files=[],
            formats=WRITTEN_FORMATS,
            remark_heading="by",
            branches=True,
            view="mover",
            desk=self._desk(),
            **parts,
        )
        headers = {"content-security-policy": f"{parts['policy']}; frame-ancestors 'none'"}
        return HTMLResponse(html, headers=headers)

    def _desk(self) -> dict[str, Any]:
        return {
            "mode": self._mode,
            "engines": self._engines,
            "scales": {
                "level": (0, HIGHEST_LEVEL, _USUAL_LEVEL),
                "elo": (LOWEST_ELO, HIGHEST_ELO, _USUAL_ELO),
            },
            "rules": [*PRESETS] if str(self._rules) in PRESETS else [*PRESETS, str(self._rules)],
            "usual": str(self._rules),
            "start": Position.start(self._rules).board_string(),
            "openings": [(each.in_both_languages, each.moves) for each in openings()],
        }

    async def _replay(self, game: AnnotatedGame) -> dict[str, Any]:
        return await asyncio.get_running_loop().run_in_executor(self._workers, self._shown, game)

    async def _games_to_begin_with(self, request: Request) -> Response:
        return JSONResponse(_listing(self._first))

    async def _requests(self, socket: WebSocket) -> None:
        await SocketClient(socket, self._service).serve(self._defaults)

    async def _read(self, request: Request) -> Response:
        content = await _body(request)
        name = request.query_params.get("name", "")
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self._workers, self._reading, content, Path(name).name[:_LONGEST_NAME])
        return JSONResponse(await reading)

    def _reading(self, content: bytes, name: str) -> dict[str, Any]:
        if not content.strip():
            return _listing([AnnotatedGame(Position.start(self._rules))])
        with suppress(UnicodeDecodeError, OutflankError):  # it is more than a board
            if b";" not in content:  # lines of OBF are read below
                return _listing([AnnotatedGame(Position.parse(content.decode(), self._rules))])
        entries = read_games(io.BytesIO(content), Path(name) if name else None, self._rules)
        found = list(itertools.islice(entries, MOST_GAMES))
        games = [entry for entry in found if isinstance(entry, AnnotatedGame)]
        bad = [str(entry) for entry in found if isinstance(entry, BadGame)]
        return {**_listing(games), "bad": bad[:20], "left": next(entries, None) is not None}

    def _described(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        return self._shown(_annotated(asked, self._rules), _number(asked))

    def _shown(self, game: AnnotatedGame, number: int = 1) -> dict[str, Any]:
        positions = [*(move.before for move in game.moves), game.final]
        return {
            **_packed(game, number),
            "legal": [" ".join(map(str, position.legal_moves())) for position in positions],
            "book": [self._book_moves(position) for position in positions],
        }

    def _book_moves(self, position: Position) -> list[dict[str, Any]]:
        book = self._book_for(position.rules)
        try:
            entry = book.probe(position) if book and not position.is_over else None
        except FileFormatError:
            return []
        return (
            [] if entry is None else [{"move": str(each.move), "score": each.score} for each in entry.moves]
        )

    def _book_for(self, rules: Rules) -> Book | None:
        if rules not in self._books:
            self._books[rules] = None
            for path in shipped_books():
                try:
                    book = Book.open(path)
                    book.expect(rules)
                except OutflankError:
                    continue
                self._books[rules] = book
        return self._books[rules]

    async def _save(self, request: Request) -> Response:
        form = next((form for form in WRITTEN_FORMATS if form == request.query_params.get("format")), None)
        if form is None:
            raise HTTPException(404)
        played = self.tables.get(request.query_params.get("play", ""))

        def saved(asked: Mapping[str, Any]) -> tuple[bytes, str]:
            return _file(form, played.record() if played else _annotated(asked, self._rules))

        content, name = await self._answered(request, saved)
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    def _reviewed(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        game = _annotated(asked, self._rules)
        return review_replay(review_game(game, ReviewSettings(), self._searcher), _number(asked))

    def _played(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        position = _annotated(asked, self._rules).final
        if self._explorer is None or position.rules != self._explorer.archive.rules:
            return {"games": 0, "moves": []}
        return self._explorer.facts(position)

    def _lost(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        position = _annotated(asked, self._rules).final
        is_solved = position.empties <= _SOLVED_EMPTIES
        limit = Limit.solve() if is_solved else limit_for_level(_JUDGING_LEVEL, position.empties)
        found = self._searcher.search(position, limit, multipv=max(1, len(position.legal_moves())))
        losses = {str(line.move): round(found.score - line.score) for line in found.lines}
        return {"losses": losses, "line": " ".join(map(str, found.pv)), "exact": found.exact}

    async def _problems(self, request: Request) -> Response:
        content = await _body(request) if request.method == "POST" else SHIPPED_PROBLEMS.read_bytes()
        return JSONResponse(await self._worked(lambda: problems(content.decode("utf-8", "replace"), OTHELLO)))

    async def _cards(self, request: Request) -> Response:
        content = await _body(request)
        is_sent = request.method == "POST"
        work = partial(merge_cards, text=content) if is_sent else cards
        return JSONResponse({"version": 1, "cards": await self._worked(lambda: work(self._progress))})

    def _noted(self, asked: Mapping[str, Any]) -> dict[str, float]:
        return note_answer(self._progress, _text(asked, "key"), asked.get("right") is True)

    def _route(
        self,
        path: str,
        answer: Callable[[Mapping[str, Any]], dict[str, Any]],
        workers: ThreadPoolExecutor | None = None,
    ) -> Route:
        async def respond(request: Request) -> Response:
            return JSONResponse(await self._answered(request, answer, workers))

        return Route(path, respond, methods=["POST"])

    async def _answered(
        self,
        request: Request,
        answer: Callable[[Mapping[str, Any]], Any],
        workers: ThreadPoolExecutor | None = None,
    ) -> Any:
        content = await _body(request)
        return await self._worked(lambda: answer(read_json_object(content)), workers)

    async def _worked(self, work: Callable[[], Any], workers: ThreadPoolExecutor | None = None) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(workers or self._workers, work)
        except (OutflankError, ValueError, OSError) as error:
            raise HTTPException(400, str(error)[:300]) from None


async def _body(request: Request) -> bytes:
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > MOST_BYTES:
            raise HTTPException(413, f"a file of at most {MOST_BYTES >> 20} MB can be opened")
    return content


def _text(asked: Mapping[str, Any], name: str) -> str:
    value = asked.get(name) or ""
    if not isinstance(value, str):
        raise ValueError(f"expected a text for {name}")
    return value


def _number(asked: Mapping[str, Any]) -> int:
    value = asked.get("number", 1)
    return value if isinstance(value, int) else 1


def _annotated(asked: Mapping[str, Any], rules: Rules) -> AnnotatedGame:
    """Forced passes at its end are played, so that somebody can move."""
    rules = Rules.parse(text) if (text := _text(asked, "rules")) else rules
    first = Position.parse(board, rules) if (board := _text(asked, "position")) else None
    game = Game.from_transcript(_text(asked, "moves"), rules, first)
    while game.position.must_pass and not game.position.is_over:
        game.pass_()
    black, white = (_text(asked, name)[:_LONGEST_NAME] for name in ("black", "white"))
    return replace(AnnotatedGame.of(game), black=black, white=white)


def _packed(game: AnnotatedGame, number: int) -> dict[str, Any]:
    """The game as ``viewer.js`` replays it."""
    black, white = game.rules.colour_names
    outcome = game.outcome
    return {
        "number": number,
        "black": game.black or black,
        "white": game.white or white,
        "ending": "unfinished" if outcome is None else str(outcome.ending),
        "fault": False,
        "detail": game.comment[:1000],
        "margin": None if outcome is None else outcome.margin,
        "occasion": occasion_text(game),
        "oneWay": game.rules.one_direction,
        "opening": game.given,
        **replayed(game.first, game.moves),
        "exact": [move.exact for move in game.moves],
        "rules": str(game.rules),
        "colours": [(name, DISC_COLOURS[name].image) for name in game.rules.colour_names],
    }


def _listing(games: Sequence[AnnotatedGame]) -> dict[str, Any]:
    packed = [_packed(game, number) for number, game in enumerate(games, 1)]
    return {
        "games": [{**one, "row": rendered("row.html", row=_row(one))} for one in packed],
        "bad": [],
        "left": False,
    }


def _row(packed: Mapping[str, Any]) -> dict[str, Any]:
    margin = packed["margin"]
    winner = None if not margin else packed["black"] if margin > 0 else packed["white"]
    result = "" if margin is None else f"{margin:+d}"
    known = {name: packed[name] for name in ("number", "black", "white", "fault", "margin")}
    return {**known, "winner": winner, "result": result, "remark": packed["ending"]}


def _file(form: FormatName, game: AnnotatedGame) -> tuple[bytes, str]:
    if form == "transcript" and not game.moves:
        raise FileFormatError("a game without a move can't be written as a transcript")
    name = f"game.{_SUFFIXES.get(form, form)}"
    with tempfile.TemporaryDirectory() as folder:
        with game_writer(form, Path(folder) / name) as writer:
            writer.write(game)
        files = sorted(Path(folder).iterdir())
        if len(files) == 1:
            return files[0].read_bytes(), name
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.name)
        return packed.getvalue(), "game.zip"


MOST_OPEN = 1_000
"""Positions, actions and warnings of a connection whose answers have not been sent; then no further message is read."""
_NO_TEXT = 1003  # a WebSocket's code for "unsupported data"


class SocketClient:
    """A client on a WebSocket. Of the progress of each search it keeps the latest.

    Args:
        socket: the connection.
        service: searches the positions.
    """

    def __init__(self, socket: WebSocket, service: AnalysisService) -> None:
        self._socket, self._service = socket, service
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._answers: deque[str] = deque()
        self._progress: dict[int, str] = {}
        self._changed = asyncio.Event()

    async def serve(self, defaults: Defaults) -> None:
        """Answer requests until the connection ends, and then end its searches; the web server cancels this if need be.

        Args:
            defaults: rules and limits of requests that name none.
        """
        await self._socket.accept()
        sending = asyncio.create_task(self._send())
        numbers = itertools.count()
        try:
            for line in itertools.count(1):
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                if message.get("text") is None:
                    await self._socket.close(_NO_TEXT, "requests are texts")
                    break
                for item in read_request(message["text"], line, defaults):
                    await self._room.acquire()
                    self._service.take(self.deliver, next(numbers), item)
        finally:
            sending.cancel()
            self._service.leave(self.deliver)

    def deliver(self, number: int, answer: Answer) -> None:
        """Queue an answer in the thread of the connection."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._put, number, answer)

    def _put(self, number: int, answer: Answer) -> None:
        text = json.dumps(answer_facts(answer))
        if answer.is_last:
            self._progress.pop(number, None)
            self._answers.append(text)
        else:
            self._progress[number] = text
        self._changed.set()

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._changed.wait()
                self._changed.clear()
                while self._answers:
                    await self._socket.send_text(self._answers.popleft())
                    self._room.release()
                for number in list(self._progress):
                    if latest := self._progress.pop(number, None):
                        await self._socket.send_text(latest)

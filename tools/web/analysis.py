"""The server side of the analysis board, which opens, saves and reviews games, and serves searches by WebSocket.

All paths begin with a secret token, so that only clients that know the address get an answer.
"""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.book.names import opening_of, openings
from outflank.book.store import Book
from outflank.engine import (
    HIGHEST_LEVEL,
    PRESETS,
    FileFormatError,
    Limit,
    OutflankError,
    Position,
    Rules,
    limit_for_level,
)
from outflank.protocol.drivers import EngineSpec
from outflank.protocol.formats import WRITTEN_FORMATS
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.reading import OTHELLO, decoded
from outflank.protocol.server.booksource import shipped_books
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.tools.analysis.answers import Answer, answer_facts
from outflank.tools.analysis.requests import Defaults, read_request
from outflank.tools.analysis.review.game import ReviewSettings, review_game
from outflank.tools.analysis.review.page import review_replay
from outflank.tools.analysis.service import AnalysisService
from outflank.tools.archive.table import Explorer
from outflank.tools.live.page import Tables
from outflank.tools.page.parts import page_parts, rendered
from outflank.tools.page.replay import Replay
from outflank.tools.runtime.records import read_record
from outflank.tools.web.games import GameRequest, listing, opening_moves, read_content, shown, written
from outflank.tools.web.practice import (
    SHIPPED_PROBLEMS,
    cards,
    merge_cards,
    note_answer,
    problems,
    progress_file,
)
from outflank.tools.web.worker import Worker

MOST_BYTES = 4 << 20
"""The size limit of an uploaded file, in bytes."""
# A larger body is received up to this number of bytes, since a client that is still sending would not see the refusal.
_MOST_DISCARDED = 16 << 20
_SOLVED_EMPTIES = 14
_JUDGING_LEVEL = 12  # the level of the search that scores the moves of a practice position
_USUAL_LEVEL, _USUAL_ELO = 4, 1200  # the default strengths on the page


class AnalysisBoard:
    """The page of ``outflank web`` and the routes for its requests.

    Args:
        token: the secret first part of every path.
        service: the service that searches the positions of requests.
        defaults: the default rules for games and requests, and the default limits for requests.
        first: the games that the page lists at the start.
        explorer: the archive whose games are shown next to the board; None if there is none.
        engines: the engines, in addition to Outflank, that users can play against.
        mode: the initial mode of the page: ``play``, ``study`` or ``practise``.
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
        # Each worker has one thread: a book can be used only in the thread that opened it, and reviews run one at a
        # time.
        self._worker, self._reviewer = Worker("games"), Worker("review")
        self._mode, self._engines = mode, [spec.name for spec in engines]
        self._progress = progress_file()
        self.tables = Tables(
            engines, lambda asked: GameRequest(asked.rules, asked.position, asked.moves).game(self._rules)
        )
        self._books: dict[Rules, Book | None] = {}
        inner: list[BaseRoute] = [
            Route("/", self._page),
            Route("/first", self._games_to_begin_with),
            WebSocketRoute("/analysis", self._requests),
            WebSocketRoute("/play", self.tables.serve),
            Route("/read", self._read, methods=["POST"]),
            self._route("/game", self._linked),
            self._route("/about", self._about),
            self._route("/opening", self._opening),
            Route("/save", self._save, methods=["POST"]),
            self._route("/review", self._reviewed, self._reviewer),
            self._route("/losses", self._lost, self._reviewer),
            Route("/problems", self._problems, methods=["GET", "POST"]),
            Route("/progress", self._cards, methods=["GET", "POST"]),
            self._route("/progress/answer", self._noted),
        ]
        self.routes: list[BaseRoute] = [
            # The redirect is relative, since a proxy may serve this app under another path, port or scheme.
            Route(f"/{token}", lambda request: Response(status_code=307, headers={"location": f"{token}/"})),
            Mount(f"/{token}", routes=inner),
        ]

    async def _page(self, request: Request) -> Response:
        parts = page_parts(self._rules, "desk.js", asks=True)
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

    async def _games_to_begin_with(self, request: Request) -> Response:
        return JSONResponse(listing(self._first))

    async def _requests(self, socket: WebSocket) -> None:
        await SocketClient(socket, self._service).serve(self._defaults)

    async def _read(self, request: Request) -> Response:
        content, name = await _body(request), request.query_params.get("name", "")
        return JSONResponse(await self._worked(request, lambda: read_content(content, name, self._rules)))

    def _linked(self, content: bytes) -> dict[str, Any]:
        game, warning = read_record(content, GameRequest).legal_part(self._rules)
        return shown(game, 1, warning)

    def _about(self, content: bytes) -> dict[str, Any]:
        """Return the book moves, the opening and the archive's statistics of a game's final position."""
        game = read_record(content, GameRequest).game(self._rules)
        opening, explorer = opening_of(game.positions), self._explorer
        archive = None
        if explorer is not None:
            has_games = game.rules == explorer.archive.rules
            archive = explorer.facts(game.final) if has_games else {"games": 0, "moves": []}
        return {
            "book": self._book_moves(game.final),
            "called": "" if opening is None else str(opening),
            "archive": archive,
        }

    def _opening(self, content: bytes) -> dict[str, str]:
        asked = read_record(content, _OpeningRequest)
        return {"moves": opening_moves(asked.text, Rules.parse(asked.rules) if asked.rules else self._rules)}

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

        def work(content: bytes) -> tuple[bytes, str, str]:
            return written(form, played.record() if played else read_record(content, Replay).annotated())

        content, name, lost = await self._answered(request, work)
        headers = {"content-disposition": f'attachment; filename="{name}"', "x-left-out": quote(lost)}
        return Response(content, media_type="application/octet-stream", headers=headers)

    def _reviewed(self, content: bytes) -> dict[str, Any]:
        game = read_record(content, Replay).annotated()
        return review_replay(review_game(game, ReviewSettings(), self._reviewer.searcher), 1).facts()

    def _lost(self, content: bytes) -> dict[str, Any]:
        position = read_record(content, GameRequest).game(self._rules).final
        is_solved = position.empties <= _SOLVED_EMPTIES
        limit = Limit.solve() if is_solved else limit_for_level(_JUDGING_LEVEL, position.empties)
        found = self._reviewer.searcher.search(position, limit, multipv=max(1, len(position.legal_moves())))
        losses = {str(line.move): round(found.score - line.score) for line in found.lines}
        return {"losses": losses, "line": " ".join(map(str, found.pv)), "exact": found.exact}

    async def _problems(self, request: Request) -> Response:
        content = await _body(request) if request.method == "POST" else SHIPPED_PROBLEMS.read_bytes()

        def work() -> dict[str, Any]:
            found, total = problems(decoded(content), OTHELLO)
            return {"problems": found, "total": total}

        return JSONResponse(await self._worked(request, work))

    async def _cards(self, request: Request) -> Response:
        content = await _body(request)
        is_sent = request.method == "POST"
        work = partial(merge_cards, text=content) if is_sent else cards
        found = await self._worked(request, lambda: work(self._progress))
        return JSONResponse({"version": 1, "cards": msgspec.to_builtins(found)})

    def _noted(self, content: bytes) -> dict[str, Any]:
        asked = read_record(content, _PracticeAnswer)
        card = note_answer(self._progress, asked.key, asked.right)
        return msgspec.structs.asdict(card)

    def _route(
        self, path: str, answer: Callable[[bytes], Mapping[str, Any]], worker: Worker | None = None
    ) -> Route:
        async def respond(request: Request) -> Response:
            return JSONResponse(await self._answered(request, answer, worker))

        return Route(path, respond, methods=["POST"])

    async def _answered(
        self, request: Request, answer: Callable[[bytes], Any], worker: Worker | None = None
    ) -> Any:
        content = await _body(request)
        return await self._worked(request, lambda: answer(content), worker)

    async def _worked(self, request: Request, work: Callable[[], Any], worker: Worker | None = None) -> Any:
        try:
            return await (worker or self._worker).do(request, work)
        except (OutflankError, ValueError, OSError, ClientDisconnect) as error:
            raise HTTPException(400, str(error)[:300]) from None


async def _body(request: Request) -> bytes:
    content, size = bytearray(), 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= MOST_BYTES:
            content += chunk
        elif size > _MOST_DISCARDED:
            break
    if size > MOST_BYTES:
        raise HTTPException(413, f"expected a file of at most {MOST_BYTES >> 20} MB")
    return bytes(content)


class _OpeningRequest(msgspec.Struct):
    """A request for the moves of an opening.

    Attributes:
        text: the name of the opening or its moves.
        rules: the rules, as ``Rules.parse`` reads them; empty for the default rules.
    """

    text: str
    rules: str = ""


class _PracticeAnswer(msgspec.Struct):
    """The user's answer to a practice question.

    Attributes:
        key: the key of the card.
        right: True if the answer was right.
    """

    key: str
    right: bool


MOST_OPEN = 1_000
"""The maximum number of unanswered requests of a connection, at which the server stops reading from the connection."""
_NO_TEXT = 1003  # a WebSocket's code for "unsupported data"


class SocketClient:
    """A WebSocket client, which receives all answers and the latest progress report of each search.

    Args:
        socket: the connection.
        service: the service that searches the positions.
    """

    def __init__(self, socket: WebSocket, service: AnalysisService) -> None:
        self._socket, self._service = socket, service
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Semaphore(MOST_OPEN)
        self._answers: deque[str] = deque()
        self._progress: dict[int, str] = {}
        self._changed = asyncio.Event()

    async def serve(self, defaults: Defaults) -> None:
        """Answer requests until the connection ends or the task is cancelled; then stop the connection's searches.

        Args:
            defaults: the default rules and limits for requests.
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
                    await self._socket.close(_NO_TEXT, "requests must be text")
                    break
                for item in read_request(message["text"], line, defaults):
                    await self._room.acquire()
                    self._service.take(self.deliver, next(numbers), item)
        finally:
            sending.cancel()
            self._service.leave(self.deliver)

    def deliver(self, number: int, answer: Answer) -> None:
        """Queue an answer in the event loop's thread; may be called from any thread."""
        with suppress(RuntimeError):  # raised if the event loop is closed
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

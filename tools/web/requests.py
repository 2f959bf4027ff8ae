"""Requests for analysis over a WebSocket: a JSON object a message, as docs/analysis.md has them a line."""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.engine import OutflankError, Searcher
from outflank.tools.analysis.answers import Answer, answer_facts
from outflank.tools.analysis.requests import Action, Defaults, Item, Query, Remark, read_request
from outflank.tools.analysis.server import Finding, Pool, Task

MOST_OPEN = 1_000
"""Positions, actions and warnings of a connection whose answers have not been sent; then no further message is read."""
_NO_TEXT = 1003  # a WebSocket's code for "unsupported data"


class _Client:
    """A connection: its open queries, and the answers to send. Of progress, it keeps the latest of each search."""

    def __init__(self) -> None:
        self.queries: dict[int, Query] = {}
        self.room = asyncio.Semaphore(MOST_OPEN)
        self.answers: deque[str] = deque()
        self.progress: dict[int, str] = {}
        self.news = asyncio.Event()

    def put(self, number: int, answer: Answer) -> None:
        """Queue an answer."""
        text = json.dumps(answer_facts(answer))
        if answer.is_last:
            self.progress.pop(number, None)
            self.queries.pop(number, None)
            self.answers.append(text)
        else:
            self.progress[number] = text
        self.news.set()


class RequestServer:
    """Answers the requests of any number of connections with the same searchers.

    Args:
        searchers: one for each search that may be under way at once.
        defaults: for what requests leave out.
    """

    def __init__(self, searchers: Sequence[Searcher], defaults: Defaults) -> None:
        self._pool = Pool(searchers, self._report)
        self._defaults = defaults
        self._numbers = itertools.count()
        self._clients: dict[int, _Client] = {}  # by the numbers of their open queries
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, socket: WebSocket) -> None:
        """Serve a connection until it ends, and then end its searches; the web server cancels us if we don't notice."""
        self._loop = asyncio.get_running_loop()
        await socket.accept()
        client = _Client()
        sending = asyncio.create_task(_send(socket, client))
        try:
            for number in itertools.count(1):
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    break
                if message.get("text") is None:
                    await socket.close(_NO_TEXT, "requests are texts")
                    break
                for item in read_request(message["text"], number, self._defaults):
                    await self._begin(client, item)
        finally:
            sending.cancel()
            self._pool.cancel(_among(client.queries))

    async def _begin(self, client: _Client, item: Item) -> None:
        number = next(self._numbers)
        await client.room.acquire()
        if isinstance(item, Query):
            client.queries[number] = item
            self._clients[number] = client
            self._pool.submit(item, number)
            return
        client.put(
            number, Answer(item, count=self._terminated(client, item) if isinstance(item, Action) else 0)
        )

    def _terminated(self, client: _Client, action: Action) -> int:
        """End what an action says, of its own connection alone; how many searches that were."""
        if action.name == "query_version":
            return 0
        meant = {
            number: query
            for number, query in client.queries.items()
            if action.name == "terminate_all"
            or (
                query.identity == action.target
                and (action.turns is None or query.tags.get("turn") in action.turns)
            )
        }
        return self._pool.cancel(_among(meant))

    def _report(self, task: Task, finding: Finding) -> None:
        """Hand over what a search found; from its thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._hand_over, task, finding)

    def _hand_over(self, task: Task, finding: Finding) -> None:
        client = self._clients.get(task.number)
        if client is None:
            return
        if isinstance(finding, BaseException):
            sentence = str(finding) if isinstance(finding, OutflankError) else "the search has failed"
            answer = Answer(Remark(task.query.tags, sentence))
        else:
            answer = Answer(task.query, finding)
        if answer.is_last:
            del self._clients[task.number]
        client.put(task.number, answer)


def _among(queries: dict[int, Query]) -> Callable[[Query], bool]:
    """Whether a query is one of these."""
    known = {id(query) for query in queries.values()}
    return lambda query: id(query) in known


async def _send(socket: WebSocket, client: _Client) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await client.news.wait()
            client.news.clear()
            while client.answers:
                await socket.send_text(client.answers.popleft())
                client.room.release()
            for number in list(client.progress):
                if latest := client.progress.pop(number, None):
                    await socket.send_text(latest)

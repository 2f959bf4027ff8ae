"""A player on the server. It accepts requests for matches, lets engines choose moves, and saves games.

After a loss of the connection, the interrupted matches are resumed. One task reads the connection. An engine chooses
each move in a thread, and a separate task waits for the move.
"""

import asyncio
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial

from outflank.engine import IllegalMoveError, NotationError, OutflankError, Rules
from outflank.protocol.drivers import Driver, ProcessDriver, Reply, make_driver
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.formats import ggf
from outflank.protocol.formats.clocks import ggf_text
from outflank.storage.files import open_to_append
from outflank.tools.ggs.game import USUAL_TIME, GgsGame, GgsRecord
from outflank.tools.ggs.line import GgsConnection
from outflank.tools.ggs.messages import Board, MatchEnded, MatchStarted, MatchType, Note, Offer, read
from outflank.tools.ggs.settings import Settings
from outflank.tools.runtime.signals import heeded_signals

_CLOSE_SECONDS = 0.4
_MOST_MATCHES = 32  # the maximum number of simultaneous matches; a correct server starts fewer
_MOST_DOUBTS = 3  # the number of disagreements with the server at which we resign a game
_HIGHEST_SCORE = 999  # the highest score that the server accepts
_REFUSAL = re.compile(r"(?:/os:|/td:)? *(?:: )?(?:[a-z]+ [+-]? ?)?ERR ")
_MOST_SHOWN = 20  # the maximum number of shown lines of a message


class GgsClient:
    """A player on the server, from the first login until it leaves.

    Attributes:
        signal: the number of the last signal that asked the player to leave; None before the first one.

    Args:
        settings: the settings of the player.
        say: the function that shows a message to the user.
        log: the function that is called with ``">"`` and each line sent, or with ``"<"`` and each line received. The
            password is masked.
    """

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], object],
        log: Callable[[str, str], object] = lambda direction, line: None,
    ) -> None:
        self.signal: int | None = None
        self._settings = settings
        self._user = settings.user
        self._tell_user = say
        self._line = GgsConnection(
            settings,
            on_login=self._settle,
            on_message=self._hear,
            on_loss=self._lose,
            on_quiet=self._show_life,
            log=log,
        )
        self._send = self._line.send
        self._reason = ""  # the reason for the last loss of the connection
        self._drivers: list[ProcessDriver] = []
        self._idle: asyncio.Queue[Driver] = asyncio.Queue()
        self._threads = ThreadPoolExecutor(max_workers=settings.games, thread_name_prefix="engine")
        self._matches: dict[str, MatchStarted] = {}
        self._games: dict[str, dict[str, GgsGame]] = {}  # the games by match id and game id
        self._tasks: set[asyncio.Task[None]] = set()
        self._asks = list(settings.asks)
        self._broken: set[str] = set()  # the opponents of interrupted matches
        self._remarks: set[str] = set()
        self._played = 0
        self._is_closing = False
        self._failure: BaseException | None = None

    async def play(self) -> None:
        """Play until ``interrupt`` is called or the number of matches is reached.

        Raises: OutflankError if the server rejects the login or disconnects us; EngineError if the engine does not
            start, or can't play a match that the settings request.
        """
        loop = asyncio.get_running_loop()
        try:
            for _ in range(self._settings.games):
                spec = replace(self._settings.entry, time=USUAL_TIME)
                driver = make_driver(spec, Rules(), on_remark=self._remark)
                self._drivers.append(driver)
                await loop.run_in_executor(self._threads, driver.open)
                self._engine = driver.own_name or spec.name
                self._idle.put_nowait(driver)
            self._check_asks()
            await self._line.keep()
            if self._failure is not None:
                raise self._failure
        finally:
            self._abandon("the program is ending")
            if self._tasks:
                await asyncio.wait(self._tasks)
            for driver in self._drivers:
                driver.close(_CLOSE_SECONDS)
            self._threads.shutdown()

    async def play_until_signal(self) -> None:
        """Play like ``play``. SIGINT interrupts the player, and other signals that end programs end it at once."""
        loop = asyncio.get_running_loop()

        def interrupt(number: int, frame: object) -> None:
            """Handle a signal without the event loop's own signal handlers, which Windows lacks."""
            with suppress(RuntimeError):  # raised if the event loop has ended
                loop.call_soon_threadsafe(partial(self.interrupt, number, at_once=number != signal.SIGINT))

        before = {number: signal.signal(number, interrupt) for number in heeded_signals()}
        try:
            await self.play()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def interrupt(self, number: int, *, at_once: bool) -> None:
        """Accept no new matches, and leave after the current ones, or immediately if `at_once` or on a second call."""
        again, self.signal = self.signal is not None, number
        if at_once or again or not self._matches:
            self._leave()
        else:
            self._say(
                "no new matches; the program ends after the current ones (press Ctrl-C again to stop immediately)"
            )
            self._close()

    def _lose(self, reason: str) -> None:
        """Drop all matches after the loss of the connection. The server stores rated matches, which can be resumed."""
        self._abandon("the connection was lost")
        if self._is_closing:
            self._line.end()
        elif reason != self._reason:
            self._say(f"no connection to {self._settings.server} ({reason}); trying again")
        self._reason = reason

    def _hear(self, lines: list[str]) -> None:
        if _REFUSAL.match(lines[0]):
            self._say(f"the server reports an error: {lines[0]}")
        elif lines[0].startswith("/os: "):
            self._serve(read(lines))
        elif "/td:" in lines[0].split()[:2] or self._settings.chat:
            self._say(" ".join(line.strip() for line in lines[:_MOST_SHOWN]))

    def _settle(self) -> None:
        settings, self._reason = self._settings, ""
        rated = "-" if settings.rated == "never" else "+"
        for line in (
            "vt100 -",
            "bell -t -tc -tg -n -nc -ng -ni -nn",
            "verbose -news -faq -help -ack",
            "chann %",
            *(["chann + .chat"] if settings.chat else []),
            *(["chann + .tourney"] if settings.tournaments else []),
            "tell /os client -",
            "tell /os trust +",
            f"tell /os rated {rated}",
            "tell /os request +",
            f"tell /os open {settings.open}",
            "tell /os continue",
        ):
            self._send(line)
        for tournament in settings.tournaments:
            self._send(f"tell /td join {tournament}")
        self._ask()
        self._say(f"{self._engine} is logged in to {settings.server} as {self._user}")

    def _check_asks(self) -> None:
        """Raise EngineError if the engine can't play a match that the settings request."""
        for ask in self._asks:
            kind = MatchType.parse(ask.split()[0])
            if kind and (reason := self._unplayable(kind)):
                raise UnfitEngineError(f"can't request '{ask}': {reason}")

    def _unplayable(self, kind: MatchType) -> str:
        return self._settings.obstacle(kind, self._drivers[0].sets_boards_up)

    def _ask(self) -> None:
        for ask in self._asks if not self._is_closing else []:
            self._send(f"tell /os ask {ask}")

    def _serve(self, message: object) -> None:
        if isinstance(message, Offer):
            self._judge(message)
        elif isinstance(message, MatchStarted):
            self._begin(message)
        elif isinstance(message, Board):
            self._take(message)
        elif isinstance(message, MatchEnded):
            self._end(message)
        elif isinstance(message, Note) and (game := self._game_of(message)) is not None:
            if message.what == "error":
                self._doubt(game, f"the server reports an error: {message.text}")
            else:
                game.record.ran_out = True

    def _game_of(self, message: Board | MatchEnded | Note) -> GgsGame | None:
        return self._games.get(message.id, {}).get(_game_id(message))

    def _opponent(self, match: MatchStarted) -> str:
        one, other = match.players
        return other if one == self._user else one

    def _judge(self, offer: Offer) -> None:
        if offer.to != self._user or offer.by == self._user:
            return
        objection = self._settings.objection(offer, self._drivers[0].sets_boards_up)
        objection = "I am about to leave" if self._is_closing else objection
        if objection:
            self._send(f"tell /os decline {offer.id}")
            self._send(f"tell {offer.by} {objection}")
            self._say(f"declined {offer.by}'s request {offer.kind.text} {ggf_text(offer.clock)}: {objection}")
        else:
            self._send(f"tell /os accept {offer.id}")

    def _begin(self, begun: MatchStarted) -> None:
        if self._user not in begun.players or begun.id in self._matches:
            return
        if len(self._matches) >= _MOST_MATCHES:
            self._say(f"match {begun.id} is ignored: {_MOST_MATCHES} matches are in progress")
            return
        opponent = self._opponent(begun)
        self._matches[begun.id], self._games[begun.id] = begun, {}
        self._broken.discard(opponent)
        for ask in self._asks:
            if ask.split()[-1] == opponent and begun.players[0] == self._user:
                self._asks.remove(ask)
                break
        flag = {"R": "rated", "T": "tournament"}.get(begun.flag, "unrated")
        self._say(f"match {begun.id} against {opponent}: {begun.kind.text}, {flag}")
        if reason := self._unplayable(begun.kind):
            self._say(f"match {begun.id} is resigned: {reason}")
            self._send(f"tell /os resign {begun.id}")

    def _take(self, board: Board) -> None:
        match, id, game = self._matches.get(board.id), _game_id(board), self._game_of(board)
        if match is None or self._unplayable(match.kind):
            return
        try:
            if board.is_whole:
                record = GgsRecord(board, id, self._user)
                if game is None or game.is_over:
                    game = self._games[match.id][id] = GgsGame(record, self._idle, self._threads, self._say)
                elif game.record.says_the_same(record) and not game.is_doubted:
                    return
                game.record, game.is_doubted = record, False
            elif game is None or not game.record.update(board):
                return
            else:
                game.doubts = 0
        except (NotationError, IllegalMoveError) as error:
            if game is not None:
                self._doubt(game, f"the server's message is rejected: {error}")
            else:
                self._say(f"game {id} is ignored: {error}")
            return
        self._consider(match, game)

    def _doubt(self, game: GgsGame, reason: str) -> None:
        """Request the whole game again after a disagreement with the server; resign at the third one in a row."""
        if game.is_over:
            return
        game.doubts += 1
        game.is_doubted = True
        id = game.record.id
        self._say(f"game {id}: {reason}")
        game.drop()
        if game.doubts < _MOST_DOUBTS:
            self._send(f"tell /os watch + {id.rpartition('.')[0] or id}")
        elif game.doubts == _MOST_DOUBTS:
            self._say(f"game {id} is resigned")
            self._send(f"tell /os resign {id}")

    def _consider(self, match: MatchStarted, game: GgsGame) -> None:
        """Cancel an earlier search. If it is our turn, send a forced pass or start to choose a move."""
        game.drop()
        record = game.record
        if not record.is_our_turn or game.is_over:
            return
        if record.position.must_pass:
            self._send(f"tell /os play {record.id} PASS")
            return
        task = game.think(partial(self._send_move, match, record))
        self._tasks.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if error := task.exception():
            self._failure = self._failure or error
            self._leave()

    def _send_move(self, match: MatchStarted, record: GgsRecord, reply: Reply | None) -> None:
        if reply is not None and reply.resigns and match.kind.synchro:
            self._say(
                f"game {record.id}: resigning would give up both games of the match, so a move is played"
            )
            reply = Reply(str(next(iter(record.position.legal_moves()))))
        if reply is None or reply.resigns:
            self._send(f"tell /os resign {record.id}")
            return
        has_score = reply.score is not None and abs(reply.score) <= _HIGHEST_SCORE
        score = f"{reply.score:.2f}" if has_score else ""
        self._send(f"tell /os play {record.id} {reply.text}/{score}/{time.monotonic() - record.heard_at:.2f}")

    def _end(self, over: MatchEnded) -> None:
        match = self._matches.get(over.id)
        if match is None:
            return
        if over.part is not None:
            if (game := self._game_of(over)) is not None:
                self._finish(game, over)
            return
        del self._matches[over.id]
        for game in self._games.pop(over.id).values():
            self._finish(game, None if match.kind.synchro else over)
        self._say(f"match {over.id} against {self._opponent(match)} is over: {over.result or 'no result'}")
        if over.margin is None and "left" in over.result:
            self._note_broken(match)
        else:
            self._played += 1
        if self._settings.matches is not None and self._played >= self._settings.matches:
            self._close()
        if self._is_closing and not self._matches:
            self._leave()
        self._ask()

    def _finish(self, game: GgsGame, over: MatchEnded | None) -> None:
        """Save a game and release its engine. `over`: the message about the end; None for an interrupted game."""
        if game.is_over:
            return
        game.close()
        record, id = game.record.annotated(over), game.record.id
        if over is None and not record.moves:
            return
        result = f"{record.outcome.decided_margin:+d} discs for Black" if record.outcome else "interrupted"
        self._say(f"game {id}: {record.black} (Black) - {record.white} (White): {result}")
        try:
            with open_to_append(self._settings.file) as file:
                file.write(ggf.write(record))
        except (OutflankError, OSError) as error:
            self._say(f"can't save game {id}: {error}")

    def _abandon(self, why: str) -> None:
        for id, match in self._matches.items():
            self._say(f"match {id} against {self._opponent(match)} is interrupted: {why}")
            self._note_broken(match)
            for game in self._games[id].values():
                self._finish(game, None)
        self._matches.clear()
        self._games.clear()

    def _note_broken(self, match: MatchStarted) -> None:
        if len(self._broken) < _MOST_MATCHES:
            self._broken.add(self._opponent(match))

    def _close(self) -> None:
        self._is_closing = True
        self._send("tell /os open 0")

    def _leave(self) -> None:
        self._is_closing = True
        self._line.end()

    def _show_life(self) -> None:
        """Send a line to keep the connection alive.

        Unless a match is in progress, also resume interrupted matches and repeat our requests for matches.
        """
        self._send("tell /os continue" if self._broken and not self._matches else "")
        if not self._matches:
            self._ask()

    def _remark(self, sentence: str) -> None:
        """Show a remark about the engine once, even if several processes of the engine cause it."""
        if sentence not in self._remarks:
            self._remarks.add(sentence)
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        self._tell_user(self._settings.shown(sentence))


def _game_id(message: Board | MatchEnded | Note) -> str:
    """Return the id of a game: ``.5`` or, in a synchro match, ``.5.1``."""
    return message.id if message.part is None else f"{message.id}.{message.part}"

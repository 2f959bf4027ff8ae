"""The session of one controller: the game, its rules, the clocks and the strength of play."""

import queue
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from outflank.engine import (
    PASS,
    Clock,
    Colour,
    Game,
    IllegalMoveError,
    Limit,
    Move,
    Position,
    Rules,
    Searcher,
    SearchInfo,
)
from outflank.engine.search.analysis import start_thread
from outflank.engine.search.limits import DEFAULT_LEVEL, USUAL_OVERHEAD, limit_for_level
from outflank.protocol.clock import NO_LIMIT, RunningClock, TimeControl
from outflank.protocol.lines import Inbox
from outflank.protocol.server.human_strength import check_elo
from outflank.protocol.server.movesource import MoveRequest, OnInfo, SearchSource

if TYPE_CHECKING:  # not imported at run time, so that the first answer does not wait for SQLite
    from outflank.book import BookEntry
    from outflank.protocol.server.booksource import BookSource

_PAUSE_SECONDS = 0.01  # the interval between attempts to stop an abandoned search


@dataclass(frozen=True, slots=True)
class Strength:
    """The limits of a search in addition to the clock. None means no limit.

    Without any limit and without a clock, DEFAULT_LEVEL applies.

    Attributes:
        level: the level from 0 to 60, see ``limit_for_level``.
        depth: the depth in plies, which replaces the depth of the level.
        seconds: the time for each move.
        nodes: the number of nodes for each move.
        overhead: the seconds that each move takes outside the search. This time is reserved on every clock.
        elo: the Elo rating of a weaker opponent, see ``human_strength``; None for full strength. Analyses always have
            full strength.

    Raises: SettingsError if a value is out of range.
    """

    level: int | None = None
    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    overhead: float = USUAL_OVERHEAD
    elo: int | None = None

    def __post_init__(self) -> None:
        Limit(depth=self.depth, nodes=self.nodes, seconds=self.seconds)
        Clock(self.seconds or 0.0, overhead=self.overhead)  # validate the clock that ``limit`` creates
        limit_for_level(self.level or 0, empties=60)
        if self.elo is not None:
            check_elo(self.elo)

    def limit(self, clock: Clock | None, empties: int) -> Limit:
        """Return the limit of a search.

        Args:
            clock: the running clock of the side to move; None if no clock is running.
            empties: the number of empty squares of the position.
        """
        seconds = self.seconds
        if seconds is not None and clock is None:
            # Convert the time for a move to a clock, so that the overhead is reserved.
            clock, seconds = Clock(seconds, moves=1), None
        if clock is not None:
            clock = replace(clock, overhead=self.overhead)
        limit = Limit(depth=self.depth, nodes=self.nodes, seconds=seconds, clock=clock)
        if self.level is None and limit.ends_search(empties):
            return limit
        level = limit_for_level(DEFAULT_LEVEL if self.level is None else self.level, empties)
        return replace(level, depth=self.depth or level.depth, nodes=self.nodes, seconds=seconds, clock=clock)


class Session:
    """A game against one controller. If a method raises an exception, the session is unchanged.

    Attributes:
        game: the game being played.
        clocks: the running clocks of both sides.
        search: the source of moves that is used if no book has a move.

    Args:
        search: the source of moves that is used if no book has a move. Its searcher is also used for analyses.
        books: the opening books, which are consulted in this order before the search.
        strength: the limits of the search.
        rules: the rules of the first game.
        inbox: the controller's lines; an interrupting line stops a search early.
        ponders: True to search on the opponent's time.
    """

    def __init__(
        self,
        search: SearchSource,
        *,
        books: "Sequence[BookSource]" = (),
        strength: Strength | None = None,
        rules: Rules | None = None,
        inbox: Inbox | None = None,
        ponders: bool = False,
    ) -> None:
        self.strength = strength or Strength()
        self.inbox = inbox or Inbox()
        self.closed = False
        self.contempt = 0.0  # the value that a draw in a book has for Black, in discs
        self.books = tuple(books)
        self.search = search
        self._ponders = ponders
        self._left_to_opponent: Position | None = None  # the position after our last move
        self._sources: tuple[BookSource | SearchSource, ...] = (*self.books, search)
        self.set_time(NO_LIMIT)
        self.game = Game(rules)
        self._closing_passes = 0  # the passes after the end; they are not in `game`, but can be undone

    @property
    def searcher(self) -> Searcher:
        """The searcher for analyses. Two threads must not use it at the same time."""
        return self.search.searcher

    @property
    def position(self) -> Position:
        """The current position."""
        return self.game.position

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    def prepare(self) -> None:
        """Load the data for the first search, if it is not loaded yet. Raises: FileFormatError."""
        for source in self._sources:
            source.prepare()

    def new_game(self, rules: Rules | None = None) -> None:
        """Start a new game with full clocks. The transposition tables are kept.

        Calls ``prepare``, since no clock is running now.

        Args:
            rules: the rules of the new game; None for the current rules.
        """
        self.prepare()
        self.resume(Game(rules or self.rules))
        for clock in self.clocks.values():
            clock.reset()

    def resume(self, game: Game) -> None:
        """Replace the game with another game, and continue from its end."""
        self.game = game
        self._closing_passes = 0

    def set_time(self, control: TimeControl) -> None:
        """Give both sides a full clock with this time control."""
        self.clocks = {colour: RunningClock(control) for colour in Colour}

    def play(self, colour: Colour, move: Move) -> Move:
        """Play a move for `colour` and return it. After the end of the game, both sides may pass any number of times.

        Raises: IllegalMoveError.
        """
        if move.is_pass and self.position.is_over:
            self._closing_passes += 1
            return move
        return self.game.play(move, self.position.side if self.position.is_over else colour)

    def play_all(self, moves: Sequence[tuple[Colour, Move]]) -> None:
        """Play several moves. If a move is illegal, none of the moves is played.

        Raises: IllegalMoveError with the number of the illegal move, 1 for the first move.
        """
        for number, (colour, move) in enumerate(moves):
            try:
                self.play(colour, move)
            except IllegalMoveError as error:
                self.undo(number)
                raise IllegalMoveError(f"move {number + 1}: {error}") from None

    @property
    def moves_made(self) -> int:
        """The number of moves that can be taken back."""
        return self._closing_passes + sum(not turn.implied for turn in self.game.turns)

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves, each with the pass that it implied, if any."""
        for _ in range(count):
            if self._closing_passes:
                self._closing_passes -= 1
            else:
                self.game.undo()

    def genmove(
        self, colour: Colour, on_info: OnInfo | None = None, *, moves: Sequence[Move] | None = None
    ) -> Move:
        """Choose and play a move for `colour`, and charge the time to the clock.

        Args:
            colour: the side to move.
            on_info: see ``MoveRequest``.
            moves: see ``choose``.

        Raises: IllegalMoveError if `colour` is not to move.
        """
        began = time.perf_counter()
        move = self.play(colour, self.choose(colour, on_info, moves=moves))
        self.clocks[colour].spend(time.perf_counter() - began)
        return move

    def choose(
        self,
        colour: Colour,
        on_info: OnInfo | None = None,
        *,
        varied: bool = True,
        moves: Sequence[Move] | None = None,
    ) -> Move:
        """Choose a move for `colour` without playing it. Return a pass if no move is legal or the game is over.

        Args:
            colour: the side to move.
            on_info: see ``MoveRequest``.
            varied: see ``MoveRequest``.
            moves: the legal moves to choose from; None for all. Books are only used if all moves may be chosen.

        Raises: IllegalMoveError if `colour` is not to move.
        """
        position = self.turn_of(colour)
        if position.is_over or position.must_pass:
            return PASS
        limit = self.strength.limit(self.clocks[colour].reading, position.empties)
        draw = self.contempt if position.side is Colour.BLACK else -self.contempt
        elo = self.strength.elo
        request = MoveRequest(position, limit, varied, self.heed(on_info), self.game.turns, draw, moves, elo)
        # A weaker opponent should know no openings. A book might choose a move that `moves` excludes.
        sources = self._sources if moves is None and elo is None else (self.search,)
        move = next(filter(None, (source.choose(request) for source in sources)))
        self._left_to_opponent = position.play(move)
        return move

    def turn_of(self, colour: Colour) -> Position:
        """Return the position with `colour` to move, after a forced pass if the other side has to pass.

        Raises: IllegalMoveError if `colour` is not to move and the game is not over.
        """
        position = self.position
        if colour is position.side or position.is_over:
            return position
        if not position.must_pass:
            raise IllegalMoveError(f"{position.rules.colour_name(position.side)} is to move")
        return position.pass_()

    def probe(self, position: Position) -> "BookEntry | None":
        """Return the entry of the first book that has the position; None if no book has it."""
        return next((entry for book in self.books if (entry := book.probe(position)) is not None), None)

    def ponder(self) -> None:
        """Search on the opponent's time until any line arrives, if `ponders` is set and we chose the last move.

        The result stays in the transposition table.
        """
        position = self.position
        if self._ponders and position == self._left_to_opponent:
            with self.searcher.analyse(position):
                self.inbox.wait_for_input()

    def best_line(self) -> Sequence[Move]:
        """Return the principal variation of a search without randomness; empty if the game is over."""
        position = self.position
        limit = self.strength.limit(self.clocks[position.side].reading, position.empties)
        return self.search.steady.search(position, limit, on_info=self.heed()).pv

    def description(self) -> list[str]:
        """Return lines with all settings that are needed to repeat a game, except the version."""
        limits = asdict(self.strength)
        overhead, elo = limits.pop("overhead"), limits.pop("elo")
        given = [f"{name} {value}" for name, value in limits.items() if value is not None]
        return [
            f"rules {self.rules}",
            f"search limits: {', '.join(given) or f'the clock, or level {DEFAULT_LEVEL} without one'}",
            *([] if elo is None else [f"moves of an opponent of Elo {elo}, on Outflank's own scale"]),
            f"overhead {1000 * overhead:g} ms, pondering {'on' if self._ponders else 'off'}",
            *(fact for source in self._sources for fact in source.description(self.rules)),
        ]

    def interrupt(self) -> None:
        """Stop the current search. Other threads may call this method."""
        for source in self._sources:
            source.interrupt()

    def heed(self, on_info: OnInfo | None = None) -> OnInfo:
        """Return an ``on_info`` that also stops the search if an interrupting line came before the search started."""

        def stop_or_pass_on(info: SearchInfo) -> None:
            if self.inbox.interrupted:
                self.interrupt()
            if on_info is not None:
                on_info(info)

        return stop_or_pass_on


def think_aloud(
    session: Session, think: Callable[[OnInfo], Move]
) -> Generator[SearchInfo | Move | None, None, None]:
    """Choose a move in another thread, and yield the reports of the search and the move.

    Args:
        session: the session in which the move is chosen. Its search is interrupted if the generator is closed early.
        think: the function that chooses the move, and calls its argument with each search result.

    Yields: each search result, None whenever a new command is waiting, and finally the move.

    Raises: the errors of `think`; OutflankError if the system can't start another thread.
    """
    reports: queue.SimpleQueue[SearchInfo | Move | BaseException | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            reports.put(think(reports.put))
        except BaseException as error:  # the thread that waits for the report raises this
            reports.put(error)

    thread = threading.Thread(target=run, name="outflank thinking", daemon=True)
    start_thread(thread)
    try:
        with session.inbox.notifying(lambda: reports.put(None)):
            while not isinstance(report := reports.get(), Move):
                if isinstance(report, BaseException):
                    raise report
                yield report
        yield report
    finally:
        while thread.is_alive():
            session.interrupt()
            thread.join(_PAUSE_SECONDS)

"""A session asks its sources of moves in turn, and knows nothing of what stands behind them."""

from collections.abc import Mapping

from outflank.engine import Colour, Game, Limit, Move, Position, Rules, Searcher
from outflank.protocol.movesource import MoveRequest, OpeningBook, SearchSource
from outflank.protocol.session import Session, Strength

F5 = Move.parse("f5")


class Notes:
    """A source that knows what was written down, by one sheet of rules."""

    def __init__(self, moves: Mapping[Position, Move]) -> None:
        self._moves = moves
        self.requests: list[MoveRequest] = []
        self.calls: list[str] = []

    def prepare(self) -> None:
        self.calls.append("prepare")

    def choose(self, request: MoveRequest) -> Move | None:
        self.requests.append(request)
        return self._moves.get(request.position)

    def interrupt(self) -> None:
        self.calls.append("interrupt")

    def look(self, position: Position) -> None:
        """They are no book."""

    def learn(self, *_: object) -> int:
        return 0

    def contents(self, rules: Rules) -> str:
        return f"{len(self._moves)} positions"

    def description(self, rules: Rules) -> list[str]:
        return [f"notes on {len(self._moves)} positions"]


def session(*books: OpeningBook, rules: Rules | None = None) -> Session:
    return Session(SearchSource(Searcher(1)), books=books, strength=Strength(depth=1), rules=rules)


def test_a_source_that_knows_the_position_is_asked_before_the_search() -> None:
    notes = Notes({Position.start(): F5})
    playing = session(notes)

    assert playing.genmove(Colour.BLACK) == F5
    assert playing.game.transcript() == "f5"


def test_where_it_knows_nothing_the_search_chooses() -> None:
    notes = Notes({})
    playing = session(notes)

    move = playing.genmove(Colour.BLACK)

    assert move in Position.start().legal_moves()
    assert [request.position for request in notes.requests] == [Position.start()]


def test_sources_are_asked_in_their_order_until_one_knows() -> None:
    silent, first, second = (
        Notes({}),
        Notes({Position.start(): F5}),
        Notes({Position.start(): Move.parse("c4")}),
    )

    assert session(silent, first, second).genmove(Colour.BLACK) == F5
    assert second.requests == []


def test_the_request_carries_rules_limit_and_whether_chance_may_choose() -> None:
    notes = Notes({})
    playing = session(notes, rules=Rules.parse("reversi"))

    playing.choose(Colour.WHITE, varied=False)
    playing.genmove(Colour.WHITE)

    assert [request.varied for request in notes.requests] == [False, True]
    assert {request.position.rules.name for request in notes.requests} == {"reversi"}
    assert {request.limit for request in notes.requests} == {Limit(depth=1)}


def test_a_pass_is_asked_of_nobody() -> None:
    notes = Notes({})
    playing = session(notes)
    playing.resume(Game(first=Position.parse("XO------" + "-" * 56 + " O")))

    assert playing.genmove(Colour.WHITE).is_pass
    assert notes.requests == []


def test_every_source_is_prepared_interrupted_and_described() -> None:
    notes = Notes({})
    playing = session(notes)

    playing.prepare()
    playing.interrupt()

    assert notes.calls == ["prepare", "interrupt"]
    assert playing.description()[3:] == ["notes on 0 positions", "threads 1, table 1 MB", "seed none"]


def test_chance_varies_genmove_but_never_reg_genmove() -> None:
    played, advised = set(), set()
    for seed in range(12):
        session = Session(SearchSource(Searcher(1, seed=seed), Searcher(1), seed), strength=Strength(depth=2))
        advised.add(session.choose(Colour.BLACK, varied=False))
        played.add(session.genmove(Colour.BLACK))

    assert len(played) > 1
    assert len(advised) == 1

"""Engines with opening books under the referee: the book is a setting, and which moves came from it is kept."""

import pytest

from outflank.engine import Colour, NotationError, Rules
from outflank.tests.protocol.books import small_book
from outflank.tests.tools.games.refereed import referee
from outflank.tests.tools.samples import run_of
from outflank.tests.tools.show.shown import page_of, summary_of
from outflank.tools.commands.compliance import _command_line
from outflank.tools.match.game.engines import Entry
from outflank.tools.match.game.players import make_player
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.game.setup import command_line
from outflank.tools.report.figures import figures_of


def test_the_book_is_a_setting_of_the_engine() -> None:
    entry = Entry.parse("cmd='outflank gtp' book='my openings.book' level=3")
    placed = Entry.parse("cmd='edax -book-file {book}' book=edax.dat")

    assert command_line(entry)[1:] == ["gtp", "--level=3", "--book=my openings.book"]
    assert command_line(placed)[1:] == ["-book-file", "edax.dat"]
    assert entry.settings()["book"] == "my openings.book"
    with pytest.raises(NotationError, match="expected a file or none for book, got ''"):
        Entry.parse("cmd=x book=")


def test_compliance_examines_outflank_without_its_book() -> None:
    """Its clock and its searches can't be seen while it answers from a book."""
    assert _command_line("outflank gtp --level 3")[1:] == ["gtp", "--level", "3", "--book=none"]
    assert _command_line("outflank nboard --book mine")[1:] == ["nboard", "--book", "mine"]
    assert _command_line("edax -gtp")[1:] == ["-gtp"]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> GameRecord:
    """A by GTP and B by NBoard's protocol; both know the opening f5 d6 c4, B the reply d3 too."""
    path = small_book(tmp_path_factory.mktemp("book"))
    first = Entry.parse(f"name=A cmd='outflank gtp' level=1 book={path}")
    second = Entry.parse(f"name=B cmd='outflank nboard' protocol=nboard level=1 book={path}")
    players = [make_player(entry, Rules()) for entry in (first, second)]
    try:
        return referee(players[0], players[1], stall=30)
    finally:
        for player in players:
            player.stop()


def test_moves_from_a_book_are_known_in_either_protocol(game: GameRecord) -> None:
    own = [turn.move for turn in game.turns if not turn.move.is_pass]

    assert game.ending is Ending.DISCS
    assert game.from_book[:4] == (True, True, True, True)
    assert set(game.from_book[4:]) <= {False, None}
    assert len(game.from_book) == len(game.turns) >= len(own)
    assert all(
        told is None or seconds is not None
        for told, seconds in zip(game.from_book, game.seconds, strict=True)
    )


def test_tables_report_and_summary_show_the_share(game: GameRecord) -> None:
    run = run_of([game])
    engines = {engine.entry.name: engine.book_moves for engine in figures_of(run).engines}
    known = {
        name: sum(
            told is not None and turn.colour is colour
            for turn, told in zip(game.turns, game.from_book, strict=True)
        )
        for name, colour in (("A", Colour.BLACK), ("B", Colour.WHITE))
    }
    page = page_of(run)

    assert engines == {name: (2, moves) for name, moves in known.items()}
    assert f'<td class="number">{200 / known["A"]:.1f} %</td>' in page
    assert '"booked": [0, 1, 2, 3]' in page
    assert [engine["book_moves"] for engine in summary_of(run)["engines"]] == [2, 2]

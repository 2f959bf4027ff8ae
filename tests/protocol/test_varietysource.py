"""Variety without a book: other games each time, no bad moves, the same games by the same seed."""

import pytest

from outflank.engine import Colour, Game, Limit, Position, Rules, Searcher, SearchInfo, SettingsError
from outflank.protocol.movesource import MoveRequest, SearchSource, Spread, VarietySource, are_images
from outflank.protocol.session import Session, Strength

DEPTH = Limit(depth=4)


def opening(seed: int) -> str:
    """The first eight moves of a session that plays both sides."""
    searcher = Searcher(1)
    playing = Session(
        SearchSource(searcher),
        variety=VarietySource(searcher, Spread(2, 6), seed),
        strength=Strength(depth=4),
    )
    for number in range(8):
        playing.genmove([*Colour][number % 2])
    return playing.game.transcript()


def test_seeds_make_openings_differ_and_repeat_them() -> None:
    openings = [opening(seed) for seed in range(8)]

    assert len(set(openings)) >= 5
    assert openings[3] == opening(3)


def test_no_move_is_worse_than_it_may_be() -> None:
    """By a search of its own for each move that was drawn, as deep as the one that it was drawn from."""
    searcher = Searcher(1)
    for seed in range(5):
        game = Game.from_transcript(opening(seed))
        for turn in game.turns[:6]:
            found = searcher.search(turn.before, DEPTH, multipv=6).lines
            scores = {line.move: line.score for line in found}

            assert scores[turn.move] >= found[0].score - 2


def test_after_the_first_plies_it_knows_nothing() -> None:
    source = VarietySource(Searcher(1), Spread(2, 6), 1)
    for plies, knows in ((5, True), (6, False)):
        game = Game.from_transcript("f5d6c3d3c4f4"[: 2 * plies])

        assert (source.choose(MoveRequest(game.position, DEPTH, turns=game.turns)) is not None) is knows


def test_a_forced_pass_is_no_ply() -> None:
    game = Game.from_transcript("e6f6c4e7e8d8g7f8")
    game.pass_()
    for plies, knows in ((8, False), (9, True)):
        source = VarietySource(Searcher(1), Spread(2, plies), 1)

        assert (source.choose(MoveRequest(game.position, DEPTH, turns=game.turns)) is not None) is knows


def test_discs_that_were_set_up_are_no_plies() -> None:
    board = Game.from_transcript("f5d6c3d3c4f4").position

    assert VarietySource(Searcher(1), Spread(2, 1), 1).choose(MoveRequest(board, DEPTH)) is not None


def test_a_choice_among_images_is_drawn_without_a_search() -> None:
    source, told = VarietySource(Searcher(1), Spread(2), 1), list[SearchInfo]()
    request = MoveRequest(Position.start(), Limit(seconds=60), on_info=told.append)

    drawn = {str(source.choose(request)) for _ in range(40)}

    assert drawn == {"d3", "c4", "f5", "e6"}
    assert told == []


def test_where_chance_may_not_choose_it_knows_nothing() -> None:
    source = VarietySource(Searcher(1), Spread(64), 1)

    assert source.choose(MoveRequest(Position.start(), DEPTH, varied=False)) is None


def test_a_seed_of_its_own_is_told() -> None:
    first, second = (VarietySource(Searcher(1), Spread(1, 12)).description(Rules()) for _ in range(2))

    assert first[0].startswith("variety 1 discs in the first 12 plies, seed ")
    assert first != second


@pytest.mark.parametrize("bad", [(-1, 5), (65, 5), (float("nan"), 5), (1, 0), (1, 65)])
def test_senseless_spreads_are_refused(bad: tuple[float, int]) -> None:
    with pytest.raises(SettingsError, match="of variety, got"):
        Spread(*bad)


def test_the_first_move_takes_no_time_since_all_are_images_of_each_other() -> None:
    playing = Session(SearchSource(Searcher(1)), strength=Strength(seconds=20))
    reports: list[SearchInfo] = []
    playing.genmove(Colour.BLACK, reports.append)

    assert max(report.depth for report in reports) == 1
    assert are_images(Position.start())
    assert not are_images(Game.from_transcript("f5").position)
    assert not are_images(Game.from_transcript("f5f6e6f4").position)


def test_a_move_to_a_depth_is_searched_to_it_from_the_start_too() -> None:
    playing = Session(SearchSource(Searcher(1)), strength=Strength(depth=3))
    reports: list[SearchInfo] = []
    playing.genmove(Colour.BLACK, reports.append)

    assert max(report.depth for report in reports) == 3

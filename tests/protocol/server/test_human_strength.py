"""Opponents of people's strength: which discs they lose, and when."""

from collections.abc import Sequence
from random import Random

import pytest

from outflank.engine import PRESETS, Colour, Game, Limit, Line, Position, Rules, Searcher
from outflank.protocol.server.human_strength import (
    HIGHEST_ELO,
    LOWEST_ELO,
    chances,
    choose,
    depths,
    gives_corner,
    strength_of,
)
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support.dialogue import Dialogue
from outflank.tests.support.positions import random_game

NO_LIMIT = Limit(depth=1)
ELOS = range(LOWEST_ELO, HIGHEST_ELO + 1, 100)


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    return Searcher(1)


def judged(searcher: Searcher, position: Position, depth: int) -> Sequence[Line]:
    """Return all moves, the best first."""
    limit = Limit(depth=min(depth, position.empties))
    return searcher.search(position, limit, multipv=len(position.legal_moves())).lines


def positions(rng: Random, count: int) -> list[Position]:
    """Return positions of random games, each with two moves or more."""
    found: list[Position] = []
    while len(found) < count:
        game = random_game(rng, moves=rng.randrange(4, 56))
        if len(game.position.legal_moves()) > 1:
            found.append(game.position)
    return found


def test_the_chances_add_up_and_the_better_of_two_moves_is_likelier(rng: Random, searcher: Searcher) -> None:
    for position in positions(rng, 30):
        lines = judged(searcher, position, 2)
        for elo in ELOS:
            drawn = chances(position, lines, strength_of(elo))
            assert sum(drawn) == pytest.approx(1)
            safe = [c for c, line in zip(drawn, lines, strict=True) if not gives_corner(position, line.move)]
            assert safe == sorted(safe, reverse=True)


def test_the_stronger_opponent_loses_fewer_discs_and_none_loses_15(rng: Random, searcher: Searcher) -> None:
    lost = dict.fromkeys(ELOS, 0.0)
    for position in positions(rng, 60):
        lines = judged(searcher, position, 2)
        for elo in ELOS:
            drawn = chances(position, lines, strength_of(elo))
            by_line = [
                (chance, lines[0].score - line.score) for chance, line in zip(drawn, lines, strict=True)
            ]
            lost[elo] += sum(chance * discs for chance, discs in by_line)
            assert elo > LOWEST_ELO or all(discs <= 14 for chance, discs in by_line if chance)

    assert [*lost.values()] == sorted(lost.values(), reverse=True)
    assert lost[LOWEST_ELO] > 3 * lost[ELOS[-1]] > 0


def test_a_corner_is_hardly_ever_given_for_nothing(rng: Random, searcher: Searcher) -> None:
    given = seen = 0.0
    for position in positions(rng, 200):
        lines = judged(searcher, position, 4)
        drawn = chances(position, lines, strength_of(LOWEST_ELO))
        bad = [
            chance
            for line, chance in zip(lines, drawn, strict=True)
            if lines[0].score - line.score >= 4 and gives_corner(position, line.move)
        ]
        seen += bool(bad)
        given += sum(bad)

    assert seen > 20
    assert given < 0.05 * seen


def test_a_corner_counts_as_given_only_if_the_move_opened_it() -> None:
    position = Game.from_transcript("d3e3f6e6f2c3f5d2c4g6").position
    assert [str(move) for move in position.legal_moves() if gives_corner(position, move)] == ["b2", "g7"]

    opened = position.play("b2").play("e2")  # White can take a1 already
    assert str(opened.with_side(opened.side.other).legal_moves()[0]) == "a1"
    assert [str(move) for move in opened.legal_moves() if gives_corner(opened, move)] == []


def test_from_some_empty_squares_on_every_opponent_plays_the_best_move(searcher: Searcher) -> None:
    for elo in ELOS:
        _, _, solves = strength_of(elo)
        assert depths(strength_of(elo), solves) == [(solves, 1.0)]
    position = Position.parse("X-OOOOOOXXXOOOOOXXXXOOOOXXXXXOOOXXXXXXOOXXXXXXXOXXXXXXX-OOOOOO-- X")
    lines = judged(searcher, position, position.empties)

    drawn = chances(position, lines, strength_of(HIGHEST_ELO))

    assert drawn[0] == 1


@pytest.mark.parametrize("seed", [None, 5])
def test_a_seed_repeats_a_move_whatever_was_searched_before(seed: int | None, rng: Random) -> None:
    found = positions(rng, 40)
    fresh, used = Searcher(1), Searcher(1)
    for position in found:
        used.search(position, Limit(depth=6))

    moves = [
        [choose(each, position, LOWEST_ELO, NO_LIMIT, seed) for position in found] for each in (fresh, used)
    ]

    assert (moves[0] == moves[1]) is (seed is not None)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_a_game_by_any_rules_is_played_to_its_end(rules: Rules) -> None:
    session = Session(SearchSource(Searcher(1), seed=3), strength=Strength(elo=LOWEST_ELO), rules=rules)

    while not session.position.is_over:
        session.genmove(session.position.side)

    assert session.game.turns


def test_books_and_analyses_do_not_know_the_weakness() -> None:
    strong = Dialogue(strength=Strength(depth=6))
    weak = Dialogue(strength=Strength(depth=6, elo=LOWEST_ELO))

    assert weak.ask("outflank-line") == strong.ask("outflank-line")
    weak.ask("outflank-strength elo")
    assert weak.session.strength == strong.session.strength


def test_a_move_without_chance_is_always_the_same() -> None:
    dialogue = Dialogue(strength=Strength(elo=LOWEST_ELO))

    assert len({dialogue.ask("reg_genmove b") for _ in range(12)}) == 1
    assert len({str(dialogue.session.choose(Colour.BLACK)) for _ in range(40)}) > 1

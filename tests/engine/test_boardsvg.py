"""Boards as SVG: well-formed, with everything that was asked for on its square."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Game, IllegalMoveError, NotationError, Position, Rules, SettingsError
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import WITH_PASSES, rules_of

SVG = "{http://www.w3.org/2000/svg}"
AFTER_F5 = Position.start().play("f5")


def parts(svg: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{name}"))


def centre(square: str) -> tuple[float, float]:
    return 40.0 + 40 * "abcdefgh".index(square[0]), 40.0 + 40 * (int(square[1]) - 1)


def circles(svg: str, fill: str, radius: float | None = None) -> set[tuple[float, float]]:
    return {
        (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
        for circle in parts(svg, "circle")
        if circle.attrib["fill"] == fill and radius in (None, float(circle.attrib["r"]))
    }


def texts(svg: str) -> dict[str, tuple[float, str]]:
    """Column and weight of each text behind the coordinates."""
    return {
        str(text.text): (float(text.attrib["x"]), text.attrib["font-weight"])
        for text in parts(svg, "text")[16:]
    }


@settings(max_examples=40)
@given(data=st.data(), named=strategies.sheets())
def test_every_disc_lies_on_its_square_in_the_colour_of_the_box(
    data: st.DataObject, named: tuple[str, reference.Sheet]
) -> None:
    game = Game(rules_of(*named))
    for *_, move in data.draw(strategies.games(named[1])).played:
        game.play(move)
    position = game.position
    svg = position.svg(legal=False)
    for name, discs in zip(position.rules.colour_names, (position.black, position.white), strict=True):
        drawn = circles(svg, DISC_COLOURS[name].image, 16.5)

        assert drawn == {(40.0 + s % 8 * 40, 40.0 + s // 8 * 40) for s in range(64) if discs >> s & 1}


def test_legal_moves_are_small_discs_of_the_mover() -> None:
    assert circles(AFTER_F5.svg(), DISC_COLOURS["White"].image, 5) == set(map(centre, ["d6", "f4", "f6"]))
    assert circles(AFTER_F5.svg(legal=False), DISC_COLOURS["White"].image, 5) == set()


def test_the_last_move_is_marked() -> None:
    assert circles(AFTER_F5.svg(last="f5"), "#ff6a3d") == {centre("f5")}
    assert circles(AFTER_F5.svg(), "#ff6a3d") == circles(AFTER_F5.svg(last="pass"), "#ff6a3d") == set()


def test_scores_stand_on_their_squares_and_the_best_stand_out() -> None:
    svg = AFTER_F5.svg(scores={"d6": -1, "f4": 2.25, "f6": 0})

    assert texts(svg) == {"-1": (160, "normal"), "+2.2": (240, "bold"), "0": (240, "normal")}
    assert circles(svg, DISC_COLOURS["White"].image, 5) == set()


def test_a_line_is_numbered_discs() -> None:
    svg = AFTER_F5.svg(line=["d6", "c3", "d3"])

    assert texts(svg) == {"1": (160, "bold"), "2": (120, "bold"), "3": (160, "bold")}
    assert texts(AFTER_F5.svg(line=["d6", "c3"], number=2)) == {"2": (160, "bold"), "3": (120, "bold")}
    assert centre("c3") in circles(svg, DISC_COLOURS["Black"].image, 16.5)


def test_a_whole_game_is_a_diagram_with_the_numbers_1_to_60() -> None:
    moves = [turn.move for turn in Game.from_transcript(WITH_PASSES)]
    svg = Position.start().svg(line=moves)

    assert len(moves) == 62
    assert set(texts(svg)) == set(map(str, range(1, 61)))
    assert parts(svg, "polygon") == []


def test_coordinates_can_be_left_out_and_the_size_be_chosen() -> None:
    plain = ElementTree.fromstring(AFTER_F5.svg(coordinates=False, size=100))

    assert plain.attrib["viewBox"] == "20 20 320 320"
    assert (plain.attrib["width"], plain.attrib["height"]) == ("100", "100")
    assert list(plain.iter(f"{SVG}text")) == []


def test_the_title_says_how_it_stands() -> None:
    (title,) = parts(Position.start(Rules.parse("ravensburger-1987")).svg(), "title")

    assert title.text == "Red 2, White 2, White to move"


def test_a_notebook_shows_a_position_by_itself() -> None:
    assert AFTER_F5._repr_svg_() == AFTER_F5.svg()
    assert Game.from_transcript("f5")._repr_svg_() == AFTER_F5.svg(last="f5")
    assert Game()._repr_svg_() == Position.start().svg()


@pytest.mark.parametrize(
    ("how", "kind", "sentence"),
    [
        ({"size": 0}, SettingsError, "expected size of at least 16 pixels, got 0"),
        ({"size": 8193}, SettingsError, "expected size of at most 8192 pixels, got 8193"),
        ({"size": "x"}, SettingsError, "expected a whole number for size, got 'x'"),
        ({"last": "h8"}, SettingsError, "there is no disc on h8, so it can't be the last move"),
        ({"last": "z9"}, NotationError, "expected a square from a1 to h8, got 'z9'"),
        ({"line": ["f5"]}, IllegalMoveError, "f5 is illegal; legal for White: f4 d6 f6"),
        ({"scores": {"a1": 2}}, IllegalMoveError, "a1 is illegal; legal for White: f4 d6 f6"),
    ],
)
def test_what_can_not_be_drawn_is_refused(
    how: dict[str, object], kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as caught:
        AFTER_F5.svg(**how)  # type: ignore[arg-type]

    assert str(caught.value) == sentence

"""Games are cut out of a stream bracket by bracket, whatever stands in and between them."""

from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import FileFormatError
from outflank.protocol.formats.reading import GAME_CAP, split_games


def split(data: bytes, *, escapes: bool = True) -> list[bytes | str]:
    """The games, and the sentence of each error."""
    games = split_games(BytesIO(data), escapes=escapes)
    return [str(game) if isinstance(game, FileFormatError) else game for game in games]


def test_games_are_cut_at_their_brackets_and_prose_is_left_out() -> None:
    assert split(b"2 (;A[1];) (see (1), :-)\n(;B[2](;C)(;D))x") == [b"(;A[1];)", b"(;B[2](;C)(;D))"]


def test_a_game_may_begin_over_two_lines() -> None:
    assert split(b"(\r\n ;A[1])\n(\n\n;B)\n(\nno game) (;C)") == [b"(\r\n ;A[1])", b"(\n\n;B)", b"(;C)"]


def test_brackets_in_values_are_text() -> None:
    assert split(b"(;C[a ) ( ;) \\] b\\\\])(;D)") == [b"(;C[a ) ( ;) \\] b\\\\])", b"(;D)"]


def test_without_escapes_a_backslash_is_a_letter() -> None:
    assert split(b"(;PB[a\\]W[b];)(;D)", escapes=False) == [b"(;PB[a\\]W[b];)", b"(;D)"]


def test_an_escape_at_the_end_of_a_line_holds_for_the_next() -> None:
    assert split(b"(;C[a\\\n]b])(;D)") == [b"(;C[a\\\n]b])", b"(;D)"]
    assert split(b"(;C[" + b"x" * (1 << 16) + b"\\]y])(;D)")[1] == b"(;D)"


def test_a_game_without_an_end_takes_no_other_with_it() -> None:
    sentence = "the bracket that ends the game is missing after '(;GM[2]C[open'"

    for cut in (b"(;GM[2]C[open\n", b"(;GM[2]C[open\n\n\n"):
        first, second = split(cut + b"(;GM[2];B[f5])")
        assert str(first).startswith(sentence.removesuffix("'"))
        assert second == b"(;GM[2];B[f5])"
    assert split(b"(;GM[2]C[open") == [sentence]


def test_a_variation_at_the_start_of_a_line_is_no_game() -> None:
    assert len(split(b"(;GM[2];B[f5]\n(;W[d6])\n(;W[f4]))")) == 1


def test_a_game_that_is_too_long_is_none() -> None:
    long = b"(;C[" + b"x\n" * GAME_CAP + b"])"

    assert split(long + b"(;D)") == [
        f"a game may have {GAME_CAP} bytes, and this one has {len(long)}",
        b"(;D)",
    ]


@given(
    st.lists(st.sampled_from([b"(", b")", b"[", b"]", b";", b"\\", b"\n", b" ", b"GM", b"x"]), max_size=60)
)
def test_any_brackets_at_all_are_cut_into_games_or_errors(pieces: list[bytes]) -> None:
    data = b"".join(pieces)

    for escapes in (True, False):
        for game in split(data, escapes=escapes):
            assert isinstance(game, str) or (game in data and game[:1] == b"(" and game[-1:] == b")")

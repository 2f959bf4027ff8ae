"""Whatever a file holds: games come out, or sentences about what is none, and memory stays small."""

import io
import random
import tracemalloc
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank.engine import FileFormatError, Position
from outflank.protocol.formats import FORMATS, FormatName, edx, ggf, obf, read_games, sgf, transcript, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame, Recorder, Result
from outflank.protocol.formats.reading import GAME_CAP, split_games
from outflank.tests.support.gamefiles import games_in, only, read

MEGABYTE = 1 << 20


class Endless(io.RawIOBase):
    """A stream that repeats a piece until it has given so many bytes, and never holds more than a piece."""

    def __init__(self, piece: bytes, size: int, beginning: bytes = b"") -> None:
        self._left = size
        self._piece, self._ready = piece * (1 + 4096 // len(piece)), beginning

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while len(self._ready) < len(view):
            self._ready += self._piece
        count = min(len(view), self._left)
        view[:count], self._ready = self._ready[:count], self._ready[count:]
        self._left -= count
        return count


def a_game(seed: int) -> AnnotatedGame:
    position, recorder, rng = Position.start(), Recorder(Position.start()), random.Random(seed)
    for _ in range(12):
        move = rng.choice(position.legal_moves())
        recorder.play(move, seconds=0.5, score=1.5)
        position = position.play(move)
    return AnnotatedGame(Position.start(), recorder.moves, black="A", white="B", result=Result(None, 0))


def in_wthor(games: list[AnnotatedGame]) -> bytes:
    wthor.write(games, stream := io.BytesIO())
    return stream.getvalue()


def edx_record(game: AnnotatedGame) -> bytes:
    squares = bytes(played.move.square for played in game.moves if played.move.square is not None)
    return edx.GAME.pack(
        game.first.own, game.first.opp, 2026, 1, 2, 255, 0, 0, b"A", b"B", squares.ljust(60, b"A"), 0, 0
    )


GAMES = [a_game(seed) for seed in range(3)]
FILES: dict[FormatName, bytes] = {
    "transcript": "".join(map(transcript.write, GAMES)).encode(),
    "obf": "".join(map(obf.write, GAMES[:1])).encode(),
    "sgf": "".join(map(sgf.write, GAMES)).encode(),
    "ggf": "".join(map(ggf.write, GAMES)).encode(),
    "wthor": in_wthor(GAMES),
    "pgn": "".join(
        f'[Event "Cup"]\n[Black "A"]\n[Result "1/2-1/2"]\n\n{transcript.write(game, "numbered").partition("#")[0]}'
        "\n{a comment} 1/2-1/2\n\n"
        for game in GAMES
    ).encode(),
    "edx": b"".join(map(edx_record, GAMES)),
}


@pytest.mark.parametrize("name", FORMATS)
def test_wherever_a_file_is_cut_the_games_before_come_out(name: FormatName) -> None:
    data = FILES[name]
    whole = games_in(data, name)

    for size in range(len(data)):
        entries = read(data[:size], name)
        good = [entry for entry in entries if isinstance(entry, AnnotatedGame)]
        # The last one may have lost moves where a game's end is the end of its line.
        assert good[:-1] == whole[: len(good) - 1] if good else True
        assert good or entries, size


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=400))
def test_noise_is_named(name: FormatName, data: bytes) -> None:
    begins = (
        "expected",
        "move ",
        "this is a",
        "it contains no games",
        "the closing bracket of the game is missing",
    )
    for entry in read(data, name):
        assert isinstance(entry, AnnotatedGame) or entry.reason.startswith(begins)


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), count=st.integers(1, 8))
def test_damaged_bytes_are_named_or_harmless(name: FormatName, seed: int, count: int) -> None:
    rng, data = random.Random(seed), bytearray(FILES[name])
    for _ in range(count):
        data[rng.randrange(len(data))] = rng.randrange(256)

    for found in (read(bytes(data)), read(bytes(data), name)):
        assert found
        for entry in found:
            assert isinstance(entry, AnnotatedGame) or entry.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it contains no games (transcript)"),
        (b"\n\n# nothing\n", "it contains no games (transcript)"),
        (b"\x7fELF\x02\x01\0\0\0\0\0", "it is not a file of games: its contents are not text, WTHOR or edx"),
        (b"\0" * 9, "it is not a file of games: its contents are not text, WTHOR or edx"),
        (b"hello", "line 1: move 1 of the transcript: expected a square from a1 to h8, got 'he'"),
        (b"(;" * 100_000, "game 1: the closing bracket of the game is missing after"),
        (b"(;GM[Othello]" * 9 + b";)" * 9, "game 1: expected tags such as PB[name], got"),
        (b"(;GM[2]" * 300 + b")" * 300 + b"(;GM[4])", "game 2: expected a game of Othello (GM[2]), got GM"),
        (b"(;FF[4]GM[2];B[f5];B[f4])", "game 1: move 2: expected a move for White, got a move for Black"),
        (b"(;FF[4]GM[2];B[" + b"f" * 300 + b"])", "game 1: move 1: expected a square from a1 to h8"),
    ],
)
def test_what_is_no_game_is_named(data: bytes, reason: str) -> None:
    assert any(str(entry).startswith(reason) for entry in read(data)), read(data)


BLANKS = " " * 70_000
OBF_LINE = f"{Position.start().board_string()}; D3:+0;"


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("transcript", f"f5d6{BLANKS}c3d3\n"),
        ("transcript", f"{BLANKS}f5d6\n"),
        ("transcript", f"1. f5 d6\n2. c3{BLANKS}d3\n3. c4\n"),
        ("transcript", f"f5d6{BLANKS}"),
        ("obf", f"{OBF_LINE}{BLANKS}C4:+60;\n"),
        ("obf", f"{BLANKS}{OBF_LINE}\n"),
    ],
)
def test_of_a_line_that_is_too_long_nothing_is_taken(name: FormatName, game: str) -> None:
    """What is cut off may be moves, though all that is seen of it is blank."""
    refused, *others = read(game.encode() + (FILES[name] if game.endswith("\n") else b""), name)

    assert isinstance(refused, BadGame)
    assert str(refused).startswith("line 1: the ")
    assert " has 65536 bytes or more, which is too long" in refused.reason
    assert others == (read(FILES[name], name) if game.endswith("\n") else [])


@pytest.mark.parametrize(
    ("name", "line"), [("transcript", "# "), ("obf", "% "), ("obf", f"{OBF_LINE} % the start")]
)
def test_a_comment_that_is_read_over_may_be_of_any_length(name: FormatName, line: str) -> None:
    data = f"{line}{BLANKS}f5d6\n".encode() + FILES[name]

    assert games_in(data, name)


def test_the_longest_line_is_read() -> None:
    longest = b"f5d6".ljust((1 << 16) - 1)

    assert [type(entry) for entry in read(longest + b"\nf5\n", "transcript")] == [AnnotatedGame] * 2
    assert [type(entry) for entry in read(longest + b" \nf5\n", "transcript")] == [BadGame, AnnotatedGame]


DIGITS = "9" * 5000


@pytest.mark.parametrize(
    "comment",
    [
        f"exact before the move: +{DIGITS} for Black",
        "exact before the move: -99 for Black",
        "0.5 s; exact before the move: +65 for Black",
        f"{DIGITS}.5 s",
        f"1.{DIGITS} s",
        "0.5 s; +1",
    ],
)
def test_a_number_beyond_all_sense_is_a_comment_like_any_other(comment: str) -> None:
    first, _ = games_in(f"(;GM[2];B[f5]C[{comment}])(;GM[2];B[d3])")

    assert (first.moves[0].comment, first.moves[0].seconds, first.moves[0].exact) == (comment, None, None)


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("sgf", f"(;GM[2]RE[B+{DIGITS}]BR[{DIGITS}];B[f5]V[{DIGITS}])"),
        ("ggf", f"(;GM[Othello]RE[+{DIGITS}]RB[{DIGITS}]TI[{DIGITS}]B[F5/{DIGITS}/{DIGITS}];)"),
        ("ggf", f"(;GM[Othello]TY[{DIGITS}]BO[{DIGITS}];)"),
        ("transcript", f"{DIGITS}. f5\n"),
        ("obf", f"{Position.start().board_string()}; D3:+{DIGITS};\n"),
    ],
)
def test_numbers_beyond_all_sense_take_no_other_game_with_them(name: FormatName, game: str) -> None:
    entries = read(game.encode() + FILES[name], name)

    assert entries[1:] == read(FILES[name], name)


@pytest.mark.parametrize("encoding", ["utf-7", "unicode_escape", "raw_unicode_escape"])
def test_half_a_character_is_no_name(encoding: str) -> None:
    name = "+2AA-" if encoding == "utf-7" else r"\\ud800"
    game = only(f"(;GM[2]CA[{encoding}]PB[{name}];B[f5])")

    assert game.black.encode() == name.replace(r"\\", "\\").encode()


# A piece, the beginning, and megabytes: where every piece is a game, time counts more than bytes.
FLOODS: dict[str, tuple[bytes, bytes, float]] = {
    "one endless line": (b"f5d6", b"", 8),
    "zeros behind a game": (b"\0", FILES["transcript"], 8),
    "an endless value": (b"x", b"(;FF[4]GM[2]C[", 8),
    "endless nesting": (b"(;B[f5];W[f4];B[e3]", b"(;FF[4]GM[2]", 1.25),
    "an endless game in lines": (b";B[f5];W[f4];B[e3]\n", b"(;FF[4]GM[2]", 1.25),
    "brackets": (b"(((", b"", 8),
    "GGF without an end": (b"PB[x]", b"(;GM[Othello]", 8),
    "letters for a tag": (b"A", b"(;GM[Othello]", 8),
    "digits": (b"1", b"", 8),
    "good games": (FILES["ggf"], b"", 1 / 4),
    "bad games": (b"(;GM[2];B[a1])\n", b"", 1 / 16),
    "WTHOR without names": (FILES["wthor"][16:84], FILES["wthor"][:16], 1 / 32),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_leaves_memory_small(flood: str) -> None:
    """What is kept is at most a game's cap and what a grammar makes of it."""
    piece, beginning, megabytes = FLOODS[flood]
    stream = io.BufferedReader(Endless(piece, int(megabytes * MEGABYTE), beginning))
    tracemalloc.start()
    try:
        for entry in read_games(stream):
            assert isinstance(entry, AnnotatedGame) or len(entry.reason) < 1000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * MEGABYTE


def split(data: bytes, *, escapes: bool = True) -> list[bytes | str]:
    """Return the games, in UTF-8, and the sentence of each error."""
    games = split_games(BytesIO(data), escapes=escapes)
    return [str(game) if isinstance(game, FileFormatError) else game.encode() for game in games]


@pytest.mark.parametrize(
    ("data", "games"),
    [
        # Prose is left out.
        (b"2 (;A[1];) (see (1), :-)\n(;B[2](;C)(;D))x", [b"(;A[1];)", b"(;B[2](;C)(;D))"]),
        (b"(\r\n ;A[1])\n(\n\n;B)\n(\nno game) (;C)", [b"(\r\n ;A[1])", b"(\n\n;B)", b"(;C)"]),
        # Brackets in values are text.
        (b"(;C[a ) ( ;) \\] b\\\\])(;D)", [b"(;C[a ) ( ;) \\] b\\\\])", b"(;D)"]),
        (b"(;C[a\\\n]b])(;D)", [b"(;C[a\\\n]b])", b"(;D)"]),  # an escape holds for the next line
        (b"(;C[" + b"x" * (1 << 16) + b"\\]y])(;D)", [b"(;C[" + b"x" * (1 << 16) + b"\\]y])", b"(;D)"]),
        (b"(;GM[2];B[f5]\n(;W[d6])\n(;W[f4]))", [b"(;GM[2];B[f5]\n(;W[d6])\n(;W[f4]))"]),  # variations
    ],
    ids=range(6),
)
def test_games_are_cut_at_their_brackets(data: bytes, games: list[bytes]) -> None:
    assert split(data) == games


def test_without_escapes_a_backslash_is_a_letter() -> None:
    assert split(b"(;PB[a\\]W[b];)(;D)", escapes=False) == [b"(;PB[a\\]W[b];)", b"(;D)"]


def test_a_game_without_an_end_takes_no_other_with_it() -> None:
    sentence = "the closing bracket of the game is missing after '(;GM[2]C[open'"

    for cut in (b"(;GM[2]C[open\n", b"(;GM[2]C[open\n\n\n"):
        first, second = split(cut + b"(;GM[2];B[f5])")
        assert str(first).startswith(sentence.removesuffix("'"))
        assert second == b"(;GM[2];B[f5])"
    assert split(b"(;GM[2]C[open") == [sentence]


def test_a_game_that_is_too_long_is_none() -> None:
    long = b"(;C[" + b"fifteen letters\n" * (GAME_CAP // 16) + b"])"

    assert split(long + b"(;D)") == [
        f"a game may have at most {GAME_CAP} bytes, but this one has {len(long)}",
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

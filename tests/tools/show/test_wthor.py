"""WTHOR databases read back byte by byte, as the format's description has them."""

import random
import struct
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

import pytest

from outflank.engine import PRESETS, Colour, FileFormatError, Game, Position, Rules
from outflank.engine.squares import square_name
from outflank.protocol.formats.wthor import WthorWriter
from outflank.tests.sample_games import WIPE_OUT, WITH_PASSES
from outflank.tests.tools.samples import broken_off, judged, played
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.report.records import annotated_game


def files(*games: GameRecord) -> dict[str, bytes]:
    """The three files by their suffixes."""
    stream = BytesIO()
    writer = WthorWriter(stream, (2026, 5, 17))
    for game in games:
        writer.add(annotated_game(game, "A Match"))
    others = writer.finish()
    return {".wtb": stream.getvalue(), **others}


def rows(data: bytes) -> Iterator[tuple[tuple[int, int, int], int, int, str]]:
    """Indices of tournament, Black and White, both scores and the transcript of each game."""
    (count,) = struct.unpack_from("<I", data, 4)
    assert len(data) == 16 + 68 * count
    for at in range(16, len(data), 68):
        *indices, score, theoretical = struct.unpack_from("<3H2B", data, at)
        moves = [square_name((byte // 10 - 1) * 8 + byte % 10 - 1) for byte in data[at + 8 : at + 68] if byte]
        yield (indices[0], indices[1], indices[2]), score, theoretical, "".join(moves)


@pytest.mark.parametrize("transcript", [WIPE_OUT, WITH_PASSES])
def test_the_moves_come_back_without_their_passes(transcript: str) -> None:
    """A reader plays them, passes where it must, and comes to the same end."""
    record = played(transcript)
    ((_, score, _, read),) = rows(files(record)[".wtb"])

    assert read == transcript
    assert Game.from_transcript(read).position.score(Colour.BLACK) == 2 * score - 64


def test_the_file_of_games_in_full() -> None:
    data = files(played(names=("Zoë", "Ann")))[".wtb"]

    assert data[:16] == bytes([20, 26, 5, 17, 1, 0, 0, 0, 0, 0, 0xEA, 0x07, 8, 0, 0, 0])
    assert data[16:33] == bytes([0, 0, 0, 0, 1, 0, 64, 64, 56, 64, 53, 46, 35, 66, 57, 65, 75])
    assert data[33:] == bytes(51)


def test_names_are_latin_1_and_end_with_nul() -> None:
    written = files(played(names=("Zoë", "a name of more than twenty letters")), played(names=("Zoë", "中")))

    assert written[".jou"][8:10] == b"\3\0"
    assert written[".jou"][16:] == b"Zo\xeb".ljust(20, b"\0") + b"a name of more than\0" + b"?".ljust(
        20, b"\0"
    )
    assert written[".trn"][16:] == b"A Match".ljust(26, b"\0")


@pytest.mark.parametrize(("loser", "discs"), [(Colour.BLACK, 0), (Colour.WHITE, 64)])
def test_a_game_that_broke_off_keeps_its_moves_and_counts_the_whole_board(loser: Colour, discs: int) -> None:
    ((_, score, theoretical, read),) = rows(files(broken_off(Ending.TIME, loser))[".wtb"])

    assert (score, theoretical, read) == (discs, discs, "f5d6c3")


def test_the_theoretical_score_is_from_where_all_games_were_solved() -> None:
    """One was solved from 57 empty squares on, the other from 56 on."""
    data = files(judged({}, {3: -4, 4: -6, 5: 8}), judged({}, {4: 10, 5: 12}), played(number=3))[".wtb"]
    both = files(judged({}, {3: -4, 4: -6, 5: 8}), judged({}, {4: 10, 5: 12}))[".wtb"]

    assert (data[14], [theoretical for _, _, theoretical, _ in rows(data)]) == (0, [64, 64, 64])
    assert (both[14], [theoretical for _, _, theoretical, _ in rows(both)]) == (56, [29, 37])


def test_games_at_random_come_back() -> None:
    rng = random.Random(5)
    games = []
    for number in range(1, 101):
        game = Game()
        while not game.position.is_over:
            game.play(rng.choice(game.position.legal_moves()))
        games.append(played(game.transcript(), number=number))

    for record, (_, score, _, read) in zip(games, rows(files(*games)[".wtb"]), strict=True):
        assert (read, 2 * score - 64) == (record.transcript, record.margin)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "othello"])
def test_other_rules_are_refused(preset: str) -> None:
    rules = PRESETS[preset]
    game = Game(rules)
    while not game.position.is_over:
        game.play(game.position.legal_moves()[0])

    with pytest.raises(
        FileFormatError, match=f"expected Othello from its start for WTHOR, got game 1 of {preset}"
    ):
        files(played(game.transcript(), rules))


def test_another_start_is_refused() -> None:
    game = Game(first=Position.start(Rules(start="parallel-north")).with_rules(Rules()))
    game.play(game.position.legal_moves()[0])
    record = replace(
        broken_off(Ending.TIME, Colour.BLACK), turns=game.turns, seconds=(None,), values=(), exact=()
    )

    with pytest.raises(FileFormatError, match="expected Othello from its start"):
        files(record)


def test_a_run_without_games_is_an_empty_database() -> None:
    written = files()

    assert len(written[".wtb"]) == len(written[".jou"]) == 16

"""Archives: the sums are those of a count over the games, images are one position, and no file is trusted."""

import functools
import random
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import (
    PASS,
    Colour,
    FileFormatError,
    Game,
    OutflankError,
    Position,
    Rules,
    SettingsError,
    Symmetry,
)
from outflank.protocol.formats import read_games
from outflank.protocol.formats.annotated import AnnotatedGame, Result, ResultReason
from outflank.storage.database import sealed
from outflank.storage.lock import WriterLock
from outflank.tests.support.archives import common_games, rows
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.positions import random_game
from outflank.tools.archive import (
    Archive,
    ArchiveContents,
    ArchiveQuery,
    add_to_archive,
    build,
    build_archive,
)


@pytest.fixture(scope="module")
def games() -> list[AnnotatedGame]:
    return common_games(150)


@pytest.fixture(scope="module")
def archive(games: list[AnnotatedGame], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    path = tmp_path_factory.mktemp("archive") / "games.archive"
    assert build_archive(path, games).games == len(games)
    with Archive.open(path) as opened:
        yield opened


@functools.cache  # each table is counted over all games
def key(position: Position) -> str:
    return position.canonical()[0].board_string()[:64] + str(position.side)


def counted(games: Sequence[AnnotatedGame], position: Position) -> dict[str, Counter[str]]:
    """Return the results of a position and its images, by the position after each move."""
    found: dict[str, Counter[str]] = {}
    for game in games:
        for played in game.moves:
            before = played.before
            if played.move.is_pass or before.empties != position.empties or key(before) != key(position):
                continue
            count = found.setdefault(key(played.after), Counter())
            count["games"] += 1
            if (outcome := game.outcome) is not None:
                winner, mover = outcome.winner, before.side
                count["drawn" if winner is None else "won" if winner is mover else "lost"] += 1
                if outcome.margin is not None:
                    count["discs"] += outcome.margin * (1 if mover is Colour.BLACK else -1)
    return found


def shown(
    archive: Archive, position: Position, wanted: ArchiveQuery | None = None
) -> dict[str, Counter[str]]:
    found = {}
    for row in archive.table(position, wanted or ArchiveQuery()).moves:
        known = row.won + row.drawn + row.lost
        discs = round((row.mean or 0) * known)
        found[key(position.play(row.move))] = Counter(
            games=row.games, won=row.won, drawn=row.drawn, lost=row.lost, discs=discs
        )
    return found


def test_the_table_of_every_position_is_what_a_count_over_the_games_finds(
    archive: Archive, games: list[AnnotatedGame]
) -> None:
    asked = {played.before for game in games[:6] for played in game.moves if played.move != PASS}

    assert len(asked) > 200
    for position in asked:
        assert shown(archive, position) == counted(games, position), position


def test_images_of_a_position_are_one(archive: Archive) -> None:
    position = Game.from_transcript("d3c3").position
    table = archive.table(position)

    assert len(table.moves) > 1
    for symmetry in Symmetry:
        image = archive.table(position.transformed(symmetry))
        moves = {str(symmetry.inverse.move(row.move)): row.games for row in image.moves}
        assert moves == {str(row.move): row.games for row in table.moves}
    (first,) = archive.table(Position.start()).moves
    assert (str(first.move), first.games) == ("f5", len(archive))


def test_positions_with_sums_answer_as_those_whose_games_are_counted(
    games: list[AnnotatedGame], archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MANY_GAMES", 3)
    build_archive(tmp_path / "sums.archive", games)
    positions = {played.before for game in games[:20] for played in game.moves[:9]}
    with Archive.open(tmp_path / "sums.archive") as summed:
        with closing(sqlite3.connect(summed.path)) as connection:
            rows = connection.execute("SELECT count(*) FROM tally").fetchone()
        few = ArchiveQuery(years=range(2003, 2004), rating=1800)
        for wanted in (ArchiveQuery(), ArchiveQuery(years=range(1999, 2004)), ArchiveQuery(rating=1700), few):
            for position in positions:
                assert summed.table(position, wanted) == archive.table(position, wanted)

    assert rows > (500,)


@pytest.mark.parametrize(
    "wanted",
    [
        ArchiveQuery(players=("an",)),
        ArchiveQuery(players=("Ann", "zoe")),
        ArchiveQuery(players=("o", "o")),
        ArchiveQuery(event="paris"),
        ArchiveQuery(players=("bob",), event="CUP", years=range(2000, 2011)),
        ArchiveQuery(years=range(1999, 2000)),
        ArchiveQuery(rating=1800),
    ],
    ids=str,
)
def test_filters_leave_the_games_that_meet_them(
    archive: Archive, games: list[AnnotatedGame], wanted: ArchiveQuery
) -> None:
    def is_meant(game: AnnotatedGame) -> bool:
        names = (game.black.lower(), game.white.lower())
        parts = [part.lower() for part in wanted.players]
        ratings = game.black_rating, game.white_rating
        year = int(game.date[:4] or 0)
        return (
            any(all(part in name for part, name in zip(parts, each)) for each in (names, names[::-1]))  # noqa: B905
            and wanted.event.lower() in game.event.lower()
            and (wanted.years is None or year in wanted.years)
            and (wanted.rating is None or min(rating or 0 for rating in ratings) >= wanted.rating)
        )

    meant = [game for game in games if is_meant(game)]
    assert 0 < len(meant) < len(games)
    for position in (Position.start(), games[0].moves[3].before, meant[0].moves[20].before):
        assert shown(archive, position, wanted) == counted(meant, position)
    assert list(archive.games(None, wanted)) == [replace(game, result=game.outcome) for game in meant[::-1]]


def test_the_strongest_players_are_those_who_win_or_have_the_ratings(tmp_path: Path) -> None:
    record = AnnotatedGame.of(Game.from_transcript("f5d6c3"))
    won = Result(Colour.BLACK, 10)
    games = [
        replace(record, black="Ann", white="Bob", date=str(year), result=won) for year in range(1990, 2000)
    ]
    games.append(replace(record, black="Bob", white="Ann", date="2001"))
    games.append(replace(record, black="Max", white="Tim", black_rating=2500.0, white_rating=900.0))
    build_archive(tmp_path / "a", games)
    with Archive.open(tmp_path / "a") as archive:
        (first,) = archive.table(Position.start()).moves
        (second,) = archive.table(Game.from_transcript("f5").position).moves

    assert first.strongest == ("Max", "Ann", "Bob")
    assert second.strongest == ("Ann", "Bob", "Tim")


def test_games_come_back_as_they_were_the_last_first(archive: Archive, games: list[AnnotatedGame]) -> None:
    expected = [replace(game, result=game.outcome) for game in reversed(games)]

    assert list(archive.games()) == expected
    assert list(archive.games(most=3)) == expected[:3]


def test_what_a_record_says_besides_its_moves_is_kept(tmp_path: Path) -> None:
    first = Position.parse("-" * 26 + "XXX" + "-" * 6 + "OXX" + "-" * 26 + " O")
    game = Game(first=first)
    game.play(game.legal_moves()[0])
    record = replace(
        AnnotatedGame.of(game),
        black="A\u0142a",
        result=Result(Colour.WHITE, None, ResultReason.TIME),
        title="12",
        place="GGS",
        given=1,
        white_rating=1000.5,
    )
    build_archive(tmp_path / "a", [record])
    with Archive.open(tmp_path / "a") as archive:
        assert list(archive.games(first)) == [record]
        assert archive.table(first).games == 1
        assert archive.table(Position.start()).games == 0


def test_a_record_that_makes_no_sense_is_kept_as_far_as_it_does(tmp_path: Path) -> None:
    record = replace(
        AnnotatedGame.of(Game.from_transcript("f5")),
        black="\udcff" * 1000,
        black_rating=float("inf"),
        white_rating=float("inf"),
        result=Result(Colour.BLACK, 1000),
    )
    giant = replace(record, black="Ann", white="Bob", black_rating=1e9, white_rating=-1.0)
    build_archive(tmp_path / "a", [record, giant, replace(giant, black="Bob", white="Ann")])
    with Archive.open(tmp_path / "a") as archive:
        (row,) = archive.table(Position.start()).moves
        game = list(archive.games())[-1]
        assert archive.table(Position.start(), ArchiveQuery(rating=1000)).games == 0

    assert (row.won, row.mean, row.strongest) == (3, None, ("Bob", "Ann"))
    assert (game.black, game.result) == ("?" * 200, Result(Colour.BLACK, None))


def test_a_game_that_is_there_or_by_other_rules_is_left_out(tmp_path: Path) -> None:
    record = replace(AnnotatedGame.of(Game.from_transcript("f5d6c3")), black="Ann", white="Bob", date="1999")
    others = [
        replace(record, black="ANN", event="another record of it"),
        replace(record, white="Zoe"),
        replace(record, date="2000"),
        replace(AnnotatedGame.of(Game.from_transcript("f5d6c3d3")), black="Ann", white="Bob", date="1999"),
        record,
    ]
    built = build_archive(tmp_path / "a", [record, *others])

    assert built == ArchiveContents(4, 2, 0, 0, 5, (tmp_path / "a").stat().st_size)

    other = Rules.parse("obversi")
    games = [AnnotatedGame.of(Game.from_transcript("f5")), AnnotatedGame(Position.start(other))]

    built = build_archive(tmp_path / "b", games)

    assert (built.games, built.others) == (1, 1)
    with (
        Archive.open(tmp_path / "b") as archive,
        pytest.raises(SettingsError, match="is an archive for othello, not for obversi"),
    ):
        archive.table(Position.start(other))


def test_where_a_move_turns_one_direction_it_is_counted_with_its_direction(tmp_path: Path) -> None:
    rules = Rules.parse("ravensburger-1987")
    game = random_game(random.Random(3), rules)
    build_archive(tmp_path / "a", [AnnotatedGame.of(game)], rules)
    directed = [turn for turn in game.turns if turn.move.direction]
    with Archive.open(tmp_path / "a") as archive:
        assert directed
        for turn in directed:
            assert [row.move for row in archive.table(turn.before).moves] == [turn.move]
        assert [each.game().moves for each in archive.games()] == [game.moves]


def test_a_position_after_a_pass_is_found_from_before_it(
    archive: Archive, games: list[AnnotatedGame], tmp_path: Path
) -> None:
    passes = [(game, at) for game in games for at, each in enumerate(game.moves) if each.move == PASS]

    assert passes
    for game, at in passes[:5]:
        played = game.moves[at]
        assert archive.table(played.before) == archive.table(played.after)
        assert archive.table(played.after).games >= 1
    game, at = passes[0]
    build_archive(tmp_path / "a", [game, replace(game, moves=game.moves[:at])])
    with Archive.open(tmp_path / "a") as small:
        assert small.table(game.moves[at].before).ended == 1
        assert (small.table(game.final).games, small.table(game.final).ended) == (1, 1)


# --- files


def test_a_build_that_ends_early_leaves_nothing_behind(games: list[AnnotatedGame], tmp_path: Path) -> None:
    def broken() -> Iterator[AnnotatedGame]:
        yield from games[:20]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_archive(tmp_path / "a", broken())
    with pytest.raises(FileNotFoundError, match="missing"):
        build_archive(tmp_path / "a", read_games("missing"))
    with pytest.raises(OutflankError, match="no game was found"):
        build_archive(tmp_path / "a", [])

    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over_and_a_closed_archive_says_so(
    games: list[AnnotatedGame], tmp_path: Path
) -> None:
    build_archive(tmp_path / "a", games[:2])
    with pytest.raises(SettingsError, match="use another file"):
        build_archive(tmp_path / "a", games[:3])
    with pytest.raises(SettingsError, match="which is not a regular file: use another file"):
        build_archive("/dev/null", games[:3])

    with Archive.open(tmp_path / "a") as archive:
        assert len(archive) == 2
    with pytest.raises(SettingsError, match="is closed"):
        archive.table(Position.start())


@pytest.mark.parametrize("parts", [[75], [1, 149], [40, 41, 100]])
def test_an_archive_to_which_games_are_added_has_the_rows_of_a_new_one(
    parts: list[int], games: list[AnnotatedGame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where games come again, and where sums are kept of few games."""
    monkeypatch.setattr(build, "MANY_GAMES", 20)
    again = [*games, *games[10:30]]
    bounds = [0, *parts, len(again)]
    whole = build_archive(tmp_path / "whole", again)
    build_archive(tmp_path / "a", again[: bounds[1]])
    for begin, end in pairwise(bounds[1:]):
        added = add_to_archive(tmp_path / "a", again[begin:end])

    assert rows(tmp_path / "a") == rows(tmp_path / "whole")
    assert (added.games, added.positions) == (whole.games, whole.positions)
    assert whole.duplicates >= 20
    with Archive.open(tmp_path / "a") as opened, Archive.open(tmp_path / "whole") as other:
        assert opened.table(Position.start()) == other.table(Position.start())
        assert [each.moves for each in opened.games()] == [each.moves for each in other.games()]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "whole"]


def test_an_archive_is_as_it_was_if_games_can_not_be_added(
    games: list[AnnotatedGame], tmp_path: Path
) -> None:
    path = tmp_path / "a"
    build_archive(path, games[:100])
    before = path.read_bytes()

    def broken() -> Iterator[AnnotatedGame]:
        yield from games[100:120]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_to_archive(path, broken())
    with pytest.raises(OutflankError, match="no game was found, so the archive is unchanged"):
        add_to_archive(path, [])
    for size in (0, 1000, len(before) // 2, len(before) + 4096):
        with no_file_beyond(size), pytest.raises(OutflankError, match=r"^can't "):
            add_to_archive(path, games)
    with (
        WriterLock(path, "taken"),
        pytest.raises(FileFormatError, match="only one process may add games to"),
    ):
        add_to_archive(path, games)

    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("size", [0, 1, 1000, 4096, 20_000, 60_000, 100_000])
def test_a_full_disk_ends_a_build_in_a_sentence_and_leaves_nothing(
    size: int, games: list[AnnotatedGame], tmp_path: Path
) -> None:
    with no_file_beyond(size), pytest.raises(OutflankError, match=r"^can't write "):
        build_archive(tmp_path / "a", games)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM game WHERE id = 3",
        "UPDATE player SET name = x'05' WHERE id = 1",
        "UPDATE player SET id = 70 WHERE id = 1",
        "UPDATE event SET id = 9 WHERE id = 0",
        "UPDATE game SET black = 99 WHERE id = 1",
        "UPDATE game SET black_rating = 'x' WHERE id = 1",
        "UPDATE game SET winner = 'x' WHERE id = 1",
        "UPDATE visit SET turn = 'x'",
    ],
)
def test_games_are_not_added_to_a_damaged_archive(
    sql: str, games: list[AnnotatedGame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MANY_GAMES", 20)
    path = tmp_path / "a"
    build_archive(path, games[:50])
    changed(path, sql)
    before = path.read_bytes()
    with pytest.raises(FileFormatError, match=r"can't read .* as an archive of games"):
        add_to_archive(path, games[50:])

    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("PRAGMA application_id = 1", "an SQLite file of another kind"),
        ("PRAGMA user_version = 9", "version 9, written by a newer Outflank; this Outflank reads version 1"),
        ("UPDATE archive SET value = '3' WHERE name = 'games'", "do not match their checksum"),
        ("DROP TABLE tally", "the table 'tally' is missing"),
    ],
)
def test_a_changed_file_is_refused(games: list[AnnotatedGame], tmp_path: Path, sql: str, reason: str) -> None:
    build_archive(tmp_path / "a", games[:2])
    changed(tmp_path / "a", sql)

    with pytest.raises(FileFormatError, match=f"^can't read .*a' as an archive of games .*{reason}"):
        Archive.open(tmp_path / "a")


@pytest.mark.parametrize("count", ["9223372036854775807", "-1", "9" * 5000])
def test_an_impossible_number_of_games_is_refused(
    games: list[AnnotatedGame], tmp_path: Path, count: str
) -> None:
    """With the checksum that belongs to it."""
    build_archive(tmp_path / "a", games[:2])
    with closing(sqlite3.connect(tmp_path / "a")) as connection, connection:
        facts = sealed(dict(connection.execute("SELECT name, value FROM archive")) | {"games": count})
        connection.execute("DELETE FROM archive")
        connection.executemany("INSERT INTO archive VALUES (?, ?)", facts.items())

    with pytest.raises(FileFormatError, match="as an archive of games"):
        Archive.open(tmp_path / "a")


@pytest.mark.parametrize(
    "sql",
    [
        *(
            f"UPDATE tally SET {change}"
            for change in ("won = games + 1", "discs = 65 * measured + 1", "best = 77")
        ),
        *(f"UPDATE tally SET games = {value}" for value in ("'many'", "9223372036854775807")),
        "UPDATE player SET games = 9223372036854775807",
        "UPDATE event SET games = -1",
        "UPDATE OR REPLACE tally SET move = 0",
        "UPDATE visit SET turn = 100000; DELETE FROM tally",
        "UPDATE game SET winner = 7; DELETE FROM tally",
        "DELETE FROM player; DELETE FROM tally",
        *(f"UPDATE game SET moves = x'{value}'" for value in ("0000", "00")),
        *(f"UPDATE game SET {change}" for change in ("ending = 'sudden'", "first = 'nothing'")),
        "DELETE FROM event",
    ],
)
def test_a_damaged_row_is_refused_when_it_is_read(
    games: list[AnnotatedGame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    monkeypatch.setattr(build, "MANY_GAMES", 3)
    build_archive(tmp_path / "a", games)
    changed(tmp_path / "a", sql)

    def read(archive: Archive) -> None:
        archive.table(Position.start())
        archive.table(Position.start(), ArchiveQuery(players=("ann",), event="cup"))
        list(archive.games())

    with Archive.open(tmp_path / "a") as archive, pytest.raises(FileFormatError, match="damaged"):
        read(archive)


def changed(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        *(
            ({"rating": rating}, "expected a positive multiple of 100 for the rating")
            for rating in (0, 1850, -100)
        ),
        ({"players": ("a", "b", "c")}, "a game has two players, got 3 names"),
    ],
)
def test_conditions_that_no_game_meets_are_refused(wanted: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        ArchiveQuery(**wanted)

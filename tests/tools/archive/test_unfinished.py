"""A build of an archive that is interrupted: what the same build continues with, and what it does not."""

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.engine import PRESETS, FileFormatError, OutflankError
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.storage.lock import WriterLock
from outflank.tests.support.archives import common_games, rows
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.positions import random_game
from outflank.tools.archive import add_to_archive, build, build_archive


@pytest.fixture(scope="module")
def games() -> list[AnnotatedGame]:
    return common_games(150)


class TestABuildThatIsInterrupted:
    """It continues with the games that it has committed, which is after every five games here."""

    @pytest.fixture(autouse=True)
    def often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(build, "_GAMES_AT_ONCE", 5)
        monkeypatch.setattr(build, "_SECONDS_BETWEEN_COMMITS", 0.0)
        monkeypatch.setattr(build, "MANY_GAMES", 20)

    @staticmethod
    def broken(games: Sequence[AnnotatedGame | BadGame], end: int) -> Iterator[AnnotatedGame | BadGame]:
        yield from games[:end]
        raise KeyboardInterrupt

    @staticmethod
    def unfinished(folder: Path) -> list[Path]:
        return [each for each in folder.iterdir() if each.name.startswith(".")]

    def interrupted(self, path: Path, games: Sequence[AnnotatedGame | BadGame], end: int, task: str) -> None:
        with pytest.raises(KeyboardInterrupt):
            build_archive(path, self.broken(games, end), task=task)

    def test_the_archive_equals_that_of_an_undisturbed_build(
        self, games: list[AnnotatedGame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        other = AnnotatedGame.of(random_game(random.Random(5), PRESETS["reversi"]))
        entries: list[AnnotatedGame | BadGame] = [
            *games[:30],
            BadGame("line 31", "bad"),
            other,
            *games[10:100],
        ]
        whole = build_archive(tmp_path / "whole", entries)
        for end in 3, 20, 39, 70:
            self.interrupted(tmp_path / "a", entries, end, "t")
        built = build_archive(tmp_path / "a", entries, task="t")

        assert rows(tmp_path / "a") == rows(tmp_path / "whole")
        assert replace(built, bytes=0) == replace(whole, bytes=0)
        assert capsys.readouterr().err.count("continuing an interrupted archive: 30 games stored") == 1
        assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "whole"]

    def test_the_last_steps_too(
        self, games: list[AnnotatedGame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        build_archive(tmp_path / "whole", games)
        steps = ["sorting the positions", "counting the games of frequent positions"]
        for interrupted in steps:

            def begin(step: str, interrupted: str = interrupted) -> None:
                if step == interrupted:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                build_archive(tmp_path / "a", games, task="t", begin=begin)
            assert self.unfinished(tmp_path)
        build_archive(tmp_path / "a", games, task="t")

        assert rows(tmp_path / "a") == rows(tmp_path / "whole")

    def test_games_are_added_as_if_nothing_had_happened(
        self, games: list[AnnotatedGame], tmp_path: Path
    ) -> None:
        build_archive(tmp_path / "whole", [*games, *games[30:50]])
        build_archive(tmp_path / "a", games[:50])
        for end in 20, 60:
            with pytest.raises(KeyboardInterrupt):
                add_to_archive(tmp_path / "a", self.broken(games[30:], end), task="t")
        added = add_to_archive(tmp_path / "a", games[30:], task="t")

        assert rows(tmp_path / "a") == rows(tmp_path / "whole")
        assert added.duplicates == 20
        assert self.unfinished(tmp_path) == []

    @pytest.mark.parametrize("what", ["another task", "another process", "a link", "damage", "no positions"])
    def test_what_does_not_belong_to_it_is_not_continued(
        self, what: str, games: list[AnnotatedGame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.interrupted(tmp_path / "a", games, 60, "t")
        file, visits = sorted(self.unfinished(tmp_path))
        with ExitStack() as held:
            match what:
                case "another process":
                    held.enter_context(WriterLock(file, "taken"))
                case "a link":
                    file.rename(tmp_path / "mine")
                    file.symlink_to(tmp_path / "mine")
                case "damage":
                    file.write_bytes(file.read_bytes()[:5000])
                case "no positions":
                    visits.unlink()
            build_archive(tmp_path / "a", games, task="u" if what == "another task" else "t")

        build_archive(tmp_path / "whole", games)
        assert rows(tmp_path / "a") == rows(tmp_path / "whole")
        assert "continues" not in capsys.readouterr().err
        if what == "a link":
            assert (tmp_path / "mine").exists()

    def test_an_error_leaves_nothing(self, games: list[AnnotatedGame], tmp_path: Path) -> None:
        def broken() -> Iterator[AnnotatedGame]:
            yield from games[:60]
            raise FileFormatError("damaged")

        with pytest.raises(FileFormatError):
            build_archive(tmp_path / "a", broken(), task="t")
        with no_file_beyond(60_000), pytest.raises(OutflankError, match=r"^can't write "):
            build_archive(tmp_path / "a", games, task="t")

        assert list(tmp_path.iterdir()) == []

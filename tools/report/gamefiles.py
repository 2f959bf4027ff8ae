"""Writes games one by one into a file of any format. Counts the facts that the format can't store."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from outflank.engine import FileFormatError, NotationError, SettingsError
from outflank.protocol.formats import FormatName, ggf, obf, sgf, transcript, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, ResultReason
from outflank.protocol.formats.clocks import for_ggf, for_sgf, year_of
from outflank.protocol.formats.transcript import Style
from outflank.storage.files import STDOUT, open_output, whole_file
from outflank.tools.runtime.progress import warn

_GAMES_SUFFIX = ".wtb"
_NAMES_SUFFIXES = (".jou", ".trn")
FORMAT_OF: Mapping[str, FormatName] = {
    ".sgf": "sgf",
    ".ggf": "ggf",
    ".txt": "transcript",
    ".obf": "obf",
    _GAMES_SUFFIX: "wthor",
}
_Name = TypeVar("_Name", bound=str)
_CALLED: Mapping[FormatName, str] = {
    "transcript": "a transcript",
    "obf": "OBF",
    "sgf": "SGF",
    "ggf": "GGF",
    "wthor": "WTHOR",
}
# The facts that a game may have besides its moves. Each function returns whether the game has the fact, or the number
# of moves that have the fact.
_FACTS: Mapping[str, Callable[[AnnotatedGame], int]] = {
    "players": lambda game: bool(game.black or game.white),
    "ratings": lambda game: (game.black_rating, game.white_rating) != (None, None),
    "result": lambda game: game.result is not None and not _is_on_board(game),
    "title": lambda game: bool(game.title),
    "event": lambda game: bool(game.event),
    "place": lambda game: bool(game.place),
    "date": lambda game: bool(game.date),
    "clock": lambda game: bool(game.clock),
    "comment": lambda game: bool(game.comment),
    "times": lambda game: sum(move.seconds is not None for move in game.moves),
    "evaluations": lambda game: sum(move.score is not None for move in game.moves),
    "exact scores": lambda game: (
        sum(move.exact is not None for move in game.moves) + (game.exact is not None)
    ),
    "comments on moves": lambda game: sum(bool(move.comment) for move in game.moves),
    "marks of bad moves": lambda game: sum(bool(move.fault) for move in game.moves),
    "better lines": lambda game: sum(bool(move.instead) for move in game.moves),
}
_UNLETTERED = (ResultReason.DISCS, ResultReason.FORFEIT)  # results for which GGF has no letter
_IN_ALL = frozenset(_FACTS)
# The facts that a format stores for every game. ``_kept`` adds facts that the format stores for some games.
_KEPT: Mapping[FormatName, frozenset[str]] = {
    "transcript": frozenset(),
    "obf": frozenset(("exact scores",)),
    "sgf": _IN_ALL - {"clock"},
    "ggf": _IN_ALL
    - {"title", "event", "clock", "exact scores", "comments on moves", "marks of bad moves", "better lines"},
    "wthor": frozenset(("players", "result", "event", "exact scores")),
}


class GameWriter:
    """Writes games, and counts the facts that are left out.

    A fact is left out if the format can't store the fact, or if Outflank did not read it from the game's source. The
    counts are complete when the file has been written.

    Args:
        name: the name of the format.
        write: a function that writes a game. It raises FileFormatError if the format can't store the game.
    """

    def __init__(self, name: FormatName, write: Callable[[AnnotatedGame], object]) -> None:
        self._name, self._write = name, write
        self._without_place: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()

    def write(self, game: AnnotatedGame) -> None:
        """Write a game. Raises: OSError; FileFormatError if the format can't store the game."""
        self._write(game)
        kept = _kept(self._name, game)
        counts = {what: int(count(game)) for what, count in _FACTS.items() if what not in kept}
        self.add_losses({what: count for what, count in counts.items() if count})
        self._unread.update(game.unread)

    def add_losses(self, counts: Mapping[str, int]) -> None:
        """Count facts that the format can't store."""
        self._without_place.update(counts)

    @property
    def losses(self) -> dict[str, int]:
        """The number of facts left out, by kind; empty if nothing was left out."""
        return {what: count for what, count in (*self._without_place.items(), *self._unread.items()) if count}

    @property
    def loss_note(self) -> str:
        """A sentence about the facts left out; empty if nothing was left out."""
        parts = [
            ", ".join(f"{what} ({count:,})" for what, count in found.items() if count) + reason
            for found, reason in (
                (self._without_place, f", which {_CALLED[self._name]} can't store"),
                (self._unread, ", which Outflank doesn't read"),
            )
            if found.total()
        ]
        return "left out: " + "; ".join(parts) if parts else ""


def format_of(path: Path) -> FormatName:
    """Return the format that a file's suffix names. Raises: NotationError if the suffix names no format."""
    found = FORMAT_OF.get(path.suffix.lower())
    if found is None:
        raise NotationError(f"expected a file name ending in {' '.join(FORMAT_OF)}, got {path.name!r}")
    return found


def chosen_formats(
    given: _Name | None, outputs: Sequence[Path], formats: Mapping[str, _Name], is_default: bool = False
) -> dict[Path, _Name]:
    """Return the format of each output: the format that ``--format`` names, or else the format of its suffix.

    Args:
        given: the format of ``--format``; None without this option.
        outputs: the files to write.
        formats: the formats by suffix.
        is_default: True if `given` comes from a file of defaults, so that a suffix takes precedence.

    Raises: click.UsageError if neither `given` nor a suffix names a format, or if a file of this format may not have
        its name; SettingsError if WTHOR's files of names would overwrite other files.
    """
    chosen = {output: _chosen_format(given, output, formats, is_default) for output in outputs}
    for output, name in chosen.items():
        if name == "wthor":
            _check_wthor(output)
    return chosen


def _chosen_format(
    given: _Name | None, output: Path, formats: Mapping[str, _Name], is_default: bool
) -> _Name:
    suffix = "" if output is STDOUT else output.suffix.lower()
    if name := formats.get(suffix) if is_default and suffix in formats else given or formats.get(suffix):
        return name
    *others, last = formats
    raise click.UsageError(
        f"no format given: use --format FORMAT, or -o FILE ending in {', '.join(others)} or {last}"
    )


def _check_wthor(output: Path) -> None:
    if output is STDOUT:
        raise click.BadParameter(
            "WTHOR needs a file name (-o FILE), since names are written to files next to it",
            param_hint="--output",
        )
    if output.suffix.lower() != _GAMES_SUFFIX:
        # Two more files are written next to the output, and must not overwrite the output.
        raise click.BadParameter(
            f"expected a WTHOR file ending in {_GAMES_SUFFIX}, got {str(output)!r}", param_hint="--output"
        )
    for file in written_files("wthor", output)[1:]:
        if file.exists() and not (output.exists() and _has_names(file)):
            raise SettingsError(
                f"{str(file)!r} already exists and would be overwritten with names from the games; "
                "use another name for the games"
            )


@contextmanager
def game_writer(
    name: FormatName,
    output: Path,
    *,
    date: tuple[int, int, int] = (0, 0, 0),
    style: Style = "glued",
    passes: bool = False,
) -> Iterator[GameWriter]:
    """Open a game writer. The file appears atomically at the end.

    Args:
        name: the name of the format.
        output: the path of the file, see ``chosen_formats``; or ``STDOUT``.
        date: the date of a WTHOR file.
        style: the style of transcripts.
        passes: True to write passes in transcripts.

    Raises: OSError if the file can't be written.
    """
    if name == "wthor":
        with _wthor_writer(output, date) as writer:
            yield writer
    else:
        with open_output(output) as stream:
            yield GameWriter(name, _text_writer(name, stream, style, passes))


class GameWriters:
    """Writes every game to each of several files whose format can store the game.

    Args:
        writers: the writers of the files.
    """

    def __init__(self, writers: Sequence[GameWriter]) -> None:
        self._writers = writers

    def write(self, game: AnnotatedGame) -> None:
        """Write a game to the files. Raises: OSError; FileFormatError of the first format that can't store the game."""
        errors = []
        for writer in self._writers:
            try:
                writer.write(game)
            except FileFormatError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    @property
    def losses(self) -> dict[str, int]:
        """The number of facts left out, by kind: the maximum over the files. Empty if nothing was left out."""
        found: Counter[str] = Counter()
        for writer in self._writers:
            found |= Counter(writer.losses)
        return dict(found)

    def warn_of_losses(self) -> None:
        """Print a sentence for each file from which facts were left out."""
        for note in filter(None, (writer.loss_note for writer in self._writers)):
            warn(note)


@contextmanager
def game_writers(outputs: Mapping[Path, FormatName], **settings: Any) -> Iterator[GameWriters]:
    """Open writers for several files, each with its format. For `settings` see ``game_writer``."""
    with ExitStack() as files:
        yield GameWriters(
            [files.enter_context(game_writer(name, output, **settings)) for output, name in outputs.items()]
        )


def expect_held(name: FormatName, game: AnnotatedGame) -> None:
    """Raise FileFormatError if the format can't store a game. The format must not be WTHOR."""
    _text_writer(name, BytesIO(), "glued", passes=False)(game)


def written_files(name: FormatName, output: Path) -> list[Path]:
    """Return the paths of the files that ``game_writer`` writes; an empty list for stdout."""
    if output is STDOUT:
        return []
    return [output, *map(output.with_suffix, _NAMES_SUFFIXES)] if name == "wthor" else [output]


def _has_names(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            header = wthor.Header.unpack(stream.read(wthor.HEADER.size))
    except FileFormatError:
        return False
    return not header.games


def _is_on_board(game: AnnotatedGame) -> bool:
    return game.result is not None and game.result.ending is ResultReason.DISCS and game.final.is_over


def _kept(name: FormatName, game: AnnotatedGame) -> frozenset[str]:
    kept = _KEPT[name]
    if name == "transcript":
        if game.black or game.white:
            return kept | {"players", "result", "title"}
        return kept | {"comment" if game.comment else "result"}
    if name == "wthor":
        return kept | {"date"} if year_of(game.date) else kept
    if name == "sgf" and any(for_sgf(game.clock)):
        return kept | {"clock"}
    if name == "ggf" and for_ggf(game.clock):
        kept |= {"clock"}
    result = game.result
    if name == "ggf" and result is not None and result.margin is None and result.ending in _UNLETTERED:
        kept -= {"result"}  # GGF stores a result without a letter as a resignation
    return kept


def _text_writer(
    name: FormatName, stream: BinaryIO, style: Style, passes: bool
) -> Callable[[AnnotatedGame], object]:
    texts: Mapping[str, Callable[[AnnotatedGame], str]] = {
        "transcript": partial(transcript.write, style=style, passes=passes),
        "obf": obf.write,
        "ggf": ggf.write,
        "sgf": sgf.write,
    }
    text = texts[name]
    return lambda game: stream.write(text(game).encode("utf-8", "replace"))


@contextmanager
def _wthor_writer(output: Path, date: tuple[int, int, int]) -> Iterator[GameWriter]:
    with ExitStack() as files:
        stream = files.enter_context(whole_file(output))
        database = wthor.WthorWriter(stream, date)
        writer = GameWriter("wthor", database.add)
        yield writer
        written = [stream]
        for suffix, data in database.finish().items():
            written.append(files.enter_context(whole_file(output.with_suffix(suffix))))
            written[-1].write(data)
        # All files are flushed before one gets its final name. If the disk is full, no file gets its final name.
        for each in written:
            each.flush()
        writer.add_losses(database.lost)

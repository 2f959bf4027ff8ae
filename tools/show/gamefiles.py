"""Writes games into a file of any format, one by one as they come."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import click

from outflank.protocol.formats import ggf, obf, transcript
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import FormatName
from outflank.protocol.formats.transcript import Style
from outflank.tools.work.files import STDOUT, open_output, whole_file, write_whole

WriteGame = Callable[[AnnotatedGame], object]
_GAMES_SUFFIX = ".wtb"


def check_output(name: FormatName, output: Path) -> None:
    """Raise BadParameter if a file of that format can't be called so."""
    if name != "wthor":
        return
    if output is STDOUT:
        raise click.BadParameter("expected a file for WTHOR, got standard output", param_hint="--output")
    if output.suffix.lower() != _GAMES_SUFFIX:
        # Two more files are written beside it, and must not be written over it.
        raise click.BadParameter(
            f"expected a file for WTHOR that ends in {_GAMES_SUFFIX}, got {str(output)!r}",
            param_hint="--output",
        )


@contextmanager
def game_writer(
    name: FormatName,
    output: Path,
    *,
    date: tuple[int, int, int] = (0, 0, 0),
    style: Style = "glued",
    passes: bool = False,
) -> Iterator[WriteGame]:
    """Something to write games with; the file is there once all have been written, whole or not at all.

    Args:
        name: of the format.
        output: the file, see ``check_output``, or ``STDOUT``.
        date: of a WTHOR file.
        style: of transcripts.
        passes: whether transcripts have them.

    Raises: OSError. What is yielded raises FileFormatError for a game that the format can't hold.
    """
    if name == "wthor":
        with _wthor_writer(output, date) as write:
            yield write
    else:
        with open_output(output) as stream:
            yield _text_writer(name, stream, style, passes)


def expect_held(name: FormatName, game: AnnotatedGame) -> None:
    """Raise FileFormatError if a format, not WTHOR, can't hold a game."""
    _text_writer(name, BytesIO(), "glued", passes=False)(game)


def written_files(name: FormatName, output: Path) -> list[Path]:
    """The files that ``game_writer`` writes; none if that is standard output."""
    if output is STDOUT:
        return []
    return [output, *map(output.with_suffix, (".jou", ".trn"))] if name == "wthor" else [output]


def _text_writer(name: FormatName, stream: BinaryIO, style: Style, passes: bool) -> WriteGame:
    texts: Mapping[str, Callable[[AnnotatedGame], str]] = {
        "transcript": partial(transcript.write, style=style, passes=passes),
        "obf": obf.write_game,
        "ggf": ggf.write,
        "sgf": _sgf,
    }
    text = texts[name]
    return lambda game: stream.write(text(game).encode("utf-8", "replace"))


def _sgf(game: AnnotatedGame) -> str:
    from outflank.protocol.formats import sgf_write  # needs a package that the engine alone does not

    return sgf_write.write(game)


@contextmanager
def _wthor_writer(output: Path, date: tuple[int, int, int]) -> Iterator[WriteGame]:
    from outflank.protocol.formats.wthor_write import WthorWriter

    with whole_file(output) as stream:
        writer = WthorWriter(stream, date)
        yield writer.add
        for suffix, data in writer.finish().items():
            write_whole(output.with_suffix(suffix), data)

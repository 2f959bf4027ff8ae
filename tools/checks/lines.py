"""Lines as they come: what controllers put into them besides commands."""

import time

from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import Subject, expect, expect_nothing

_LONG = 100_000
_PAUSE_SECONDS = 0.05


def _answers_once(subject: Subject, data: bytes) -> None:
    """Bytes that hold one command, `known_command name`, get the one answer `true`."""
    subject.succeed("name")
    subject.send(data)
    reply = subject.reply()
    expect(reply.ok and reply.text == "true", f"'= true' for {data[:40]!r}", reply)
    expect_nothing(reply.strays)
    subject.silence()


@must()
def ignores_blank_lines(subject: Subject) -> None:
    """A line that is empty, or holds only blanks, gets no answer."""
    _answers_once(subject, b"\n  \n\t\nknown_command name\n\n")


@must()
def ignores_lines_of_comment(subject: Subject) -> None:
    """A line that begins with `#` gets no answer."""
    _answers_once(subject, b"# a comment\n  # another\nknown_command name\n")


@must()
def ignores_comments_behind_commands(subject: Subject) -> None:
    """What follows `#` is no part of a command."""
    _answers_once(subject, b"known_command name # is there one?\n")


@must()
def ignores_carriage_returns(subject: Subject) -> None:
    """A carriage return before the line feed is dropped."""
    _answers_once(subject, b"known_command name\r\n")


@must()
def takes_tabs_for_blanks(subject: Subject) -> None:
    """A tab separates words as a blank does."""
    _answers_once(subject, b"known_command\tname\n")


@must()
def takes_any_number_of_blanks(subject: Subject) -> None:
    """Blanks before, between and behind the words make no difference."""
    _answers_once(subject, b"  known_command   name  \n")


@should()
def drops_control_characters(subject: Subject) -> None:
    """Other control characters are dropped, wherever they stand."""
    _answers_once(subject, b"known\x07_command na\x01me\x7f\n")


@should()
def bears_foreign_letters(subject: Subject) -> None:
    """Bytes beyond ASCII do no harm in a comment."""
    _answers_once(subject, "known_command name # Zürich, 将棋\n".encode() + b"# \xe9\xff\n")


@must()
def waits_for_the_line_to_end(subject: Subject) -> None:
    """A command that arrives in pieces is one command."""
    subject.succeed("name")
    for piece in (b"known_com", b"mand na", b"me\n"):
        subject.send(piece)
        time.sleep(_PAUSE_SECONDS)
    reply = subject.reply()
    expect(reply.ok and reply.text == "true", "'= true' for a command in three pieces", reply)


@should()
def bears_a_long_line(subject: Subject) -> None:
    """A line of 100,000 bytes is answered once, and does no harm."""
    subject.succeed("name")
    subject.send(b"x" * _LONG + b"\n")
    reply = subject.reply()
    expect(not reply.ok, "one failure for a long line", reply)
    subject.silence()
    subject.succeed("name")

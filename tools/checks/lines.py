"""Lines as they come: what controllers put into them besides commands."""

import time
from collections.abc import Callable
from contextlib import suppress

from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import Subject, Unjudged, Violation, expect

_LONG = 100_000
_PAUSE_SECONDS = 0.05
_TWO_WORDS = ("known_command name", "boardsize 8")  # an engine may lack the first


def _plain(subject: Subject) -> tuple[bytes, str]:
    """A command of two words that the engine takes, and its answer.

    Raises: Unjudged if it takes none; EngineError.
    """
    for command in _TWO_WORDS:
        reply = subject.ask(command)
        if reply.ok:
            return command.encode(), reply.text
    raise Unjudged(f"it takes neither {' nor '.join(map(repr, _TWO_WORDS))}")


def _answers_once(subject: Subject, dressed: Callable[[bytes], bytes]) -> None:
    """Bytes that hold one command, and what `dressed` adds, get the one answer that the command gets alone."""
    command, text = _plain(subject)
    subject.send(data := dressed(command))
    reply = subject.reply()
    expect(reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for {data[:40]!r}", reply)
    subject.no_second_answer()


@must()
def ignores_blank_lines(subject: Subject) -> None:
    """A line that is empty, or holds only blanks, gets no answer."""
    _answers_once(subject, lambda command: b"\n  \n\t\n" + command + b"\n\n")


@must()
def ignores_lines_of_comment(subject: Subject) -> None:
    """A line that begins with `#` gets no answer."""
    _answers_once(subject, lambda command: b"# a comment\n  # another\n" + command + b"\n")


@must()
def ignores_comments_behind_commands(subject: Subject) -> None:
    """What follows `#` is no part of a command."""
    _comment_sign(subject)


def _comment_sign(subject: Subject) -> bytes:
    """What begins a comment behind a command: a blank that stands before the sign is another check's.

    Raises: Violation if the engine ignores no comment there.
    """
    with suppress(Violation):
        _answers_once(subject, lambda command: command + b" # is there one?\n")
        return b" #"
    _answers_once(subject, lambda command: command + b"# is there one?\n")
    return b"#"


@must()
def ignores_carriage_returns(subject: Subject) -> None:
    """A carriage return before the line feed is dropped."""
    _answers_once(subject, lambda command: command + b"\r\n")


@must()
def takes_tabs_for_blanks(subject: Subject) -> None:
    """A tab separates words as a blank does."""
    _answers_once(subject, lambda command: command.replace(b" ", b"\t") + b"\n")


@must()
def takes_any_number_of_blanks(subject: Subject) -> None:
    """Blanks before, between and behind the words make no difference."""
    _answers_once(subject, lambda command: b"  " + command.replace(b" ", b"   ") + b"  \n")


@should()
def drops_control_characters(subject: Subject) -> None:
    """Other control characters are dropped, wherever they stand."""
    _answers_once(
        subject, lambda command: command[:5] + b"\x07" + command[5:-2] + b"\x01" + command[-2:] + b"\x7f\n"
    )


@should()
def bears_foreign_letters(subject: Subject) -> None:
    """Bytes beyond ASCII do no harm in a comment."""
    try:
        sign = _comment_sign(subject)
        _answers_once(subject, lambda command: b"# another\n" + command + b"\n")
    except Violation:
        raise Unjudged("it does not ignore comments") from None
    _answers_once(subject, lambda command: command + sign + " Zürich, 将棋\n".encode() + b"# \xe9\xff\n")


@must()
def waits_for_the_line_to_end(subject: Subject) -> None:
    """A command that arrives in pieces is one command."""
    command, text = _plain(subject)
    for piece in (command[:9], command[9:-2], command[-2:] + b"\n"):
        subject.send(piece)
        time.sleep(_PAUSE_SECONDS)
    reply = subject.reply()
    expect(reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for a command in three pieces", reply)


@should()
def bears_a_long_line(subject: Subject) -> None:
    """A line of 100,000 bytes is answered once, and does no harm."""
    subject.succeed("name")
    subject.send(b"x" * _LONG + b"\n")
    reply = subject.reply()
    expect(not reply.ok, "one failure for a long line", reply)
    subject.no_second_answer()
    subject.succeed("name")

"""Answers: how they begin and end, and when they come."""

import re

from outflank.protocol.opponent.errors import EngineError
from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import Subject, Unjudged, expect, expect_nothing

_PROMPT_SECONDS = 0.5
_PLAIN = ("protocol_version", "name", "list_commands", "known_command name", "clear_board", "showboard")
_NOT_SENT = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


@must()
def begins_with_a_sign_and_a_blank(subject: Subject) -> None:
    """An answer with text begins with `=`, one blank, and the text."""
    raw = subject.ask("name").raw
    expect(re.match(rb"= [^ \n]", raw) is not None, "'= ' and a name", repr(raw[:40]))


@must()
def answers_nothing_with_a_bare_sign(subject: Subject) -> None:
    """An answer without text is `=` alone (a blank behind it is tolerated), then the empty line."""
    raw = subject.ask("clear_board").raw.replace(b"\r", b"")
    expect(raw in (b"=\n\n", b"= \n\n"), "'=' and an empty line", repr(raw[:40]))


@must()
def fails_with_a_question_mark(subject: Subject) -> None:
    """A failure begins with `?`, one blank, and says something."""
    raw = subject.ask(subject.refused()).raw
    expect(re.match(rb"\? [^ \n]", raw) is not None, "'? ' and a text", repr(raw[:40]))


@must()
def ends_with_one_empty_line(subject: Subject) -> None:
    """An answer ends with exactly one empty line; a second one would look like the end of the next answer."""
    for command in (subject.refused(), "name", "clear_board"):
        subject.ask(command)
        extra = subject.trailing()
        blank = bool(extra) and not extra.strip()
        expect(not blank, f"one empty line after the answer to {command!r}", f"{extra[:40]!r} behind it")


@must()
def has_no_empty_line_inside(subject: Subject) -> None:
    """An answer of many lines has no empty line before its end: the first one ends it."""
    subject.succeed("name")
    if subject.trailing().strip():
        raise Unjudged("it writes after an answer of one line too: see answers-each-command-once")
    for command in ("list_commands", *({"showboard"} & subject.commands)):
        subject.succeed(command)
        subject.silence()


@should()
def sends_no_control_characters(subject: Subject) -> None:
    """Answers hold no control characters but line feeds: no carriage return, no tab, no colours."""
    for command in _PLAIN:
        if command.split()[0] in subject.commands:
            found = _NOT_SENT.search(subject.ask(command).raw)
            expect(found is None, f"none in the answer to {command!r}", repr(found and found[0]))


@must()
def answers_each_command_once(subject: Subject) -> None:
    """Every command gets one answer, and nothing is written between answers."""
    for command in ("name", "clear_board", "play black f5", "version", "play white d6"):
        expect_nothing(subject.ask(command).strays)
    subject.silence()


@must()
def says_only_its_move(subject: Subject) -> None:
    """While the engine thinks, and once it has moved, nothing else is written to standard output."""
    subject.succeed("clear_board")
    if subject.trailing().strip():
        raise Unjudged("it writes where it does not think too: see answers-each-command-once")
    try:
        strays = subject.ask("genmove black", subject.thinking).strays
    except EngineError:
        subject.stop()
        raise Unjudged("it does not answer 'genmove black': see opens-legally") from None
    expect_nothing(strays)
    subject.silence()


@should()
def answers_at_once(subject: Subject) -> None:
    """A command that asks for no thinking is answered within half a second: answers are flushed."""
    subject.succeed("name")
    seconds = min(subject.ask("name").seconds for _ in range(3))
    expect(seconds <= _PROMPT_SECONDS, f"an answer within {_PROMPT_SECONDS} s", f"one after {seconds:.2f} s")

"""Conduct: how the program ends, and what it does while nothing is asked of it."""

import os
import signal
import time

from outflank.tools.checks.check import must, should
from outflank.tools.checks.positions import DRAWN, beginning, set_up
from outflank.tools.checks.subject import Subject, Unjudged, expect

_END_SECONDS = 2.0
_WATCH_SECONDS = 1.0
_IDLE_SHARE = 0.2
_THINKING_SECONDS = 0.3  # until it is disturbed


@must(alone=True)
def answers_quit(subject: Subject) -> None:
    """`quit` is answered, and the program ends within two seconds."""
    subject.succeed("quit")
    _expect_end(subject)


@should(alone=True)
def ends_with_code_0(subject: Subject) -> None:
    """After `quit` the exit code is 0."""
    subject.send(b"quit\n")
    if not subject.ends_within(_END_SECONDS):
        raise Unjudged("it does not end at quit: see answers-quit")
    expect(subject.process.exit_code == 0, "exit code 0", subject.process.exit_code)


@must(alone=True)
def answers_all_before_quit(subject: Subject) -> None:
    """Commands that are sent together with `quit` are answered before it."""
    name = subject.succeed("name")
    first, *_ = subject.replies(["name", "clear_board", "quit"], least=2)  # quit has a check of its own
    expect(first.text == name, f"{name!r} as the first answer", first)


@must(alone=True)
def ends_with_its_input(subject: Subject) -> None:
    """The program ends within two seconds of the end of its input: controllers crash."""
    subject.succeed("name")
    subject.process.end_input()
    _expect_end(subject)


@should(alone=True)
def ends_while_it_thinks(subject: Subject) -> None:
    """The program ends within two seconds of the end of its input also while it thinks."""
    _begin_to_think(subject)
    subject.process.end_input()
    _expect_end(subject)


@should(alone=True)
def ends_by_sigterm(subject: Subject) -> None:
    """SIGTERM ends the program within two seconds."""
    subject.succeed("name")
    os.kill(subject.process.pid, signal.SIGTERM)
    _expect_end(subject)


@should("gogui-interrupt", alone=True)
def moves_when_interrupted(subject: Subject) -> None:
    """The line `# interrupt` makes `genmove` answer within two seconds."""
    _begin_to_think(subject)
    subject.send(b"# interrupt\n")
    subject.reply(_END_SECONDS)


@should(alone=True)
def rests_while_it_waits(subject: Subject) -> None:
    """While nothing is asked, at most a fifth of one processor is used."""
    subject.succeed("genmove black", subject.thinking)
    limit = _IDLE_SHARE * _WATCH_SECONDS
    used = _watched(subject)
    if used > limit:  # on a busy machine the little that follows a move may have to wait for long
        used = min(used, _watched(subject))
    expect(used <= limit, f"at most {limit:g} s of processor time in a second", f"{used:.2f} s")


def _watched(subject: Subject) -> float:
    """Seconds of processor time that an engine wants while it is watched."""
    before = _wanted_seconds(subject)
    time.sleep(_WATCH_SECONDS)
    return _wanted_seconds(subject) - before


def _wanted_seconds(subject: Subject) -> float:
    """Processor time an engine has used or waited for: on a busy machine it does not get all it wants."""
    return subject.process.cpu_seconds + sum(subject.process.waits.values())


def _begin_to_think(subject: Subject) -> None:
    """Ask for a move that may take a minute, where the engine keeps a clock."""
    if "time_settings" in subject.commands:
        subject.succeed("time_settings 0 60 1")
    game = set_up(subject, beginning(DRAWN, 20))
    subject.send(f"genmove {game.position.side}\n".encode())
    time.sleep(_THINKING_SECONDS)


def _expect_end(subject: Subject) -> None:
    expect(
        subject.ends_within(_END_SECONDS),
        f"the end of the program within {_END_SECONDS:g} s",
        "one that keeps running",
    )

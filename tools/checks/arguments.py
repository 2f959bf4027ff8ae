"""Arguments: what has to be understood, and what has to be refused."""

from outflank.engine import Game
from outflank.protocol.opponent.errors import EngineError
from outflank.tools.checks.check import must, should
from outflank.tools.checks.positions import WHITE_WINS, beginning, set_up
from outflank.tools.checks.subject import Subject, Unjudged, expect

_WRONG = ("play", "play red a1", "play black z9", "play black d4", "genmove red", "boardsize 1000")


@must()
def takes_colours_in_any_case(subject: Subject) -> None:
    """A colour is `b`, `w`, `black` or `white`, in any case."""
    for black, white in (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "White"), ("BLACK", "WHITE")):
        subject.succeed("clear_board")
        subject.succeed(f"play {black} f5")
        subject.succeed(f"play {white} d6")


@must()
def takes_vertices_in_any_case(subject: Subject) -> None:
    """A vertex is `f5` or `F5`."""
    for vertex in ("f5", "F5"):
        subject.succeed("clear_board")
        subject.succeed(f"play black {vertex}")


@must()
def refuses_bad_vertices(subject: Subject) -> None:
    """`play` fails where the vertex is not on the board."""
    subject.succeed("clear_board")
    for vertex in ("z9", "a0", "a9", "i1", "5f", "f", "f55", "-"):
        subject.refuse(f"play black {vertex}")


@must()
def refuses_bad_colours(subject: Subject) -> None:
    """`play` and `genmove` fail where the colour is none."""
    subject.succeed("clear_board")
    for command in ("play red f5", "genmove red", "genmove 1"):
        subject.refuse(command)


@must()
def refuses_missing_arguments(subject: Subject) -> None:
    """A command that lacks an argument fails; the engine goes on."""
    subject.succeed("clear_board")
    for command in ("play", "play black", "genmove", "boardsize"):
        subject.refuse(command)


@should()
def refuses_what_is_no_number(subject: Subject) -> None:
    """`boardsize` and `komi` fail where the argument is no number."""
    takes_any_size = subject.ask("boardsize 1000").ok  # which is another check's
    for command in ("komi little",) if takes_any_size else ("boardsize eight", "komi little"):
        subject.refuse(command)


@must()
def changes_nothing_when_it_fails(subject: Subject) -> None:
    """A command that fails leaves the position as it is."""
    failed = [_changes_nothing(subject, command) for command in _WRONG]
    if not any(failed):
        raise Unjudged(f"it refuses none of {', '.join(_WRONG)}")


def _changes_nothing(subject: Subject, command: str) -> bool:
    """Whether the engine refuses a command; one that it takes, or does not answer, is another check's.

    Raises: Violation if the position is another one after the refusal.
    """
    set_up(subject, beginning(WHITE_WINS, 10))
    shown = "showboard" in subject.commands
    before = shown and subject.succeed("showboard")
    try:
        if subject.ask(command).ok:
            return False
    except EngineError:
        subject.stop()
        return False
    after = shown and subject.succeed("showboard")
    expect(after == before, f"the same board after {command!r} failed", "another one")
    for turn in Game.from_transcript(WHITE_WINS).turns[10:12]:
        told = subject.ask(f"play {turn.colour} {turn.move}")
        expect(told.ok, f"the next moves to be legal after {command!r} failed", told)
    return True

"""Passes: a side passes if, and only if, it has no legal move."""

from outflank.tools.checks.check import must, should
from outflank.tools.checks.positions import BEFORE_A_PASS, WIPE_OUT, set_up, think
from outflank.tools.checks.subject import Subject, Unjudged, expect


@must()
def takes_a_pass(subject: Subject) -> None:
    """`play black pass` succeeds where Black has no legal move, and White's next move follows."""
    game = set_up(subject, BEFORE_A_PASS)
    subject.succeed("play black pass")
    game.pass_()
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@should()
def takes_a_pass_in_capitals(subject: Subject) -> None:
    """`play black PASS` is as good as `play black pass`."""
    _expect_passes_to_be_taken(subject)
    set_up(subject, BEFORE_A_PASS)
    subject.succeed("play black PASS")


@should()
def does_without_a_pass(subject: Subject) -> None:
    """A move of the other side implies the pass of a side that has none.

    Some controllers, like Quarry, never send a pass.
    """
    game = set_up(subject, BEFORE_A_PASS)
    game.pass_()
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@should()
def refuses_a_needless_pass(subject: Subject) -> None:
    """`play black pass` fails where Black has a legal move, and changes nothing."""
    subject.succeed("clear_board")
    subject.refuse("play black pass")
    subject.succeed("play black f5")


@must()
def passes_if_it_must(subject: Subject) -> None:
    """`genmove` answers `pass` where there is no legal move, and White's next move follows."""
    game = set_up(subject, BEFORE_A_PASS)
    think(subject, game)
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@should()
def passes_after_the_end(subject: Subject) -> None:
    """`genmove` answers `pass` for either side once the game is over: GoGui ends a game with two passes."""
    set_up(subject, WIPE_OUT)
    for colour in ("white", "black"):
        answer = subject.succeed(f"genmove {colour}", subject.thinking)
        expect(answer.lower() == "pass", f"'pass' for 'genmove {colour}' after the end", repr(answer))


@should()
def takes_passes_after_the_end(subject: Subject) -> None:
    """`play` takes a pass of either side once the game is over."""
    _expect_passes_to_be_taken(subject)
    set_up(subject, WIPE_OUT)
    subject.succeed("play white pass")
    subject.succeed("play black pass")


def _expect_passes_to_be_taken(subject: Subject) -> None:
    """Raise Unjudged if the engine takes no pass at all."""
    set_up(subject, BEFORE_A_PASS)
    if not subject.ask("play black pass").ok:
        raise Unjudged("it takes no pass at all: see takes-a-pass")

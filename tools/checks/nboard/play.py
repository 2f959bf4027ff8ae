"""Play: moves, passes, analysis, the clock in the record, and the end."""

import re

from outflank.engine import Game
from outflank.protocol.opponent.errors import EngineTimeout
from outflank.tools.checks.check import must, should
from outflank.tools.checks.nboard.subject import DEEP, NBoardSubject, expect_legal, move_of
from outflank.tools.checks.positions import BEFORE_A_PASS, WIPE_OUT
from outflank.tools.checks.subject import Unjudged, expect

_END_SECONDS = 2.0
_CLOCK_SECONDS = 3
_OPENING = "f5d6c3d3"
_FORM = re.compile(r"(?:[A-H][1-8]|PA)(?:/-?(?:\d+\.?\d*)?(?:/\d+\.?\d*)?)?")


@must()
def moves_at_the_start(subject: NBoardSubject) -> None:
    """`go` at the start is answered with `===` and a legal move."""
    expect_legal(subject.go(Game()), Game())


@must()
def reads_a_record(subject: NBoardSubject) -> None:
    """`set game` sets the position at the end of the record."""
    game = Game.from_transcript(_OPENING)
    expect_legal(subject.go(game), game)


@must()
def takes_moves(subject: NBoardSubject) -> None:
    """`move` plays a move on the board that was set."""
    subject.go(Game())
    subject.tell("move F5/0.00/0.10")
    expect_legal(subject.answer_to_go(), Game.from_transcript("f5"))


@must()
def does_not_play_its_move(subject: NBoardSubject) -> None:
    """`go` chooses and does not play: asked again, the engine moves for the same side."""
    game = Game.from_transcript(_OPENING)
    subject.go(game)
    expect_legal(subject.answer_to_go(), game)


@should()
def passes_when_it_must(subject: NBoardSubject) -> None:
    """`go` without a legal move is answered with `=== PA`."""
    answer = subject.go(Game.from_transcript(BEFORE_A_PASS))
    expect(move_of(answer).lower() in ("pa", "pass", "ps"), "=== PA", repr(answer))


@must()
def reads_a_pass_in_a_record(subject: NBoardSubject) -> None:
    """A record may end with a pass, `B[PA]`."""
    game = Game.from_transcript(BEFORE_A_PASS)
    game.pass_()
    expect_legal(subject.go(game), game)


@must()
def takes_a_pass_as_a_move(subject: NBoardSubject) -> None:
    """`move PA` passes."""
    game = Game.from_transcript(BEFORE_A_PASS)
    subject.tell("nboard 2", "set depth 3")
    subject.set_game(game)
    subject.tell("move PA")
    game.pass_()
    expect_legal(subject.answer_to_go(), game)


@must(alone=True)
def survives_a_finished_game(subject: NBoardSubject) -> None:
    """`go` where the game is over does no harm, and the next game is played."""
    subject.set_game(Game.from_transcript(WIPE_OUT))
    subject.tell("go")
    subject.until_pong(subject.thinking)
    expect_legal(subject.go(Game()), Game())


@should()
def writes_moves_as_the_protocol_has_them(subject: NBoardSubject) -> None:
    """The answer to `go` is `=== F5/1.25/0.4`: a capital, slashes and no blanks; the end of it may be left out."""
    answer = subject.go(Game())
    expect(_FORM.fullmatch(answer) is not None, "=== F5/eval/seconds", repr(answer))


@should()
def tells_what_it_thinks(subject: NBoardSubject) -> None:
    """`hint 2` is answered with `search` or `book` lines, which begin with a legal move."""
    subject.tell("nboard 2", "set depth 4")
    subject.set_game(Game())
    subject.tell("hint 2")
    said = subject.until("search", "book", seconds=subject.thinking)
    subject.until_pong(subject.thinking)
    pv = said[-1].split()[1] if len(said[-1].split()) > 1 else ""
    expect_legal(pv[:2], Game())


@should()
def analyses_each_position(subject: NBoardSubject) -> None:
    """`analyze`, if the engine knows it, is answered with `analysis MOVES EVAL` for each position of the game."""
    subject.tell("nboard 2", "set depth 3")
    subject.set_game(Game.from_transcript(_OPENING))
    subject.tell("analyze")
    wanted = {str(number) for number in range(5)}
    try:
        told = _moves_made(subject, subject.patience)
    except EngineTimeout:
        raise Unjudged("it does not answer analyze, which the protocol leaves to it") from None
    while told != wanted:
        expect(told <= wanted, "moves made from 0 to 4", sorted(told))
        told |= _moves_made(subject, subject.thinking)


def _moves_made(subject: NBoardSubject, seconds: float) -> set[str]:
    """The number in the next line ``analysis MOVES EVAL``. Raises: as ``until``."""
    return set(subject.until("analysis", seconds=seconds)[-1].split()[1:2] or ["no number"])


@should(alone=True)
def heeds_the_clock_in_the_record(subject: NBoardSubject) -> None:
    """With three seconds for the whole game in the record, `go` is answered within them, whatever the depth."""
    subject.tell("nboard 2", f"set depth {DEEP}")
    subject.set_game(Game.from_transcript(_OPENING), f"0:0{_CLOCK_SECONDS}")
    subject.tell("go")
    subject.until("===", seconds=_CLOCK_SECONDS)


@must(alone=True)
def ends_at_quit(subject: NBoardSubject) -> None:
    """`quit` ends the program within two seconds."""
    subject.until_pong()
    subject.tell("quit")
    _expect_end(subject)


@must(alone=True)
def ends_when_its_input_ends(subject: NBoardSubject) -> None:
    """The program ends within two seconds of the end of its input: GUIs crash."""
    subject.until_pong()
    subject.process.end_input()
    _expect_end(subject)


def _expect_end(subject: NBoardSubject) -> None:
    ended = subject.ends_within(_END_SECONDS)
    expect(ended, f"the end of the program within {_END_SECONDS:g} s", "one that keeps running")

"""Words: pings, lines that are none, and what an engine may say."""

from outflank.engine import Game
from outflank.tools.checks.check import must, should
from outflank.tools.checks.nboard.subject import DEEP, NBoardSubject
from outflank.tools.checks.subject import Unjudged, expect, expect_nothing

_KNOWN = ("set myname", "status", "nodestats", "search", "book", "pong", "learned", "analysis", "===")
_PAUSE_SECONDS = 2.0


@must()
def answers_a_ping(subject: NBoardSubject) -> None:
    """`ping N` is answered with `pong N`."""
    subject.tell("ping 4711")
    subject.until("pong 4711")


@must()
def answers_pings_in_order(subject: NBoardSubject) -> None:
    """Pings that are sent at once are all answered, in their order."""
    subject.tell("ping 31", "ping 32", "ping 33")
    pongs = [line for line in subject.until("pong 33") if line.startswith("pong")]
    expect(pongs == ["pong 31", "pong 32", "pong 33"], "pong 31, 32 and 33", pongs)


@must()
def ignores_what_it_does_not_know(subject: NBoardSubject) -> None:
    """Lines that are no command are ignored, and so are blank ones: the protocol may grow."""
    subject.tell("", "set volume 11", "flatter the player", "   ")
    said = [line for line in subject.until_pong() if not line.startswith("status")]
    expect(not said, "nothing but a pong", said)


@should()
def tells_its_name(subject: NBoardSubject) -> None:
    """`set myname`, if the engine answers `nboard 2` or `set depth` with it, is followed by a name."""
    subject.tell("nboard 2", "set depth 4")
    told = [line for line in subject.until_pong() if line.split()[:2] == ["set", "myname"]]
    if not told:
        raise Unjudged("it tells no name, which the protocol leaves to it")
    expect(all(len(line.split()) > 2 for line in told), "set myname and a name", told)


@should()
def says_only_what_the_protocol_knows(subject: NBoardSubject) -> None:
    """Every line that is written is one of the protocol's."""
    subject.tell("nboard 2", "set depth 4")
    subject.set_game(Game())
    subject.tell("go")
    said = [*subject.until("===", seconds=subject.thinking), *subject.until_pong()]
    strange = [line for line in said if line and not line.startswith(_KNOWN)]
    expect(not strange, f"lines that begin with {', '.join(_KNOWN)}", strange[:3])


@should(alone=True)
def stops_for_a_ping(subject: NBoardSubject) -> None:
    """A ping ends the work and is answered within two seconds."""
    subject.tell("nboard 2", f"set depth {DEEP}")
    subject.set_game(Game())
    subject.tell("hint 1")
    subject.trailing()
    subject.until_pong(_PAUSE_SECONDS)


@must()
def says_nothing_after_a_pong(subject: NBoardSubject) -> None:
    """After a pong nothing is said about what was asked before it."""
    subject.tell("nboard 2", "set depth 4")
    subject.set_game(Game())
    subject.tell("hint 1")
    subject.until_pong(subject.thinking)
    expect_nothing(
        b"\n".join(line for line in subject.trailing().splitlines() if not line.startswith(b"status"))
    )


@should()
def answers_learn(subject: NBoardSubject) -> None:
    """`learn` is answered with `learned`."""
    subject.set_game(Game.from_transcript("f5d6c3"))
    subject.tell("learn")
    said = subject.until_pong()
    expect("learned" in said, "learned", said)

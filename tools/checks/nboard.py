"""Checks of an engine that speaks NBoard's protocol."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from outflank.engine import Game, Move, NotationError
from outflank.protocol.drivers.errors import EngineTimeout
from outflank.protocol.drivers.nboard import NBoardDriver
from outflank.protocol.drivers.process_driver import START_SECONDS
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tools.checks.check import CheckSkipped, expect, expect_nothing, must, should
from outflank.tools.checks.tapped_drivers import BEFORE_A_PASS, WIPE_OUT, TappedDriver

DEPTH = 3
DEEP = 60
_CHOICE = "==="


class TappedNBoardDriver(TappedDriver, NBoardDriver):
    """The driver of an engine that is checked for compliance with NBoard's protocol."""

    def learn(self) -> None:
        """See ``TappedDriver``."""
        self.get_ready()

    def get_ready(self) -> None:
        """Prepare for a check, see ``TappedDriver``. A new process has to answer a ping."""
        if self.process and self._is_fresh:
            self.tell("nboard 2", f"set depth {DEPTH}")
            self.until_pong(START_SECONDS)
            self._is_fresh = False

    def tell(self, *lines: str) -> None:
        """Send all lines in one write, unchanged."""
        self.send("".join(f"{line}\n" for line in lines).encode())

    def set_game(self, game: Game, clock: str = "", depth: int | None = None) -> None:
        """Send a game with its passes. If `depth` is given, first set the depth of all later searches."""
        if depth is not None:
            self.tell("nboard 2", f"set depth {depth}")
        record = replace(AnnotatedGame.of(game), black="black", white="white", clock=clock)
        self.tell(f"set game {ggf.write(record).strip()}")

    def until(self, *beginnings: str, seconds: float | None = None) -> list[str]:
        """Read lines until a line begins with the words of one of `beginnings`, and return all lines read.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        lines: list[str] = []

        def is_due(line: str) -> bool:
            lines.append(line.strip())
            return any(_begins(lines[-1], beginning) for beginning in beginnings)

        self._read.clear()
        wait = self.patience if seconds is None else seconds
        self._read_until(is_due, self.asked, time.perf_counter() + wait)
        return lines

    def until_pong(self, seconds: float | None = None) -> list[str]:
        """Send a ping, and return the lines before its pong. Raises: see ``until``."""
        self._pings += 1
        self.tell(f"ping {self._pings}")
        return self.until(f"pong {self._pings}", seconds=seconds)[:-1]

    def answer_at(self, game: Game) -> str:
        """Set a game, and return the text after ``===`` in the answer to ``go``. Raises: see ``until``."""
        self.set_game(game, depth=DEPTH)
        return self.answer_to_go()

    def answer_to_go(self) -> str:
        """Send ``go`` in the current game, and return the answer's text after ``===``. Raises: see ``until``."""
        self.tell("go")
        return self.until(_CHOICE, seconds=self.thinking)[-1].removeprefix(_CHOICE).strip()


def _begins(line: str, beginning: str) -> bool:
    """Return whether a line begins with the words of `beginning`. Text may follow ``===`` without a blank."""
    if beginning == _CHOICE:
        return line.startswith(_CHOICE)
    words = beginning.split()
    return line.split()[: len(words)] == words


def _move_of(answer: str) -> str:
    words: Sequence[str] = answer.replace("/", " ").split()
    return words[0] if words else ""


def _expect_legal(answer: str, game: Game) -> None:
    text = _move_of(answer)
    try:
        legal = Move.parse(text) in game.position.legal_moves()
    except NotationError:
        legal = False
    moves = " ".join(map(str, game.position.legal_moves()))
    expect(legal, f"one of the moves {moves}", repr(answer))


_KNOWN = ("set myname", "status", "nodestats", "search", "book", "pong", "learned", "analysis", "===")
_PAUSE_SECONDS = 2.0


@must()
def answers_a_ping(engine: TappedNBoardDriver) -> None:
    """`ping N` is answered with `pong N`."""
    engine.tell("ping 4711")
    engine.until("pong 4711")


@must()
def answers_pings_in_order(engine: TappedNBoardDriver) -> None:
    """Several pings that are sent together are all answered, in order."""
    engine.tell("ping 31", "ping 32", "ping 33")
    pongs = [line for line in engine.until("pong 33") if line.startswith("pong")]
    expect(pongs == ["pong 31", "pong 32", "pong 33"], "pong 31, 32 and 33", pongs)


@must()
def ignores_what_it_does_not_know(engine: TappedNBoardDriver) -> None:
    """Blank lines and lines that are not commands are ignored, since the protocol may grow."""
    engine.tell("", "set volume 11", "flatter the player", "   ")
    said = [line for line in engine.until_pong() if not line.startswith("status")]
    expect(not said, "nothing but a pong", said)


@should()
def tells_its_name(engine: TappedNBoardDriver) -> None:
    """If the engine answers `nboard 2` or `set depth` with `set myname`, a name follows these words."""
    engine.tell("nboard 2", "set depth 4")
    told = [line for line in engine.until_pong() if line.split()[:2] == ["set", "myname"]]
    if not told:
        raise CheckSkipped("it reports no name, which the protocol allows")
    expect(all(len(line.split()) > 2 for line in told), "set myname and a name", told)


@should()
def says_only_what_the_protocol_knows(engine: TappedNBoardDriver) -> None:
    """Every line that the engine writes belongs to the protocol."""
    engine.set_game(Game(), depth=4)
    engine.tell("go")
    said = [*engine.until("===", seconds=engine.thinking), *engine.until_pong()]
    strange = [line for line in said if line and not line.startswith(_KNOWN)]
    expect(not strange, f"lines that begin with {', '.join(_KNOWN)}", strange[:3])


@should(alone=True)
def stops_for_a_ping(engine: TappedNBoardDriver) -> None:
    """A ping stops the search and is answered within two seconds."""
    engine.set_game(Game(), depth=DEEP)
    engine.tell("hint 1")
    engine.trailing()
    engine.until_pong(_PAUSE_SECONDS)


@must()
def says_nothing_after_a_pong(engine: TappedNBoardDriver) -> None:
    """After a pong, the engine writes nothing more about earlier commands."""
    engine.set_game(Game(), depth=4)
    engine.tell("hint 1")
    engine.until_pong(engine.thinking)
    expect_nothing(
        b"\n".join(line for line in engine.trailing().splitlines() if not line.startswith(b"status"))
    )


@should()
def answers_learn(engine: TappedNBoardDriver) -> None:
    """`learn` is answered with `learned`."""
    engine.set_game(Game.from_transcript("f5d6c3"))
    engine.tell("learn")
    said = engine.until_pong()
    expect("learned" in said, "learned", said)


_CLOCK_SECONDS = 3
_OPENING = "f5d6c3d3"
_FORM = re.compile(r"(?:[A-H][1-8]|PA)(?:/-?(?:\d+\.?\d*)?(?:/\d+\.?\d*)?)?")


@must()
def moves_at_the_start(engine: TappedNBoardDriver) -> None:
    """`go` in the starting position is answered with `===` and a legal move."""
    _expect_legal(engine.answer_at(Game()), Game())


@must()
def reads_a_record(engine: TappedNBoardDriver) -> None:
    """`set game` sets the position at the end of the record."""
    game = Game.from_transcript(_OPENING)
    _expect_legal(engine.answer_at(game), game)


@must()
def takes_moves(engine: TappedNBoardDriver) -> None:
    """`move` plays a move in the position that was set."""
    engine.answer_at(Game())
    engine.tell("move F5/0.00/0.10")
    _expect_legal(engine.answer_to_go(), Game.from_transcript("f5"))


@must()
def does_not_play_its_move(engine: TappedNBoardDriver) -> None:
    """`go` chooses a move without playing it: after a second `go`, the engine moves for the same side."""
    game = Game.from_transcript(_OPENING)
    engine.answer_at(game)
    _expect_legal(engine.answer_to_go(), game)


@should()
def passes_when_it_must(engine: TappedNBoardDriver) -> None:
    """`go` is answered with `=== PA` if there is no legal move."""
    answer = engine.answer_at(Game.from_transcript(BEFORE_A_PASS))
    expect(_move_of(answer).lower() in ("pa", "pass", "ps"), "=== PA", repr(answer))


@must()
def reads_a_pass_in_a_record(engine: TappedNBoardDriver) -> None:
    """A record may end with a pass, `B[PA]`."""
    game = Game.from_transcript(BEFORE_A_PASS)
    game.pass_()
    _expect_legal(engine.answer_at(game), game)


@must()
def takes_a_pass_as_a_move(engine: TappedNBoardDriver) -> None:
    """`move PA` plays a pass."""
    game = Game.from_transcript(BEFORE_A_PASS)
    engine.set_game(game, depth=3)
    engine.tell("move PA")
    game.pass_()
    _expect_legal(engine.answer_to_go(), game)


@must(alone=True)
def survives_a_finished_game(engine: TappedNBoardDriver) -> None:
    """`go` does no harm if the game is over, and the engine then plays the next game."""
    engine.set_game(Game.from_transcript(WIPE_OUT))
    engine.tell("go")
    engine.until_pong(engine.thinking)
    _expect_legal(engine.answer_at(Game()), Game())


@should()
def writes_moves_as_the_protocol_has_them(engine: TappedNBoardDriver) -> None:
    """`go` is answered in the form `=== F5/1.25/0.4`: capitals, slashes, no blanks; the numbers may be left out."""
    answer = engine.answer_at(Game())
    expect(_FORM.fullmatch(answer) is not None, "=== F5/eval/seconds", repr(answer))


@should()
def tells_what_it_thinks(engine: TappedNBoardDriver) -> None:
    """`hint 2` is answered with `search` or `book` lines that begin with a legal move."""
    engine.set_game(Game(), depth=4)
    engine.tell("hint 2")
    said = engine.until("search", "book", seconds=engine.thinking)
    engine.until_pong(engine.thinking)
    pv = said[-1].split()[1] if len(said[-1].split()) > 1 else ""
    _expect_legal(pv[:2], Game())


@should()
def analyses_each_position(engine: TappedNBoardDriver) -> None:
    """If the engine supports `analyze`, it answers with `analysis MOVES EVAL` for each position of the game."""
    engine.set_game(Game.from_transcript(_OPENING), depth=3)
    engine.tell("analyze")
    wanted = {str(number) for number in range(5)}
    try:
        told = _moves_made(engine, engine.patience)
    except EngineTimeout:
        raise CheckSkipped("it does not answer analyze, which the protocol allows") from None
    while told != wanted:
        expect(told <= wanted, "numbers of moves from 0 to 4", sorted(told))
        told |= _moves_made(engine, engine.thinking)


def _moves_made(engine: TappedNBoardDriver, seconds: float) -> set[str]:
    """Read up to the next line ``analysis MOVES EVAL``, and return a set with MOVES as its only member."""
    return set(engine.until("analysis", seconds=seconds)[-1].split()[1:2] or ["no number"])


@should(alone=True)
def heeds_the_clock_in_the_record(engine: TappedNBoardDriver) -> None:
    """If the record allows three seconds for the game, `go` is answered within this time, regardless of the depth."""
    engine.set_game(Game.from_transcript(_OPENING), f"0:0{_CLOCK_SECONDS}", depth=DEEP)
    engine.tell("go")
    engine.until("===", seconds=_CLOCK_SECONDS)


@must(alone=True)
def ends_at_quit(engine: TappedNBoardDriver) -> None:
    """`quit` ends the program within two seconds."""
    engine.until_pong()
    engine.tell("quit")
    engine.expect_end()


@must(alone=True)
def ends_when_its_input_ends(engine: TappedNBoardDriver) -> None:
    """The program ends within two seconds of the end of its input, since a GUI may crash."""
    engine.until_pong()
    engine.process.end_input()
    engine.expect_end()

"""An engine that breaks one rule: ``rule_breaker.py --speak gtp|nboard --fault NAME``. NAME is the name of a check.

It is our own engine with a fault in the lines that it reads or in its answers.
"""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from outflank.engine import Colour, Game, Searcher
from outflank.protocol.lines import LineKind, LineSplitter
from outflank.protocol.server import serve
from outflank.protocol.server.gtp.commands import Gtp
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength

Usual = Callable[[bytes], str]
"""A function that returns the right answer to a line."""
Fault = Callable[[Session, bytes, Usual], str]
"""A function that returns the answer with a fault."""
STDIN, STDOUT = 0, 1
FOR_EVER = 1000.0  # seconds


def says(pattern: bytes, text: str) -> Fault:
    """Return a fault that answers matching lines with `text` and does not execute them."""
    return lambda session, line, usual: f"{text}\n\n" if re.fullmatch(pattern, line) else usual(line)


def reads(pattern: bytes, other: bytes) -> Fault:
    return lambda session, line, usual: usual(re.sub(pattern, other, line))


def writes(pattern: str, other: str) -> Fault:
    return lambda session, line, usual: re.sub(pattern, other, usual(line))


def acts(pattern: bytes, act: Callable[[Session], object]) -> Fault:
    """Return a fault that calls `act` before it answers matching lines."""

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        if re.fullmatch(pattern, line):
            act(session)
        return usual(line)

    return fault


def sleeps(pattern: bytes, seconds: float) -> Fault:
    return acts(pattern, lambda session: time.sleep(seconds))


def exits(pattern: bytes) -> Fault:
    return acts(pattern, lambda session: os._exit(3))


def refuses(pattern: bytes, when: Callable[[Session], bool]) -> Fault:
    """Return a fault that refuses matching lines if the condition `when` holds."""

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        return "? no\n\n" if re.fullmatch(pattern, line) and when(session) else usual(line)

    return fault


def remembers_ids(blank: str = "") -> Fault:
    """Return a fault that repeats the last id, after `blank`, in all answers until the next id."""
    last = [""]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        whole = usual(line)
        last[0] = "".join(re.findall(r"^[=?](\d+)", whole)) or last[0]
        return re.sub(r"^([=?])\d*", rf"\g<1>{blank}{last[0]}", whole) if last[0] else whole

    return fault


def swaps_answers() -> Fault:
    held = [""]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        whole, late = usual(line), held[0]
        held[0] = whole if whole.startswith("=5") else ""
        return "" if held[0] else whole + late

    return fault


def clears_on_failure(session: Session, line: bytes, usual: Usual) -> str:
    """Start a new game when a command fails."""
    whole = usual(line)
    if whole.startswith("?"):
        session.new_game()
    return whole


def undoes_nothing_of_its_own() -> Fault:
    """Return a fault that ignores an undo right after a genmove."""
    moved = [False]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        if line == b"undo" and moved[0]:
            return "=\n\n"
        moved[0] = line.startswith(b"genmove")
        return usual(line)

    return fault


def plays_what_it_tells(session: Session, line: bytes, usual: Usual) -> str:
    """Answer `reg_genmove` with f5, but also play the move."""
    if not line.startswith(b"reg_genmove"):
        return usual(line)
    usual(b"play black f5")
    return "= f5\n\n"


def lets_either_side_move(fault: Fault) -> Fault:
    """Return a fault that gives the turn to the side of a `play` command before `fault` answers."""

    def either(session: Session, line: bytes, usual: Usual) -> str:
        if play := re.match(b"play (black|white)", line):
            session.resume(Game(first=session.position.with_side(Colour(play[1].decode()))))
        return fault(session, line, usual)

    return either


def begins_with_row_1(session: Session, line: bytes, usual: Usual) -> str:
    """Show GoGui's board upside down."""
    whole = usual(line)
    if line != b"gogui-rules_board":
        return whole
    rows = whole.strip("= \n").split("\n")
    return "= " + "\n".join(reversed(rows)) + "\n\n"


def dies_when_it_refuses(session: Session, line: bytes, usual: Usual) -> str:
    """Exit instead of refusing a known command."""
    answer = usual(line)
    if answer.startswith("?") and "unknown command" not in answer:
        os._exit(3)
    return answer


def mid_game(session: Session) -> bool:
    return session.position.empties < 30


def adds_to_volume(session: Session, line: bytes, usual: Usual) -> str:
    return usual(line) + "learned\n" * line.startswith(b"set volume")


def holds_a_hint_back() -> Fault:
    """Return a fault that sends a search line of a hint after the pong."""
    held = [""]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        whole = usual(line)
        if line.startswith(b"hint"):
            held[0] = "search F5 +1.00 0 4\n"
        elif line.startswith(b"ping"):
            whole, held[0] = whole + held[0], ""
        return whole

    return fault


def plays_its_move(session: Session, line: bytes, usual: Usual) -> str:
    whole = usual(line)
    if line == b"go":
        session.game.play(session.position.legal_moves()[0])
    return whole


def command(fault: str = "none", speak: str = "gtp") -> list[str]:
    return [sys.executable, __file__, "--speak", speak, "--fault", fault]


FAULTS: dict[str, Fault] = {
    "speaks-version-2": says(b"protocol_version", "= 2.0"),
    "has-a-name": says(b"name", "="),
    "has-a-version": says(b"version", "= 1\nof last year"),
    "lists-a-command-on-each-line": writes(r"(?s)^= protocol_version\nname", "= protocol_version name"),
    "lists-no-command-twice": writes(r"^= protocol_version\n", "= protocol_version\nprotocol_version\n"),
    "lists-what-is-required": writes(r"\nkomi\n", "\n"),
    "knows-what-it-lists": says(b"known_command komi", "= false"),
    "knows-nothing-else": says(b"known_command .*", "= true"),
    "fails-unknown-commands": writes(r"^\? unknown command", "= never mind"),
    "says-unknown-command": writes(r"^\? unknown command", "? never heard of it"),
    "tells-case-apart": reads(rb"^NAME$", b"name"),
    "begins-with-a-sign-and-a-blank": writes(r"^= ", "="),
    "answers-nothing-with-a-bare-sign": says(b"clear_board", "= done"),
    "fails-with-a-question-mark": writes(r"^\?.*", "?"),
    "ends-with-one-empty-line": writes(r"\n\n$", "\n\n\n"),
    "has-no-empty-line-inside": writes(r"\nname\n", "\n\nname\n"),
    "sends-no-control-characters": writes(r"\n", "\r\n"),
    "answers-each-command-once": writes(r"\n\n$", "\n\ninfo: that was easy\n"),
    "says-only-its-move": lambda session, line, usual: ("thinking\n" * (b"genmove" in line)) + usual(line),
    "answers-at-once": sleeps(b"name", 0.6),
    "repeats-an-id": writes(r"^=(\d+)", r"= \1"),
    "repeats-an-id-without-text": writes(r"^=\d+\n", "=\n"),
    "repeats-an-id-in-a-failure": writes(r"^\?\d+", "?"),
    "repeats-small-and-large-ids": writes(r"^=0", "="),
    "forgets-an-id": remembers_ids(),
    "answers-in-order": swaps_answers(),
    "ignores-comments-behind-commands": reads(b" ?#", b"?"),
    "ignores-carriage-returns": reads(b"\r", b"?"),
    "takes-tabs-for-blanks": reads(b"\t", b"_"),
    "takes-any-number-of-blanks": reads(b"  ", b"_"),
    "drops-control-characters": reads(b"[\x01-\x08\x7f]", b"?"),
    "bears-foreign-letters": exits(rb"(?s).*[\x80-\xff].*"),
    "bears-a-long-line": exits(b".{1000,}"),
    "takes-colours-in-any-case": reads(b"BLACK", b"red"),
    "takes-vertices-in-any-case": reads(b"F5", b"z9"),
    "refuses-bad-vertices": says(b"play black i1", "="),
    "refuses-bad-colours": says(b"genmove red", "= pass"),
    "refuses-missing-arguments": says(b"boardsize", "="),
    "refuses-what-is-no-number": says(b"komi little", "="),
    "changes-nothing-when-it-fails": clears_on_failure,
    "takes-a-board-of-eight": says(b"boardsize 8", "? unacceptable size"),
    "refuses-impossible-boards": says(b"boardsize .*", "="),
    "says-unacceptable-size": writes("unacceptable size", "no"),
    "takes-a-komi": says(b"komi .*", "? unknown command"),
    "starts-as-othello-does": reads(b"c4", b"c5"),
    "refuses-other-first-moves": says(b"play black a1", "="),
    "refuses-occupied-squares": says(b"play white d4", "="),
    "says-illegal-move": writes("illegal move", "no"),
    "takes-whole-games": refuses(b"play .*", mid_game),
    "clears-the-board": says(b"clear_board", "="),
    "tells-the-score": writes(r"^= W\+", "= W-"),
    "takes-moves-back": says(b"undo", "="),
    "takes-its-own-move-back": lets_either_side_move(undoes_nothing_of_its_own()),
    "refuses-to-undo-the-start": writes(r"^\? cannot undo", "= nothing"),
    "says-cannot-undo": writes("cannot undo", "no"),
    "takes-a-pass": says(b"play black pass", "? syntax error"),
    "takes-a-pass-in-capitals": says(b"play black PASS", "? syntax error"),
    "does-without-a-pass": refuses(b"play white .*", lambda session: session.position.must_pass),
    "refuses-a-needless-pass": says(b"play black pass", "="),
    "passes-if-it-must": writes(r"^= pass", "= none"),
    "passes-after-the-end": refuses(b"genmove .*", lambda session: session.position.is_over),
    "takes-passes-after-the-end": refuses(b"play .*", lambda session: session.position.is_over),
    "opens-legally": says(b"genmove .*", "= d4"),
    "moves-for-white": says(b"genmove white", "? I am Black"),
    "plays-what-it-says": reads(b"^genmove", b"reg_genmove"),
    "plays-a-whole-game": refuses(b"genmove .*", mid_game),
    "bears-a-move-out-of-turn": acts(
        b"genmove white", lambda session: session.position.side is Colour.WHITE or os._exit(3)
    ),
    "only-tells-a-move": lets_either_side_move(plays_what_it_tells),
    "fails-to-load-nothing": says(b"loadsgf .*", "="),
    "plays-othello": says(b"list_games", "= Go"),
    "tells-gogui-the-game": says(b"gogui-rules_game_id", "= othello"),
    "tells-gogui-the-legal-moves": says(b"gogui-rules_legal_moves", "= C4 D3 E6 F5"),
    "tells-gogui-the-side-to-move": says(b"gogui-rules_side_to_move", "= B"),
    "shows-gogui-the-board": begins_with_row_1,
    "takes-clocks": says(b"time_settings 0 2 1", "? syntax error"),
    "takes-no-limit": says(b"time_settings 0 1 0", "? syntax error"),
    "takes-time-left": says(b"time_left w.*", "? syntax error"),
    "refuses-bad-clocks": says(b"time_settings.*", "="),
    "keeps-seconds-a-move": sleeps(b"genmove .*", 1.5),
    "keeps-absolute-time": sleeps(b"genmove .*", 5.0),
    "keeps-a-period": sleeps(b"genmove .*", 2.5),
    "keeps-an-increment": sleeps(b"genmove .*", 2.0),
    "moves-at-once-if-time-is-up": sleeps(b"genmove .*", 3.0),
    "answers-quit": acts(b"quit", lambda session: os._exit(0)),
    "ends-while-it-thinks": sleeps(b"genmove .*", FOR_EVER),
    "moves-when-interrupted": sleeps(b"genmove .*", FOR_EVER),
}
# Faults that concern several checks. The first breaks no rule.
HABITS: dict[str, Fault] = {
    "lists-no-undo": writes(r"\nundo\n", "\n"),
    "puts-a-blank-before-ids": writes(r"^([=?])(\d+)", r"\1 \2"),
    "keeps-ids-behind-a-blank": remembers_ids(" "),
    "dies-on-a-bare-play": exits(rb"(\d+ )?play"),
    "dies-on-genmove": exits(rb"(\d+ )?genmove \w+"),
    "knows-no-known-command": says(b".*known.*command.*", "? unknown command"),
    "gives-no-reasons": writes(r"^(\?\d*).*", r"\1"),
    "minds-blanks-at-the-end": reads(rb"^(.*\S) +(#.*)?$", rb"\1_"),
    "takes-any-size": says(rb"boardsize \S+", "="),
    "repeats-no-id": writes(r"^([=?])\d+", r"\1"),
    "resigns": says(b"genmove (b|w|black|white)", "= resign"),
    "takes-any-colour": says(b"genmove( red| 1)?", "= pass"),
    "dies-when-it-refuses": dies_when_it_refuses,
}
NBOARD_FAULTS: dict[str, Fault] = {
    "answers-a-ping": writes("(?m)^pong 4711$", "pong 47117"),
    "answers-pings-in-order": reads(b"^ping 32$", b"nothing"),
    "ignores-what-it-does-not-know": adds_to_volume,
    "tells-its-name": writes("(?m)^set myname.*", "set myname"),
    "says-only-what-the-protocol-knows": writes("(?m)^status thinking$", "thinking hard"),
    "stops-for-a-ping": sleeps(b"(go|hint).*", 4),
    "says-nothing-after-a-pong": holds_a_hint_back(),
    "answers-learn": writes("(?m)^learned$", "status learned"),
    "moves-at-the-start": writes("(?m)^=== (C4|D3|E6|F5)", "=== A1"),
    "writes-moves-as-the-protocol-has-them": writes("(?m)^=== (..)/(.*)/(.*)", r"=== \1 \2 \3"),
    "tells-what-it-thinks": writes("(?m)^search ..", "search A1"),
    "analyses-each-position": writes("(?m)^analysis 4", "analysis 5"),
    "heeds-the-clock-in-the-record": sleeps(b"(go|hint).*", 4),
    "passes-when-it-must": writes("(?m)^=== PA", "=== A1"),
    "reads-a-record": reads(rb"W\[D3\]", b""),
    "takes-moves": reads(rb"^move F5.*", b"nothing"),
    "reads-a-pass-in-a-record": reads(rb"B\[PA\]", b""),
    "takes-a-pass-as-a-move": reads(rb"^move PA", b"nothing"),
    "does-not-play-its-move": plays_its_move,
    "survives-a-finished-game": exits(rb".*[BW]\[C5\].*"),
    "ends-at-quit": sleeps(b"quit", FOR_EVER),
}
# Variations that the protocol allows.
NBOARD_HABITS: dict[str, Fault] = {
    "hints-from-a-book": writes("(?m)^search", "book"),
    "tells-no-name": writes("(?m)^set myname.*\n", ""),
    "does-not-analyze": reads(b"^analyze", b"nothing"),
}


# Faulty functions that split a chunk of input into lines, by the rule that they break.
CUTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "ignores-blank-lines": lambda chunk: [line or b"nothing" for line in chunk.splitlines()],
    "ignores-lines-of-comment": lambda chunk: chunk.replace(b"#", b"").splitlines(),
    "waits-for-the-line-to-end": lambda chunk: [line for line in chunk.split(b"\n") if line],
    "answers-all-before-quit": lambda chunk: chunk.splitlines()[-1 if b"quit" in chunk else 0 :],
}


def be_busy() -> None:
    while True:
        pass


# Actions before the first line is read.
BEGINNINGS: dict[str, Callable[[], object]] = {
    "says-nothing-first": lambda: os.write(STDOUT, b"Welcome!\n"),
    "ends-by-sigterm": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "rests-while-it-waits": lambda: threading.Thread(target=be_busy, daemon=True).start(),
}
# Actions after the end of the input.
ENDS: dict[str, Callable[[], object]] = {
    "ends-with-code-0": lambda: sys.exit(3),
    **dict.fromkeys(("ends-with-its-input", "ends-when-its-input-ends"), lambda: time.sleep(FOR_EVER)),
}
# "heeds-its-clock" needs no fault, since the engine always searches to a fixed depth.
RULES = {"heeds-its-clock", *FAULTS, *CUTS, *BEGINNINGS, *ENDS} - {"ends-when-its-input-ends"}
NBOARD_RULES = {*NBOARD_FAULTS, "ends-when-its-input-ends"}


def wire_of(speak: str) -> serve.Wire:
    """Return the wire of a protocol."""
    if speak == "gtp":
        return Gtp()
    # GTP starts faster without the formats of games.
    from outflank.protocol.server.nboard.commands import NBoard

    return NBoard()


class BrokenWire:
    def __init__(self, speak: str, fault: Fault) -> None:
        self._wire = wire_of(speak)
        self._fault, self._answers_all = fault, speak != "gtp"

    def kind(self, line: bytes) -> LineKind:
        """Return the kind of a line. Every line of NBoard counts as a command, so that a fault can answer it."""
        kind = self._wire.kind(line)
        return LineKind() if self._answers_all and not kind.is_command else kind

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        yield self._fault(session, line, lambda line: "".join(self._wire.answer(session, line)))


def main(speak: str, rule: str) -> None:
    if rule in CUTS:
        splitter = type("Splitter", (LineSplitter,), {"feed": staticmethod(CUTS[rule])})
        vars(serve).update(LineSplitter=splitter)
    BEGINNINGS.get(rule, int)()
    faults = {**FAULTS, **HABITS} if speak == "gtp" else {**NBOARD_FAULTS, **NBOARD_HABITS}
    strength = Strength(level=1) if speak == "gtp" else Strength()
    session = Session(SearchSource(Searcher(1)), strength=strength)
    wire = BrokenWire(speak, faults[rule]) if rule in faults else wire_of(speak)
    serve.serve(session, wire, STDIN, STDOUT, lambda sign, data: None)
    ENDS.get(rule, int)()


if __name__ == "__main__":
    main(sys.argv[2], sys.argv[4])

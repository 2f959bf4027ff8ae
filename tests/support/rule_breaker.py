"""A GTP engine that keeps every rule but one: ``rule_breaker.py RULE``, a rule being the name of its check.

It is our own engine, but something is changed on the way of a line to it or of the answer to the controller.
"""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from outflank.engine import Colour, Game, Searcher
from outflank.protocol.lines import LineSplitter
from outflank.protocol.server import serve
from outflank.protocol.server.gtp.wire import Gtp
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session, Strength

Usual = Callable[[bytes], str]
"""What the engine would answer to a line; nothing if the line is blank."""
Fault = Callable[[Session, bytes, Usual], str]
"""What it answers instead."""
STDIN, STDOUT = 0, 1
FOR_EVER = 1000.0  # seconds


def says(pattern: bytes, text: str) -> Fault:
    """Lines that match are answered with `text`, and nothing is done."""
    return lambda session, line, usual: f"{text}\n\n" if re.fullmatch(pattern, line) else usual(line)


def reads(pattern: bytes, other: bytes) -> Fault:
    """What matches in a line is taken for something else."""
    return lambda session, line, usual: usual(re.sub(pattern, other, line))


def writes(pattern: str, other: str) -> Fault:
    """What matches in an answer is written in another way."""
    return lambda session, line, usual: re.sub(pattern, other, usual(line))


def acts(pattern: bytes, act: Callable[[Session], object]) -> Fault:
    """Something happens before lines that match are answered."""

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        if re.fullmatch(pattern, line):
            act(session)
        return usual(line)

    return fault


def sleeps(pattern: bytes, seconds: float) -> Fault:
    """Lines that match take their time."""
    return acts(pattern, lambda session: time.sleep(seconds))


def refuses(pattern: bytes, when: Callable[[Session], bool]) -> Fault:
    """Lines that match fail under a condition."""

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        return "? no\n\n" if re.fullmatch(pattern, line) and when(session) else usual(line)

    return fault


def remembers_ids(blank: str = "") -> Fault:
    """An id stays until the next one comes; `blank` stands before it."""
    last = [""]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        whole = usual(line)
        last[0] = "".join(re.findall(r"^[=?](\d+)", whole)) or last[0]
        return re.sub(r"^([=?])\d*", rf"\g<1>{blank}{last[0]}", whole) if last[0] else whole

    return fault


def swaps_answers() -> Fault:
    """The answer to the command with the id 5 comes after the next one."""
    held = [""]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        whole, late = usual(line), held[0]
        held[0] = whole if whole.startswith("=5") else ""
        return "" if held[0] else whole + late

    return fault


def clears_on_failure(session: Session, line: bytes, usual: Usual) -> str:
    """A command that fails ends the game."""
    whole = usual(line)
    if whole.startswith("?"):
        session.new_game()
    return whole


def undoes_nothing_of_its_own() -> Fault:
    """An undo right after a genmove does nothing."""
    moved = [False]

    def fault(session: Session, line: bytes, usual: Usual) -> str:
        if line == b"undo" and moved[0]:
            return "=\n\n"
        moved[0] = line.startswith(b"genmove")
        return usual(line)

    return fault


def plays_what_it_tells(session: Session, line: bytes, usual: Usual) -> str:
    """`reg_genmove` plays its move, f5."""
    if not line.startswith(b"reg_genmove"):
        return usual(line)
    usual(b"play black f5")
    return "= f5\n\n"


def lets_either_side_move(fault: Fault) -> Fault:
    """The same fault, and who is told to play is to move."""

    def either(session: Session, line: bytes, usual: Usual) -> str:
        if told := re.match(b"play (black|white)", line):
            session.resume(Game(first=session.position.with_side(Colour(told[1].decode()))))
        return fault(session, line, usual)

    return either


def begins_with_row_1(session: Session, line: bytes, usual: Usual) -> str:
    """GoGui's board is upside down."""
    whole = usual(line)
    if line != b"gogui-rules_board":
        return whole
    rows = whole.strip("= \n").split("\n")
    return "= " + "\n".join(reversed(rows)) + "\n\n"


def dies_when_it_refuses(session: Session, line: bytes, usual: Usual) -> str:
    """It ends where a failure would be the answer to a command that it has."""
    answer = usual(line)
    if answer.startswith("?") and "unknown command" not in answer:
        os._exit(3)
    return answer


def out_of_turn(session: Session) -> bool:
    """Whether White is asked while Black is to move."""
    return str(session.position.side) == "black"


def mid_game(session: Session) -> bool:
    return session.position.empties < 30


def command(rule: str = "none") -> list[str]:
    """How to start the engine that breaks `rule`."""
    return [sys.executable, __file__, rule]


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
    "bears-foreign-letters": acts(rb"(?s).*[\x80-\xff].*", lambda session: os._exit(3)),
    "bears-a-long-line": acts(b".{1000,}", lambda session: os._exit(3)),
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
        b"genmove white", lambda session: os._exit(3) if out_of_turn(session) else None
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
# Habits that several checks meet; what is in the first breaks no rule.
HABITS: dict[str, Fault] = {
    "lists-no-undo": writes(r"\nundo\n", "\n"),
    "puts-a-blank-before-ids": writes(r"^([=?])(\d+)", r"\1 \2"),
    "keeps-ids-behind-a-blank": remembers_ids(" "),
    "dies-on-a-bare-play": acts(rb"(\d+ )?play", lambda session: os._exit(3)),
    "dies-on-genmove": acts(rb"(\d+ )?genmove \w+", lambda session: os._exit(3)),
    "knows-no-known-command": says(b".*known.*command.*", "? unknown command"),
    "gives-no-reasons": writes(r"^(\?\d*).*", r"\1"),
    "minds-blanks-at-the-end": reads(rb"^(.*\S) +(#.*)?$", rb"\1_"),
    "takes-any-size": says(rb"boardsize \S+", "="),
    "repeats-no-id": writes(r"^([=?])\d+", r"\1"),
    "resigns": says(b"genmove (b|w|black|white)", "= resign"),
    "takes-any-colour": says(b"genmove( red| 1)?", "= pass"),
    "dies-when-it-refuses": dies_when_it_refuses,
}


# How what arrives at once is cut into lines.
CUTS: dict[str, Callable[[bytes], list[bytes]]] = {
    "ignores-blank-lines": lambda chunk: [line or b"nothing" for line in chunk.splitlines()],
    "ignores-lines-of-comment": lambda chunk: chunk.replace(b"#", b"").splitlines(),
    "waits-for-the-line-to-end": lambda chunk: [line for line in chunk.split(b"\n") if line],
    "answers-all-before-quit": lambda chunk: chunk.splitlines()[-1 if b"quit" in chunk else 0 :],
}


def be_busy() -> None:
    while True:
        pass


# What happens before the first line.
BEGINNINGS: dict[str, Callable[[], object]] = {
    "says-nothing-first": lambda: os.write(STDOUT, b"Welcome!\n"),
    "ends-by-sigterm": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "rests-while-it-waits": lambda: threading.Thread(target=be_busy, daemon=True).start(),
}
# What happens after the last one.
ENDS: dict[str, Callable[[], object]] = {
    "ends-with-code-0": lambda: sys.exit(3),
    "ends-with-its-input": lambda: time.sleep(FOR_EVER),
}
# It thinks to a fixed depth, clock or not.
BY_NATURE = frozenset({"heeds-its-clock"})
RULES = BY_NATURE.union(FAULTS, CUTS, BEGINNINGS, ENDS)


def main(rule: str) -> None:
    if rule in CUTS:
        vars(serve).update(LineSplitter=cutting(CUTS[rule]))
    BEGINNINGS.get(rule, int)()
    session = Session(SearchSource(Searcher(1)), strength=Strength(level=1))
    fault = {**FAULTS, **HABITS}.get(rule)
    serve.serve(session, BrokenGtp(fault) if fault else Gtp(), STDIN, STDOUT, lambda sign, data: None)
    ENDS.get(rule, int)()


class BrokenGtp(Gtp):
    """GTP with this fault in its answers."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        usual = super().answer
        yield self._fault(session, line, lambda line: "".join(usual(session, line)))


def cutting(cut: Callable[[bytes], list[bytes]]) -> type[LineSplitter]:
    """A splitter that cuts in this way."""

    class Splitter(LineSplitter):
        def feed(self, chunk: bytes) -> list[bytes]:
            return cut(chunk)

    return Splitter


if __name__ == "__main__":
    main(sys.argv[1])

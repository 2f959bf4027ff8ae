"""Ways in which an engine goes wrong, between our own engine and its controller."""

import re
import time
from collections.abc import Callable

from outflank.engine import Colour, Game
from outflank.protocol.session import Session

Usual = Callable[[bytes], str]
"""What the engine would answer to a line; nothing if the line is blank."""
Fault = Callable[[Session, bytes, Usual], str]
"""What it answers instead."""


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


def out_of_turn(session: Session) -> bool:
    """Whether White is asked while Black is to move."""
    return str(session.position.side) == "black"


def mid_game(session: Session) -> bool:
    """Whether half of the board is full."""
    return session.position.empties < 30

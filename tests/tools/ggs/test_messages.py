"""What the server writes, as clients of the real one have recorded it, and text that only looks so."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Colour, Position
from outflank.protocol.clock import TimeControl
from outflank.tests.support.ggs import board_lines
from outflank.tools.ggs.messages import (
    LONGEST_LINE,
    MOST_LINES,
    Board,
    MatchEnded,
    MatchStarted,
    MatchType,
    MessageJoiner,
    Note,
    Offer,
    read,
    read_clock,
)

EIGHT = MatchType("8", 8)
RANDOM = MatchType("s8r20", 8, synchro=True, discs=20)
RECORDED = {
    "/os: +  .19 1735.1 pamphlet 15:00//02:00        8 U 1345.6 ant": Offer(
        ".19", "pamphlet", "ant", EIGHT, "U", TimeControl(900, 0, extension=120)
    ),
    "/os: +   .8 1720.0 alice    01:00//02:00       8b U 1720.0 bob": Offer(
        ".8", "alice", "bob", MatchType("8b", 8), "U", TimeControl(60, 0, extension=120)
    ),
    "/os: +   .3 2544.0 lynx     05:00/00:05/02:00    s8r20 R 2505.0 kitty    10:00//02:00": Offer(
        ".3", "lynx", "kitty", RANDOM, "R", TimeControl(600, 0, extension=120)
    ),
    "/os: +   .3 2544.0 lynx     05:00//02:00    s8r20 S 2505.0 kitty    .42590": Offer(
        ".3", "lynx", "kitty", RANDOM, "S", TimeControl(300, 0, extension=120)
    ),
    "/os: +   .4 2544.0 lynx     05:00//02:00    8k U *      *       ": Offer(
        ".4", "lynx", "*", MatchType("8k", 8, komi=True), "U", TimeControl(300, 0, extension=120)
    ),
    "/os: + match .9 2544 lynx 2505 kitty s8r20 R": MatchStarted(".9", ("lynx", "kitty"), RANDOM, "R"),
    "/os: - match .65 2628 nyanyan 2616 egrcd s8r14 R +0.00  .83353": MatchEnded(
        ".65", None, "nyanyan", "+0.00"
    ),
    "/os: - match .5 1720 alice 1720 bob 8b U -64.00": MatchEnded(".5", None, "alice", "-64.00"),
    "/os: - match .2 1833 nasai 2342 booklet 8 R nasai left": MatchEnded(".2", None, "nasai", "nasai left"),
    "/os: - match .2 1833 nasai 2342 booklet 8 R aborted": MatchEnded(".2", None, "nasai", "aborted"),
    "/os: end .31.1 ( nyanyan vs. egrcd ) +2.00": MatchEnded(".31", "1", "nyanyan", "+2.00"),
    "/os: + match .9 -12 lynx 2505.5 ant+ 8 T": MatchStarted(".9", ("lynx", "ant+"), EIGHT, "T"),
    "/os: error .25 corrupt move": Note("error", ".25", None, "corrupt move"),
    "/os: fatal-timeout .25.0 ant (*)": Note("fatal-timeout", ".25", "0", "ant (*)"),
}
SIDES = [
    "|lynx     (2544.0 *) 14:52,0:0//02:00,0:0",
    "|kitty    (2505.0 O) 01:02:03,0:0/00:10,0:1/02:00,0:0",
]
UPDATE = ["/os: update .4.1 s8r18 K?", "| 23: F5/1.23/4.56", *SIDES, *board_lines(Position.start())]


@pytest.mark.parametrize("line", RECORDED)
def test_a_recorded_line_is_read(line: str) -> None:
    assert read([line]) == RECORDED[line]


def cut(lines: list[str]) -> list[str]:
    cutter = MessageJoiner()
    for line in lines:
        assert cutter.feed(f"{line}\r".encode()) is None
    message = cutter.feed(b"READY\r")
    assert message is not None
    return message


def test_an_update_has_the_last_move_the_clocks_and_the_board() -> None:
    board = read(cut(UPDATE))

    assert isinstance(board, Board)
    assert (board.id, board.part, board.is_whole) == (".4", "1", False)
    assert board.turns == ((23, "F5", 1.23, 4.56),)
    assert board.position == Position.start()
    assert board.sides[Colour.BLACK].name == "lynx"
    assert board.sides[Colour.BLACK].clock == TimeControl(892, 0, extension=120)
    assert board.sides[Colour.WHITE].clock == TimeControl(3723, 10, extension=120)


def test_a_game_that_is_joined_has_its_start_and_all_moves() -> None:
    start = Position.start()
    now = start.play("f5").play("d6")
    lines = [
        "/os: join .4 8 K?",
        "|2 move(s)",
        "|lynx (2544.0 *) 15:00//02:00",
        "|kitty (2505.0 O) 15:00//02:00",
    ]
    lines += [*board_lines(start), "|  1: f5//0.51", "|  2: d6/-2.00", *SIDES, *board_lines(now)]
    board = read(cut(lines))

    assert isinstance(board, Board)
    assert board.is_whole
    assert (board.first, board.position) == (start, now)
    assert board.turns == ((1, "f5", None, 0.51), (2, "d6", -2.0, None))
    assert board.controls == dict.fromkeys(Colour, TimeControl(900, 0, extension=120))
    assert board.sides[Colour.BLACK].clock == TimeControl(892, 0, extension=120)


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("14:52,0:0//02:00,0:0", TimeControl(892, 0, extension=120)),
        ("-00:05,N1:0//02:00,0:0", TimeControl(0, 0, extension=120)),
        ("1.00:00:01", TimeControl(86401)),
        ("05:00/00:10,N2/02:00", TimeControl(300, 10, extension=120)),
        ("ab:cd", None),
        ("1/2/3/4", None),
        ("", TimeControl(0)),
    ],
)
def test_a_clock_is_read(text: str, clock: TimeControl | None) -> None:
    assert read_clock(text) == clock


@pytest.mark.parametrize(
    "line",
    [
        "/os: + match .9 2544 lynx 2505 kitty",
        "/os: + match 9 2544 lynx 2505 kitty s8r20 R",
        "/os: + .8 1720.0 a,b 01:00//02:00 8b U 1720.0 bob",
        "/os: + .8;quit 1720.0 alice 01:00//02:00 8b U 1720.0 bob",
        "/os: + .8 1720.0 alice 01:00:00:00:00//02:00 8b U 1720.0 bob",
        "/os: update .4.2 8 K?",
        "/os: update .4.1 s8r18 K?",
        "lynx: /os: + match .9 2544 lynx 2505 kitty s8r20 R",
        "/os:",
        "",
    ],
)
def test_what_only_looks_so_is_no_message(line: str) -> None:
    assert read([line]) is None


@pytest.mark.parametrize("missing", range(2, len(UPDATE) - 1))
def test_a_board_without_one_of_its_lines_is_none(missing: int) -> None:
    whole, part = read(cut(UPDATE)), read(cut([*UPDATE[:missing], *UPDATE[missing + 1 :]]))

    assert part is None or part == whole


@given(st.integers(0, 2**32))
def test_no_text_is_too_odd_to_be_read(seed: int) -> None:
    """Recorded text with letters changed, left out and repeated; it is read or it is not."""
    rng = random.Random(seed)
    lines = rng.choice([[line] for line in RECORDED] + [UPDATE] * 5)
    text = "\n".join(lines)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(text))
        new = rng.choice(["", "|", "\n|", "9" * 30, " ", "-", "*", "é", text[at] * 9, "\0"])
        text = text[:at] + new + text[at + 1 :]
    cutter = MessageJoiner()
    found = [cutter.feed(line.encode()) for line in text.split("\n")]

    for message in filter(None, [*found, cutter.flush()]):
        read(message)


def test_a_message_is_bounded() -> None:
    cutter = MessageJoiner()
    cutter.feed(b"/os: join .4 8 K?")
    for _ in range(10 * MOST_LINES):
        cutter.feed(b"|" * LONGEST_LINE)
    cutter.feed(b"|" * (LONGEST_LINE + 1))
    message = cutter.flush()

    assert message is not None
    assert len(message) == MOST_LINES
    assert cutter.feed(b"x" * (LONGEST_LINE + 1)) is None
    assert cutter.flush() is None


def test_types_of_matches_are_read() -> None:
    assert MatchType.parse("s8r20") == RANDOM
    assert MatchType.parse("8w") == replace(EIGHT, text="8w")
    assert MatchType.parse("10") == MatchType("10", 10)
    assert MatchType.parse("s8kr16") == MatchType("s8kr16", 8, synchro=True, discs=16, komi=True)
    assert MatchType.parse("8a") == MatchType("8a", 8, anti=True)
    assert MatchType.parse("eight") is None

"""The board: the rules of Othello as the engine knows them."""

from outflank.tools.checks.check import must, should
from outflank.tools.checks.positions import (
    BEFORE_A_PASS,
    BLACK_WINS,
    DRAWN,
    START,
    WHITE_WINS,
    WIPE_OUT,
    move_somehow,
    replay,
    set_up,
)
from outflank.tools.checks.subject import Subject, expect


@must()
def takes_a_board_of_eight(subject: Subject) -> None:
    """`boardsize 8` succeeds."""
    subject.succeed("boardsize 8")


@must()
def refuses_impossible_boards(subject: Subject) -> None:
    """`boardsize` fails for 0, 1 and 1000."""
    for size in (0, 1, 1000):
        subject.refuse(f"boardsize {size}")
    subject.ask("boardsize 8")


@should()
def says_unacceptable_size(subject: Subject) -> None:
    """The failure of `boardsize` begins with GTP's words `unacceptable size`."""
    text = subject.complaint("boardsize 1000")
    expect(text.startswith("unacceptable size"), "'unacceptable size'", repr(text))


@must()
def takes_a_komi(subject: Subject) -> None:
    """`komi` succeeds, though Othello has none: controllers of many games send it."""
    for komi in ("6.5", "0"):
        subject.succeed(f"komi {komi}")


@must()
def starts_as_othello_does(subject: Subject) -> None:
    """Black begins with c4, d3, e6 or f5: a1 is top left, d4 and e5 are White's."""
    for square in START:
        subject.succeed("clear_board")
        subject.succeed(f"play black {square}")


@must()
def refuses_other_first_moves(subject: Subject) -> None:
    """Squares that turn nothing are illegal: c5, d6, e3, f4, a1."""
    set_up(subject)
    for square in ("c5", "d6", "e3", "f4", "a1"):
        subject.refuse(f"play black {square}")


@must()
def refuses_occupied_squares(subject: Subject) -> None:
    """A square that has a disc is illegal."""
    set_up(subject, "f5")
    for square in ("d4", "e5", "f5"):
        subject.refuse(f"play white {square}")


@should()
def says_illegal_move(subject: Subject) -> None:
    """The failure of an illegal `play` begins with GTP's words `illegal move`."""
    set_up(subject)
    text = subject.complaint("play black a1")
    expect(text.startswith("illegal move"), "'illegal move'", repr(text))


@must()
def takes_whole_games(subject: Subject) -> None:
    """Every move of four whole games, one that ends with a side wiped out among them, and up to a pass is taken."""
    for transcript in (BLACK_WINS, WHITE_WINS, DRAWN, WIPE_OUT, BEFORE_A_PASS):
        replay(subject, transcript)


@must()
def clears_the_board(subject: Subject) -> None:
    """`clear_board` sets up the start whatever was played before."""
    replay(subject, "f5d6c3")
    replay(subject, "f5d6c3")


@must("final_score")
def tells_the_score(subject: Subject) -> None:
    """`final_score` of a finished game is `B+n` or `W+n`, n being the difference of the discs, or `0`."""
    for transcript, score in ((BLACK_WINS, "B+4"), (WHITE_WINS, "W+18"), (DRAWN, "0")):
        set_up(subject, transcript)
        answer = subject.succeed("final_score")
        expect(answer.upper().removesuffix(".0") == score, repr(score), repr(answer))


@must("undo")
def takes_moves_back(subject: Subject) -> None:
    """`undo` takes back the last `play`, and one after the other down to the start."""
    set_up(subject, "f5d6c3")
    for _ in range(3):
        subject.succeed("undo")
    subject.succeed("play black d3")


@must("undo")
def takes_its_own_move_back(subject: Subject) -> None:
    """`undo` takes back what `genmove` played."""
    game = set_up(subject, "f5")
    move_somehow(subject, game)
    subject.succeed("undo")
    subject.succeed(f"play white {game.turns[-1].move}")


@must("undo")
def refuses_to_undo_the_start(subject: Subject) -> None:
    """`undo` fails where nothing was played, also after `clear_board`."""
    set_up(subject, "f5")
    subject.succeed("clear_board")
    subject.refuse("undo")
    subject.succeed("play black f5")


@should("undo")
def says_cannot_undo(subject: Subject) -> None:
    """The failure of `undo` begins with GTP's words `cannot undo`."""
    set_up(subject)
    text = subject.complaint("undo")
    expect(text.startswith("cannot undo"), "'cannot undo'", repr(text))

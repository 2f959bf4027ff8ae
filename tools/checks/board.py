"""Checks of the board: legal moves, refused moves, passes, and the end of a game."""

import re

from outflank.engine import Game
from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import (
    BEFORE_A_PASS,
    BLACK_WINS,
    DRAWN,
    START,
    WHITE_WINS,
    WIPE_OUT,
    Resigned,
    Subject,
    Unjudged,
    expect,
    move_somehow,
    replay,
    set_up,
    think,
)


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


@must()
def opens_legally(subject: Subject) -> None:
    """The first move is legal: c4, d3, e6 or f5, in any case."""
    think(subject, set_up(subject))


@must(see=("opens-legally",))
def moves_for_white(subject: Subject) -> None:
    """`genmove white` moves for White."""
    think(subject, set_up(subject, "f5"))


@must(see=("opens-legally", "refuses-occupied-squares"))
def plays_what_it_says(subject: Subject) -> None:
    """`genmove` plays its move too: the reply to it is legal, and its square is taken."""
    game = set_up(subject)
    move_somehow(subject, game)
    subject.refuse(f"play white {game.turns[0].move}")
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@must(see=("opens-legally", "plays-what-it-says"))
def plays_a_whole_game(subject: Subject) -> None:
    """A game of the engine against itself has legal moves only, from the first to the last."""
    game = set_up(subject)
    try:
        while not game.position.is_over:
            think(subject, game)
    except Resigned:
        return


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


@must("undo", see=("plays-what-it-says",))
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


@should()
def bears_a_move_out_of_turn(subject: Subject) -> None:
    """`genmove white` where Black is to move is answered somehow, and the engine goes on."""
    subject.succeed("clear_board")
    subject.ask("genmove white", subject.thinking)
    set_up(subject, "f5")


@must("reg_genmove")
def only_tells_a_move(subject: Subject) -> None:
    """`reg_genmove` answers a legal move and does not play it."""
    subject.succeed("clear_board")
    move = subject.succeed("reg_genmove black", subject.thinking)
    expect(move.lower() in START, f"one of {' '.join(START)}", repr(move))
    subject.succeed(f"play black {move}")


@must("loadsgf")
def fails_to_load_nothing(subject: Subject) -> None:
    """`loadsgf` fails where there is no such file."""
    subject.refuse("loadsgf /no/such/file.sgf")


@must("list_games", "set_game")
def plays_othello(subject: Subject) -> None:
    """`list_games` names `Othello` and `set_game Othello` chooses it.

    Otherwise Quarry takes the engine for a Go player.
    """
    games = subject.succeed("list_games").split("\n")
    expect("Othello" in games, "a line 'Othello'", repr(games))
    subject.succeed("set_game Othello")


@must("gogui-rules_game_id")
def tells_gogui_the_game(subject: Subject) -> None:
    """`gogui-rules_game_id` answers `Othello`."""
    game = subject.succeed("gogui-rules_game_id")
    expect(game == "Othello", "'Othello'", repr(game))


@must("gogui-rules_legal_moves")
def tells_gogui_the_legal_moves(subject: Subject) -> None:
    """`gogui-rules_legal_moves` answers vertices separated by blanks.

    It answers `pass` where that is the only move, and nothing once the game is over.
    """
    for transcript in ("", BEFORE_A_PASS, WIPE_OUT):
        position = set_up(subject, transcript).position
        moves = [] if position.is_over else [str(move) for move in position.legal_moves()] or ["pass"]
        answer = subject.succeed("gogui-rules_legal_moves")
        expect(sorted(answer.lower().split()) == sorted(moves), repr(" ".join(moves)), repr(answer))


@must("gogui-rules_side_to_move")
def tells_gogui_the_side_to_move(subject: Subject) -> None:
    """`gogui-rules_side_to_move` answers a word that begins with `b` or `w`."""
    for transcript, letter in (("", "b"), ("f5", "w")):
        set_up(subject, transcript)
        answer = subject.succeed("gogui-rules_side_to_move")
        expect(answer[:1].lower() == letter, f"a word that begins with {letter!r}", repr(answer))


@must("gogui-rules_board")
def shows_gogui_the_board(subject: Subject) -> None:
    """`gogui-rules_board` answers eight rows of `X` (Black), `O` and `.`.

    Row 8 comes first, on the line of the sign.
    """
    game = set_up(subject, "f5d6")
    raw = subject.ask("gogui-rules_board").raw.decode("utf-8", "replace")
    rows = [re.sub(r"\s", "", line) for line in raw.removeprefix("=").rstrip().split("\n")]
    expected = _rows(game)
    expect(rows == expected, repr("/".join(expected)), repr("/".join(rows)))


def _rows(game: Game) -> list[str]:
    """The board as GoGui has it."""
    position = game.position
    squares = [
        "X" if position.black >> square & 1 else "O" if position.white >> square & 1 else "."
        for square in range(64)
    ]
    return ["".join(squares[8 * row : 8 * row + 8]) for row in reversed(range(8))]


@must()
def takes_a_pass(subject: Subject) -> None:
    """`play black pass` succeeds where Black has no legal move, and White's next move follows."""
    game = set_up(subject, BEFORE_A_PASS)
    subject.succeed("play black pass")
    game.pass_()
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@should(see=("takes-vertices-in-any-case",))
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


@must(see=("opens-legally",))
def passes_if_it_must(subject: Subject) -> None:
    """`genmove` answers `pass` where there is no legal move, and White's next move follows."""
    game = set_up(subject, BEFORE_A_PASS)
    think(subject, game)
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@should(see=("opens-legally",))
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

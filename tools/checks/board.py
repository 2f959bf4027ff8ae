"""Checks of the board: legal moves, refused moves, passes, and the end of a game."""

import re

from outflank.engine import Game
from outflank.tools.checks.check import CheckSkipped, Violation, expect, must, should
from outflank.tools.checks.tapped_drivers import (
    BEFORE_A_PASS,
    BLACK_WINS,
    DRAWN,
    START,
    WHITE_WINS,
    WIPE_OUT,
    TappedGtpDriver,
    move_somehow,
    replay,
    set_up,
    think,
)


@must()
def takes_a_board_of_eight(engine: TappedGtpDriver) -> None:
    """`boardsize 8` succeeds."""
    engine.succeed("boardsize 8")


@must()
def refuses_impossible_boards(engine: TappedGtpDriver) -> None:
    """`boardsize` fails for 0, 1 and 1000."""
    for size in (0, 1, 1000):
        engine.refuse(f"boardsize {size}")
    engine.ask("boardsize 8")


@should()
def says_unacceptable_size(engine: TappedGtpDriver) -> None:
    """The error message of a failed `boardsize` begins with GTP's words `unacceptable size`."""
    engine.refuse_in_words("boardsize 1000", "unacceptable size")


@must()
def takes_a_komi(engine: TappedGtpDriver) -> None:
    """`komi` succeeds although Othello has none: controllers for many games send it."""
    for komi in ("6.5", "0"):
        engine.succeed(f"komi {komi}")


@must()
def starts_as_othello_does(engine: TappedGtpDriver) -> None:
    """Black begins with c4, d3, e6 or f5: a1 is at the top left, and d4 and e5 are White's."""
    for square in START:
        engine.succeed("clear_board")
        engine.succeed(f"play black {square}")


@must()
def refuses_other_first_moves(engine: TappedGtpDriver) -> None:
    """A first move that turns no disc is illegal: c5, d6, e3, f4 or a1."""
    set_up(engine)
    for square in ("c5", "d6", "e3", "f4", "a1"):
        engine.refuse(f"play black {square}")


@must()
def refuses_occupied_squares(engine: TappedGtpDriver) -> None:
    """A move to an occupied square is illegal."""
    set_up(engine, "f5")
    for square in ("d4", "e5", "f5"):
        engine.refuse(f"play white {square}")


@should()
def says_illegal_move(engine: TappedGtpDriver) -> None:
    """The error message for an illegal `play` begins with GTP's words `illegal move`."""
    set_up(engine)
    engine.refuse_in_words("play black a1", "illegal move")


@must()
def takes_whole_games(engine: TappedGtpDriver) -> None:
    """`play` accepts all moves of four complete games, one of them a wipe-out, and of a fifth game up to a pass."""
    for transcript in (BLACK_WINS, WHITE_WINS, DRAWN, WIPE_OUT, BEFORE_A_PASS):
        replay(engine, transcript)


@must()
def clears_the_board(engine: TappedGtpDriver) -> None:
    """`clear_board` sets up the starting position, regardless of earlier moves."""
    replay(engine, "f5d6c3")
    replay(engine, "f5d6c3")


@must()
def opens_legally(engine: TappedGtpDriver) -> None:
    """The engine's first move is legal: c4, d3, e6 or f5, in upper or lower case."""
    think(engine, set_up(engine))


@must(see=("opens-legally",))
def moves_for_white(engine: TappedGtpDriver) -> None:
    """`genmove white` moves for White."""
    think(engine, set_up(engine, "f5"))


@must(see=("opens-legally", "refuses-occupied-squares"))
def plays_what_it_says(engine: TappedGtpDriver) -> None:
    """`genmove` also plays its move: the reply to it is legal, and its square is occupied."""
    game = set_up(engine)
    move_somehow(engine, game)
    engine.refuse(f"play white {game.turns[0].move}")
    engine.succeed(f"play white {game.position.legal_moves()[0]}")


@must(see=("opens-legally", "plays-what-it-says"))
def plays_a_whole_game(engine: TappedGtpDriver) -> None:
    """If the engine plays a game against itself, every move is legal, from the first to the last."""
    game = set_up(engine)
    try:
        while not game.position.is_over:
            think(engine, game)
    except Violation:
        if engine.answer.text.lower() != "resign":
            raise


@must("final_score")
def tells_the_score(engine: TappedGtpDriver) -> None:
    """`final_score` of a finished game is `B+n` or `W+n`, where n is the disc difference, or `0`."""
    for transcript, score in ((BLACK_WINS, "B+4"), (WHITE_WINS, "W+18"), (DRAWN, "0")):
        set_up(engine, transcript)
        answer = engine.succeed("final_score")
        expect(answer.upper().removesuffix(".0") == score, repr(score), repr(answer))


@must("undo")
def takes_moves_back(engine: TappedGtpDriver) -> None:
    """`undo` takes back the last `play`, and repeated calls take back all moves to the start."""
    set_up(engine, "f5d6c3")
    for _ in range(3):
        engine.succeed("undo")
    engine.succeed("play black d3")


@must("undo", see=("plays-what-it-says",))
def takes_its_own_move_back(engine: TappedGtpDriver) -> None:
    """`undo` takes back the move that `genmove` played."""
    game = set_up(engine, "f5")
    move_somehow(engine, game)
    engine.succeed("undo")
    engine.succeed(f"play white {game.turns[-1].move}")


@must("undo")
def refuses_to_undo_the_start(engine: TappedGtpDriver) -> None:
    """`undo` fails if no move has been played, or none since `clear_board`."""
    set_up(engine, "f5")
    engine.succeed("clear_board")
    engine.refuse("undo")
    engine.succeed("play black f5")


@should("undo")
def says_cannot_undo(engine: TappedGtpDriver) -> None:
    """The error message of a failed `undo` begins with GTP's words `cannot undo`."""
    set_up(engine)
    engine.refuse_in_words("undo", "cannot undo")


@should()
def bears_a_move_out_of_turn(engine: TappedGtpDriver) -> None:
    """If Black is to move, `genmove white` is answered with a move or a failure, and the engine continues."""
    engine.succeed("clear_board")
    engine.ask("genmove white", engine.thinking)
    set_up(engine, "f5")


@must("reg_genmove")
def only_tells_a_move(engine: TappedGtpDriver) -> None:
    """`reg_genmove` returns a legal move and does not play it."""
    engine.succeed("clear_board")
    move = engine.succeed("reg_genmove black", engine.thinking)
    expect(move.lower() in START, f"one of {' '.join(START)}", repr(move))
    engine.succeed(f"play black {move}")


@must("loadsgf")
def fails_to_load_nothing(engine: TappedGtpDriver) -> None:
    """`loadsgf` fails if the file does not exist."""
    engine.refuse("loadsgf /no/such/file.sgf")


@must("list_games", "set_game")
def plays_othello(engine: TappedGtpDriver) -> None:
    """`list_games` names `Othello`, and `set_game Othello` selects it.

    Otherwise Quarry takes the engine for a Go player.
    """
    games = engine.succeed("list_games").split("\n")
    expect("Othello" in games, "a line 'Othello'", repr(games))
    engine.succeed("set_game Othello")


@must("gogui-rules_game_id")
def tells_gogui_the_game(engine: TappedGtpDriver) -> None:
    """`gogui-rules_game_id` returns `Othello`."""
    game = engine.succeed("gogui-rules_game_id")
    expect(game == "Othello", "'Othello'", repr(game))


@must("gogui-rules_legal_moves")
def tells_gogui_the_legal_moves(engine: TappedGtpDriver) -> None:
    """`gogui-rules_legal_moves` returns vertices separated by blanks.

    It returns `pass` if that is the only move, and nothing once the game is over.
    """
    for transcript in ("", BEFORE_A_PASS, WIPE_OUT):
        position = set_up(engine, transcript).position
        moves = [] if position.is_over else [str(move) for move in position.legal_moves()] or ["pass"]
        answer = engine.succeed("gogui-rules_legal_moves")
        expect(sorted(answer.lower().split()) == sorted(moves), repr(" ".join(moves)), repr(answer))


@must("gogui-rules_side_to_move")
def tells_gogui_the_side_to_move(engine: TappedGtpDriver) -> None:
    """`gogui-rules_side_to_move` returns a word that begins with `b` or `w`."""
    for transcript, letter in (("", "b"), ("f5", "w")):
        set_up(engine, transcript)
        answer = engine.succeed("gogui-rules_side_to_move")
        expect(answer[:1].lower() == letter, f"a word that begins with {letter!r}", repr(answer))


@must("gogui-rules_board")
def shows_gogui_the_board(engine: TappedGtpDriver) -> None:
    """`gogui-rules_board` returns eight rows of `X` (Black), `O` (White) and `.` (empty).

    Row 8 comes first, on the same line as the sign.
    """
    game = set_up(engine, "f5d6")
    raw = engine.ask("gogui-rules_board").raw.decode("utf-8", "replace")
    rows = [re.sub(r"\s", "", line) for line in raw.removeprefix("=").rstrip().split("\n")]
    expected = _rows(game)
    expect(rows == expected, repr("/".join(expected)), repr("/".join(rows)))


def _rows(game: Game) -> list[str]:
    """Return the rows of the board in GoGui's form."""
    position = game.position
    squares = [
        "X" if position.black >> square & 1 else "O" if position.white >> square & 1 else "."
        for square in range(64)
    ]
    return ["".join(squares[8 * row : 8 * row + 8]) for row in reversed(range(8))]


@must()
def takes_a_pass(engine: TappedGtpDriver) -> None:
    """`play black pass` succeeds if Black has no legal move, and White's next move is then accepted."""
    game = set_up(engine, BEFORE_A_PASS)
    engine.succeed("play black pass")
    game.pass_()
    engine.succeed(f"play white {game.position.legal_moves()[0]}")


@should(see=("takes-vertices-in-any-case",))
def takes_a_pass_in_capitals(engine: TappedGtpDriver) -> None:
    """`play black PASS` means the same as `play black pass`."""
    _expect_passes_to_be_taken(engine)
    set_up(engine, BEFORE_A_PASS)
    engine.succeed("play black PASS")


@should()
def does_without_a_pass(engine: TappedGtpDriver) -> None:
    """If a side has no legal move, a move by the other side implies the pass.

    Some controllers, such as Quarry, never send a pass.
    """
    game = set_up(engine, BEFORE_A_PASS)
    game.pass_()
    engine.succeed(f"play white {game.position.legal_moves()[0]}")


@should()
def refuses_a_needless_pass(engine: TappedGtpDriver) -> None:
    """`play black pass` fails if Black has a legal move, and changes nothing."""
    engine.succeed("clear_board")
    engine.refuse("play black pass")
    engine.succeed("play black f5")


@must(see=("opens-legally",))
def passes_if_it_must(engine: TappedGtpDriver) -> None:
    """`genmove` returns `pass` if there is no legal move, and White's next move is then accepted."""
    game = set_up(engine, BEFORE_A_PASS)
    think(engine, game)
    engine.succeed(f"play white {game.position.legal_moves()[0]}")


@should(see=("opens-legally",))
def passes_after_the_end(engine: TappedGtpDriver) -> None:
    """Once the game is over, `genmove` returns `pass` for either side: GoGui ends a game with two passes."""
    set_up(engine, WIPE_OUT)
    for colour in ("white", "black"):
        answer = engine.succeed(f"genmove {colour}", engine.thinking)
        expect(answer.lower() == "pass", f"'pass' for 'genmove {colour}' after the end", repr(answer))


@should()
def takes_passes_after_the_end(engine: TappedGtpDriver) -> None:
    """Once the game is over, `play` accepts a pass by either side."""
    _expect_passes_to_be_taken(engine)
    set_up(engine, WIPE_OUT)
    engine.succeed("play white pass")
    engine.succeed("play black pass")


def _expect_passes_to_be_taken(engine: TappedGtpDriver) -> None:
    set_up(engine, BEFORE_A_PASS)
    if not engine.ask("play black pass").ok:
        raise CheckSkipped("it accepts no pass: see takes-a-pass")

"""Its own moves, and other things that depend on the game."""

import re

from outflank.engine import Game
from outflank.tools.checks.check import must, should
from outflank.tools.checks.positions import (
    BEFORE_A_PASS,
    START,
    WIPE_OUT,
    Resigned,
    move_somehow,
    set_up,
    think,
)
from outflank.tools.checks.subject import Subject, expect


@must()
def opens_legally(subject: Subject) -> None:
    """The first move is legal: c4, d3, e6 or f5, in any case."""
    think(subject, set_up(subject))


@must()
def moves_for_white(subject: Subject) -> None:
    """`genmove white` moves for White."""
    think(subject, set_up(subject, "f5"))


@must()
def plays_what_it_says(subject: Subject) -> None:
    """`genmove` plays its move too: the reply to it is legal, and its square is taken."""
    game = set_up(subject)
    move_somehow(subject, game)
    subject.refuse(f"play white {game.turns[0].move}")
    subject.succeed(f"play white {game.position.legal_moves()[0]}")


@must()
def plays_a_whole_game(subject: Subject) -> None:
    """A game of the engine against itself has legal moves only, from the first to the last."""
    game = set_up(subject)
    try:
        while not game.position.is_over:
            think(subject, game)
    except Resigned:
        return


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

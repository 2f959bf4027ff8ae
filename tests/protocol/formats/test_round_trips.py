"""What a format writes it reads back, whatever the game: all that it has a place for, and nothing else."""

from dataclasses import replace
from io import BytesIO

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank.engine import Position, Rules
from outflank.protocol.formats import ggf, obf, sgf, transcript, wthor
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Result, ResultReason
from outflank.protocol.formats.transcript import STYLES
from outflank.tests.support.gamefiles import annotated_games, games_in, margins, only, othello, plain_games

many = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def bare(game: AnnotatedGame) -> AnnotatedGame:
    return AnnotatedGame(game.first, tuple(AnnotatedMove(move.before, move.move) for move in game.moves))


@many
@given(game=annotated_games())
def test_the_record_of_a_game_has_its_moves_alone(game: AnnotatedGame) -> None:
    assert AnnotatedGame.of(game.game()) == bare(game)


def in_ggf(game: AnnotatedGame) -> AnnotatedGame:
    """Return the game without what GGF has no place for: event, exact margins, comments on moves, title, overtime."""
    text = {name: getattr(game, name).replace("]", ")") for name in ("black", "white", "place", "comment")}
    moves = tuple(replace(move, exact=None, comment="") for move in game.moves)
    result = game.outcome
    if result is not None and result.ending is ResultReason.FORFEIT:
        result = replace(result, ending=ResultReason.RESIGNATION)
    clock = "" if "overtime" in game.clock else game.clock
    return replace(
        game, **text, moves=moves, result=result, exact=None, event="", title="", clock=clock, given=0
    )


def in_sgf(game: AnnotatedGame) -> AnnotatedGame:
    """Return the game as SGF keeps it: without an agreement on the result."""
    result = game.outcome
    if result is not None and result.ending is ResultReason.AGREEMENT:
        result = replace(result, ending=ResultReason.DISCS)
    return replace(game, result=result)


def on_board(game: AnnotatedGame) -> Result | None:
    """Return the result of the last position; None if it is not the end."""
    return replace(game, result=None).outcome


@many
@given(plain_games(), st.sampled_from(STYLES), st.booleans())
def test_transcripts(game: AnnotatedGame, style: transcript.Style, passes: bool) -> None:
    text = transcript.write(game, style, passes)

    (read,) = transcript.read(BytesIO(text.encode()), game.rules) if game.moves else (game,)
    assert isinstance(read, AnnotatedGame)
    # A pass after the last disc is left out with the others.
    cut = game.moves if passes or not game.moves or not game.moves[-1].move.is_pass else game.moves[:-1]
    assert bare(read).moves == cut


@many
@given(st.lists(annotated_games(), max_size=3))
def test_ggf(games: list[AnnotatedGame]) -> None:
    games = [replace(game, place=game.place or "here") for game in games]
    text = "".join(map(ggf.write, games))

    assert list(ggf.read(BytesIO(text.encode()), Rules())) == [in_ggf(game) for game in games]


@many
@given(st.lists(annotated_games(), max_size=3))
def test_sgf(games: list[AnnotatedGame]) -> None:
    text = "".join(map(sgf.write, games))

    assert list(sgf.read(BytesIO(text.encode()), Rules())) == [in_sgf(game) for game in games]


@many
@given(annotated_games(othello))
def test_obf(game: AnnotatedGame) -> None:
    """Each position with a move comes back with its exact margin, and the last one if it says more than the board."""
    read = list(obf.read(BytesIO(obf.write(game).encode()), game.rules))

    expected = [AnnotatedGame(move.before, exact=move.exact) for move in game.moves if not move.move.is_pass]
    if not expected or (game.exact is not None and not game.final.is_over):
        expected.append(AnnotatedGame(game.final, exact=game.exact))
    assert read == expected


@many
@given(st.lists(st.tuples(annotated_games(othello), margins), max_size=4))
def test_wthor(drawn: list[tuple[AnnotatedGame, int]]) -> None:
    games = [
        replace(game, result=on_board(game) or Result(othello.winner_by(margin), margin), date="1999")
        for game, margin in drawn
    ]
    others = wthor.write(games, stream := BytesIO(), (1999, 12, 31))
    stream.seek(0)

    header = wthor.Header.unpack(stream.getvalue())
    read = games_in(stream.getvalue()) if games else []

    assert header == wthor.Header(len(games), 0, 1999, header.depth, (1999, 12, 31))
    for game, back in zip(games, read, strict=True):
        moves = list(game.moves)
        while moves and moves[-1].move.is_pass:
            moves.pop()
        assert bare(back).moves == bare(replace(game, moves=tuple(moves))).moves
        assert (back.result, back.date) == (game.result, "1999")
    assert {len(others[".jou"]) % 20, len(others[".trn"]) % 26} == {16}


def test_the_format_is_found_out() -> None:
    position = Position.start()
    texts = {
        "f5d6c3": 3,
        "\n# games\n1. F5 d6 2. c3": 3,
        "1 (;GM[Othello]BO[8 " + position.board_string().replace("X", "*") + "]B[F5]W[D6]B[C3];)": 3,
        "(;FF[4]GM[2];B[f5];W[d6];B[c3])": 3,
        "(\r\n;GM[2];B[f5];W[d6];B[c3])": 3,
        f"{'-' * 70}\nGame #1 (;GM[2];B[f5];W[d6];B[c3])": 3,
        "f5d6c3 # good game (;\n": 3,
        "H1 results of the day\n(;GM[2];B[f5];W[d6];B[c3])": 3,
        f"{'-' * 64} Othello games\n(;GM[2];B[f5];W[d6];B[c3])": 3,
        "# a game (;\n\n1. F5 d6 2. c3": 3,
        position.board_string() + " % (;": 0,
        position.board_string() + "; F5:+0;": 0,
    }
    for text, moves in texts.items():
        assert only(text, rules=othello).discs_played == moves, text

"""A game that was played, as game files know games; and its line in a file of transcripts."""

from dataclasses import replace

from outflank.engine import Colour, Turn
from outflank.protocol.formats import annotated, transcript
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Result
from outflank.tools.games.results import Ending, GameRecord
from outflank.tools.state.run import Run

_ENDINGS = {
    Ending.DISCS: annotated.Ending.DISCS,
    Ending.RESIGNATION: annotated.Ending.RESIGNATION,
    Ending.ADJUDICATION: annotated.Ending.AGREEMENT,
    Ending.TIME: annotated.Ending.TIME,
    Ending.STALL: annotated.Ending.TIME,
}


def annotated_game(game: GameRecord, event: str = "") -> AnnotatedGame:
    """The game with times, evaluations, exact margins, and as its comment what went wrong."""
    names = game.pairing.names
    turns = zip(game.turns, game.values, game.seconds, game.exact, strict=True)
    ending = _ENDINGS.get(game.ending, annotated.Ending.FORFEIT)
    return AnnotatedGame(
        game.first_position,
        tuple(_annotated_move(*turn) for turn in turns),
        black=names[Colour.BLACK],
        white=names[Colour.WHITE],
        result=None if game.ending is Ending.RUNNER_FAULT else Result(game.winner, game.margin, ending),
        title=f"game {game.pairing.number}",
        event=event,
        date=game.started,
        comment=game.detail,
        given=game.given,
    )


def run_record(run: Run, game: GameRecord) -> AnnotatedGame:
    """A game of a run, with the run as its event."""
    return annotated_game(game, f"Outflank {run.settings.format}")


def transcript_line(game: GameRecord) -> str:
    """The moves of a game and, behind ``#``, what it was: a line that ``--openings`` could read."""
    return transcript.write(replace(annotated_game(game), comment=headline(game)))


def headline(game: GameRecord) -> str:
    """``game 3: A - B +12``, or how it ended if not by discs; the margin is Black's."""
    names, end = game.pairing.names, game.ending
    result = f"{game.margin:+d}" if game.margin is not None else f"{game.winner_name} wins by {end}"
    return f"game {game.pairing.number}: {names[Colour.BLACK]} - {names[Colour.WHITE]} {result}"


def _annotated_move(
    turn: Turn, value: float | None, seconds: float | None, exact: int | None
) -> AnnotatedMove:
    """The turn; the engine's value, which is Black's, becomes the mover's."""
    score = value if value is None or turn.colour is Colour.BLACK else 0.0 - value
    return AnnotatedMove(turn.before, turn.move, seconds, score, exact)

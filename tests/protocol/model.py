"""What a session has to do, by the oracle: the game, and the turns, passes and undo on top of it."""

from dataclasses import replace

from outflank.tests import reference
from outflank.tests.reference import BLACK


class Model:
    """A game as the oracle plays it, with the session's rules of turns, passes and undo on top."""

    def __init__(self, preset: str) -> None:
        self.preset = preset
        self.sheet = reference.SHEETS[preset]
        self.begin(reference.Game(self.sheet))

    def begin(self, game: reference.Game) -> None:
        """A new game."""
        self.game = game
        self.undos: list[int] = []  # how many plies each undo would take back

    def set_up(self, board: reference.Board, side: str) -> None:
        """A new game from a board."""
        self.begin(reference.Game(replace(self.sheet, begins=side), board))

    def play(self, side: str, move: str) -> bool:
        """Play if it is allowed; whether it was."""
        options = self.game.choices()
        if not options:
            if move == "pass":
                self.undos.append(0)
            return move == "pass"
        implied = side != self.game.side
        if implied:
            if options != ["pass"]:
                return False
            self.game.play("pass")
        move = self.settled(move)
        if move in self.game.choices():
            self.game.play(move)
            self.undos.append(1 + implied)
            return True
        if implied:
            self.game.undo()
        return False

    def settled(self, move: str) -> str:
        """The move without a direction that goes without saying."""
        square, _, direction = move.partition("/")
        row, column = "12345678".find(square[-1]), "abcdefgh".find(square[0])
        board, side = self.game.board, self.game.side
        lines = [step for step in reference.STEPS if reference.bracketed(board, side, row, column, step)]
        return square if self.sheet.turns == "one" and lines == [direction] else move

    def undo(self, count: int) -> bool:
        """Take back the last moves if there are so many; whether there were."""
        if count > len(self.undos):
            return False
        for _ in range(count):
            for _ in range(self.undos.pop()):
                self.game.undo()
        return True

    def score(self) -> str:
        """What final_score answers for a finished game."""
        winner = reference.winner(self.game.board, self.sheet)
        lead = abs(reference.final_score(self.game.board, self.sheet))
        return "0" if winner is None else f"{'B' if winner == BLACK else 'W'}+{lead}"

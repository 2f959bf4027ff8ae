"""Sessions of any commands in any order, compared with the oracle (reliability test 8)."""

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from outflank.engine import Clock, Limit, SettingsError
from outflank.engine.search.limits import DEFAULT_LEVEL, limit_for_level
from outflank.protocol.server.gtp.commands import COMMANDS
from outflank.protocol.server.gtp.grammar import parse
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.session import Strength
from outflank.tests.support import reference
from outflank.tests.support.dialogue import Dialogue, check_form
from outflank.tests.support.reference import BLACK, WHITE
from outflank.tests.support.strategies import PRESETS, boards

COLOURS = {BLACK: ["b", "B", "black", "Black"], WHITE: ["w", "W", "white", "WHITE"]}
SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]
sides = st.sampled_from([BLACK, WHITE])
picks = st.integers(0, 63)
spellings = st.tuples(st.integers(0, 3), st.booleans())
# White has to pass, again and again: what random play reaches too seldom.
PASSES = [
    reference.board_of("XO------" + "-" * 56),
    reference.board_of("XO------" * 4 + "-" * 32),
    reference.board_of("-" * 32 + "------OX" + "--XO----" + "-" * 16),
]
OVER = [
    reference.board_of("X------O" + "-" * 56),
    reference.board_of("X" * 64),
    reference.board_of("XXO" * 21 + "X"),
]
seconds = st.sampled_from(["0", "1", "0.001", "300", "2147483647", "1e-9", "59.9"])


class Model:
    """A game as the oracle plays it, with the session's rules of turns, passes and undo on top."""

    def __init__(self, preset: str) -> None:
        self.preset = preset
        self.sheet = reference.SHEETS[preset]
        self.begin(reference.Game(self.sheet))

    def begin(self, game: reference.Game) -> None:
        self.game = game
        self.undos: list[int] = []  # how many plies each undo would take back

    def set_up(self, board: reference.Board, side: str) -> None:
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
        """Return the move without a direction that goes without saying."""
        square, _, direction = move.partition("/")
        if not direction:
            return move
        row, column = "12345678".index(square[-1]), "abcdefgh".index(square[0])
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
        """Return the answer of final_score for a finished game."""
        winner = reference.winner(self.game.board, self.sheet)
        lead = abs(reference.final_score(self.game.board, self.sheet))
        return "0" if winner is None else f"{'B' if winner == BLACK else 'W'}+{lead}"


class SessionMachine(RuleBasedStateMachine):
    """Sends commands to a session and to the model; after each of them both must show the same."""

    def __init__(self) -> None:
        super().__init__()
        self.dialogue = Dialogue()
        self.model = Model("othello")
        self.commands = 0

    def send(self, line: str) -> str | None:
        """Send a command with an id; the text of the answer, None if it failed."""
        self.commands += 1
        answer = self.dialogue.send(f"{self.commands} {line}")
        check_form(answer)
        sign, number, text = re.fullmatch(r"([=?])(\d*) ?(.*)\n\n", answer, re.DOTALL).groups()  # type: ignore[union-attr]
        assert number == str(self.commands)
        assert "internal error" not in text
        return text if sign == "=" else None

    def expect(self, line: str, success: bool) -> str | None:
        """Send a command of which the model says whether it succeeds."""
        text = self.send(line)
        assert (text is not None) == success, f"{line}: {text}"
        return text

    @initialize(preset=st.sampled_from(PRESETS))
    def begin(self, preset: str) -> None:
        self.choose_rules(preset)

    @rule(preset=st.sampled_from(PRESETS))
    def choose_rules(self, preset: str) -> None:
        self.model = Model(preset)
        self.expect(f"outflank-rules {preset}", True)

    @rule()
    def clear_board(self) -> None:
        self.model = Model(self.model.preset)
        self.expect("clear_board", True)

    @rule(side=sides, square=st.sampled_from([*SQUARES, "pass"]), how=spellings)
    def play_anything(self, side: str, square: str, how: tuple[int, bool]) -> None:
        word = square.upper() if how[1] else square
        self.expect(f"play {COLOURS[side][how[0]]} {word}", self.model.play(side, square))

    @rule(side=sides, square=st.sampled_from(SQUARES), direction=st.sampled_from(list(reference.STEPS)))
    def play_with_direction(self, side: str, square: str, direction: str) -> None:
        move = f"{square}/{direction}"
        self.expect(f"play {COLOURS[side][0]} {move}", self.model.play(side, move))

    @precondition(lambda self: self.model.game.choices())
    @rule(pick=picks, how=spellings)
    def play_legal(self, pick: int, how: tuple[int, bool]) -> None:
        options = self.model.game.choices()
        move = options[pick % len(options)]
        side = self.model.game.side
        assert self.model.play(side, move)
        self.expect(f"play {COLOURS[side][how[0]]} {move.upper() if how[1] else move}", True)

    @rule(plies=st.lists(picks, min_size=1, max_size=70), spoil=st.booleans())
    def play_many(self, plies: list[int], spoil: bool) -> None:
        """Play many moves without passes; a last move that is illegal undoes all of them."""
        words = []
        for pick in plies:
            options = self.model.game.choices()
            if options == ["pass"] and pick % 2:
                side = reference.other(self.model.game.side)
                options = list(reference.moves(self.model.game.board, side, self.model.sheet.turns))
            elif options:
                side = self.model.game.side
            else:
                break
            move = options[pick % len(options)]
            assert self.model.play(side, move)
            words.append(f"{COLOURS[side][0]} {move}")
        if spoil:
            self.model.undo(len(words))
            words.append("b d4" if self.model.game.board[3][3] != reference.EMPTY else "b i9")
        self.expect(f"gogui-play_sequence {' '.join(words)}", not spoil)

    @rule(side=sides)
    def genmove(self, side: str) -> None:
        self.think("genmove", side)

    @rule(side=sides)
    def reg_genmove(self, side: str) -> None:
        move = self.think("reg_genmove", side)
        if move is not None:
            self.model.undo(1)

    def think(self, command: str, side: str) -> str | None:
        """Ask for a move, which the model must be able to play; None if it is not that side's turn."""
        options = self.model.game.choices()
        turn = side == self.model.game.side or options in ([], ["pass"])
        move = self.expect(f"{command} {COLOURS[side][0]}", turn)
        if move is not None:
            assert self.model.play(side, move), move
        return move

    @rule()
    def undo(self) -> None:
        self.expect("undo", self.model.undo(1))

    @rule(count=st.integers(0, 70))
    def undo_many(self, count: int) -> None:
        self.expect(f"gg-undo {count}", self.model.undo(count))

    @rule(board=st.sampled_from([*PASSES, *OVER]), plies=st.integers(1, 3))
    def pass_and_undo(self, board: reference.Board, plies: int) -> None:
        """Pass and undo in one step, since steps are drawn independently."""
        self.set_up(board)
        self.set_player(WHITE)
        for _ in range(plies):
            move = next(iter(reference.moves(self.model.game.board, BLACK, self.model.sheet.turns)), "pass")
            self.expect(f"play b {move}", self.model.play(BLACK, move))
        self.the_session_shows_what_the_model_shows()
        for _ in range(plies):
            self.undo()

    @rule(board=boards)
    def set_up(self, board: reference.Board) -> None:
        words = [
            f"{'b' if letter == BLACK else 'w'} {reference.name_of(row, column)}"
            for row, letters in enumerate(board)
            for column, letter in enumerate(letters)
            if letter != reference.EMPTY
        ]
        if words:
            self.model.set_up(board, self.model.sheet.begins)
        self.expect(f"gogui-setup {' '.join(words)}", bool(words))

    @rule(side=sides)
    def set_player(self, side: str) -> None:
        self.model.set_up(self.model.game.board, side)
        self.expect(f"gogui-setup_player {COLOURS[side][0]}", True)

    @rule(main=seconds, period=seconds, stones=st.integers(0, 30), kata=st.booleans())
    def time_settings(self, main: str, period: str, stones: int, kata: bool) -> None:
        self.expect(
            f"{'kata-time_settings canadian' if kata else 'time_settings'} {main} {period} {stones}", True
        )

    @rule(side=sides, left=st.one_of(seconds, st.just("-3")), stones=st.integers(0, 30))
    def time_left(self, side: str, left: str, stones: int) -> None:
        self.expect(f"time_left {COLOURS[side][0]} {left} {stones}", True)

    @rule(line=st.sampled_from(["play", "play x d3", "boardsize 9", "komi x", "undo? 1", "time_left b", "é"]))
    def malformed(self, line: str) -> None:
        self.expect(line, False)

    @rule(line=st.sampled_from(["", "  ", "# name", "\t", "7", "-7", "\r", "# interrupt"]))
    def silent(self, line: str) -> None:
        assert self.dialogue.send(line) == ""

    @rule(line=st.binary(max_size=60))
    def noise(self, line: bytes) -> None:
        command = parse(line)
        if command is None:
            assert self.dialogue.send(line) == ""
        elif command[1] not in COMMANDS:
            assert self.dialogue.send(line) == f"?{command[0]} unknown command\n\n"

    @invariant()
    def the_session_shows_what_the_model_shows(self) -> None:
        game, options = self.model.game, self.model.game.choices()
        rows = ["".join(row).replace("-", ".") for row in game.board[::-1]]
        assert self.send("gogui-rules_board") == "\n".join(" ".join(row) for row in rows)
        assert self.send("gogui-rules_side_to_move") == ("black" if game.side == BLACK else "white")
        vertices = dict.fromkeys(move.partition("/")[0] for move in options)
        assert self.send("gogui-rules_legal_moves") == " ".join(
            vertex if vertex == "pass" else vertex.upper() for vertex in vertices
        )
        assert self.send("final_score") == (None if options else self.model.score())
        for side, colour in ((BLACK, "black"), (WHITE, "white")):
            assert self.dialogue.session.game.hand(colour) == game.hand[side]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("count", "steps"),
    [(125, 25), pytest.param(10_000, 60, marks=[pytest.mark.slow, pytest.mark.timeout(7200)])],
)
def test_sessions_agree_with_the_oracle(count: int, steps: int) -> None:
    wanted = settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(SessionMachine, settings=wanted)


@pytest.mark.parametrize(
    ("strength", "clock", "limit"),
    [
        (Strength(), None, limit_for_level(DEFAULT_LEVEL, 60)),
        (Strength(), Clock(30), Limit(clock=Clock(30))),
        (Strength(seconds=0.5), None, Limit(clock=Clock(0.5, moves=1))),
        (
            Strength(level=12, nodes=1000, seconds=2),
            Clock(30),
            replace(limit_for_level(12, 60), nodes=1000, seconds=2, clock=Clock(30)),
        ),
        (Strength(level=12, depth=3), None, replace(limit_for_level(12, 60), depth=3)),
    ],
    ids=["default level", "clock alone", "seconds as a clock", "all of them", "depth for the level's"],
)
def test_what_is_set_limits_the_search(strength: Strength, clock: Clock | None, limit: Limit) -> None:
    assert strength.limit(clock, 60) == limit


@pytest.mark.parametrize(
    "wrong",
    [
        *({"level": 61}, {"level": -1}, {"depth": 0}, {"nodes": 0}),
        *({"elo": elo} for elo in (0, LOWEST_ELO - 1, HIGHEST_ELO + 1, -1)),
        *({"seconds": seconds} for seconds in (-1.0, math.nan, 1e13, math.inf)),
        *({"overhead": overhead} for overhead in (-1.0, math.nan, 1e13, math.inf)),
    ],
)
def test_a_strength_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=r"^expected |must be at most .* seconds$"):
        Strength(**wrong)

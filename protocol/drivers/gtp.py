"""The driver of GTP engines, which differ in their support of rules, forced passes, clocks and reports."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from outflank.engine import Colour, Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers.dialect import TimeDialect, choose_dialect, is_edax
from outflank.protocol.drivers.driver import Reply
from outflank.protocol.drivers.errors import (
    EngineCrash,
    EngineError,
    EngineProtocolError,
    EngineRefusal,
    EngineTimeout,
    UnfitEngineError,
)
from outflank.protocol.drivers.process_driver import (
    BANNER_SECONDS,
    REPLY_SECONDS,
    START_SECONDS,
    ProcessDriver,
    is_gtp_answer,
)
from outflank.protocol.drivers.reports import MoveReport, is_report, is_true_claim, read_report
from outflank.protocol.drivers.spec import EngineSpec, filled, parameters_to_send
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import printable

MAX_ANSWER_BYTES = 1 << 20
GENMOVE = "genmove"
_GENMOVES_WITH_REPORTS = ("kata-genmove_analyze", "lz-genmove_analyze")  # the more detailed command first
_ANALYSES = ("kata-analyze", "lz-analyze")
_CENTISECONDS_OF_GENMOVE = 50  # the interval of reports during the search; only the last report is used
_CENTISECONDS_OF_ANALYSIS = 10
_CLAIM_SECONDS = 1.0  # the longest wait for an answer after the end of the game
_LOAD = "loadsgf"


class GtpDriver(ProcessDriver):
    """An engine that speaks GTP; see ``Driver``.

    When the process is restarted, the following attributes except `commands` keep their values.

    Attributes:
        commands: the commands that the engine lists.
        implicit_passes: True if the engine refuses forced passes.
        reports_scores: True to request an evaluation with each move, if the engine lists a command for this.
        claims_truly: True if all final scores that the engine reported were correct.
    """

    _protocol = "GTP"
    commands: frozenset[str] = frozenset()
    implicit_passes, claims_truly = False, True
    _speaks_gtp = False
    _genmove = GENMOVE
    _dialect = TimeDialect()

    def __init__(self, spec: EngineSpec, rules: Rules, **named: Any) -> None:
        super().__init__(spec, rules, **named)
        self.reports_scores = spec.analysis

    @property
    def sets_boards_up(self) -> bool:
        """Whether the open engine lists the command that loads a game from a file."""
        return _LOAD in self.commands

    def start(self) -> None:
        """See ``ProcessDriver``."""
        self._speaks_gtp = False
        super().start()

    def ask(self, command: str, seconds: float = REPLY_SECONDS, *, watching: bool = False) -> Reply:
        """Send `command` and return the whole answer.

        Args:
            command: the command without its line feed.
            seconds: the longest wait; partial output does not extend it.
            watching: True to keep only the last of successive ``info`` lines; an analysis may send any number of lines.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError. The process can't be used after any of these errors.
        """
        started = self._send(command)
        try:
            ok, text = self._read_answer(started + seconds, watching)
        except (EngineTimeout, EngineCrash) as error:
            raise self._explained(error, command) from None
        return Reply(text, self._child.last_read - started, ok=ok)

    def order(self, command: str, seconds: float = REPLY_SECONDS) -> str:
        """Send a command that has to succeed, and return the text of the answer.

        Raises: the errors of ``ask``; EngineRefusal if the engine answers with a failure.
        """
        answer = self.ask(command, seconds)
        if not answer.ok:
            raise self._refusal(command, answer.text)
        return answer.text

    def analyse(
        self, seconds: float, on_report: Callable[[tuple[MoveReport, ...]], object] | None = None
    ) -> tuple[MoveReport, ...]:
        """Analyze the position of the last ``follow``, and return the engine's last report, the best move first.

        Args:
            seconds: the duration, measured from the first line of the answer.
            on_report: the function that gets each report, and returns true to stop the analysis immediately.

        Raises: UnfitEngineError if the engine lists no command for analysis; other EngineErrors.
        """
        command = next((command for command in _ANALYSES if command in self.commands), None)
        if command is None:
            raise UnfitEngineError(f"{self.label} can't analyze: it lists neither {' nor '.join(_ANALYSES)}")
        command = f"{command} {self._position.side} {_CENTISECONDS_OF_ANALYSIS}"
        try:
            return self._watch(command, seconds, on_report or (lambda reports: False))
        except (EngineTimeout, EngineCrash) as error:
            raise self._explained(error, command) from None

    def check_claim(self, game: AnnotatedGame) -> None:
        """See ``Driver``. Uses ``final_score``."""
        if self._ply is None or not self.claims_truly or "final_score" not in self.commands:
            return
        try:
            for made in game.moves[self._ply :]:
                self.order(f"play {made.colour} {made.move}", _CLAIM_SECONDS)
            claim = self.order("final_score", _CLAIM_SECONDS)
        except EngineRefusal:
            return  # the engine has claimed no score, so there is none to check
        except EngineError as error:
            self.remark(f"fails when a game is over: {error}")
            self.dismiss()
            return
        finally:
            self._ply = None
        if not is_true_claim(claim, game.final):
            self.claims_truly = False
            self.remark(f"reports a wrong final score: {printable(claim)!r} for {game.final.board_string()}")

    def _prepare(self) -> None:
        self._shake_hands()
        # Some engines also play other games. These commands, which the GUI Quarry uses too, select Othello.
        if {"list_games", "set_game"} <= self.commands and "Othello" in self.order("list_games").split():
            self.order("set_game Othello")
        if not self._rules.has_othello_moves and "outflank-rules" not in self.commands:
            raise UnfitEngineError(
                f"{self.label} can't set the rules {self._rules}: it does not list outflank-rules"
            )
        self._genmove = genmove_command(self.commands) if self.reports_scores else GENMOVE
        for command in instructions(self.spec, self.commands):
            self.order(command)
        self._agree_on_time()

    def _send_changes(self, before: EngineSpec) -> None:
        old = instructions(before, self.commands)
        for command in instructions(self.spec, self.commands):
            if command not in old:
                self.order(command)
        if (before.time, before.dialect) != (self.spec.time, self.spec.dialect):
            self._agree_on_time()

    def _greet(self) -> None:
        self.order("boardsize 8")

    def _set_up(self) -> None:
        is_usual = self._first == Position.start(self._rules)
        if not is_usual and not self.sets_boards_up:
            raise UnfitEngineError(f"{self.label} can't set up a board: it does not list {_LOAD}")
        dialect = self._dialect
        if dialect.settings and dialect.before_board:
            self._set_time(dialect.settings)
        if "outflank-rules" in self.commands:
            self.order(f"outflank-rules {self._rules}")
        self.order("clear_board")
        if dialect.settings and not dialect.before_board:
            self._set_time(dialect.settings)
        if not is_usual:
            self._load(AnnotatedGame(self._first))

    def _send_move(self, made: AnnotatedMove) -> None:
        """Send a move. If the engine refuses a forced pass, no more forced passes are sent.

        Raises: EngineError; EngineRefusal if the engine refuses a move other than a pass.
        """
        if made.move.is_pass and self.implicit_passes:
            return
        try:
            self.order(f"play {made.colour} {made.move}")
        except EngineRefusal:
            if not made.move.is_pass:
                raise
            self.implicit_passes = True
            self.remark("rejects 'play COLOUR pass', so forced passes are not sent to it (passes=implicit)")

    def _send_turn(self, game: AnnotatedGame, clock: RunningClock) -> None:
        if self._dialect.sends_left:
            self._set_time(self._dialect.time_left(self._position.side, *clock.time_left))

    def _choose(self, seconds: float) -> Reply:
        line = genmove_line(self._genmove, self._position.side)
        reply = read_reply(self.ask(line, seconds, watching=self._genmove != GENMOVE))
        if reply.ok or self._genmove == GENMOVE:
            return reply
        self.remark(f"lists {self._genmove} but rejects it, so plain moves are requested")
        self._genmove, self.reports_scores = GENMOVE, False
        again = self._choose(seconds - reply.seconds)
        return replace(again, seconds=reply.seconds + again.seconds)

    def _shake_hands(self) -> None:
        deadline = time.perf_counter() + START_SECONDS

        def ask(command: str) -> str:
            return self.order(command, max(0.0, deadline - time.perf_counter())).strip()

        spoken = ask("protocol_version")
        if spoken not in ("2", "2.0"):
            hint = "" if spoken.isdecimal() else " (a greeting that begins with '=' is read as an answer)"
            raise EngineProtocolError(
                f"{self.label}: expected GTP version 2, got {printable(spoken)!r}{hint}"
            )
        self.own_name, self.version = printable(ask("name")), printable(ask("version"))
        self.commands = frozenset(ask("list_commands").split())

    def _agree_on_time(self) -> None:
        kinds: frozenset[str] = frozenset()
        if "kata-list_time_settings" in self.commands:
            kinds = frozenset(self.order("kata-list_time_settings").split())
        self._dialect = choose_dialect(self.spec.time, self.own_name, self.commands, kinds, self.spec.dialect)
        if self.spec.time.is_limited and self._dialect.settings is None:
            why = (
                "time_settings accepts only whole seconds"
                if "time_settings" in self.commands
                else "it has no command for it"
            )
            self.remark(f"can't be sent its time control {self.spec.time} ({why}), but is held to it")

    def _set_time(self, command: str) -> None:
        if not self.ask(command).ok:
            self._dialect = TimeDialect()
            self.remark(f"rejects {command!r}, but is held to its time control {self.spec.time}")

    def _load(self, game: AnnotatedGame) -> None:
        # Edax's loadsgf silently ignores set-up discs in SGF, but also reads GGF.
        if is_edax(self.own_name):
            ending, text = ".ggf", ggf.write(game)
        else:
            ending, text = ".sgf", sgf.write(game)
        with TemporaryDirectory(prefix="outflank-") as folder:
            file = Path(folder, f"position{ending}")
            file.write_bytes(text.encode())  # this closes the file, so that the engine can open it on Windows
            self.order(f"{_LOAD} {file}")

    def _watch(
        self, command: str, seconds: float, on_report: Callable[[tuple[MoveReport, ...]], object]
    ) -> tuple[MoveReport, ...]:
        """Send a command that runs until it is interrupted, and interrupt it after `seconds`."""
        latest: tuple[MoveReport, ...] = ()
        deadline = self._send(command) + REPLY_SECONDS
        first, _ = self._first_line(deadline)
        if first[0] == "?":
            raise self._refusal(command, self._rest_of(first, deadline))
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            try:
                line = self._next_line(until)
            except EngineTimeout:
                break
            if not line:
                return latest  # the analysis has ended by itself
            if is_report(line):
                latest = read_report(line)
                if on_report(latest):
                    break
        self._pass_on(">", "")
        self._child.send(b"\n")
        deadline = time.perf_counter() + REPLY_SECONDS
        while self._next_line(deadline):
            pass  # skip reports that were sent before the interruption
        return latest

    def _read_answer(self, deadline: float, watching: bool) -> tuple[bool, str]:
        first, size = self._first_line(deadline)
        return first[0] == "=", self._rest_of(first, deadline, size, watching)

    def _rest_of(self, first: str, deadline: float, size: int = 0, watching: bool = False) -> str:
        """Return the text of the answer that begins with the line `first`. `size`: the number of skipped bytes."""
        lines = [self._text_of(first)]
        while line := self._next_line(deadline):
            if watching and is_report(line) and is_report(lines[-1]):
                size -= len(lines.pop())
            size += len(line)
            if size > MAX_ANSWER_BYTES:
                raise self._too_much()
            lines.append(line)
        return "\n".join(lines).strip()

    def _first_line(self, deadline: float) -> tuple[str, int]:
        """Return the line that begins an answer, and the number of bytes that were skipped before it.

        Before the first answer, a line such as ``=====`` is part of a banner; later, it is an invalid answer.
        """
        size, banner = 0, ""
        while size <= MAX_ANSWER_BYTES:
            try:
                line = self._next_line(deadline)
            except (EngineTimeout, EngineCrash):
                if banner:
                    raise self._not_gtp(banner) from None
                raise
            if line[:1] in ("=", "?") and (self._speaks_gtp or is_gtp_answer(line)):
                self._speaks_gtp = True
                self.stray_bytes += size
                return line, size
            size += len(line) + 1 + self._child.skip_line_feeds()
            if line.strip() and not self._speaks_gtp and not banner:
                banner, deadline = line, min(deadline, time.perf_counter() + BANNER_SECONDS)
        raise self._not_gtp(banner) if banner else self._too_much()

    def _text_of(self, line: str) -> str:
        text = line[1:]
        if text[:1] not in ("", " "):
            raise self._no_blank(line)
        return text

    def _no_blank(self, line: str) -> EngineProtocolError:
        expected = f"expected a blank after {line[0]!r}, as no id was sent"
        return EngineProtocolError(f"{self.label}: {expected}, got {printable(line)!r}")

    def _refusal(self, command: str, text: str) -> EngineRefusal:
        return EngineRefusal(f"{self.label} refused {command!r}: {printable(text) or 'no reason given'}")

    def _too_much(self) -> EngineProtocolError:
        what = f"more than {MAX_ANSWER_BYTES} bytes when one answer was expected"
        return EngineProtocolError(f"{self.label} wrote {what}")

    def _not_gtp(self, banner: str) -> EngineProtocolError:
        if banner[:1] in ("=", "?"):
            return self._no_blank(banner)
        return self._speaks_otherwise("an answer beginning with '=' or '?'", banner)


def genmove_command(listed: frozenset[str]) -> str:
    """Return the most detailed ``genmove`` command that an engine lists."""
    return next((command for command in _GENMOVES_WITH_REPORTS if command in listed), GENMOVE)


def genmove_line(command: str, colour: Colour | str) -> str:
    """Return the line that requests a move with `command`."""
    return f"{GENMOVE} {colour}" if command == GENMOVE else f"{command} {colour} {_CENTISECONDS_OF_GENMOVE}"


def instructions(spec: EngineSpec, listed: frozenset[str]) -> list[str]:
    """Return the commands that send an engine its parameters, followed by the commands of its spec.

    Args:
        spec: the description of the engine.
        listed: the commands that the engine lists.

    Raises: UnfitEngineError if a parameter other than the number of threads can't be sent. The number of threads is
        left out if it can't be sent.
    """
    commands = []
    for name, value in parameters_to_send(spec).items():
        if f"set_{name}" in listed:
            commands.append(f"set_{name} {value}")
        elif "kata-set-param" in listed:
            commands.append(f"kata-set-param {name} {value}")
        elif name != "threads":
            raise UnfitEngineError(
                f"engine {spec.name} can't be sent {name}={value}: its command has no {{{name}}}, and "
                f"it lists neither set_{name} nor kata-set-param"
            )
    return commands + [filled(command, spec) for command in spec.commands]


def read_reply(answer: Reply) -> Reply:
    """Return the answer to a ``genmove`` command. An answer with reports is parsed into its move and score."""
    *lines, last = answer.text.splitlines() or [""]
    word, _, move = last.strip().partition(" ")
    if not answer.ok or word != "play":
        return answer
    reports = read_report(next(filter(is_report, reversed(lines)), ""))
    played = move.strip()
    own = [report for report in reports if report.text.lower() == played.lower()]
    return Reply(played, answer.seconds, _score([*own, *reports]), own[0].from_book if own else None)


def _score(reports: Sequence[MoveReport]) -> float | None:
    return next((report.score for report in reports if report.score is not None), None)

"""A child process spoken to in lines: deadlines that hold, memory that is bounded, nothing left behind.

A child that floods its error output, or reads nothing, can't block us: each pipe has a thread, and on Linux the thread
that waits serves all three by ``poll``, since switches of threads for each line cost a third of a match's speed. A
deadline is a point of ``time.perf_counter()`` and stays where it is, however many bytes arrive meanwhile.
"""

import contextlib
import os
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import IO

from outflank.protocol.drivers import descendants
from outflank.protocol.drivers.driver import ThreadUsage
from outflank.protocol.drivers.errors import (
    IN_TIME,
    EngineCrash,
    EngineProtocolError,
    EngineTimeout,
    SystemExhausted,
)
from outflank.protocol.drivers.spawn import spawn
from outflank.protocol.drivers.spec import ProcessSettings
from outflank.protocol.lines import printable

MAX_LINE_BYTES = 1 << 16
MAX_STALE_BYTES = 1 << 20
ERROR_TAIL_BYTES = 4096
_CHUNK_BYTES = 1 << 16
_SLICE_SECONDS = 0.1  # longest sleep before we look whether the child has died or our user wants to stop
_EXIT_SLICE_SECONDS = 0.005
_REAP_SECONDS = 1.0  # between two looks for what it left to us and has ended
_GRACE_SECONDS = 1.0  # between the end of a pipe and the exit of its process


class ChildProcess:
    """A running program with a session of its own.

    Args:
        command: the program and its arguments.
        label: the program's name in error messages.
        on_wait: called at least ten times a second while we wait for a line; it may raise to give up.
        settings: the folder, environment, processors and memory of the program.
        on_bytes: called with ``">"`` and the bytes sent, and with ``"<"`` and the bytes that leave our buffer.
        delay: called after a deadline; returns the seconds by which the deadline moves.

    Raises: EngineStartError if the program can't be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        label: str,
        on_wait: Callable[[], object] | None = None,
        settings: ProcessSettings | None = None,
        on_bytes: Callable[[str, bytes], object] | None = None,
        delay: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.label = label
        self._on_bytes = on_bytes
        self._on_wait = on_wait or (lambda: None)
        self._delay = delay
        self._mark = descendants.new_mark()
        self._process, self._known = spawn(command, label, settings or ProcessSettings(), self._mark)
        self.was_stopped = False
        self._reaped_at = 0.0
        self._received = bytearray()
        self._outbox = bytearray()
        self._errors = b""
        self._output_ended = self._input_closed = False
        self._input_ended_at: float | None = None
        self._last_read = 0.0
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._selector: selectors.BaseSelector | None = None
        self._moved, self._has_input = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self._serve_pipes()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.exit_code is None

    @property
    def exit_code(self) -> int | None:
        """The exit code, minus the number of the signal if it was killed; None while it runs."""
        return self._process.poll()

    @property
    def cpu_seconds(self) -> float:
        """Processor time that it and its living descendants have used so far."""
        return descendants.cpu_seconds(self.pid)

    @property
    def threads(self) -> dict[int, ThreadUsage]:
        """The usage of each thread of it and of its living descendants, by their ids."""
        return descendants.thread_usage(self.pid)

    @property
    def last_read(self) -> float:
        """The time at which the last bytes of output came in, by ``time.perf_counter()``."""
        return self._last_read

    def send(self, data: bytes) -> None:
        """Queue `data`; what the pipe does not take now is written while we wait for lines."""
        if self._on_bytes:
            self._on_bytes(">", data)
        if self._input_ended_at is None and not self._input_closed:
            self._outbox += data
            self._has_input.set()
            if self._selector and self._write_input() and self._stdin not in self._selector.get_map():
                self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write_input)

    def end_input(self) -> None:
        """Close its input, as a controller does that goes away; what the pipe has not taken is lost."""
        self._input_closed = True
        self._outbox.clear()
        self._has_input.set()
        if self._selector:
            if self._stdin in self._selector.get_map():
                self._selector.unregister(self._stdin)
            self._stdin.close()

    def read_line(self, deadline: float) -> bytes:
        """Return the next line of output, without its line feed.

        Raises: EngineTimeout, EngineCrash; EngineProtocolError if a line is longer than MAX_LINE_BYTES.
        """
        while (end := self._received.find(b"\n")) < 0:
            if len(self._received) > MAX_LINE_BYTES:
                raise EngineProtocolError(f"{self.label} wrote a line of more than {MAX_LINE_BYTES} bytes")
            self._wait_for_output(deadline)
        return self._taken(end + 1)[:-1]

    @property
    def begun_line(self) -> bytes:
        """The beginning of a line whose line feed has not come yet."""
        return bytes(self._received) if b"\n" not in self._received else b""

    def skip_line_feeds(self) -> int:
        """Drop all empty lines that come next, and return their number of bytes."""
        if not self._received.startswith((b"\n", b"\r")):
            return 0
        return len(self._taken(len(self._received) - len(self._received.lstrip(b"\r\n"))))

    def discard_output(self) -> bytes:
        """Drop and return what has been written so far; no answer to a later command can be in it."""
        stale = b""
        while len(stale) < MAX_STALE_BYTES:
            self._serve(0)
            if not self._received:
                break
            stale += self._taken(len(self._received))
        return stale

    def last_words(self) -> str:
        """Return the last line of its error output as printable text, or an empty string."""
        text = self._errors.decode("utf-8", "replace")
        lines = [line for line in map(printable, text.splitlines()) if line.strip()]
        return lines[-1].strip() if lines else ""

    def explained(self, sentence: str) -> str:
        """`sentence` with the last words appended, if there are any."""
        # Bounded, since a living process may say something for ever.
        for _ in range(MAX_STALE_BYTES // _CHUNK_BYTES):
            if self.was_stopped or not self._serve(0 if self.is_running else _EXIT_SLICE_SECONDS):
                break
        words = self.last_words()
        return f"{sentence}; its last words were: {words}" if words else sentence

    def stop(self, farewell: bytes, patience: float) -> None:
        """End the process and all that descend from it, and free every resource.

        It gets `patience` seconds after `farewell`, as many after SIGTERM, and then SIGKILL.
        """
        if self.was_stopped:
            return
        # Now, since where the system gives orphans away, children of a parent that has ended can't be found.
        left = descendants.living(self._known, self._mark)
        try:
            if self.is_running:
                self.send(farewell)
                if not self._has_ended_by(time.perf_counter() + patience):
                    descendants.terminate(self._known, self._mark)
                    self._has_ended_by(time.perf_counter() + patience)
        finally:
            self.was_stopped = True
            self._process.kill()
            descendants.kill(self._known, self._mark, left)
            self._process.wait()
            self._close_pipes()

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._received[:size])
        del self._received[:size]
        if self._on_bytes:
            self._on_bytes("<", taken)
        return taken

    def _wait_for_output(self, deadline: float) -> None:
        self._on_wait()
        now = time.perf_counter()
        if now > self._reaped_at + _REAP_SECONDS:
            self._reaped_at = now
            descendants.reap_orphans(self.pid)
        if self._output_ended:
            self._has_ended_by(min(deadline, now + _GRACE_SECONDS))
            raise EngineCrash(self._how_it_ended("closed its output"))
        if self._input_ended_at is not None and now > self._input_ended_at + _GRACE_SECONDS:
            raise EngineCrash(self._how_it_ended("closed its input"))
        left = deadline - now
        if left <= 0:
            left += self._delay()
        if left <= 0:
            raise EngineTimeout(f"{self.label} gave no complete answer {IN_TIME}")
        ready = self._serve(min(max(left, _EXIT_SLICE_SECONDS), _SLICE_SECONDS))
        if not ready and not self.is_running and not self._serve(_EXIT_SLICE_SECONDS):
            # A child of the dead process may still hold the pipe open: no end of file will ever come.
            raise EngineCrash(self._how_it_ended("ended"))

    def _how_it_ended(self, otherwise: str) -> str:
        code = self.exit_code
        if code is None:
            return f"{self.label} {otherwise} but keeps running"
        if code >= 0:
            return f"{self.label} exited with code {code}"
        return f"{self.label} was killed by {_signal_name(-code)}"

    def _serve_pipes(self) -> None:
        if sys.platform == "linux" and not descendants.PORTABLE:
            # Of all selectors the one without a descriptor: nothing may fail now, or the child would be left behind.
            self._selector = selectors.PollSelector()
            for pipe in (self._stdin, self._stdout, self._stderr):
                os.set_blocking(pipe.fileno(), False)
            self._selector.register(self._stdout, selectors.EVENT_READ, self._read_output)
            self._selector.register(self._stderr, selectors.EVENT_READ, self._read_errors)
            return
        for serve in (
            partial(self._read_all, self._stdout, self._read_output),
            partial(self._read_all, self._stderr, self._read_errors),
            self._write_all,
        ):
            self._threads.append(threading.Thread(target=serve, daemon=True))
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:
            self.stop(b"", 0)
            raise SystemExhausted(f"{self.label}: {error}") from None

    def _serve(self, seconds: float) -> bool:
        """Move bytes through the pipes that are ready within `seconds`; return whether any was ready."""
        if self._selector is None:
            moved = self._moved.wait(seconds)
            self._moved.clear()
            return moved
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if not key.data():
                self._selector.unregister(key.fileobj)
        return bool(ready)

    def _read_output(self) -> bool:
        """Read once; return whether more may come."""
        chunk = _read(self._stdout)
        self._received += chunk or b""
        self._last_read = time.perf_counter()
        self._output_ended = chunk == b""
        return chunk != b""

    def _read_errors(self) -> bool:
        chunk = _read(self._stderr)
        self._errors = (self._errors + (chunk or b""))[-ERROR_TAIL_BYTES:]
        return chunk != b""

    def _write_input(self) -> bool:
        """Write what the pipe takes now; return whether something is left."""
        try:
            with contextlib.suppress(BlockingIOError):
                written = os.write(self._stdin.fileno(), self._outbox[:_CHUNK_BYTES])
                del self._outbox[:written]
        except OSError:
            self._outbox.clear()
            self._input_ended_at = time.perf_counter()
        return bool(self._outbox)

    def _read_all(self, pipe: IO[bytes], read: Callable[[], bool]) -> None:
        """Read a pipe to its end, but never much more than we take; runs in a thread."""
        while read():
            self._moved.set()
            while len(self._received) > MAX_STALE_BYTES and not self.was_stopped:
                time.sleep(_EXIT_SLICE_SECONDS)
        self._moved.set()
        pipe.close()

    def _write_all(self) -> None:
        while not (self._input_closed or self.was_stopped):
            self._has_input.wait()
            self._has_input.clear()
            while self._outbox and self._write_input():
                pass
        self._stdin.close()

    def _close_pipes(self) -> None:
        if self._selector:
            self._selector.close()
            for pipe in (self._stdin, self._stdout, self._stderr):
                pipe.close()
        self._has_input.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(_SLICE_SECONDS)  # a process that has escaped us may keep it waiting

    def _has_ended_by(self, deadline: float) -> bool:
        """Wait for the end, throwing output away so that a full pipe can't delay it."""
        while self.is_running:
            if time.perf_counter() >= deadline:
                return False
            self._serve(_EXIT_SLICE_SECONDS)
            self._received.clear()
        return True


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _read(pipe: IO[bytes]) -> bytes | None:
    """Return a chunk, None if there is nothing now, or empty at the end of the pipe."""
    try:
        return os.read(pipe.fileno(), _CHUNK_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""

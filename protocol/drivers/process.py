"""A child process with a line protocol, strict deadlines, bounded memory, and a complete cleanup.

All three pipes are served concurrently, so that a child that floods stderr or does not read stdin can't block us. On
Linux, the waiting thread serves them with ``poll``. On other systems, each pipe has its own thread; on Linux, a thread
switch for each line would reduce a match's speed by a third. A deadline is a time of ``time.perf_counter()``. Partial
output does not extend a deadline.
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
from outflank.protocol.drivers.errors import (
    IN_TIME,
    EngineCrash,
    EngineProtocolError,
    EngineTimeout,
    SystemExhausted,
)
from outflank.protocol.drivers.spawn import spawn
from outflank.protocol.drivers.spec import ProcessSettings
from outflank.protocol.drivers.usage import Exchange, ProcessorUsage
from outflank.protocol.lines import printable

MAX_LINE_BYTES = 1 << 16
MAX_STALE_BYTES = 1 << 20
ERROR_TAIL_BYTES = 4096
_CHUNK_BYTES = 1 << 16
_SLICE_SECONDS = 0.1  # the interval at which we check whether the child has died or the user wants to stop
_EXIT_SLICE_SECONDS = 0.005
_REAP_SECONDS = 1.0  # the interval of reaping the child's orphans
_GRACE_SECONDS = 1.0  # the time that the process gets to exit after it has closed a pipe


class ChildProcess:
    """A running program in a separate session.

    Args:
        command: the program and its arguments.
        label: the program's name in error messages.
        on_wait: the function that is called at least ten times a second during a wait for a line, and may raise an
            exception to cancel the wait.
        settings: the folder, environment, processors and memory of the program.
        on_bytes: the function that gets ``">"`` and the bytes sent, or ``"<"`` and the bytes taken from the buffer.
        delay: the function that is called when a deadline has passed, and returns the seconds by which the deadline is
            extended.

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
        self.exchange = Exchange()
        self._late_read = 0.0  # the last deadline after which the output was read once more
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
        """The process id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self.exit_code is None

    @property
    def exit_code(self) -> int | None:
        """The exit code; the negative signal number if the process was killed; None while it runs."""
        return self._process.poll()

    @property
    def usage(self) -> ProcessorUsage:
        """The processor usage of the process and its living descendants."""
        return descendants.usage(self.pid)

    @property
    def ready_threads(self) -> frozenset[int]:
        """The ids of the threads of the process and its living descendants that are running or ready to run."""
        return descendants.ready_threads(self.pid)

    @property
    def last_read(self) -> float:
        """The time of ``time.perf_counter()`` at which the last output arrived."""
        return self._last_read

    def send(self, data: bytes) -> None:
        """Send `data`. If the pipe is full, the rest is written during later waits for lines."""
        if self._on_bytes:
            self._on_bytes(">", data)
        if self._input_ended_at is None and not self._input_closed:
            self._outbox += data
            self._has_input.set()
            if self._selector and self._write_input() and self._stdin not in self._selector.get_map():
                self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write_input)

    def end_input(self) -> None:
        """Close stdin, as if the engine's controller had exited. Unwritten data is dropped."""
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
        """The unfinished last line, whose line feed has not arrived yet; empty if a complete line is waiting."""
        return bytes(self._received) if b"\n" not in self._received else b""

    def skip_line_feeds(self) -> int:
        """Drop the empty lines at the start of the buffer, and return the number of bytes dropped."""
        if not self._received.startswith((b"\n", b"\r")):
            return 0
        return len(self._taken(len(self._received) - len(self._received.lstrip(b"\r\n"))))

    def discard_output(self) -> bytes:
        """Return and clear the buffered output, which can't contain the answer to a later command."""
        stale = b""
        while len(stale) < MAX_STALE_BYTES:
            self._serve(0)
            if not self._received:
                break
            stale += self._taken(len(self._received))
        return stale

    def last_words(self) -> str:
        """Return the last non-empty line of stderr as printable text; empty if stderr has no such line."""
        text = self._errors.decode("utf-8", "replace")
        lines = [line for line in map(printable, text.splitlines()) if line.strip()]
        return lines[-1].strip() if lines else ""

    def explained(self, sentence: str) -> str:
        """Return `sentence`, followed by the last line of stderr if stderr is not empty."""
        # The number of reads is bounded, since a running process may write without end.
        for _ in range(MAX_STALE_BYTES // _CHUNK_BYTES):
            if self.was_stopped or not self._serve(0 if self.is_running else _EXIT_SLICE_SECONDS):
                break
        words = self.last_words()
        return f"{sentence}; its last line on stderr: {words}" if words else sentence

    def stop(self, farewell: bytes, patience: float) -> None:
        """Stop the process and all its descendants, and release all resources.

        Sends `farewell`, then SIGTERM, then SIGKILL. Waits up to `patience` seconds after each of the first two.
        """
        if self.was_stopped:
            return
        # The descendants are listed before the process ends, since some systems can't find them afterwards.
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
            # The answer may have arrived while this thread had no processor, so the output is read once more. This is
            # done only once for each deadline, since the engine may write without end.
            if self._late_read != deadline:
                self._late_read = deadline
                if self._serve(0):
                    return
            raise EngineTimeout(f"{self.label} gave no complete answer {IN_TIME}")
        ready = self._serve(min(max(left, _EXIT_SLICE_SECONDS), _SLICE_SECONDS))
        if not ready and not self.is_running and not self._serve(_EXIT_SLICE_SECONDS):
            # A child of the dead process may keep the pipe open, so that no end of file ever arrives.
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
            # PollSelector needs no file descriptor, so its creation can't fail and leave the child running.
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
        """Read and write the pipes that are ready within `seconds`, and return whether any was ready."""
        began = time.perf_counter()
        if self._selector is None:
            moved = self._moved.wait(seconds)
            self._note(began, seconds, bool(self._received), moved)
            self._moved.clear()
            return moved
        ready = self._selector.select(seconds)
        self._note(began, seconds, any(key.fileobj is self._stdout for key, _ in ready), bool(ready))
        for key, _ in ready:
            if not key.data():
                self._selector.unregister(key.fileobj)
        return bool(ready)

    def _note(self, began: float, seconds: float, has_output: bool, was_ready: bool) -> None:
        """Update ``exchange`` after a wait that began at `began` with a limit of `seconds`."""
        if has_output:
            self.exchange.overslept = max(0.0, time.perf_counter() - began - seconds)
        else:
            # This is not the current time, since this thread may have waited for a processor or for Python's lock.
            self.exchange.silent_at = began if was_ready else began + seconds
            self.exchange.overslept = 0.0

    def _read_output(self) -> bool:
        """Read a chunk of stdout, and return whether more may follow."""
        chunk = _read(self._stdout)
        # The time is stored first, since another thread may request it as soon as that thread sees the output.
        self._last_read = time.perf_counter()
        self._received += chunk or b""
        self._output_ended = chunk == b""
        return chunk != b""

    def _read_errors(self) -> bool:
        chunk = _read(self._stderr)
        self._errors = (self._errors + (chunk or b""))[-ERROR_TAIL_BYTES:]
        return chunk != b""

    def _write_input(self) -> bool:
        """Write as much as the pipe accepts now, and return whether some data is left."""
        try:
            with contextlib.suppress(BlockingIOError):
                written = os.write(self._stdin.fileno(), self._outbox[:_CHUNK_BYTES])
                del self._outbox[:written]
                self.exchange.sent_at, self.exchange.overslept = time.perf_counter(), 0.0
        except OSError:
            self._outbox.clear()
            self._input_ended_at = time.perf_counter()
        return bool(self._outbox)

    def _read_all(self, pipe: IO[bytes], read: Callable[[], bool]) -> None:
        """Read a pipe to its end in a thread. Pause while the buffer is full."""
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
                thread.join(_SLICE_SECONDS)  # a descendant that was not killed may keep the pipe open

    def _has_ended_by(self, deadline: float) -> bool:
        """Wait until the process has ended or until `deadline`, and return whether the process has ended.

        The output is discarded, so that a full pipe can't delay the end.
        """
        while self.is_running:
            if time.perf_counter() >= deadline:
                return False
            self._serve(_EXIT_SLICE_SECONDS)
            self._received.clear()
        return True


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _read(pipe: IO[bytes]) -> bytes | None:
    """Return a chunk of data; None if no data is available now; empty at the end of the pipe."""
    try:
        return os.read(pipe.fileno(), _CHUNK_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""

"""A child process spoken to in lines: deadlines that hold, memory that is bounded, nothing left behind.

One thread serves all three pipes, so a child that floods its error output, or reads nothing, can't block us.
A deadline is a point of ``time.monotonic()`` and stays where it is, however many bytes arrive meanwhile.
"""

import contextlib
import os
import selectors
import signal
import time
from collections.abc import Callable, Sequence
from typing import IO

from outflank.protocol.drivers import descendants
from outflank.protocol.drivers.errors import EngineCrash, EngineProtocolError, EngineTimeout
from outflank.protocol.drivers.spawn import ProcessSettings, spawn
from outflank.protocol.lines import printable

MAX_LINE_BYTES = 1 << 16
MAX_STALE_BYTES = 1 << 20
ERROR_TAIL_BYTES = 4096
_CHUNK_BYTES = 1 << 16
_SLICE_SECONDS = 0.1  # longest sleep before we look whether the child has died or our user wants to stop
_EXIT_SLICE_SECONDS = 0.005
_BURY_SECONDS = 1.0  # between two looks for what it left to us and has ended
_GRACE_SECONDS = 1.0  # between the end of a pipe and the exit of its process


class ChildProcess:
    """A running program with its own session and process group.

    Args:
        command: the program and its arguments.
        label: how error messages call it.
        on_wait: called at least ten times a second while we wait for a line; it may raise to give up.
        surroundings: its folder, environment, processors and memory.
        on_bytes: called with ``">"`` and the bytes sent, and with ``"<"`` and the bytes that leave our buffer.

    Raises: EngineStartError if the program can't be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        label: str,
        on_wait: Callable[[], object] | None = None,
        surroundings: ProcessSettings | None = None,
        on_bytes: Callable[[str, bytes], object] | None = None,
    ) -> None:
        self.label = label
        self._on_bytes = on_bytes
        self._on_wait = on_wait or _nothing
        self._mark = descendants.Mark.new()
        self._process = spawn(command, label, surroundings or ProcessSettings(), self._mark)
        self._buried_at = 0.0
        self._received = bytearray()
        self._outbox = bytearray()
        self._errors = b""
        self._output_ended = False
        self._input_ended_at: float | None = None
        self._last_read = 0.0
        # Of all selectors the one without a descriptor: nothing may fail now, or the child would be left behind.
        self._selector = selectors.PollSelector()
        self._stdin, self._stdout, self._stderr = self._pipes()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ, self._read_output)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._read_errors)

    @property
    def pid(self) -> int:
        """Process id, which is also the id of its process group."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet. An ended process stays unreaped, so that its group id stays ours."""
        return self.exit_code is None

    @property
    def was_stopped(self) -> bool:
        """Whether ``stop`` has ended it; nothing can be sent any more."""
        return self._process.returncode is not None

    @property
    def exit_code(self) -> int | None:
        """The exit code, minus the number of the signal if it was killed; None while it runs."""
        if self._process.returncode is not None:
            return self._process.returncode
        try:
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # another thread is just ending it
            return self._process.wait()
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def cpu_seconds(self) -> float:
        """Processor time that it and its living descendants have used so far."""
        return descendants.cpu_seconds(self.pid)

    @property
    def waits(self) -> dict[int, float]:
        """For how many seconds each thread of it and of its living descendants was ready and had no processor."""
        return descendants.waits(self.pid)

    @property
    def last_read(self) -> float:
        """When the last bytes of output came in, on the monotonic clock."""
        return self._last_read

    def send(self, data: bytes) -> None:
        """Queue `data`; what the pipe does not take now is written while we wait for lines."""
        if self._on_bytes:
            self._on_bytes(">", data)
        if self._input_ended_at is None and not self._stdin.closed:
            self._outbox += data
            self._write_input()

    def end_input(self) -> None:
        """Close its input, as a controller does that goes away; what the pipe has not taken is lost."""
        if self._stdin in self._selector.get_map():
            self._selector.unregister(self._stdin)
        self._stdin.close()

    def read_line(self, deadline: float) -> bytes:
        """The next line of output, without its line feed.

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
        """The last line of its error output as printable text, or an empty string."""
        text = self._errors.decode("utf-8", "replace")
        lines = [line for line in map(printable, text.splitlines()) if line.strip()]
        return lines[-1].strip() if lines else ""

    def explained(self, sentence: str) -> str:
        """`sentence` with the last words appended, if there are any."""
        if not self.was_stopped:
            self._drain_errors()
        words = self.last_words()
        return f"{sentence}; its last words were: {words}" if words else sentence

    def stop(self, farewell: bytes, patience: float) -> None:
        """End the process, all of its group and all that descend from it, and free every resource.

        It gets `patience` seconds after `farewell`, as many after SIGTERM, and then SIGKILL.
        """
        if self.was_stopped:
            return
        # Now, since where the system gives orphans away, children of a parent that has ended can't be found.
        known = descendants.living(self.pid, self._mark)
        try:
            if self.is_running:
                self.send(farewell)
                if not self._has_ended_by(time.monotonic() + patience):
                    self._signal_group(signal.SIGTERM)
                    self._has_ended_by(time.monotonic() + patience)
        finally:
            self._signal_group(signal.SIGKILL)  # children it left behind share its group
            descendants.kill(self.pid, self._mark, known)  # unless they made one of their own
            self._process.wait()
            self._selector.close()
            for pipe in (self._stdin, self._stdout, self._stderr):
                pipe.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        return process.stdin, process.stdout, process.stderr

    def _taken(self, size: int) -> bytes:
        """Remove `size` bytes from the received output, and return them."""
        taken = bytes(self._received[:size])
        del self._received[:size]
        if self._on_bytes:
            self._on_bytes("<", taken)
        return taken

    def _wait_for_output(self, deadline: float) -> None:
        """Serve the pipes for a moment.

        Raises: EngineTimeout, EngineCrash.
        """
        self._on_wait()
        now = time.monotonic()
        if now > self._buried_at + _BURY_SECONDS:
            self._buried_at = now
            descendants.bury_session(self.pid)
        if self._output_ended:
            self._has_ended_by(min(deadline, now + _GRACE_SECONDS))
            raise EngineCrash(self._how_it_ended("closed its output"))
        if self._input_ended_at is not None and now > self._input_ended_at + _GRACE_SECONDS:
            raise EngineCrash(self._how_it_ended("closed its input"))
        if now >= deadline:
            raise EngineTimeout(f"{self.label} gave no complete answer in time")
        ready = self._serve(min(deadline - now, _SLICE_SECONDS))
        if not ready and not self.is_running and not self._serve(0):
            # A child of the dead process may still hold the pipe open: no end of file will ever come.
            raise EngineCrash(self._how_it_ended("ended"))

    def _how_it_ended(self, otherwise: str) -> str:
        """A sentence with the exit code or signal, or `otherwise` if the process goes on."""
        code = self.exit_code
        if code is None:
            return f"{self.label} {otherwise} but keeps running"
        if code >= 0:
            return f"{self.label} exited with code {code}"
        return f"{self.label} was killed by {_signal_name(-code)}"

    def _serve(self, seconds: float) -> int:
        """Move bytes through the pipes that are ready within `seconds`; how many were ready."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            key.data()
        return len(ready)

    def _read_output(self) -> None:
        chunk = _read(self._stdout)
        self._received += chunk or b""
        self._last_read = time.monotonic()
        if chunk == b"":
            self._selector.unregister(self._stdout)
            self._output_ended = True

    def _read_errors(self) -> None:
        chunk = _read(self._stderr)
        self._errors = (self._errors + (chunk or b""))[-ERROR_TAIL_BYTES:]
        if chunk == b"":
            self._selector.unregister(self._stderr)

    def _write_input(self) -> None:
        """Write what the pipe takes and watch it for as long as something is left."""
        try:
            with contextlib.suppress(BlockingIOError):
                written = os.write(self._stdin.fileno(), self._outbox[:_CHUNK_BYTES])
                del self._outbox[:written]
        except (BrokenPipeError, ConnectionResetError):
            self._outbox.clear()
            self._input_ended_at = time.monotonic()
        watched = self._stdin in self._selector.get_map()
        if self._outbox and not watched:
            self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write_input)
        elif watched and not self._outbox:
            self._selector.unregister(self._stdin)

    def _drain_errors(self) -> None:
        """Read what a dying process still had to say; bounded, since a living one may say it for ever."""
        for _ in range(MAX_STALE_BYTES // _CHUNK_BYTES):
            chunk = _read(self._stderr)
            if not chunk:
                return
            self._errors = (self._errors + chunk)[-ERROR_TAIL_BYTES:]

    def _has_ended_by(self, deadline: float) -> bool:
        """Wait for the end, throwing output away so that a full pipe can't delay it."""
        while self.is_running:
            if time.monotonic() >= deadline:
                return False
            self._serve(_EXIT_SLICE_SECONDS)
            self._received.clear()
        return True

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; real-time signals have no names of their own."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _read(pipe: IO[bytes]) -> bytes | None:
    """A chunk, None if there is nothing now, or empty at the end of the pipe."""
    try:
        return os.read(pipe.fileno(), _CHUNK_BYTES)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


def _nothing() -> None:
    """The function called while waiting if no other is given."""

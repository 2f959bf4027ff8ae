"""An analysis server in a process of its own, as a program uses it."""

import json
import subprocess
import sys
from types import TracebackType
from typing import Any


class Server:
    """``outflank analyze -`` with some options; as a context manager it ends the input and the process."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "outflank.tools.commands.program", "analyze", "-", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, **fields: Any) -> None:
        """Send a request."""
        self.send(json.dumps(fields))

    def send(self, line: str) -> None:
        """Send a line, whatever it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next line; waits for it."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has gone"
        made: dict[str, Any] = json.loads(line)
        return made

    def end(self) -> tuple[list[dict[str, Any]], int, str]:
        """End the input: the answers still to come, the exit code, and what stands on standard error."""
        out, err = self.process.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()], self.process.returncode, err

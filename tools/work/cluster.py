"""The connection to a Dask cluster, for matches, training and books: its workers have to run the same build.

Otherwise numbers of another version or evaluation would get into runs and books without notice.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypedDict, TypeVar

from outflank import __version__
from outflank.engine import NotationError, SettingsError
from outflank.engine.evaluation.weights import checksum

if TYPE_CHECKING:  # an extra that most do without
    from distributed import Client
    from distributed.security import Security

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_CONNECT_SECONDS = 10
_TLS = "tls:"
# Evaluated by a worker of any version. Pickled functions of ours could not be read by others.
_BUILD_THERE = """(
    __import__("outflank").__version__,
    __import__("outflank.engine.evaluation.weights", fromlist=["checksum"]).checksum(),
)"""
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[^][\s]+\]|[^][\s:/]+):([0-9]{1,5})")
_PORTS = range(1, 1 << 16)


class Place(TypedDict, total=False):
    """Where tasks run, as ``open_executor`` takes it and the options --workers and --cluster name it."""

    workers: int | None
    cluster: str | None


def scheduler_address(text: str) -> str:
    """The text itself, if it has the form of an address, ``tcp://host:port`` or ``tls://host:port``.

    Raises: NotationError.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[1]) not in _PORTS:
        raise NotationError(
            f"expected the address of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, got {text!r}"
        )
    return text


class Build(NamedTuple):
    """The facts on which the result of a task depends.

    Attributes:
        version: of Outflank.
        evaluation: the checksum of the shipped weights.
    """

    version: str
    evaluation: str

    def __str__(self) -> str:
        return f"Outflank {self.version} with evaluation {self.evaluation}"


@functools.cache
def this_build() -> Build:
    """The build that runs here."""
    return Build(__version__, checksum())


def connect(address: str) -> Client:
    """A client of the scheduler at `address`, see ``scheduler_address``; also a context manager.

    The certificates for ``tls://`` are those of Dask's configuration.

    Raises: SettingsError if the scheduler can't be reached, or one of its workers is of another build.
    """
    import asyncio  # 20 ms, which every command would take longer to start

    from distributed import Client
    from distributed.security import Security

    security = Security()  # as Dask's configuration has it
    if address.startswith(_TLS) and not security.get_connection_args("client").get("ssl_context"):
        raise SettingsError(
            f"can't connect to {address} without certificates: "
            "set distributed.comm.tls (ca-file, and cert and key of the client) in Dask's configuration"
        )
    try:
        asyncio.run(_greet(address, security))
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False, security=security)
    except OSError as error:
        raise SettingsError(f"can't reach a Dask scheduler at {address}: {error}") from None
    except Exception:  # bytes of another program may read as anything, such as the size of a message
        raise SettingsError(f"the program at {address} is no Dask scheduler") from None
    try:
        _expect_same_build(client)
    except BaseException:
        client.close()
        raise
    return client


async def _greet(address: str, security: Security) -> None:
    """Connect once, and leave: a client whose connection fails can't be closed, and complains at the end."""
    from distributed.comm import connect as open_comm

    comm = await open_comm(address, timeout=_CONNECT_SECONDS, **security.get_connection_args("client"))
    await comm.close()


def _expect_same_build(client: Client) -> None:
    """Raise SettingsError, naming both builds, unless all workers are of ours."""
    found = client.run(eval, _BUILD_THERE, on_error="return")
    for worker, build in sorted(found.items()):
        if isinstance(build, BaseException):
            raise SettingsError(f"the worker {worker} can't work for us ({type(build).__name__}: {build})")
        if tuple(build) != this_build():
            raise _other_build(worker, Build(*build), this_build())


def if_same_build(
    wanted: Build,
    function: Callable[Arguments, Result],
    /,
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Result:
    """Runs on a worker: `function`, unless the worker is of another build; it may have come after ``connect``.

    Raises: SettingsError, and whatever `function` raises.
    """
    if this_build() != wanted:
        raise _other_build("that came later", this_build(), wanted)
    return function(*arguments, **named)


def _other_build(worker: str, found: Build, wanted: Build) -> SettingsError:
    return SettingsError(
        f"the worker {worker} runs {found}, and this command {wanted}: install the same on both"
    )


def places(client: Client) -> int:
    """The number of tasks that the workers run at once; at least one, since the first worker may still be starting."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))

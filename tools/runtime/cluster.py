"""The connection to a Dask cluster, whose workers must run the same build as the command.

Results from workers with another version or evaluation would enter runs and books unnoticed. Matches, training and
books use the cluster.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypedDict, TypeVar

from outflank import __version__
from outflank.engine import NotationError, SettingsError
from outflank.engine.evaluation.weights import checksum

if TYPE_CHECKING:  # an optional dependency
    from distributed import Client
    from distributed.security import Security

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
_CONNECT_SECONDS = 10
_TLS = "tls:"
# An expression that workers evaluate; workers of other versions could not unpickle a function.
_BUILD_THERE = """(
    __import__("outflank").__version__,
    __import__("outflank.engine.evaluation.weights", fromlist=["checksum"]).checksum(),
)"""
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[^][\s]+\]|[^][\s:/]+):([0-9]{1,5})")
_PORTS = range(1, 1 << 16)


class Place(TypedDict, total=False):
    """The arguments of ``open_executor`` that select where tasks run: the values of --workers and --cluster."""

    workers: int | None
    cluster: str | None


def scheduler_address(text: str) -> str:
    """Return the text if it is a scheduler's address, ``tcp://host:port`` or ``tls://host:port``.

    Raises: NotationError for any other text.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[1]) not in _PORTS:
        raise NotationError(
            f"expected the address of a Dask scheduler, tcp://HOST:PORT or tls://HOST:PORT, got {text!r}"
        )
    return text


@functools.cache
def this_build() -> tuple[str, str]:
    """Return the build of this process: its version and the checksum of its weights."""
    return __version__, checksum()


def connect(address: str) -> Client:
    """Return a client of the scheduler at `address`, see ``scheduler_address``. The client is a context manager.

    The certificates for ``tls://`` come from Dask's configuration.

    Raises: SettingsError if the scheduler can't be reached, or if a worker runs another build.
    """
    import asyncio  # imported late, since this import takes 20 ms

    from distributed import Client
    from distributed.security import Security

    security = Security()  # from Dask's configuration
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
    except Exception:  # another program's reply can be misread in any way, for example as a huge size
        raise SettingsError(f"the program at {address} is not a Dask scheduler") from None
    try:
        _expect_same_build(client)
    except BaseException:
        client.close()
        raise
    return client


async def _greet(address: str, security: Security) -> None:
    """Test the connection first: a ``Client`` that can't connect can't be closed, and logs errors at exit."""
    from distributed.comm import connect as open_comm

    comm = await open_comm(address, timeout=_CONNECT_SECONDS, **security.get_connection_args("client"))
    await comm.close()


def _expect_same_build(client: Client) -> None:
    found = client.run(eval, _BUILD_THERE, on_error="return")
    for worker, build in sorted(found.items()):
        if isinstance(build, BaseException):
            raise SettingsError(f"the worker {worker} can't run Outflank ({type(build).__name__}: {build})")
        if tuple(build) != this_build():
            raise _other_build(worker, build, this_build())


def if_same_build(
    wanted: tuple[str, str],
    function: Callable[Arguments, Result],
    /,
    *arguments: Arguments.args,
    **named: Arguments.kwargs,
) -> Result:
    """Run `function` if this worker's build is `wanted`: workers that joined after ``connect`` were not checked.

    Raises: SettingsError if the build is another one; the exceptions of `function`.
    """
    if this_build() != wanted:
        raise _other_build("that joined later", this_build(), wanted)
    return function(*arguments, **named)


def _other_build(worker: str, found: tuple[str, str], wanted: tuple[str, str]) -> SettingsError:
    one, other = (f"Outflank {version} with evaluation {weights}" for version, weights in (found, wanted))
    return SettingsError(
        f"the worker {worker} runs {one}, but this command runs {other}: install the same build on both"
    )


def places(client: Client) -> int:
    """Return the number of tasks that the workers run in parallel; at least 1, since all may still be starting."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))

"""The one way to a Dask cluster, for matches, training and openings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outflank.engine import NotationError, SettingsError

if TYPE_CHECKING:  # an extra that most do without
    from distributed import Client

_CONNECT_SECONDS = 10
_ADDRESS = re.compile(r"tcp://(?:\[[^][\s]+\]|[^][\s:/]+):([0-9]{1,5})")
_PORTS = range(1, 1 << 16)


def scheduler_address(text: str) -> str:
    """The text itself, if it has the form of an address, ``tcp://host:port``.

    Raises: NotationError.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[1]) not in _PORTS:
        raise NotationError(f"expected the address of a Dask scheduler, tcp://HOST:PORT, got {text!r}")
    return text


def connect(address: str) -> Client:
    """A client of the scheduler at `address`, ``tcp://host:port``; also a context manager.

    Raises: SettingsError if the scheduler can't be reached.
    """
    import asyncio  # 20 ms, which every command would take longer to start

    from distributed import Client

    try:
        asyncio.run(_greet(address))
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise SettingsError(f"expected a Dask scheduler at {address}, got: {error}") from None
    except Exception:  # what another program says may be taken for anything, such as the size of a message
        raise SettingsError(f"expected a Dask scheduler at {address}, got another program") from None


async def _greet(address: str) -> None:
    """Connect once, and leave: a client that fails to do so can't be closed, and waits and complains in the end."""
    from distributed.comm import connect as open_comm

    comm = await open_comm(address, timeout=_CONNECT_SECONDS)
    await comm.close()


def places(client: Client) -> int:
    """How many tasks the workers run at once now; at least one, since the first may still be on its way."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))

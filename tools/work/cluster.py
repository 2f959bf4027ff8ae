"""The one way to a Dask cluster, for matches, training and openings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outflank.engine import SettingsError

if TYPE_CHECKING:  # an extra that most do without
    from distributed import Client

_CONNECT_SECONDS = 10


def connect(address: str) -> Client:
    """A client of the scheduler at `address`, ``tcp://host:port``; also a context manager.

    Raises: SettingsError if the scheduler can't be reached.
    """
    from distributed import Client

    try:
        return Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SettingsError(f"expected a Dask scheduler at {address}, got: {error}") from None


def places(client: Client) -> int:
    """How many tasks the workers run at once now; at least one, since the first may still be on its way."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))

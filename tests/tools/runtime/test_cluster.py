"""A Dask cluster does the work that one machine does."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outflank.engine import NotationError, SettingsError
from outflank.tools.runtime.cluster import connect, scheduler_address
from outflank.tools.train.dataset import read_shard, shard_path
from outflank.tools.train.selfplay import selfplay
from outflank.tools.train.settings import SelfplaySettings

pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_plays_the_games_that_one_machine_plays(
    games: Path, settings: SelfplaySettings, tmp_path: Path, cluster: str
) -> None:
    assert selfplay(tmp_path, settings, 60, cluster=cluster) == 60

    for number in range(6):
        there, here = read_shard(shard_path(tmp_path, number)), read_shard(shard_path(games, number))
        assert there.tobytes() == here.tobytes()


@pytest.mark.parametrize(
    "text", ["tcp://127.0.0.1:8786", "tcp://host.example:1", "tcp://[::1]:65535", "tls://host:8786"]
)
def test_an_address_has_a_host_and_a_port(text: str) -> None:
    assert scheduler_address(text) == text


NO_ADDRESSES = "foo tcp://127.0.0.1 ftp://x:1 tcp://:1 tcp://x:0 tcp://x:65536 tcp://x:1/ tcp://::1:1"


@pytest.mark.parametrize("text", ["", *NO_ADDRESSES.split()])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(
        NotationError, match="expected the address of a Dask scheduler, tcp://HOST:PORT or tls"
    ):
        scheduler_address(text)


@contextmanager
def another_program() -> Iterator[str]:
    """Yield the address of a program that takes whoever comes for a browser."""

    def answer() -> None:
        visitor, _ = listening.accept()
        with visitor:
            visitor.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=answer)
        answering.start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        answering.join()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_another_program_in_the_schedulers_place_is_told() -> None:
    with (
        another_program() as address,
        pytest.raises(SettingsError, match=f"^the program at {address} is not a Dask scheduler$"),
    ):
        connect(address)

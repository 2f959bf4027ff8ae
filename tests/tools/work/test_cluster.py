"""A Dask cluster does the work that one machine does."""

from pathlib import Path

import pytest

from outflank.tools.train.dataset import read_shard, shard_path
from outflank.tools.train.selfplay import SelfplaySettings, selfplay

distributed = pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_plays_the_games_that_one_machine_plays(
    games: Path, settings: SelfplaySettings, tmp_path: Path
) -> None:
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert selfplay(tmp_path, settings, 60, cluster=cluster.scheduler_address) == 60

    for number in range(6):
        there, here = read_shard(shard_path(tmp_path, number)), read_shard(shard_path(games, number))
        assert there.tobytes() == here.tobytes()

"""What several rooms of tools share: weights and games to train with, browsers, and the page of ``outflank web``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.engine.evaluation import weights
from outflank.tests.support.browser import Browser, Chromium, Firefox, Served
from outflank.tools.train.selfplay import selfplay
from outflank.tools.train.settings import SearchSettings, SelfplaySettings


@pytest.fixture(scope="session")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Weights that are all 0."""
    path = tmp_path_factory.mktemp("weights") / "nothing.bin"
    path.write_bytes(weights.packed(weights.Weights.nothing(), {"command": "nothing"}))
    return path


@pytest.fixture(scope="session")
def settings(nothing: Path) -> SelfplaySettings:
    """Games that are played in no time."""
    return SelfplaySettings(nothing, SearchSettings(depth=1, exact_from=8), seed=5, games_a_shard=10)


@pytest.fixture(scope="session")
def games(settings: SelfplaySettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of 60 games."""
    folder = tmp_path_factory.mktemp("games")
    assert selfplay(folder, settings, 60, workers=2) == 60
    return folder


@pytest.fixture
def cluster() -> Iterator[str]:
    """Return the address of a Dask cluster of two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as running:
        yield running.scheduler_address


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Chromium(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")  # one module needs it, and it is busy even with an empty page
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Firefox(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Yield the browser that all tests share, on an empty page: Chromium, or the one that `in_both_browsers` names."""
    opened: Browser = request.getfixturevalue(getattr(request, "param", "chromium"))
    opened.clear()
    yield opened
    opened.load("about:blank")  # a page that stayed would look for its server for as long as tests run


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which ``served`` keeps its data."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def served(request: pytest.FixtureRequest, data: Path) -> Iterator[Served]:
    """Run ``outflank web``, with the options that the module has in SERVED."""
    with Served(*getattr(request.module, "SERVED", ()), XDG_DATA_HOME=str(data)) as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Browser]:
    """Open the page of ``served``, which must cause no error and no request to another server."""
    browser.load(served.page)
    browser.wait("desk.modeName === 'play' && desk.viewer.game !== null")
    yield browser
    assert browser.errors == []
    assert [address for address in browser.requests if not address.startswith(served.page)] == []

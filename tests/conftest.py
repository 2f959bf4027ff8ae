"""What more than one folder of tests needs: how hard Hypothesis tries, and random numbers to be had again.

A failing Hypothesis test prints the smallest example and a blob that replays it, and the next run tries that
example first. ``--hypothesis-profile=thorough`` tries twenty times as many examples. Other random tests take
`rng`; its seed is printed when they fail, and ``OUTFLANK_TEST_SEED`` sets it.
"""

import os
import random
import shutil
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from outflank.tests.alone import is_alone, turn

settings.register_profile(
    "default",
    max_examples=100,
    deadline=None,  # a shared machine stalls now and then; pytest-timeout catches what hangs
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],  # the oracle is slow on purpose
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)


def pytest_configure(config: pytest.Config) -> None:
    """Use our default unless the command line names a profile; with CI set Hypothesis would use its own."""
    if config.getoption("--hypothesis-profile") is None:
        settings.load_profile("default")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again for ``-n auto`` as this process may use processors: many tests wait."""
    return (3 * len(os.sched_getaffinity(0)) + 1) // 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that have to run alone come last."""
    items.sort(key=is_alone)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Wait for a test's turn before its own time begins."""
    with turn(is_alone(item)):
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder of the tests' own: weights made for a test are not to take the place of those in use."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield
    shutil.rmtree(folder)


@pytest.fixture
def rng() -> random.Random:
    """Random numbers, new in every run; the seed is shown with a failure."""
    seed = int(os.environ.get("OUTFLANK_TEST_SEED", random.SystemRandom().randrange(2**32)))
    print(f"repeat with OUTFLANK_TEST_SEED={seed}")
    return random.Random(seed)

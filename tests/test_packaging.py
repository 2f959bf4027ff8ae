"""Outflank can be installed in every usual way; what is installed is all that it needs, and fits together."""

import fcntl
import json
import platform
import pydoc
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from importlib.metadata import metadata, version
from pathlib import Path
from typing import TypeVar

import pytest
from click.testing import CliRunner

import outflank
from outflank import engine
from outflank.engine import BUILD
from outflank.engine.evaluation.weights import checksum
from outflank.tests.support.installation import ROOT, Environment, clone, python_script
from outflank.tools.cli.program import cli

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, BUILD_NEEDS = PYPROJECT["project"], PYPROJECT["build-system"]["requires"]
EXTRAS = PROJECT["optional-dependencies"]
PERFT_6 = 8200
MOST_PACKAGES_OF_A_MATCH = 30
Test = TypeVar("Test", bound=Callable[..., None])
LARGEST_WHEEL = 25_000_000  # bytes; docs/design.md says what weighs so much


def installs(test: Test) -> Test:
    marked: Test = pytest.mark.slow(pytest.mark.timeout(1200)(test))
    return marked


def of_distributions(test: Test) -> Test:
    """Mark a test that shares the fixture `distributions`."""
    marked: Test = pytest.mark.xdist_group("distributions")(installs(test))
    return marked


def sources() -> set[str]:
    """Return every file of the folders below the package that git would know, `folder/file`."""
    folders = ("engine", "book", "protocol", "tools", "tests", "measure")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    built = re.compile(r"[.]so$|[.]pyc$|/buildinfo[.]py$|/weights[.]un[a-z]*$")
    return {name for name in (str(path.relative_to(ROOT)) for path in files) if not built.search(name)}


@pytest.mark.parametrize("folder", ["engine", "book", "package", "protocol", "tools"])
def test_every_package_says_that_it_is_typed(folder: str) -> None:
    assert (ROOT / folder / "py.typed").is_file()


def test_a_folder_of_that_name_is_not_taken_for_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the folder that holds a checkout has one; the slow tests below install from there, in each way."""
    (tmp_path / "outflank" / "engine").mkdir(parents=True)
    script = "import outflank.engine as e; print(e.perft(e.Position.start(), 6))"

    monkeypatch.chdir(tmp_path)
    made = python_script("-c", script)

    assert (made.stdout, made.stderr) == (f"{PERFT_6}\n", "")


def test_the_version_is_told_by_the_metadata_and_by_the_program() -> None:
    assert version("outflank") == outflank.__version__
    assert (
        CliRunner().invoke(cli, ["--version"], prog_name="outflank").output
        == f"outflank {version('outflank')}\nengine built for {BUILD}\nevaluation {checksum()}\n"
    )


def test_the_extras_are_those_that_the_documentation_names() -> None:
    extras = metadata("outflank").get_all("Provides-Extra", [])

    assert sorted(extras) == ["cluster", "dev", "match", "png", "train", "web"]


@pytest.mark.parametrize(
    ("file", "extras"),
    [("requirements.txt", ("match", "web")), ("requirements-dev.txt", ("match", "web", "dev"))],
)
def test_a_lock_file_has_the_hashes_of_all_that_make_installs_and_names_no_index(
    file: str, extras: tuple[str, ...]
) -> None:
    """``make lock`` renews it."""
    text = (ROOT / file).read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text)[1:]
    wanted = [*BUILD_NEEDS, *PROJECT["dependencies"], *(each for extra in extras for each in EXTRAS[extra])]

    assert {entry.split("==")[0] for entry in entries} >= {
        re.split("[<>=;]", requirement)[0].lower() for requirement in wanted
    }
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text
    assert "index-url" not in text


def test_a_match_needs_few_packages_of_the_versions_that_the_tests_run_with() -> None:
    """Another version of a package, for another Python, does not count."""
    pins, tested = (
        re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
        for name in ("requirements.txt", "requirements-dev.txt")
    )

    assert set(pins) <= set(tested)
    assert len(dict(pins)) <= MOST_PACKAGES_OF_A_MATCH


def test_nothing_but_click_is_needed_to_run_the_engine() -> None:
    assert [requirement.split(">")[0] for requirement in PROJECT["dependencies"]] == ["click"]


def test_pip_learns_what_a_fresh_clone_needs_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question is one that `pip install`, `pip install --editable` or `python -m build` asks first."""
    monkeypatch.chdir(clone(tmp_path))
    questions = "get_requires_for_build_{0}(), prepare_metadata_for_build_{0}({1!r})"
    asked = ", ".join(questions.format(kind, str(tmp_path)) for kind in ("wheel", "editable"))
    told = python_script(
        "-c", f"from setuptools.build_meta import *; {asked}, get_requires_for_build_sdist()"
    )

    assert told.returncode == 0, told.stderr
    assert f"Version: {outflank.__version__}\n" in next(tmp_path.glob("*.dist-info/METADATA")).read_text()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            "os.environ['CC'] = 'no-such-cc'",
            "outflank needs a C compiler, and there is no 'no-such-cc': install gcc or clang",
        ),
        (
            "os.environ['OUTFLANK_MARCH'] = 'no-such-cpu'",
            "the C compiler refuses -march=no-such-cpu (OUTFLANK_MARCH chooses another CPU): ",
        ),
        (
            "sysconfig.get_path = lambda name: '/nowhere'",
            "outflank needs Python's headers, and there is no Python.h: install",
        ),
    ],
)
def test_a_build_says_in_a_sentence_what_it_lacks(
    spoil: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clone(tmp_path))
    run = "runpy.run_path('setup.py', run_name='__main__')"
    told = python_script(
        "-c", f"import os, runpy, sys, sysconfig; sys.argv = ['setup.py', 'build_ext']; {spoil}; {run}"
    )

    assert told.returncode == 1
    assert told.stderr.splitlines()[-1].startswith(sentence)
    assert "Traceback" not in told.stderr


def test_the_second_build_in_a_checkout_says_that_it_waits_for_the_first(tmp_path: Path) -> None:
    source = clone(tmp_path)
    words = [sys.executable, "setup.py", "--version"]
    with open(source / "setup.py") as first:
        fcntl.flock(first, fcntl.LOCK_EX)  # as the first build does
        second = subprocess.Popen(
            words, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert second.stderr is not None
        assert second.stderr.readline() == "setup.py: waiting for the end of another build in this checkout\n"
        assert second.poll() is None
    printed, _ = second.communicate(timeout=60)

    assert printed == f"{outflank.__version__}\n"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the sdist of a fresh clone, and the wheel built from that sdist alone."""
    folder = tmp_path_factory.mktemp("distributions")
    environment = Environment(folder)
    source = clone(folder)
    backend = "from setuptools import build_meta; print(build_meta.build_{}({!r}))"
    environment.run(
        "python", "-c", f"import os; os.chdir({str(source)!r}); " + backend.format("sdist", str(folder))
    )
    (sdist,) = folder.glob("*.tar.gz")
    environment.run("python", "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", str(sdist))
    (wheel,) = folder.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel}


@of_distributions
def test_the_sdist_holds_the_sources_and_nothing_that_was_built(distributions: dict[str, Path]) -> None:
    with tarfile.open(distributions["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert names >= sources() | {"README.md", "CHANGELOG.md", "LICENSE", "Makefile", "package/__init__.py"}
    assert names >= {"pyproject.toml", "requirements.txt", "requirements-dev.txt", "setup.py"}
    assert {name for name in names if name.endswith(".c")} == {"tools/solving/proofs/check.c"}
    assert not [name for name in names if name.endswith((".so", "buildinfo.py", ".unpacked"))]


@of_distributions
def test_the_wheel_holds_every_source_but_the_cython_ones_and_each_module_for_every_cpu(
    distributions: dict[str, Path],
) -> None:
    """OUTFLANK_MARCH is not set; pip may keep a wheel and hand it out again on another machine."""
    names = set(zipfile.ZipFile(distributions["wheel"]).namelist())
    installed = {name for name in sources() if not name.startswith(("tests/", "measure/"))}
    cython = {name for name in installed if name.endswith(".pyx")}
    packed = {"engine/evaluation/weights.bin"}
    made = {"engine/buildinfo.py", "engine/evaluation/weights.unpacked"}

    assert names >= {f"outflank/{name}" for name in installed - cython - packed | made}
    assert not names & {f"outflank/{name}" for name in packed}
    assert distributions["wheel"].stat().st_size < LARGEST_WHEEL
    assert not [name for name in names if name.startswith(("outflank/tests/", "outflank/measure/"))]
    assert names >= {"outflank/__init__.py", "outflank/__main__.py", "outflank/py.typed"}
    builds = {name.split("/")[3] for name in names if name.startswith("outflank/engine/builds/")}
    assert platform.machine() != "x86_64" or builds == {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"}
    tuned = cython - {"engine/cpufeatures.pyx"}
    assert len([name for name in names if name.endswith(".so")]) == len(tuned) * max(len(builds), 1) + 1
    assert {name for name in names if name.endswith(".c")} == {"outflank/tools/solving/proofs/check.c"}
    assert not [name for name in names if name.endswith(".pyx")]


@of_distributions
def test_no_module_of_the_wheel_looks_for_libraries_where_it_was_built(
    distributions: dict[str, Path],
) -> None:
    """Linkers note where Python's own libraries are, if its builder asked for that."""
    built_at = f"{sys.base_prefix}/lib".encode()
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        modules = [name for name in wheel.namelist() if name.endswith(".so")]
        telling = [name for name in modules if built_at in wheel.read(name)]

    assert modules
    assert telling == []


@of_distributions
def test_the_wheel_brings_the_manual_the_completions_and_the_pages(distributions: dict[str, Path]) -> None:
    names = zipfile.ZipFile(distributions["wheel"]).namelist()
    shared = {name.partition(".data/data/share/")[2] for name in names}

    assert shared >= {
        "man/man1/outflank.1",
        "man/man1/outflank-match.1",
        "bash-completion/completions/outflank",
        "zsh/site-functions/_outflank",
        "fish/vendor_completions.d/outflank.fish",
        *(f"doc/outflank/docs/{page.relative_to(ROOT / 'docs')}" for page in (ROOT / "docs").rglob("*.*")),
        *(f"doc/outflank/examples/{name}" for name in ("games.ipynb", "requests.jsonl", "tournament.toml")),
    }


@of_distributions
def test_a_wheel_made_from_the_sdist_counts_and_plays(distributions: dict[str, Path], tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.install(str(distributions["wheel"]))

    assert_counts_and_plays(environment)


@installs
def test_a_plain_install_counts_and_plays(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.install(str(clone(tmp_path)))

    assert_counts_and_plays(environment)


@installs
def test_an_editable_install_counts_and_plays_and_follows_an_edit_without_building_all_again(
    tmp_path: Path,
) -> None:
    source, environment = clone(tmp_path), Environment(tmp_path)
    environment.install("--editable", str(source))

    assert_counts_and_plays(environment)
    (source / "book" / "__init__.py").write_text("EDITED = 7\n")
    assert environment.run("python", "-c", "import outflank.book; print(outflank.book.EDITED)") == "7\n"

    with (source / "engine" / "perft.pyx").open("a") as perft:
        perft.write("# edited\n")
    built = environment.run("sh", "-c", f"cd {source} && python setup.py build_ext --inplace")
    assert re.findall(r"^building '(.*)' extension", built, re.MULTILINE) == ["outflank.engine.perft"]


def assert_counts_and_plays(environment: Environment) -> None:
    """Through Python and through the program; and the folders' bare names lead nowhere."""
    count = "from outflank.engine import Position, perft; print(perft(Position.start(), 6))"
    play = "from outflank.engine import *; print(Searcher().search(Position.start(), Limit(4)).depth)"
    bare = "import importlib.util; print(importlib.util.find_spec('engine'))"
    assert environment.run("python", "-c", count) == f"{PERFT_6}\n"
    assert environment.run("python", "-c", play) == "4\n"
    assert environment.run("python", "-c", bare) == "None\n"
    assert environment.run("outflank", "--version").startswith(f"outflank {outflank.__version__}\n")
    assert str(PERFT_6) in environment.run("outflank", "perft", "6").replace(",", "")


def test_the_selectivity_model_was_fitted_to_the_shipped_weights_or_measured_again_with_them() -> None:
    made = json.loads((ROOT / "engine" / "search" / "probcut.json").read_text())["provenance"]

    assert made.get("measured again", made)["weights"] == f"CRC-32 {checksum()}", "outflank train probcut"


def test_the_balanced_openings_were_judged_with_the_shipped_weights() -> None:
    head = (ROOT / "tools" / "match" / "openings" / "data" / "balanced.txt").read_text()[:1000]

    assert re.findall(r"weights of CRC-32 ([0-9a-f]{8})", head) == [checksum()], "outflank openings make"


def test_the_package_has_the_names_of_the_engine_and_loads_them_when_they_are_asked_for() -> None:
    program = (
        "import sys, outflank; assert 'outflank.engine' not in sys.modules; from outflank import engine;"
        "assert all(getattr(outflank, name) is getattr(engine, name) for name in engine.__all__);"
        "assert 'outflank.tools' not in sys.modules and 'Position' in dir(outflank);"
        "assert outflank.review_game and outflank.curve_svg; assert not hasattr(outflank, 'Nonsense')"
    )

    assert python_script("-c", program).returncode == 0


def test_help_and_star_imports_have_every_public_name() -> None:
    names: dict[str, object] = {}
    exec("from outflank import *", names)
    shown = pydoc.plain(pydoc.render_doc(outflank))

    assert {*names} >= {*outflank.__all__}
    assert {*outflank.__all__} == {*engine.__all__, *outflank._BEYOND_ENGINE}
    assert {*outflank.__all__} <= {*dir(outflank)}
    assert {"Any", "import_module", "sys"} & {*dir(outflank)} == set()
    classes = re.findall(r"^    class (\w+)", shown, re.MULTILINE)
    assert {*classes} >= {"Position", "Game", "Searcher", "Archive"}


def test_a_name_of_the_package_is_not_loaded_before_the_cpu_was_asked() -> None:
    told = python_script("-c", "import outflank; outflank.Position", OUTFLANK_BUILD="none-such")

    assert "ImportError: expected OUTFLANK_BUILD to be one of" in told.stderr
    assert told.returncode == 1

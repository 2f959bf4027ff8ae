"""Builds the Cython modules and maps the root folders to ``outflank.*``.

A build waits until any earlier build in the same checkout has finished. Nothing is translated or compiled before
``build_ext`` runs, so pip's requests for metadata need no built file.

Modules in the checkout (``make build``, an editable install) are compiled for this CPU. A wheel may be copied to
another machine, or installed again from pip's cache, so on x86-64 it has four builds of the engine; at import the best
build for the CPU is chosen. ``OUTFLANK_MARCH=<value>`` overrides both defaults with a value for ``gcc -march``. Several
values, the best first, produce a wheel with one build for each value, in separate folders. ``engine/buildinfo.py``
records the CPU features that the compiler was allowed to use; ``engine/machine.py`` compares them with the CPU that
imports the package.

If ``OUTFLANK_TARGET`` is one of TARGETS, zig (the package ``ziglang``) compiles the wheel for this target. Modules for
Windows are linked with the ``python3.dll`` that ``LDFLAGS`` names.
"""

import ast
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
INSTALLED = ("engine", "protocol", "book", "tools")
FOLDERS = (*INSTALLED, "tests", "measure")  # the packages in a checkout
CYTHON_FOLDERS = ("engine", "engine/search", "engine/evaluation", "engine/solo", "tests/support")
DATA = ["py.typed", "*.pxd", "*.pyi", "*.h", "check.c", "*.json", "*.toml", "data/**/*", "program/**/*"]
PAGES = ("docs/**/*.*", "examples/*.toml", "examples/*.ipynb", "examples/*.jsonl")
IS_WHEEL = "bdist_wheel" in sys.argv
# A wheel has a separate build folder, so that it does not get modules that were built for the checkout.
WHEEL_FOLDER = "build/for-wheel"
# The platform tags of wheels, by zig's name for the target. The name may contain the oldest supported version of macOS
# or glibc.
TARGETS = {
    "x86_64-windows-gnu": "win-amd64",
    "x86_64-macos.11.0": "macosx-11.0-x86_64",
    "aarch64-macos.11.0": "macosx-11.0-arm64",
    "aarch64-linux-gnu.2.17": "linux-aarch64",
}
TARGET = os.environ.get("OUTFLANK_TARGET", "") if IS_WHEEL else ""
MACHINE = TARGET.partition("-")[0] or platform.machine()
WHEEL_MARCHES = {"x86_64": "x86-64-v4 x86-64-v3 x86-64-v2 x86-64", "aarch64": "armv8-a", "arm64": "armv8-a"}
MARCHES = (os.environ.get("OUTFLANK_MARCH") or (IS_WHEEL and WHEEL_MARCHES.get(MACHINE)) or "native").split()
# A pyconfig.h for any 64-bit system, with the definitions that Python's limited API needs.
PYCONFIG = """
#pragma once
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_PID_T 4
#define WITH_THREAD 1
#ifdef _WIN32
#define MS_WINDOWS
#define MS_WIN64
#define Py_ENABLE_SHARED
#define HAVE_DECLSPEC_DLL
#else
#define HAVE_UNISTD_H 1
#define HAVE_SSIZE_T 1
#endif
"""
# -O3 overrides the -O2 in a distribution's CFLAGS. If CFLAGS has -O0 or -O1, as in tests, -O3 is left out for a quick
# build.
FLAGS = os.environ.get("CFLAGS", "").split()
OPTIMIZATION = [] if {"-O0", "-O1"} & {*FLAGS} else ["-O3"]
# Debugging information takes a quarter of the compiler's time, so it is generated only if CFLAGS has -g, and never in
# wheels.
DEBUGGING = ["-g0"] if IS_WHEEL or "-g" not in FLAGS else []
DEFINITION = re.compile(r"( *)(?:cdef )?(class|def) (\w+)")
CORES = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
# The module that chooses the build is compiled once for all CPUs; it lists the known CPU features.
CHOOSER = "outflank.engine.cpufeatures"
CPU_FEATURES = re.findall(r'\{"(\w+)",', (ROOT / "engine" / "cpufeatures.h").read_text())


def compiler() -> str:
    """Return the command that will compile the modules."""
    return os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"


def used_features(march: str) -> tuple[str, ...]:
    """Return the CPU features that ``-march`` lets the compiler use, by their names in cpufeatures.h.

    Raises: SystemExit with a message if the compiler is missing or refuses the value.
    """
    command = [*compiler().split(), *march_options(march), "-dM", "-E", "-x", "c", os.devnull]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise SystemExit(
            f"outflank needs a C compiler, and there is no {compiler()!r}: install gcc or clang"
        ) from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().partition("\n")[0]
        raise SystemExit(
            f"the C compiler refuses -march={march} (OUTFLANK_MARCH chooses another CPU): {said}"
        ) from None
    macros = {line.split()[1] for line in made.stdout.splitlines()}
    return tuple(sorted(name for name in CPU_FEATURES if f"__{name.upper()}__" in macros))


def march_options(march: str) -> list[str]:
    """Return the compiler's options for a CPU. Zig uses other names; by default, it uses the oldest CPU of a family."""
    if not TARGET:
        return [f"-march={march}"]
    return [f"-march={march.replace('-', '_')}"] if march.startswith("x86-64") else []


def compile_for_target() -> None:
    """Let setuptools compile and link with zig."""
    zig = f"{sys.executable} -m ziglang cc -target {TARGET}"
    undefined = (
        " -undefined dynamic_lookup" if "macos" in TARGET else ""
    )  # the interpreter has Python's functions
    os.environ.update(CC=zig, LDSHARED=f"{zig} -shared{undefined}")
    headers = ROOT / "build" / "headers"
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), headers)
    (headers / "pyconfig.h").write_text(PYCONFIG)


def record_build(builds: dict[str, tuple[str, ...]], folder: Path) -> Path:
    """Write buildinfo.py, which is imported before the build for a CPU is chosen, and return its path."""
    text = '"""Written by setup.py: the CPU features that each build of the engine needs, the best build first."""\n\n'
    text += f"BUILDS = {builds!r}\n"
    target = folder / "buildinfo.py"
    if not target.exists() or target.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return target


def unpack_weights(folder: Path) -> None:
    """Write the unpacked weights, which engine processes map into memory. Use pure Python, which runs on every CPU."""
    source, unpacking = (ROOT / "engine" / "evaluation" / name for name in ("weights.bin", "unpacking.py"))
    target = folder / "evaluation" / "weights.unpacked"
    made_of = max(path.stat().st_mtime for path in (source, unpacking))
    if not target.exists() or target.stat().st_mtime < made_of:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".unfinished")
        unpacked_file = runpy.run_path(str(unpacking))["unpacked_file"]
        unfinished.write_bytes(unpacked_file(source.read_bytes(), spread=not IS_WHEEL))
        unfinished.replace(target)  # a rename, so that running engines keep the old file mapped


def alias_folder() -> str:
    """Create build/cimport, whose package ``outflank`` consists of links to the checkout, and return its path.

    Python, Cython and mypy find the modules there. An editable install puts build/cimport on the path, where this
    package takes precedence over a plain folder called ``outflank``, such as the checkout. The finder that setuptools
    would install instead is asked only after the path, so Python would choose the plain folder.
    """
    package = ROOT / "build" / "cimport" / "outflank"
    package.mkdir(parents=True, exist_ok=True)
    linked = [
        *(ROOT / folder for folder in FOLDERS),
        *(path for path in (ROOT / "package").iterdir() if path.name != "__pycache__"),
    ]
    for target in linked:
        link = package / target.name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(target, package), target_is_directory=target.is_dir())
    return str(package.parent.relative_to(ROOT))


def documented(source: Path) -> str:
    """Return the path of a copy of a .pyx file, with the docstrings of its stub. Line numbers do not change.

    The .pyi has the whole docstring, and the .pyx only its first line. The docstring of a class also gets a signature,
    in the form that ``inspect.signature`` reads for classes written in C.
    """
    stub = source.with_suffix(".pyi")
    if not stub.exists():
        return str(source)
    docs, lines = dict(docstrings(ast.parse(stub.read_text()))), source.read_text().split("\n")
    owner, name, at = "", "", 0
    while at < len(lines):
        if found := DEFINITION.match(lines[at]):
            indent, kind, word = found.groups()
            name = f"{owner}.{word}" if indent else word
            owner = word if kind == "class" and not indent else owner if indent else ""
            while not re.search(r":\s*(#.*)?$", lines[at]):
                at += 1
        elif name and lines[at].lstrip().startswith('"""'):
            begin = at
            while not lines[at].endswith('"""') or (lines[at].strip() == '"""' and at == begin):
                at += 1
            if name in docs:
                indent = lines[begin][: -len(lines[begin].lstrip())]
                lines[begin : at + 1] = [indent + repr(docs[name]), *[""] * (at - begin)]
            name = ""
        else:
            name = ""
        at += 1
    copy, text = Path("build/documented") / source, "\n".join(lines)
    if not copy.exists() or copy.read_text() != text:  # a rewritten copy would be recompiled
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    return str(copy)


def docstrings(node: ast.Module | ast.ClassDef, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield dotted names and docstrings of a stub; the docstring of a class begins with its signature."""
    for found in node.body:
        if not isinstance(found, ast.ClassDef | ast.FunctionDef) or not (doc := ast.get_docstring(found)):
            continue
        if isinstance(found, ast.ClassDef):
            yield from docstrings(found, f"{found.name}.")
            made = [each for each in found.body if getattr(each, "name", "") in ("__init__", "__new__")]
            doc = "".join(f"{found.name}({arguments(each.args)})\n--\n\n" for each in made[:1]) + doc
        yield owner + found.name, doc


def arguments(args: ast.arguments) -> str:
    """Return the arguments of a constructor without their types."""
    del args.args[0]
    for arg in (*args.args, *args.kwonlyargs):
        arg.annotation = None
    return ast.unparse(args)


def extensions() -> list[Extension]:
    """Return an extension module for each .pyx file in the engine, and in tests that call the engine's kernels."""
    macros = [] if os.environ.get("OUTFLANK_ASSERT") else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
    if IS_WHEEL:  # the limited API works with Python 3.11 and later
        macros.append(("Py_LIMITED_API", "0x030B0000"))
    return [
        Extension(
            ".".join(("outflank", *source.with_suffix("").parts)),
            [documented(source)],
            include_dirs=["engine", "engine/evaluation"],
            depends=[
                "engine/kernels.h",
                "engine/cpufeatures.h",
                "engine/evaluation/patterns.h",
                "engine/evaluation/evaluate.h",
            ],
            # Cython's generated code causes these two warnings in every module.
            extra_compile_args=["-Wno-unused-function", "-Wno-array-bounds", *DEBUGGING],
            extra_link_args=["-s"] if IS_WHEEL else [],
            define_macros=macros,
            py_limited_api=IS_WHEEL,
        )
        for folder in CYTHON_FOLDERS
        for source in sorted(Path(folder).glob("*.pyx"))
    ]


def translated() -> dict[str, Extension]:
    """Translate the modules to C on all processors, and return the extensions by the path of the .pyx file."""
    modules = extensions()
    translations = cythonize(
        modules,
        include_path=[alias_folder()],
        build_dir="build/cython",
        language_level=3,
        quiet=True,
        nthreads=CORES,
        compiler_directives={
            "allow_none_for_extension_args": False,  # otherwise None would be accepted and read as a board
            "embedsignature": False,
            "profile": bool(os.environ.get("OUTFLANK_PROFILE")),
        },
    )
    sources = {module.name: module.sources[0] for module in modules}
    return {sources[module.name]: module for module in translations}


def for_each_cpu(modules: list[Extension]) -> list[Extension]:
    """Return the modules once for each CPU in MARCHES, in folders ``builds/MARCH`` if there are several CPUs."""
    made = []
    # The largest modules come first, so that no processor compiles a large module alone at the end.
    for module in sorted(modules, key=lambda module: -os.path.getsize(module.sources[0])):
        folder, _, name = module.name.rpartition(".")
        if module.name == CHOOSER:
            module.objects_folder = "any"
            made.append(module)
            continue
        for march in MARCHES:
            one = copy(module)
            if len(MARCHES) > 1:
                one.name = f"{folder}.builds.{label(march)}.{name}"
            one.objects_folder = label(march)
            # -O3 unrolls the kernels. -ffast-math is not used, since scores must not depend on the compiler.
            one.extra_compile_args = [*OPTIMIZATION, *march_options(march), *module.extra_compile_args]
            made.append(one)
    return made


def label(march: str) -> str:
    """Return the name of the build for a CPU, which is part of a module's dotted name."""
    return march.replace(".", "_")


class BuildForEachCPU(build_ext):
    """The command that builds the modules, buildinfo.py and the unpacked weights."""

    def finalize_options(self) -> None:
        """Use all processors; leave out tests unless building in place; build editable installs in a lasting folder."""
        super().finalize_options()
        if not self.inplace:
            self.extensions = [ext for ext in self.extensions if ext.name.split(".")[1] in INSTALLED]
        self.parallel = self.parallel or CORES
        if TARGET:
            self.include_dirs = [str(ROOT / "build" / "headers")]
        # setuptools would use a temporary folder, and the next build would compile everything again.
        if self.editable_mode:
            lasting = self.distribution.get_command_class("build")(self.distribution)
            lasting.ensure_finalized()
            self.build_lib, self.build_temp = lasting.build_platlib, lasting.build_temp

    def run(self) -> None:
        """Build the modules that are out of date, or all if MARCHES changed, since each module depends on buildinfo.py.

        Raises: SystemExit with a message if a checkout is to be built for several CPUs, or if Python has no headers.
        """
        if len(MARCHES) > 1 and not IS_WHEEL:
            raise SystemExit(
                "the checkout is built for one CPU: give OUTFLANK_MARCH one value; a wheel may have several"
            )
        if not TARGET and not Path(sysconfig.get_path("include"), "Python.h").exists():
            raise SystemExit(
                "outflank needs Python's headers, and there is no Python.h: install them (Debian: python3-dev)"
            )
        engine = ROOT / "engine" if self.inplace else Path(self.build_lib) / "outflank" / "engine"
        buildinfo = record_build({label(march): used_features(march) for march in MARCHES}, engine)
        translations = translated()
        for module in self.extensions:
            translation = translations[module.sources[0]]
            module.sources, module.depends = translation.sources, [*translation.depends, str(buildinfo)]
        super().run()
        unpack_weights(engine)
        if IS_WHEEL and not TARGET:
            self.distribution.data_files += shell_files(self.build_lib)

    def get_ext_filename(self, fullname: str) -> str:
        """Return the file name of a module, which has another suffix on Windows."""
        name = super().get_ext_filename(fullname)
        return name.replace(".abi3.so", ".pyd") if "windows" in TARGET else name

    def build_extensions(self) -> None:
        """Build the modules, without this Python's library folders in wheels, and without -fPIC for Windows."""
        if IS_WHEEL:
            self.compiler.linker_so = [
                word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")
            ]
        if "windows" in TARGET:
            self.compiler.compiler_so = [word for word in self.compiler.compiler_so if word != "-fPIC"]
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Compile and link one module; each CPU has a separate folder for object files."""
        one = copy(self)  # a copy, because other threads are compiling other modules
        one.build_temp = os.path.join(self.build_temp, ext.objects_folder)
        super(BuildForEachCPU, one).build_extension(ext)


def shell_files(built: str) -> list[tuple[str, list[str]]]:
    """Run the built program to generate the manual and the shell completions, and return these files."""
    made = Path("build/share")
    shutil.rmtree(made, ignore_errors=True)
    path = os.pathsep.join(filter(None, [os.path.abspath(built), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-m", "outflank.tools.cli.manual", str(made)]
    told = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if told.returncode:  # for example because the build is for another CPU
        last = told.stderr.strip().rpartition("\n")[2]
        print(
            f"the wheel gets no manual and no completions, since the program does not run here: {last}",
            file=sys.stderr,
        )
    files = filter(Path.is_file, made.rglob("*"))
    return [(str("share" / file.relative_to(made).parent), [str(file)]) for file in files]


def packages() -> list[str]:
    """Return the dotted names of the installed packages: ``outflank``, from the folder `package`, and subpackages."""
    inits = [init for folder in ("package", *INSTALLED) for init in (ROOT / folder).rglob("__init__.py")]
    folders = sorted(init.parent.relative_to(ROOT) for init in inits)
    return [
        ".".join(("outflank", *folder.parts)).replace("outflank.package", "outflank") for folder in folders
    ]


def pages() -> list[tuple[str, list[str]]]:
    """Return the pages and examples that a wheel contains, by their folder in the wheel."""
    found = [str(file) for pattern in PAGES for file in sorted(Path().glob(pattern))]
    return [(f"share/doc/outflank/{os.path.dirname(file)}", [file]) for file in found]


@contextmanager
def only_build() -> Iterator[None]:
    """Wait, with a message on stderr, until no other build runs in this checkout. Make later builds wait too."""
    if sys.platform == "win32":  # Windows has no fcntl
        yield
        return
    import fcntl

    with open(ROOT / "setup.py") as lock:  # closing a file unlocks it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup.py: waiting for the end of another build in this checkout", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> None:
    """Run the setuptools command that the arguments name.

    Raises: SystemExit with a message if OUTFLANK_TARGET is not one of TARGETS.
    """
    if TARGET and TARGET not in TARGETS:
        raise SystemExit(f"expected OUTFLANK_TARGET to be one of {', '.join(TARGETS)}, got {TARGET!r}")
    if TARGET:
        compile_for_target()
    if IS_WHEEL:
        shutil.rmtree(WHEEL_FOLDER, ignore_errors=True)
    setup(
        version=re.search('^__version__ = "(.*)"', Path("package/__init__.py").read_text(), re.MULTILINE)[1],
        packages=packages(),
        package_dir={"": alias_folder()},
        options={
            "build": {"build_base": WHEEL_FOLDER} if IS_WHEEL else {},
            "egg_info": {"egg_base": "."},  # the default would be build/cimport
            "bdist_wheel": {
                **({"py_limited_api": "cp311"} if IS_WHEEL else {}),
                **({"plat_name": TARGETS[TARGET]} if TARGET else {}),
            },
        },
        include_package_data=False,  # MANIFEST.in is for the sdist, and would put the .pyx files into the wheel
        package_data=dict.fromkeys(packages(), DATA),
        data_files=pages() if IS_WHEEL else [],
        cmdclass={"build_ext": BuildForEachCPU},
        ext_modules=for_each_cpu(extensions()),
    )


if __name__ == "__main__":  # Cython's worker processes may import this file
    os.chdir(ROOT)
    with only_build():
        main()

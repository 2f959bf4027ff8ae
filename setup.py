"""Builds the Cython modules and maps the root folders to ``outflank.*``.

Of two builds in one checkout the second waits for the first. Nothing is translated or compiled before ``build_ext``
runs, so the commands by which pip asks for metadata need no file that a build makes.

What stays in the checkout (``make build``, an editable install) is for the CPU at hand. A wheel may be carried to
another machine, or handed out again from pip's cache, so it has four builds of the engine, and the best one that a CPU
can run is taken there. ``OUTFLANK_MARCH=<value>`` is handed to ``gcc -march`` instead; several values, the best first,
make a wheel with as many builds, each in a folder of its own. The features that the compiler was allowed to use are
recorded in ``engine/buildinfo.py``; ``engine/machine.py`` compares them with the CPU that imports the package.

``OUTFLANK_TARGET`` is one of TARGETS: zig (the package ``ziglang``) compiles a wheel for that system. Modules for
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
FOLDERS = (*INSTALLED, "tests", "measure")  # of a checkout
CYTHON_FOLDERS = (
    "engine",
    "engine/search",
    "engine/evaluation",
    "engine/solo",
    "tests/support",
)
DATA = ["py.typed", "*.pxd", "*.pyi", "*.h", "check.c", "*.json", "*.toml", "data/**/*", "program/**/*"]
PAGES = ("docs/**/*.*", "examples/*.toml", "examples/*.ipynb", "examples/*.jsonl")
# A wheel is for users: it has nothing that only debuggers want to know.
IS_WHEEL = "bdist_wheel" in sys.argv
# What was built for the checkout must not get into a wheel.
WHEEL_FOLDER = "build/for-wheel"
# For zig, the names of its systems with the oldest version that they serve, and those of their wheels.
TARGETS = {
    "x86_64-windows-gnu": "win-amd64",
    "x86_64-macos.11.0": "macosx-11.0-x86_64",
    "aarch64-macos.11.0": "macosx-11.0-arm64",
    "aarch64-linux-gnu.2.17": "linux-aarch64",
}
TARGET = os.environ.get("OUTFLANK_TARGET", "") if IS_WHEEL else ""
MACHINE = TARGET.partition("-")[0] or platform.machine()
WHEEL_MARCHES = {"x86_64": "x86-64-v4 x86-64-v3 x86-64-v2 x86-64", "aarch64": "armv8-a"}
MARCHES = (os.environ.get("OUTFLANK_MARCH") or (IS_WHEEL and WHEEL_MARCHES.get(MACHINE)) or "native").split()
# Python's headers for any system with 64 bits, as far as its limited API needs to know the system.
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
# -O3 takes the place of the -O2 in a distribution's CFLAGS. Who asks for -O0 wants a quick build, as tests do.
OPTIMIZATION = [] if "-O0" in os.environ.get("CFLAGS", "").split() else ["-O3"]
DEFINITION = re.compile(r"( *)(?:cdef )?(class|def) (\w+)")
CORES = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
# The module that chooses the build is compiled for every CPU, and has the list of features.
CHOOSER = "outflank.engine.cpufeatures"
CPU_FEATURES = re.findall(r'\{"(\w+)",', (ROOT / "engine" / "cpufeatures.h").read_text())


def compiler() -> str:
    """Return the command that will compile the modules."""
    return os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"


def used_features(march: str) -> tuple[str, ...]:
    """CPU features that ``-march`` lets the compiler use, by their names in cpufeatures.h.

    Raises: SystemExit with one sentence if the compiler is missing or refuses the value.
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
    """Return the compiler's options for a CPU; zig has its own names, and takes the least CPU of a family by itself."""
    if not TARGET:
        return [f"-march={march}"]
    return [f"-march={march.replace('-', '_')}"] if march.startswith("x86-64") else []


def compile_for_target() -> None:
    """Let setuptools compile and link with zig."""
    zig = f"{sys.executable} -m ziglang cc -target {TARGET}"
    undefined = " -undefined dynamic_lookup" if "macos" in TARGET else ""  # Python's functions
    os.environ.update(CC=zig, LDSHARED=f"{zig} -shared{undefined}")
    headers = ROOT / "build" / "headers"
    shutil.rmtree(headers, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), headers)
    (headers / "pyconfig.h").write_text(PYCONFIG)


def record_build(builds: dict[str, tuple[str, ...]], folder: Path) -> Path:
    """Write buildinfo.py, which the import reads before it loads a tuned module, and return its path."""
    text = '"""Written by setup.py: the CPU features that each build of the engine needs, the best build first."""\n\n'
    text += f"BUILDS = {builds!r}\n"
    target = folder / "buildinfo.py"
    if not target.exists() or target.read_text() != text:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return target


def unpack_weights(folder: Path) -> None:
    """Write the weights in the form that every engine process maps; plain Python, so it serves every CPU."""
    source, unpacking = (ROOT / "engine" / "evaluation" / name for name in ("weights.bin", "unpacking.py"))
    target = folder / "evaluation" / "weights.unpacked"
    made_of = max(path.stat().st_mtime for path in (source, unpacking))
    if not target.exists() or target.stat().st_mtime < made_of:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_suffix(".unfinished")
        unpacked_file = runpy.run_path(str(unpacking))["unpacked_file"]
        unfinished.write_bytes(unpacked_file(source.read_bytes(), spread=not IS_WHEEL))
        unfinished.replace(target)  # engines that have mapped the old file keep it


def alias_folder() -> str:
    """build/cimport, where links show the folders under the dotted names that Python, Cython and mypy look up.

    An editable install puts this folder on the path, where a regular package wins over a folder of that name that
    happens to be there: the checkout. The finder that setuptools would install otherwise is asked only after the path.
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
    """Return the path of a copy of a .pyx that has all docstrings of its stub; its lines stay where they are.

    A docstring is written once, in the .pyi, and its first line again in the .pyx. A class gets its signature too, in
    the form in which ``inspect.signature`` finds that of a class written in C.
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
    if not copy.exists() or copy.read_text() != text:  # or everything would be compiled again
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    return str(copy)


def docstrings(node: ast.Module | ast.ClassDef, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield the docstrings of a stub by dotted names, those of classes with a signature in front."""
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
    """One extension module for each .pyx: the engine's, and those by which tests and benchmarks reach its kernels."""
    macros = [] if os.environ.get("OUTFLANK_ASSERT") else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
    if IS_WHEEL:  # only what all Pythons from 3.11 on have
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
            # The two warnings are about code that Cython writes for every module.
            extra_compile_args=[
                "-Wno-unused-function",
                "-Wno-array-bounds",
                *(["-g0"] if IS_WHEEL else []),
            ],
            extra_link_args=["-s"] if IS_WHEEL else [],
            define_macros=macros,
            py_limited_api=IS_WHEEL,
        )
        for folder in CYTHON_FOLDERS
        for source in sorted(Path(folder).glob("*.pyx"))
    ]


def translated() -> dict[str, Extension]:
    """Return the extensions that Cython makes of the modules, on all processors, by the path of the .pyx."""
    modules = extensions()
    translations = cythonize(
        modules,
        include_path=[alias_folder()],
        build_dir="build/cython",
        language_level=3,
        quiet=True,
        nthreads=CORES,
        compiler_directives={
            "allow_none_for_extension_args": False,  # None in the place of a board would be read as one
            "embedsignature": False,
            "profile": bool(os.environ.get("OUTFLANK_PROFILE")),
        },
    )
    sources = {module.name: module.sources[0] for module in modules}
    return {sources[module.name]: module for module in translations}


def for_each_cpu(modules: list[Extension]) -> list[Extension]:
    """Return the modules once for every CPU; of several builds each has its folder, ``engine/builds/MARCH``."""
    made = []
    # The largest first, so that no processor is left alone with one at the end.
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
            # -O3 unrolls the kernels; no -ffast-math, since scores must not depend on the compiler.
            one.extra_compile_args = [*OPTIMIZATION, *march_options(march), *module.extra_compile_args]
            made.append(one)
    return made


def label(march: str) -> str:
    """Return the name of a build, which is part of a module's dotted name."""
    return march.replace(".", "_")


class BuildForEachCPU(build_ext):
    """Compiles on all processors."""

    def finalize_options(self) -> None:
        """Take every processor, a folder that lasts, and the modules of tests only for a checkout."""
        super().finalize_options()
        if not self.inplace:
            self.extensions = [ext for ext in self.extensions if ext.name.split(".")[1] in INSTALLED]
        self.parallel = self.parallel or CORES
        if TARGET:
            self.include_dirs = [str(ROOT / "build" / "headers")]
        if (
            self.editable_mode
        ):  # setuptools would take one that it removes, and the next build would compile everything
            lasting = self.distribution.get_command_class("build")(self.distribution)
            lasting.ensure_finalized()
            self.build_lib, self.build_temp = lasting.build_platlib, lasting.build_temp

    def run(self) -> None:
        """Build what is out of date: everything if MARCHES changed, since every module depends on buildinfo.py.

        Raises: SystemExit with one sentence if a checkout is to be built for several CPUs, or Python has no headers.
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
        """Windows has a suffix of its own for modules."""
        name = super().get_ext_filename(fullname)
        return name.replace(".abi3.so", ".pyd") if "windows" in TARGET else name

    def build_extensions(self) -> None:
        """Build the modules of a wheel without the library folders of the Python that builds them."""
        if IS_WHEEL:
            self.compiler.linker_so = [
                word for word in self.compiler.linker_so if not word.startswith("-Wl,-rpath")
            ]
        if "windows" in TARGET:
            self.compiler.compiler_so = [word for word in self.compiler.compiler_so if word != "-fPIC"]
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Compile and link one module; each CPU's objects have a folder of their own."""
        one = copy(self)  # other threads are compiling other modules
        one.build_temp = os.path.join(self.build_temp, ext.objects_folder)
        super(BuildForEachCPU, one).build_extension(ext)


def shell_files(built: str) -> list[tuple[str, list[str]]]:
    """Return the manual and the completions of shells, which the program that has been built makes of its commands."""
    made = Path("build/share")
    shutil.rmtree(made, ignore_errors=True)
    path = os.pathsep.join(filter(None, [os.path.abspath(built), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-m", "outflank.tools.cli.manual", str(made)]
    told = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if told.returncode:  # such as with a build for a CPU that this one is not
        last = told.stderr.strip().rpartition("\n")[2]
        print(
            f"the wheel gets no manual and no completions, since the program does not run here: {last}",
            file=sys.stderr,
        )
    files = filter(Path.is_file, made.rglob("*"))
    return [(str("share" / file.relative_to(made).parent), [str(file)]) for file in files]


def packages() -> list[str]:
    """Return the packages that are installed, by dotted name: the one in `package` and its folders, and the root's."""
    inits = [init for folder in ("package", *INSTALLED) for init in (ROOT / folder).rglob("__init__.py")]
    folders = sorted(init.parent.relative_to(ROOT) for init in inits)
    return [
        ".".join(("outflank", *folder.parts)).replace("outflank.package", "outflank") for folder in folders
    ]


def pages() -> list[tuple[str, list[str]]]:
    """Return the pages that the commands' help names and the files that they link to, by their place in a wheel."""
    found = [str(file) for pattern in PAGES for file in sorted(Path().glob(pattern))]
    return [(f"share/doc/outflank/{os.path.dirname(file)}", [file]) for file in found]


@contextmanager
def only_build() -> Iterator[None]:
    """Wait until no other build runs in this checkout, and say so on stderr. Later builds wait for this one."""
    if sys.platform == "win32":  # where no compiler is known
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
    """Run the command that setuptools finds among the arguments.

    Raises: SystemExit with one sentence if OUTFLANK_TARGET is not one of TARGETS.
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
            "egg_info": {"egg_base": "."},  # or it would lie among the links
            "bdist_wheel": {
                **({"py_limited_api": "cp311"} if IS_WHEEL else {}),
                **({"plat_name": TARGETS[TARGET]} if TARGET else {}),
            },
        },
        include_package_data=False,  # else MANIFEST.in, which is for the sdist, would put the .pyx into the wheel
        package_data=dict.fromkeys(packages(), DATA),
        data_files=pages() if IS_WHEEL else [],
        cmdclass={"build_ext": BuildForEachCPU},
        ext_modules=for_each_cpu(extensions()),
    )


if __name__ == "__main__":  # the processes that translate to C may import this file again
    os.chdir(ROOT)
    with only_build():
        main()

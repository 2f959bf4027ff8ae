"""Builds the Cython modules and maps the root folders to ``outflank.*``.

The compiler tunes for the CPU it runs on. ``OUTFLANK_MARCH=<value>`` is handed to ``gcc -march`` instead,
so ``OUTFLANK_MARCH=x86-64-v3`` makes a wheel for any CPU with AVX2. Several values, the best first, make a
wheel with as many builds of the engine, each in a folder of its own. The features that the compiler was
allowed to use are recorded in ``engine/buildinfo.py``; ``engine/cpu.py`` compares them with the CPU that
imports the package.
"""

import os
import re
import subprocess
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
FOLDERS = ("engine", "protocol", "book", "tools", "tests")
CYTHON_FOLDERS = ("engine", "tests/engine", "tests/bench")
DATA = ["py.typed", "*.pxd", "*.pyi", "*.h", "*.bin", "*.json", "data/**/*", "transcripts/*"]
MARCHES = os.environ.get("OUTFLANK_MARCH", "native").split()
# A wheel for every CPU is for users: it has neither tests nor what debuggers want to know.
IS_RELEASE = len(MARCHES) > 1
# gcc's macro -> the same feature in /proc/cpuinfo, for all that gcc may use in plain C or the kernels use
# by intrinsics. A hypervisor may hide any of them, so each is compared by itself.
CPU_FEATURES = {
    "__POPCNT__": "popcnt", "__LZCNT__": "abm", "__BMI__": "bmi1", "__BMI2__": "bmi2", "__MOVBE__": "movbe",
    "__SSE4_2__": "sse4_2", "__AVX__": "avx", "__AVX2__": "avx2", "__FMA__": "fma", "__GFNI__": "gfni",
    "__AVX512F__": "avx512f", "__AVX512BW__": "avx512bw", "__AVX512CD__": "avx512cd",
    "__AVX512DQ__": "avx512dq", "__AVX512VL__": "avx512vl", "__AVX512VBMI__": "avx512vbmi",
    "__AVX512VBMI2__": "avx512_vbmi2", "__AVX512BITALG__": "avx512_bitalg",
    "__AVX512VPOPCNTDQ__": "avx512_vpopcntdq", "__AVXVNNI__": "avx_vnni", "__AVX512FP16__": "avx512_fp16",
    "__AVX512BF16__": "avx512_bf16",
}  # fmt: skip


def compiler() -> str:
    """The command that will compile the modules."""
    return os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"


def used_features(march: str) -> tuple[str, ...]:
    """CPU features that ``-march`` lets the compiler use, by their names in /proc/cpuinfo.

    Raises: SystemExit with one sentence if the compiler is missing or refuses the value.
    """
    command = [*compiler().split(), f"-march={march}", "-dM", "-E", "-x", "c", os.devnull]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise SystemExit(f"outflank needs a C compiler: expected {compiler()!r}, found none") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().partition("\n")[0]
        raise SystemExit(f"the C compiler refuses -march={march} (from OUTFLANK_MARCH): {said}") from None
    macros = {line.split()[1] for line in made.stdout.splitlines()}
    return tuple(sorted(name for macro, name in CPU_FEATURES.items() if macro in macros))


def record_build() -> None:
    """Write engine/buildinfo.py, which the import reads before it loads a tuned module."""
    text = '"""Written by setup.py: the CPU features that each build of the engine needs, the best build first."""\n\n'
    text += f"BUILDS = { ({march: used_features(march) for march in MARCHES})!r}\n"
    target = ROOT / "engine" / "buildinfo.py"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def alias_folder() -> str:
    """build/cimport, where links show the folders under the dotted names that Python, Cython and mypy look up.

    An editable install puts this folder on the path, where a regular package wins over a folder of that name that
    happens to be there: the checkout. The finder that setuptools would install otherwise is asked only after the path.
    """
    package = ROOT / "build" / "cimport" / "outflank"
    package.mkdir(parents=True, exist_ok=True)
    linked = [
        *(ROOT / folder for folder in FOLDERS),
        *(ROOT / "package").glob("[!_]*"),
        ROOT / "package/__init__.py",
    ]
    for target in linked:
        link = package / target.name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(target, package), target_is_directory=target.is_dir())
    return str(package.parent.relative_to(ROOT))


def extensions() -> list[Extension]:
    """One extension module for each .pyx: the engine's, and those by which tests and benchmarks reach its kernels."""
    return [
        Extension(
            ".".join(("outflank", *source.with_suffix("").parts)),
            [str(source)],
            include_dirs=["engine"],
            depends=[
                "engine/kernels.h",
                "engine/patterns.h",
                "engine/network.h",
                "engine/entries.h",
                "engine/buildinfo.py",
            ],  # the latter changes with MARCHES
            # The two warnings are about code that Cython writes for every module.
            extra_compile_args=[
                "-Wno-unused-function",
                "-Wno-array-bounds",
                *(["-g0"] if IS_RELEASE else []),
            ],
            extra_link_args=["-s"] if IS_RELEASE else [],
            define_macros=macros(),
            py_limited_api=IS_RELEASE,
        )
        for folder in (CYTHON_FOLDERS[:1] if IS_RELEASE else CYTHON_FOLDERS)
        for source in sorted(Path(folder).glob("*.pyx"))
    ]


def macros() -> list[tuple[str, str]]:
    """What the C code is told: no assertions, and in a wheel for every CPU only what all Pythons from 3.11 on have."""
    found = [] if os.environ.get("OUTFLANK_ASSERT") else [("CYTHON_WITHOUT_ASSERTIONS", "1")]
    return [*found, ("Py_LIMITED_API", "0x030B0000")] if IS_RELEASE else found


class BuildEachMarch(build_ext):
    """Builds each module once for every CPU; of several builds each has its folder, ``engine/builds/MARCH``."""

    _march = MARCHES[0]

    def build_extension(self, ext: Extension) -> None:
        """Compile and link a module for each CPU."""
        options, objects = list(ext.extra_compile_args), self.build_temp
        for self._march in MARCHES:
            # -O3 unrolls the kernels; no -ffast-math, since scores must not depend on the compiler.
            ext.extra_compile_args = ["-O3", f"-march={self._march}", *options]
            self.build_temp = os.path.join(objects, self._march)
            super().build_extension(ext)
        ext.extra_compile_args, self.build_temp = options, objects

    def get_ext_filename(self, fullname: str) -> str:
        """Where the module of the CPU at hand goes."""
        folder, name = os.path.split(super().get_ext_filename(fullname))
        return os.path.join(folder, "builds", self._march, name) if IS_RELEASE else os.path.join(folder, name)

    def get_outputs(self) -> list[str]:
        """The modules for all CPUs."""
        outputs = []
        for self._march in MARCHES:
            outputs += super().get_outputs()
        return outputs


def packages() -> list[str]:
    """Our packages by dotted name: the one in `package`, and the folders below it."""
    wanted = [folder for folder in FOLDERS if not (IS_RELEASE and folder == "tests")]
    inits = [init for folder in wanted for init in (ROOT / folder).rglob("__init__.py")]
    folders = sorted(init.parent.relative_to(ROOT) for init in inits)
    return ["outflank", *(".".join(("outflank", *folder.parts)) for folder in folders)]


def shell_files() -> list[tuple[str, list[str]]]:
    """The manual and what shells complete commands with, by the folder that each is installed in.

    ``make dist`` makes them from the commands; without it there are none.
    """
    files = sorted(path.relative_to(ROOT) for path in (ROOT / "share").rglob("*") if path.is_file())
    return [(str(path.parent), [str(path)]) for path in files]


def version() -> str:
    """What package/__init__.py says, read without importing it."""
    text = (ROOT / "package" / "__init__.py").read_text()
    return re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)[1]


os.chdir(ROOT)
record_build()
setup(
    version=version(),
    packages=packages(),
    package_dir={"": alias_folder()},
    options={
        "egg_info": {"egg_base": "."},  # or it would lie among the links
        "bdist_wheel": {"py_limited_api": "cp311"} if IS_RELEASE else {},
    },
    include_package_data=False,  # else MANIFEST.in, which is for the sdist, would put the .pyx into the wheel
    package_data=dict.fromkeys(packages(), DATA),
    data_files=shell_files(),
    cmdclass={"build_ext": BuildEachMarch},
    ext_modules=cythonize(
        extensions(),
        include_path=[alias_folder()],
        build_dir="build/cython",
        language_level=3,
        quiet=True,
        compiler_directives={
            "allow_none_for_extension_args": False,  # None in the place of a board would be read as one
            "embedsignature": False,
            "profile": bool(os.environ.get("OUTFLANK_PROFILE")),
        },
    ),
)

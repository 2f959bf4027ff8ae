"""The description of an engine on the command line or in a file, and the command that starts the engine.

A setting replaces its placeholder, such as ``{level}``, in the command line or in one of the engine's commands. A
setting without a placeholder is sent by the driver of the engine's protocol.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Any

from outflank.engine import NotationError
from outflank.engine.search.parameters import PARAMETERS
from outflank.protocol.clock import GRACE_SECONDS, NO_LIMIT, TimeControl
from outflank.protocol.drivers.catalogue import catalogue, completed
from outflank.protocol.drivers.command import join_command, split_command
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.spec_values import LONGEST_NAME, READERS, Protocol, words
from outflank.protocol.lines import unknown

_BYTES_A_MB = 1 << 20
_PROGRAM = "outflank"
_ENGINES = ("gtp", "nboard", "uci")
_LISTED_KEYS = {"command": "commands"}  # the attribute to which each of these keys adds one item
_CATALOGUE = "catalogue"  # the key that names a catalogue entry, as in ``catalogue:edax``
_KEYS = {"time": "tc", "grace_seconds": "grace"}  # the keys that differ from their attributes' names
_FORMER_KEYS = {"time": "tc", "margin": "grace"}  # the current key for each former key of version 1.0
_NAMED_KEYS = {"env": "env", "option": "options"}  # ``env.NAME=VALUE``


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """The folder, environment, processors and memory of a program.

    Attributes:
        folder: the working directory, which is also the base of a relative program path; None for the current one.
        environment: additional environment variables.
        cpus: the numbers of the processors that the program may use; empty for all that this process may use.
        memory: the maximum address space of each of the program's processes in bytes; None for no limit.
    """

    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """The description of an engine in a match.

    Attributes:
        name: the name in tables and records.
        cmd: the command line with shell quoting; no shell runs it.
        time: the time control.
        grace_seconds: the grace period of each move.
        dialect: the dialect of a GTP engine's clock commands.
        protocol: the protocol of the engine.
        level: the strength on the engine's own scale; None for the engine's default.
        depth: the search depth in plies; None for the engine's default.
        nodes: the number of nodes for each move; None for the engine's default.
        book: the file of the opening book, or ``none``; None for the engine's default.
        weights: the file of the evaluation; None for the engine's default.
        threads: the number of threads, which is sent if the engine has a command for it. If the engine uses more
            processor time than these threads can use, its deadlines are not extended.
        options: additional parameters of the engine, pairs of name and value.
        commands: the lines in the engine's protocol that are sent after the start.
        dir: the working directory; None for the current one.
        env: additional environment variables, pairs of name and value.
        cpus: the numbers of the processors that the engine may use; empty for all.
        memory: the maximum address space of each of the engine's processes in MB (2^20 bytes); None for no limit.
        analysis: True to request evaluations from an engine that has a command for them.
        restart: True if each game gets a new process, so that no game depends on earlier games.
    """

    name: str
    cmd: str
    time: TimeControl
    grace_seconds: float = GRACE_SECONDS
    dialect: Dialect = Dialect.AUTO
    protocol: Protocol = Protocol.GTP
    level: int | None = None
    depth: int | None = None
    nodes: int | None = None
    book: str | None = None
    weights: str | None = None
    threads: int = 1
    options: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    dir: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    cpus: tuple[int, ...] = ()
    memory: int | None = None
    analysis: bool = True
    restart: bool = False

    @classmethod
    def parse(
        cls, text: str, time: TimeControl = NO_LIMIT, each: Mapping[str, object] | None = None
    ) -> "EngineSpec":
        """Parse a command, or ``key=value`` pairs that include ``cmd`` or ``catalogue``.

        Args:
            text: the command, or the pairs separated by blanks, with shell quoting. The pairs may have all keys
                that ``settings`` returns, and ``command``, ``env.NAME`` and ``option.NAME``, which each add one item.
            time: the time control if `text` contains no time control.
            each: see ``from_settings``.

        Raises: NotationError.
        """
        return cls.from_settings(read_keys(text), time, each)

    @classmethod
    def from_settings(
        cls,
        settings: Mapping[str, object],
        time: TimeControl = NO_LIMIT,
        each: Mapping[str, object] | None = None,
    ) -> "EngineSpec":
        """Return the engine with these settings, which have the form that the method ``settings`` returns.

        The key ``catalogue`` names a catalogue entry, which supplies missing settings.

        Args:
            settings: the attributes by key, as in a TOML file.
            time: the time control if `settings` contains no time control.
            each: the defaults for attributes that `settings` lacks; options, variables and commands are merged.

        Raises: NotationError.
        """
        shared, own = (
            {_FORMER_KEYS.get(key, key): value for key, value in keys.items()}
            for keys in (each or {}, settings)
        )
        settings = {**shared, **own, **_added_up(shared, own)}
        if _CATALOGUE in settings:
            settings = completed(settings)
        for key in settings:
            if key not in READERS:
                raise NotationError(f"engine: {unknown('key', key, (*READERS, _CATALOGUE))}")
            _expect_unicode(key, settings[key])
        if "cmd" not in settings:
            raise NotationError(
                f"an engine needs cmd= with its command, or catalogue:NAME: {dict(settings)} has neither"
            )
        attributes = {key: name for name, key in _KEYS.items()}
        values: dict[str, Any] = {
            attributes.get(key, key): READERS[key](key, value) for key, value in settings.items()
        }
        values.setdefault("name", name_of(split_command(values["cmd"])))
        return cls(**{"time": time, **values})

    def with_options(self, given: Mapping[str, str]) -> "EngineSpec":
        """Return the same engine with its options updated by `given`."""
        return replace(self, options=tuple({**dict(self.options), **given}.items())) if given else self

    def settings(self) -> dict[str, Any]:
        """Return the attributes that differ from their defaults, as numbers, text, lists and mappings."""
        return {
            _KEYS.get(each.name, each.name): _plain(value)
            for each in fields(self)
            if (value := getattr(self, each.name)) != each.default
        }


def shared_keys(text: str) -> dict[str, object]:
    """Parse settings that all engines share.

    Raises: NotationError, also if the settings contain a name, a command or a catalogue entry.
    """
    keys = read_keys(text)
    for key in ("name", "cmd", _CATALOGUE):
        if key in keys:
            raise NotationError(f"{key} can't be the same for all engines: give it in --engine")
    EngineSpec.from_settings({"cmd": "engine"}, each=keys)
    return keys


def _added_up(each: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Merge the mappings and command lists that `each` and `own` share. In mappings, `own` takes precedence."""
    found: dict[str, object] = {}
    for key in each.keys() & own.keys():
        shared, given = each[key], own[key]
        if isinstance(shared, Mapping) and isinstance(given, Mapping):
            found[key] = {**shared, **given}
        elif key == "commands" and isinstance(shared, list) and isinstance(given, list):
            found[key] = [*shared, *given]
    return found


def _plain(value: object) -> object:
    if isinstance(value, TimeControl | StrEnum):
        return str(value)
    if isinstance(value, tuple):
        pairs = bool(value) and isinstance(value[0], tuple)
        return dict(value) if pairs else list(value)
    return value


def _expect_unicode(key: str, value: object) -> None:
    """Raise NotationError if a run file can't store a value, such as a Linux path that is not UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise NotationError(
            f"{key} of an engine is not UTF-8, so a run can't store it: {value!r}; rename the file or folder"
        ) from None


def read_engines(
    described: Iterable[str | Mapping[str, object]],
    time: TimeControl = NO_LIMIT,
    each: Mapping[str, object] | None = None,
) -> tuple[EngineSpec, ...]:
    """Parse the engines of a match, and give each a unique name.

    The default name is the name of the program or of the catalogue entry. If several engines have the same default
    name, the folder or a number is added.

    Args:
        described: the text or the table of each engine.
        time: the time control for engines without one of their own.
        each: see ``EngineSpec.from_settings``.

    Raises: NotationError, also if two engines are given the same name.
    """
    tables = [read_keys(engine) if isinstance(engine, str) else engine for engine in described]
    specs = [EngineSpec.from_settings(table, time, each) for table in tables]
    given = [str(table["name"]) for table in tables if "name" in table]
    if twice := next((name for name in given if given.count(name) > 1), None):
        raise NotationError(f"two engines are called {twice!r}: give each a different name=")
    taken = set(given)
    unnamed = {at: spec for at, spec in enumerate(specs) if "name" not in tables[at]}
    for at, spec in unnamed.items():
        free = _free_name(spec, [other for other in unnamed.values() if other.name == spec.name], taken)
        taken.add(free)
        specs[at] = replace(spec, name=free)
    return tuple(specs)


def _free_name(spec: EngineSpec, namesakes: Sequence[EngineSpec], taken: Collection[str]) -> str:
    """Return a name that is not in `taken`. `namesakes`: all unnamed engines with the default name of `spec`."""
    base, folders = spec.name, [_folder_name(each) for each in namesakes]
    if len(set(folders)) == len(folders) > 1 and (folder := _folder_name(spec)):
        base = _cut_name(f"{folder}/{spec.name}")
    numbered = (f"{base[: LONGEST_NAME - 5]} {number}" for number in count(2))
    return next(name for name in chain([base], numbered) if name not in taken)


def _folder_name(spec: EngineSpec) -> str:
    """Return the name of the folder that contains the engine's program; empty for a program on PATH."""
    program = _program_of(split_command(spec.cmd))
    if not os.path.dirname(program):
        return ""
    return Path(spec.dir or ".", program).expanduser().absolute().parent.name


def read_keys(text: str) -> dict[str, object]:
    """Parse the description of an engine into keys and values. Words without a key form the command.

    Raises: NotationError.
    """
    if os.path.isfile(text):
        is_found = os.path.dirname(text) or shutil.which(text)
        return {"cmd": join_command([text if is_found else os.path.join(".", text)])}
    split = words(text)
    bare = [word for word in split if not _KEY.match(word)]
    if len(bare) == len(split):
        return _bare_engine(text.strip()) if split else {}
    settings: dict[str, Any] = {}
    for word in split:
        if word in bare:
            continue
        key, _, value = word.replace(f"{_CATALOGUE}:", f"{_CATALOGUE}=", 1).partition("=")
        kind, dot, name = key.partition(".")
        together = _NAMED_KEYS.get(kind, "") if dot else _LISTED_KEYS.get(key, "")
        if isinstance(settings.get(together), str):
            raise NotationError(f"{together}= and {word!r} exclude each other in the engine {text!r}")
        if dot and kind in _NAMED_KEYS:
            settings.setdefault(_NAMED_KEYS[kind], {})[name] = value
        elif key in _LISTED_KEYS:
            settings.setdefault(_LISTED_KEYS[key], []).append(value)
        elif key in settings:
            raise NotationError(f"{key}= is given twice in the engine {text!r}")
        else:
            settings[key] = value
    if bare and ("cmd" in settings or _CATALOGUE in settings):
        raise NotationError(
            f"{bare[0]!r} is not a key=value pair in the engine {text!r}: {_advice(split, bare[0])}"
        )
    return {**(_bare_engine(join_command(bare)) if bare else {}), **settings}


def _bare_engine(command: str) -> dict[str, object]:
    """Return the settings for a command, for the word ``outflank``, or for the name of a catalogue entry."""
    if command == _PROGRAM:
        return {"cmd": f"{_PROGRAM} gtp"}
    return {_CATALOGUE: command} if command in catalogue() else {"cmd": command}


def _advice(split: Sequence[str], word: str) -> str:
    """Return advice on how to correct a description in which `word` is the first word without a key."""
    at = split.index(word)
    key, equals, value = split[at - 1].partition("=") if at else ("", "", "")
    if not equals:
        return "put its arguments into cmd="
    bare = takewhile(lambda each: not _KEY.match(each), split[at:])
    return f"a value with blanks needs quotes, '{key}=\"{' '.join([value, *bare])}\"'"


_KEY = re.compile(r"([A-Za-z_]\w*(?:\.[^=]*)?)=|catalogue:")
# If one of these interpreters runs the engine, the engine's default name is the name of the script.
_INTERPRETER = re.compile(
    r"(?:python|pypy|node|java|ruby|perl|lua|bash|sh|wine|mono|dotnet)[\d.]*(?:\.exe)?", re.IGNORECASE
)


def name_of(command: Sequence[str]) -> str:
    """Return the default name of an engine: the name of its program's file, changed to a legal name if necessary."""
    return _cut_name(_file_name(_program_of(command)))


def _program_of(command: Sequence[str]) -> str:
    """Return the program of a command; if the program is an interpreter, the file that the interpreter runs."""
    runs_a_file = _INTERPRETER.fullmatch(Path(command[0]).name)
    return next((word for word in command[1:] if runs_a_file and not word.startswith("-")), command[0])


def _cut_name(text: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown[:LONGEST_NAME].strip() or "engine"


def _file_name(program: str) -> str:
    return re.sub(r"\.(exe|bat|cmd)$", "", Path(program).name, flags=re.IGNORECASE)


def command_line(spec: EngineSpec) -> list[str]:
    """Return the program and arguments.

    ``outflank`` means the program of this installation, even if this program is not on PATH.
    """
    words = split_command(spec.cmd)
    if is_ours(spec):
        placed = {name: value for name, value in _unplaced(spec).items() if not _is_sent(spec, name)}
        words += [
            f"--param={name}={value}" if name in PARAMETERS else f"--{name}={value}"
            for name, value in placed.items()
        ]
        here = Path(sys.executable).parent
        # On Windows, the programs of an installation are in the folder ``Scripts``.
        ours = shutil.which(_PROGRAM, path=f"{here}{os.pathsep}{here / 'Scripts'}")
        words[0] = ours if words[0] == _PROGRAM and ours else words[0]
    return [filled(word, spec) for word in words]


def process_settings(spec: EngineSpec) -> ProcessSettings:
    """Return the folder, environment, processors and memory of the engine."""
    return ProcessSettings(
        folder=None if spec.dir is None else Path(spec.dir).expanduser(),
        environment=dict(spec.env),
        cpus=spec.cpus,
        memory=None if spec.memory is None else spec.memory * _BYTES_A_MB,
    )


def is_ours(spec: EngineSpec) -> bool:
    """Return whether an engine's command starts Outflank as an engine, from this or another installation."""
    program, *arguments = split_command(spec.cmd)
    return _file_name(program) == _PROGRAM and arguments[:1] in [[name] for name in _ENGINES]


def parameters_to_send(spec: EngineSpec) -> dict[str, str]:
    """Return the parameters that have to be sent to the running engine, by name."""
    unplaced = _unplaced(spec)
    if is_ours(spec):
        return {name: value for name, value in unplaced.items() if _is_sent(spec, name)}
    return unplaced


def filled(text: str, spec: EngineSpec) -> str:
    """Return `text` with each placeholder ``{name}`` replaced by the value of the parameter."""
    for name, value in {"threads": str(spec.threads), **_parameters(spec)}.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _is_sent(spec: EngineSpec, name: str) -> bool:
    """Return whether Outflank gets a parameter in a GTP command. A command-line option would need a new process."""
    return name in PARAMETERS and spec.protocol is Protocol.GTP


def _parameters(spec: EngineSpec) -> dict[str, str]:
    given = {
        "level": spec.level,
        "depth": spec.depth,
        "nodes": spec.nodes,
        "book": spec.book,
        "weights": spec.weights,
    }
    if spec.threads != 1:
        given["threads"] = spec.threads
    return {**{name: str(value) for name, value in given.items() if value is not None}, **dict(spec.options)}


def _unplaced(spec: EngineSpec) -> dict[str, str]:
    texts = (spec.cmd, *spec.commands)
    return {
        name: value
        for name, value in _parameters(spec).items()
        if not any(f"{{{name}}}" in text for text in texts)
    }

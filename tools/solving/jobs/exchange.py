"""Combines results from several machines: merges jobs, and imports or exports bounds as files of claims."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from outflank.book.keys import position_of
from outflank.engine import OutflankError, Rules, SettingsError
from outflank.protocol.lines import printable
from outflank.tools.runtime.progress import counted
from outflank.tools.solving.claims import HEADING, bounds_of, read_claims
from outflank.tools.solving.jobs.file import JOB_FILE, BoardResult, JobFile


def merge_jobs(folder: Path, others: Sequence[Path]) -> tuple[JobFile, int]:
    """Add the results and positions of other jobs to the job in a folder. A new job takes the first job's settings.

    Returns: the closed job, and the number of its boards that were added or got tighter bounds.
    Raises: SettingsError if the rules differ; OutflankError if results contradict each other; FileFormatError if a job
        can't be read or written. After an error the job is unchanged.
    """
    is_new = not (folder / JOB_FILE).exists()
    jobs = []
    for each in (*(() if is_new else (folder,)), *others):
        with JobFile.read(each) as job:
            jobs.append((each, job))
    (first, first_job), *_ = jobs
    rules = first_job.facts.rules
    found: dict[bytes, tuple[Path, BoardResult]] = {}
    for path, job in jobs:
        if job.facts.rules != rules:
            raise SettingsError(
                f"the job in {str(path)!r} has the rules {job.facts.rules}, but the job in {str(first)!r} has {rules}"
            )
        for key, solved in job.solved.items():
            source, known = found.get(key, (path, solved))
            _expect_agreement(
                key, rules, f"the job in {str(source)!r}", known, f"the job in {str(path)!r}", solved
            )
            found[key] = path, known.joined(solved) if key in found else solved
    said = [f"{printable(str(path))}: {_words(job)}" for path, job in jobs if path is not folder]
    lines = [line for _, job in jobs for line in job.facts.positions]
    with JobFile.open(folder, first_job.facts if is_new else None) as merged:
        sources = dict.fromkeys((*merged.facts.sources, *said))
        facts = replace(merged.facts, positions=tuple(dict.fromkeys(lines)), sources=tuple(sources))
        return merged, merged.add_all({key: solved for key, (_, solved) in found.items()}, facts)


def exported(job: JobFile) -> Iterator[str]:
    """Yield the lines of a file of claims: a heading, and a line for each board of the job with known bounds."""
    yield f"{HEADING}\n"
    for key, solved in sorted(job.solved.items()):
        if solved.bounds != (-64, 64):
            board = position_of(key, job.facts.rules).board_string()
            yield f"{board},{solved.lower},{solved.upper}\n"


def import_claims(folder: Path, file: BinaryIO, name: str) -> tuple[int, int]:
    """Add the bounds in a file of claims to the job in a folder. The claims are assumed to be true.

    Returns: the number of boards in the file, and the number of boards that were added or got tighter bounds.
    Raises: FileFormatError if the file or the job can't be used; OutflankError if a claim contradicts a result of the
        job. After an error the job is unchanged.
    """
    with JobFile.open(folder) as job:
        claims = read_claims(file, name, job.facts.rules)
        found = {key: BoardResult(*bounds, 0, 0, 0.0) for key, bounds in bounds_of(claims).items()}
        for key, claimed in found.items():
            known = job.solved.get(key)
            if known is not None:
                _expect_agreement(key, job.facts.rules, name, claimed, f"the job in {str(folder)!r}", known)
        said = f"{printable(name)}: claims about {counted(len(found), 'board')}, assumed to be true"
        sources = tuple(dict.fromkeys((*job.facts.sources, said)))
        return len(found), job.add_all(found, replace(job.facts, sources=sources))


def _expect_agreement(
    key: bytes, rules: Rules, source: str, one: BoardResult, other_source: str, other: BoardResult
) -> None:
    """Raise OutflankError if the bounds of a board from two sources contradict each other."""
    if max(one.lower, other.lower) > min(one.upper, other.upper):
        board = position_of(key, rules).board_string()
        raise OutflankError(
            f"{source} and {other_source} contradict each other about {board}: "
            f"{one.lower:+d} to {one.upper:+d}, and {other.lower:+d} to {other.upper:+d}"
        )


def _words(job: JobFile) -> str:
    return f"{counted(len(job.solved), 'board')}, evaluation {job.facts.evaluation or 'unknown'}"

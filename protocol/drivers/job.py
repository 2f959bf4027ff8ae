"""Job objects of Windows: all processes of an engine end when it is ended, and when this process ends."""

import ctypes
import sys
from ctypes import wintypes

assert sys.platform == "win32", "other systems have no jobs"

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_PROCESS_MEMORY = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY
_KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
_KERNEL = ctypes.WinDLL("kernel32", use_last_error=True)
_KERNEL.CreateJobObjectW.restype = wintypes.HANDLE
_jobs: dict[int, wintypes.HANDLE] = {}  # by the marks of the engines


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("times", ctypes.c_int64 * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("classes", wintypes.DWORD * 2),
        ("transfers", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("other_memory", ctypes.c_size_t * 3),
    )


def confine(process: int, mark: int, memory: int | None) -> None:
    """Put a suspended process into a new job. Raises: OSError.

    Args:
        process: its handle.
        mark: the mark of the engine.
        memory: the bytes that each process of the job may have; None for any number.
    """
    job = wintypes.HANDLE(_KERNEL.CreateJobObjectW(None, None))
    limits = _Limits(flags=_KILL_ON_CLOSE | (_PROCESS_MEMORY if memory else 0), process_memory=memory or 0)
    _jobs[mark] = job
    if not (
        _KERNEL.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        and _KERNEL.AssignProcessToJobObject(job, wintypes.HANDLE(process))
    ):
        error = ctypes.WinError(ctypes.get_last_error())
        end(mark)
        raise error


def end(mark: int) -> None:
    """Kill all processes of the job of an engine, if it has one."""
    if (job := _jobs.pop(mark, None)) is not None:
        _KERNEL.CloseHandle(job)

"""The threads of a searcher and their memory."""

from libc.stdint cimport uint64_t

from outflank.engine.search.splitting cimport CrewState
from outflank.engine.search.worker cimport Worker


cdef class Crew:
    cdef CrewState state
    cdef Worker *workers
    cdef readonly int size

    cdef void assemble(self) noexcept nogil
    cdef void dismiss(self) noexcept nogil
    cpdef uint64_t nodes(self) noexcept

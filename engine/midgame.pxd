"""Depth-limited search."""

from libc.stdint cimport uint64_t

from outflank.engine.worker cimport Worker


cdef int search(Worker *worker, uint64_t own, uint64_t opp, int depth, int alpha, int beta) noexcept nogil
cdef void serve(Worker *worker) noexcept nogil

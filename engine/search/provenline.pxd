"""The play behind a position whose score is proven."""

from outflank.engine.position cimport Position
from outflank.engine.search.worker cimport Worker


cdef list proven_line(Worker *worker, Position position, int score, bint wld)

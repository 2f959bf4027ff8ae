"""Searches positions: iterative deepening, the solver, threads, tables, limits and the clock."""

from outflank.engine.cpu import use_build

use_build(__path__)

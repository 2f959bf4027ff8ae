"""The search: iterative deepening, the endgame solver, threads, tables, limits and time management."""

from outflank.engine.machine import use_build

use_build(__path__)

"""The evaluation of positions: patterns, a small network, and the files of their weights."""

from outflank.engine.machine import use_build

use_build(__path__)

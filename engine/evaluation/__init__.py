"""Judges positions: patterns, a small network, the files of their weights."""

from outflank.engine.machine import use_build

use_build(__path__)

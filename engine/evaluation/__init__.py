"""Judges positions: patterns, a small network, the file of their weights and its copy in memory."""

from outflank.engine.cpu import use_build

use_build(__path__)

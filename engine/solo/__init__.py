"""The solo game of the Ravensburger edition of 2006: the game, a player and a solver."""

from outflank.engine.machine import use_build

use_build(__path__)

"""Plays one game between two engines: who they are, their clocks, the referee, and what came of it."""

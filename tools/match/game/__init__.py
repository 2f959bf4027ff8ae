"""Plays one game between two engines: the engines, their clocks, the referee, and the result."""

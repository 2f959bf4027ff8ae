"""A game against the engine at a terminal or through a pipe."""

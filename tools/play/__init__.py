"""Games at a terminal or through a pipe: against the engine, between people, and the solo game."""

"""Outflank as an engine: the session of a controller, its sources of moves, and the protocols GTP, NBoard and UCI."""

"""The resuming of a run, its showing while it is played (terminal, page, JSON lines), and its conclusion."""

"""Programs that measure, run for long, or write parts of the pages; their docstrings give the commands. Not installed."""

"""Programs that measure, run long, or write parts of pages. Their docstrings give the commands. Not installed."""

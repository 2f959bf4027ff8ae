"""Programs that measure, run long, or make downloads and parts of pages; see their docstrings. Not installed."""

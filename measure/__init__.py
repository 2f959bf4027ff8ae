"""Programs that measure, test for hours, or make downloads and parts of pages. See their docstrings. Not installed."""

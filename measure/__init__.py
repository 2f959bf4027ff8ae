"""Programs that measure, test for hours, make downloads, or write parts of pages. They are not installed."""

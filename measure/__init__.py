"""Programs that measure, test for hours, build downloads, or write parts of pages. They are not installed."""

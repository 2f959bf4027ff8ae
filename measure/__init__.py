"""Programs that measure, run for long, or write parts of the pages: each says how it is called. Not installed."""

"""Programs that measure, and programs that run for long: each says how it is called. No test, and not installed."""

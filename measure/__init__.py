"""Programs that take measurements, run long tests, build the downloads or generate parts of pages. Not installed."""

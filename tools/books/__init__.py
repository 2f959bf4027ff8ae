"""Opening books on the command line: how they grow before one's eyes, and which games they learn from."""

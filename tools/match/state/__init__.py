"""The state of a run: its settings, its events, and the file that holds them."""

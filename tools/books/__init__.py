"""The commands for opening books: growth with a live display, lines of play, statistics, and imports."""

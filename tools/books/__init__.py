"""Opening books on the command line: growth with a live display, lines of play, figures, and imports."""

"""How a run is resumed, shown while it is played (terminal, page, JSON lines), and concluded."""

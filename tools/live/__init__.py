"""Games with human players: the game with its referee, drivers for people, and the user interfaces (terminal, page)."""

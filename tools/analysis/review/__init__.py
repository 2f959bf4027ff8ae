"""Reviews games: the cost of each move, by side and by player."""

"""Reviews games: what each move cost, by side and by player."""

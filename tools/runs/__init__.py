"""A whole run of games: settings, schedule, the file that holds its state, and the one who conducts it."""

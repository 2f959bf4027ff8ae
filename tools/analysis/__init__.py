"""Analysis: requests, puzzles, and reviews of games."""

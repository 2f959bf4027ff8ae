"""Statistics of matches: numbers in, numbers out."""

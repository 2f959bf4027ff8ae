"""Statistics of matches, computed from numbers alone."""

"""Openings for matches: balanced, random, or from files."""

"""Examines whether a GTP engine keeps the rules of the wire and of good conduct."""

"""Tournaments with engines on their authors' own machines: the server's side, the authors' side, and their messages."""

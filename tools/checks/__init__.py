"""Compliance checks of GTP and NBoard engines: protocol rules and behaviour in games."""

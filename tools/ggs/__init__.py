"""Plays on the Generic Game Server, where Othello programs meet: its text, one game, and the dialogue with it."""

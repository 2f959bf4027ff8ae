"""A player on the Generic Game Server, where Othello programs meet: messages, one game, and the connection."""

"""Outflank: a Reversi/Othello engine for tournaments.

``outflank.engine`` plays and judges positions: ``from outflank.engine import Game, Limit, Position, Searcher``.
``outflank.protocol`` turns lines into calls, ``outflank.book`` holds opening books, ``outflank.tools`` is the program.
"""

__version__ = "1.1.0.dev0"

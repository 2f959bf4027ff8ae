"""Pages and sockets for browsers and other machines: the server, a run that people watch, a board that analyzes.

The live page of a run: ``page_process`` sends events from the runner, ``run_page`` serves the page, ``run_view`` makes
values of the events, ``change_feed`` sends these to viewers. The board: ``analysis`` and ``practice``, with the games
of ``tools/live``. Both stand on ``server`` and ``listener``; their pages lie in ``tools/page``.
"""

"""Web pages and WebSockets: the server, the live page of a run, and the analysis board.

For the live page, ``page_process`` sends events from the runner, ``run_page`` serves the page, ``run_view`` turns the
events into values, and ``change_feed`` sends these to viewers. ``analysis`` and ``practice`` serve the analysis board,
with the games of ``tools/live``. Both use ``server`` and ``listener``; their pages are in ``tools/page``.
"""

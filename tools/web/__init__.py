"""Web pages and WebSockets: the server, the live page of a run, and the analysis board.

For the live page, ``page_process`` sends events from the runner to ``run_page``, which serves the page. ``run_view``
turns the events into values, and ``change_feed`` sends the values to viewers. ``analysis`` and ``practice`` serve the
analysis board, whose games ``tools/live`` referees. Both pages use ``server`` and ``listener``; their templates are in
``tools/page``.
"""

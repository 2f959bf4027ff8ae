"""Output of results: tables, boards, the HTML report, game files.

``figures`` has what a run's tables, report and summary show.
"""

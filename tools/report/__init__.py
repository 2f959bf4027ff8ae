"""Output of results: tables, boards, the HTML report, and game files.

The module ``figures`` computes the figures for the tables, the report and the summary of a run.
"""

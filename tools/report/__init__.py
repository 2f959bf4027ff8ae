"""Output of results: tables, boards, the HTML report, game files.

``figures`` computes the figures that the tables, the report and the summary of a run show.
"""

"""Output of results: tables, boards, the HTML report, game files."""

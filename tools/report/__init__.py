"""Results for people and for other programs: tables, the HTML report, game files."""

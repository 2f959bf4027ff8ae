"""GTP: the grammar of its lines, the table of its commands, and one small function for each command."""

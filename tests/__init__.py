"""What Outflank promises, as tests; the folders mirror those of the program."""

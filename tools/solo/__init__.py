"""The solo game at a terminal: played by a person or by the program, solved, and counted over many deals."""

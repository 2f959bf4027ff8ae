"""Book formats: our own text, the two formats of Edax 4.6, and Egaroucid's."""

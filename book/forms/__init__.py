"""Books as other programs and people have them: our own text, the two forms of Edax 4.6, and Egaroucid's."""

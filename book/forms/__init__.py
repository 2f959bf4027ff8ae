"""Books as other programs and people read them: our own text, and the two forms of Edax 4.6."""

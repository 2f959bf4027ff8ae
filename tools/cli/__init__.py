"""What commands share: the program that finds them, options, positions given by hand, live display."""

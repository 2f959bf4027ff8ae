"""A game that people take part in: the referee, a person's driver, and two faces, the terminal and the page."""

"""Pages and sockets for browsers and other machines: the server, a run that people watch, a board that analyzes."""

"""Who meets whom, in which order, with which opening."""

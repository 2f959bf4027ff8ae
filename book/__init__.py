"""Opening books: the layer between the engine and the protocols that use both."""

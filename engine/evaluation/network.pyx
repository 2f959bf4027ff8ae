"""The network's sizes for Python; network.pyi documents them, network.pxd makes them."""

"""Games and positions as other programs write them."""

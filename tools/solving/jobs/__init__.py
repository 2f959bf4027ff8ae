"""Jobs solve positions and can be resumed. A proof-number search ends at a frontier, whose boards workers solve."""

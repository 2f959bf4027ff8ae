"""Jobs solve positions and can be resumed. A proof-number search runs above a frontier that workers solve."""

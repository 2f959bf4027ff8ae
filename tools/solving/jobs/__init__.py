"""Jobs: solving that can be resumed, by a proof-number search above a frontier that workers solve."""

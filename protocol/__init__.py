"""Line protocols for Outflank and for other engines, the formats of game files, clocks, and untrusted text."""

"""Line protocols for Outflank and other engines, formats of game files, clocks, and the cleaning of untrusted text."""

"""Line protocols: Outflank as an engine, other engines as opponents, game files; clocks, and text from outside."""

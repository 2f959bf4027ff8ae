"""Line protocols: what Outflank answers as a GTP engine, and how it drives other engines."""

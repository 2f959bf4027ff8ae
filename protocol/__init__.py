"""Line protocols: Outflank as a GTP, NBoard and UCI engine, drivers of other engines, and game file formats."""

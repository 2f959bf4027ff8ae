"""How a run is played: at tables on this machine or on a cluster, and who conducts it."""

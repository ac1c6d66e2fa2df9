"""How often each fault is made: once, or REPLICATION_FAULTS times for a longer round."""

import os

TIMES = int(os.environ.get("REPLICATION_FAULTS", "1"))

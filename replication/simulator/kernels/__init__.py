"""Compiled kernels: arrays in, arrays out. Their cache folder has to be set
before any of them is imported.
"""

from replication.simulator.kernels._cache import set_cache_folder

set_cache_folder()

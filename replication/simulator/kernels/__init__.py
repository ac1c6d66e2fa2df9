"""Compiled kernels: arrays in, arrays out.

Where their compiled code is kept has to be settled before any of them is imported, hence here.
"""

from replication.simulator.kernels import _caching as caching

kernel_hash = caching.kernel_hash
caching.settle()

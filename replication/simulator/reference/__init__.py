"""The schedulers and predictors as slow, readable Python that follows the papers: the twins of ``core``."""

from replication.simulator.reference import cvh  # noqa: F401 - makes the twin known to `predictors.make`

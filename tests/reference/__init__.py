"""The schedulers and predictors as slow, readable Python that follows the papers:
the reference implementations.
"""

from tests.reference import cvh  # noqa: F401 - enters CVH into `predictors.REFERENCES`

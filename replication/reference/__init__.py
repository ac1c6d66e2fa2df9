"""The schedulers and predictors as slow, readable Python that follows the papers: the twins of ``core``."""

"""Random numbers keyed by what they are for, so that no result depends on who computes it, or when."""

import hashlib
import json

import numpy as np


def generator(*key):
    """A generator that depends on its key alone.

    Parameters
    ----------
    *key : str, int, float, bool or None
        What the numbers are for, for instance ``("KTH-SP2", "random-f", 2.0, seed)``.

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded by the sha256 of the key written as JSON.
    """
    digest = hashlib.sha256(json.dumps(key, allow_nan=False).encode()).digest()
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big")))
    )

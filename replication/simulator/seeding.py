"""Random numbers and fingerprints keyed by content, so that no result depends on who computes it, or when."""

import hashlib
import json

import numpy as np


def generator(*key: str | float | bool | None) -> np.random.Generator:
    """Return a generator that depends on its key alone.

    Parameters
    ----------
    *key : str, int, float, bool or None
        The purpose of the numbers, for instance ``(workload.draw_key, "random-f", 2.0, seed)``.

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded by the sha256 of the key written as JSON.
    """
    digest = hashlib.sha256(json.dumps(key, allow_nan=False).encode()).digest()
    return np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big")))
    )


def fingerprint(*columns: np.ndarray) -> str:
    """Return the sha256 of arrays of whole numbers, in hexadecimal; the same on every machine."""
    digest = hashlib.sha256()
    for column in columns:
        digest.update(np.ascontiguousarray(column, "<i8"))
    return digest.hexdigest()

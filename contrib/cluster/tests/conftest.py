"""What several files of tests use."""

import pytest

from inputs import Reader


@pytest.fixture
def read(tmp_path):
    """A converter of texts, by the name of the command; its accounts add up."""
    return Reader(tmp_path)

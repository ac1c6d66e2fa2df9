"""What is worked on in threads comes back in its order, and errors come where they belong."""

import time

import pytest

from replication.simulator import threads


def test_results_come_in_the_order_of_the_items():
    def slow_at_first(k):
        time.sleep(0.05 if k == 0 else 0)
        return k

    assert list(threads.in_order(slow_at_first, range(40))) == [*range(40)]
    assert list(threads.in_order(slow_at_first, [])) == []


def test_what_was_begun_comes_before_the_error_of_an_item():
    def items():
        yield from range(3)
        raise ValueError("the fourth")

    found = threads.in_order(str, items())
    assert [next(found) for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(ValueError, match="the fourth"):
        next(found)


def test_an_error_of_the_function_comes_in_its_place():
    found = threads.in_order(lambda k: 1 / k, [1, 2, 0, 4])
    assert [next(found), next(found)] == [1.0, 0.5]
    with pytest.raises(ZeroDivisionError):
        next(found)

"""The backoff helper."""

import pytest

from millrace import backoff


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 0.1), (2, 0.2), (3, 0.4), (9, 25.6)])
def test_doubles_from_100_ms(attempt, seconds):
    """C-111: doubles from 100 ms."""
    assert backoff(attempt, lambda: 0.5) == pytest.approx(seconds)


def test_varies_by_a_fifth():
    """C-111: varies by a fifth."""
    assert backoff(1, lambda: 0.0) == pytest.approx(0.08)
    assert backoff(1, lambda: 0.999999) == pytest.approx(0.12, abs=1e-5)


@pytest.mark.parametrize("attempt", [0, -1, -1000])
def test_an_attempt_of_zero_or_below_counts_as_the_first(attempt):
    """C-111: an attempt of zero or below counts as the first."""
    assert backoff(attempt, lambda: 0.5) == pytest.approx(0.1)


@pytest.mark.parametrize("attempt", [10, 100, 10**9])
def test_is_never_above_30_s(attempt):
    """C-111: is never above 30 s."""
    assert backoff(attempt, lambda: 0.999999) == 30.0

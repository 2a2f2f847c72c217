import builtins
from datetime import UTC, datetime

import pytest

from hyphe_core import clock, errors

ALL = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_each_error_is_of_one_family_and_of_a_builtin_kind(error):
    families = [root for root in (errors.CallerFault, errors.WebFault) if issubclass(error, root)]
    assert len(families) == 1
    if error not in families:
        kinds = [base for base in error.__mro__ if base.__module__ == builtins.__name__]
        assert kinds[0] is not Exception


def test_moments_survive_milliseconds():
    moment = datetime(2026, 1, 31, 12, 0, 0, 123000, UTC)
    assert clock.from_milliseconds(clock.to_milliseconds(moment)) == moment
    assert clock.iso_text(moment) == "2026-01-31T12:00:00.123000Z"


def test_now_is_aware():
    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()

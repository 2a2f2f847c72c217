"""What commands say of work that takes its time."""

from itertools import count

from hyphe_core.cli.terminal import told


def test_long_work_is_told_now_and_then_and_short_work_is_not():
    lines: list[str] = []
    seconds = count()
    assert list(told("abcdefghijkl", "letters read", lines.append, lambda: next(seconds))) == list(
        "abcdefghijkl"
    )
    assert lines
    assert lines[0] == "4 of 12 letters read"
    lines.clear()
    assert list(told([1, 2, 3], "numbers read", lines.append, lambda: 0.0)) == [1, 2, 3]
    assert lines == []

"""A file is there whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from hyphe_core.errors import OutputFailed
from hyphe_core.exports import open_output
from memory_structure.errors import StoreUnreachable


def test_a_new_file_appears_when_it_is_whole(tmp_path):
    target = tmp_path / "out.csv"
    with open_output(target) as stream:
        stream.write(b"whole")
        assert not target.exists()
    assert target.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["out.csv"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask


def write_half(target, error):
    with open_output(target) as stream:
        stream.write(b"half")
        raise error


@pytest.mark.parametrize("error", [RuntimeError("x"), KeyboardInterrupt(), StoreUnreachable("gone")])
def test_on_an_error_the_old_file_stays_and_nothing_is_left(tmp_path, error):
    target = tmp_path / "out.csv"
    target.write_bytes(b"old")
    with pytest.raises(type(error)):
        write_half(target, error)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.csv").write_bytes(b"old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with open_output(tmp_path / "link.csv") as stream:
        stream.write(b"new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_bytes() == b"new"


def test_a_full_disk_is_told_in_words(tmp_path):
    with pytest.raises(OutputFailed, match="the disk is full"), open_output(tmp_path / "out.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert os.listdir(tmp_path) == []


def test_a_device_is_written_to_and_stays_a_device():
    with open_output(os.devnull) as stream:
        stream.write(b"x")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("target", "words"), [(".", "is a folder; name a file"), ("none/out.csv", "does not exist")]
)
def test_a_place_that_cannot_be_is_told_in_words(tmp_path, target, words):
    with pytest.raises(OutputFailed, match=words), open_output(tmp_path / target):
        pass
    assert os.listdir(tmp_path) == []


def test_a_dash_is_standard_output(capfdbinary):
    with open_output("-") as stream:
        stream.write(b"shown")
    assert capfdbinary.readouterr().out == b"shown"

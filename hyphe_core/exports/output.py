"""Where an export goes: a file that is there whole or not at all, or standard output."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hyphe_core.errors import OutputFailed

STANDARD_OUTPUT = "-"


@contextmanager
def open_output(target: Path | str) -> Iterator[BinaryIO]:
    """A binary stream to `target`; "-" is standard output.

    A file is written under another name in the same folder, made durable, then renamed: on any error the old
    file stays and nothing is left behind. Raises OutputFailed when the folder is absent, the disk full, ...
    """
    if str(target) == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()
    _refuse_unusable(path)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device: nothing to rename over
            with path.open("wb") as stream:
                yield stream
        else:
            with _new_file_beside(path) as stream:
                yield stream
    except OSError as error:
        if error.errno is None:  # not from the system: the store's or our own, which say what they mean
            raise
        raise OutputFailed(f"{path} cannot be written: {_reason(error)}") from error


def _refuse_unusable(path: Path) -> None:
    if path.is_dir():
        raise OutputFailed(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise OutputFailed(f"{path} cannot be written: the folder {path.parent} does not exist")


@contextmanager
def _new_file_beside(path: Path) -> Iterator[BinaryIO]:
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    return (error.strerror or str(error)).lower()

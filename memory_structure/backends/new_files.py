"""Files that come to be whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def new_file(path: str) -> Iterator[BinaryIO]:
    """A file that must not exist before, and does not exist after a failure."""
    with open(path, "xb") as file:
        try:
            yield file
        except BaseException:
            os.unlink(path)
            raise

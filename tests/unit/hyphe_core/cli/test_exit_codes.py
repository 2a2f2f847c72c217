import re
from pathlib import Path

import pytest

from hyphe_core import errors
from hyphe_core.cli.exit_codes import EXIT_CODES_HELP, ExitCode, error_lines, exit_code_of
from memory_structure.errors import (
    AlreadyExists,
    InvalidValue,
    NotFound,
    StoreFull,
    StoreLocked,
    StoreUnreachable,
)
from memory_structure.urls import BadUrl


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StoreLocked("x"), ExitCode.FAULT),
        (StoreUnreachable("x"), ExitCode.FAULT),
        (StoreFull("x"), ExitCode.FAULT),
        (errors.PortInUse("h", 1), ExitCode.FAULT),
        (errors.AddressUnusable("x"), ExitCode.FAULT),
        (errors.OutputFailed("x"), ExitCode.FAULT),
        (OSError(28, "No space left on device"), ExitCode.FAULT),
        (RuntimeError("x"), ExitCode.FAULT),
        (errors.UsageFault("x"), ExitCode.USAGE),
        (errors.ConfigError(["x"]), ExitCode.USAGE),
        (AlreadyExists("x"), ExitCode.USAGE),
        (NotFound("x"), ExitCode.USAGE),
        (InvalidValue("x"), ExitCode.USAGE),
        (BadUrl("u", "x"), ExitCode.USAGE),
        (errors.NothingToDo("x"), ExitCode.NOTHING_TO_DO),
    ],
)
def test_each_error_has_its_code_and_is_told_on_one_line(error, code):
    assert exit_code_of(error) is code
    (line,) = error_lines(error)
    assert "\n" not in line
    assert line


def test_every_fault_of_a_configuration_is_a_line():
    assert len(error_lines(errors.ConfigError(["a", "b"]))) == 2


def test_a_message_of_several_lines_becomes_one():
    assert error_lines(StoreLocked("a\n  b")) == ["a b"]


@pytest.mark.parametrize("place", ["help", "docs"])
def test_every_code_is_documented(place):
    root = Path(__file__).parents[4]
    text = EXIT_CODES_HELP if place == "help" else (root / "docs" / "cli.md").read_text("utf-8")
    for code in ExitCode:
        assert re.search(rf"\b{code.value}\b", text), code

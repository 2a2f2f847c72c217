import io
import json
import logging

import pytest

from hyphe_core.logs import LogFormat, configure_logs


@pytest.fixture
def stream():
    before = logging.getLogger().handlers[:], logging.getLogger().level
    yield io.StringIO()
    logging.getLogger().handlers[:], level = before
    logging.getLogger().setLevel(level)
    logging.captureWarnings(False)


def test_a_plain_line_holds_message_and_extra_values(stream):
    configure_logs("INFO", LogFormat.PLAIN, stream)
    logging.getLogger("hyphe_core.x").info("one\ntwo", extra={"corpus": "c"})
    (line,) = stream.getvalue().splitlines()
    assert line.endswith("INFO hyphe_core.x: one\\ntwo corpus=c")


def test_a_json_line_is_one_object_with_traceback(stream):
    configure_logs("INFO", LogFormat.JSON, stream)
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("hyphe_core.x").exception("failed", extra={"n": 3})
    entry = json.loads(stream.getvalue())
    assert (entry["level"], entry["message"], entry["n"]) == ("ERROR", "failed", 3)
    assert "ValueError: broken" in entry["traceback"]


def test_configured_twice_each_message_comes_once(stream):
    configure_logs("INFO", LogFormat.PLAIN, stream)
    configure_logs("WARNING", LogFormat.PLAIN, stream)
    logging.getLogger("hyphe_core.x").info("hidden")
    logging.getLogger("hyphe_core.x").warning("shown")
    assert stream.getvalue().count("shown") == 1
    assert "hidden" not in stream.getvalue()

"""The process that reads XML for another: requests on its standard input, outcomes on its output.

    python -m hyphe_core.parsers.xml_child MEMORY_BYTES CPU_SECONDS

It may not write files, use more memory than told, or more CPU for one document than told; a document that
makes it end is that document's failure. It ends when its input does.
"""

from __future__ import annotations

import resource
import signal
import sys
from importlib.metadata import entry_points
from typing import BinaryIO

from hyphe_core.errors import ConfigError
from hyphe_core.parsers.base import Document, ParseMinor, failed
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.parse_out_cleaning import RawParse, clean
from hyphe_core.parsers.xml_parser import MARKUP_ENTRY_POINTS, InProcess, XmlOptions
from hyphe_core.parsers.xml_wire import LENGTH, pack_outcome, unpack_request


def serve(source: BinaryIO, sink: BinaryIO, cpu_seconds: int) -> None:
    """Answer requests until the input ends."""
    engine = InProcess([point.load()() for point in entry_points(group=MARKUP_ENTRY_POINTS)])
    engine.engine("")
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        document, options = unpack_request(source.read(LENGTH.unpack(head)[0]))
        _limit_cpu(cpu_seconds)
        sink.write(pack_outcome(_answer(engine, document, XmlOptions(*options))))
        sink.flush()


def _answer(engine: InProcess, document: Document, options: XmlOptions) -> MarkupOutcome:
    try:
        return engine.run(document, options)
    except MemoryError:
        return failed_outcome(document, "limit: memory")
    except (ConfigError, LookupError) as error:
        return failed_outcome(document, str(error))
    except Exception as error:  # a document must not end the child when it can be told
        return failed_outcome(document, f"{type(error).__name__} in the XML parser")


def failed_outcome(document: Document, message: str) -> MarkupOutcome:
    """The outcome of a document that could not be run to its end."""
    raw = RawParse(
        document.url,
        (document.content_type or "").partition(";")[0].strip(),
        failed(ParseMinor.EXCEPTION, message),
    )
    return MarkupOutcome((clean(raw),), ((),), "xml", "", warnings=(message,))


def _limit_cpu(seconds: int) -> None:
    """From now on so much CPU until the kernel ends this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def main() -> None:
    """Set the limits, then serve."""
    memory_bytes, cpu_seconds = map(int, sys.argv[1:3])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer, cpu_seconds)


if __name__ == "__main__":
    main()

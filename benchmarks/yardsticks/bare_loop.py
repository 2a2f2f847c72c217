"""Yardstick 2: the least a crawler could do: an asyncio loop over raw sockets with lxml and a set.

No robots, no redirects, no store, no politeness, no TLS, no chunks: a bound, not a crawler. Prints one JSON
line as the stock spider does.

    python -m benchmarks.yardsticks.bare_loop PROXY URLS_FILE PAGES
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import lxml.html

from benchmarks.yardsticks.stock_spider import cpu_seconds


class BareLoop:
    """A shared queue, a seen set, `n` connections to the proxy."""

    def __init__(self, proxy: str, urls: list[str], limit: int) -> None:
        self.address = urlsplit(proxy)
        self.queue, self.seen = deque(urls), set(urls)
        self.hosts = {urlsplit(url).netloc for url in urls}
        self.limit, self.n_pages = limit, 0
        self.began = (0.0, 0.0)

    def work(self, url: str, body: bytes) -> None:
        """Title, text and links of a page; new links of the start hosts join the queue."""
        tree = lxml.html.document_fromstring(body)
        tree.findtext(".//title")
        links = [urljoin(url, href.strip()).partition("#")[0] for href in tree.xpath("//a/@href")]
        for element in tree.xpath("//script|//style"):
            element.drop_tree()
        " ".join(tree.text_content().split())
        for link in links:
            if link not in self.seen and link.startswith("http://") and urlsplit(link).netloc in self.hosts:
                self.seen.add(link)
                self.queue.append(link)

    async def connection(self) -> None:
        """Ask for pages one after the other over one connection."""
        reader, writer = await asyncio.open_connection(
            self.address.hostname, self.address.port, limit=1 << 24
        )
        idle = 0
        while self.n_pages < self.limit and idle < 50:
            if not self.queue:
                idle += 1
                await asyncio.sleep(0.02)
                continue
            idle, url = 0, self.queue.popleft()
            writer.write(f"GET {url} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
            if not self.n_pages:
                self.began = (cpu_seconds(), time.perf_counter())
            self.n_pages += 1
            if head[9:12] == b"200" and b"text/html" in head:
                self.work(url, body)
        writer.close()

    async def run(self) -> None:
        """Sixty-four connections until the limit."""
        await asyncio.gather(*(self.connection() for _ in range(64)))
        spent, wall = cpu_seconds() - self.began[0], time.perf_counter() - self.began[1]
        print(json.dumps({"pages": self.n_pages, "cpu_seconds": spent, "wall_seconds": wall}))


def main() -> None:
    """Run the loop."""
    loop = BareLoop(sys.argv[1], Path(sys.argv[2]).read_text().split(), int(sys.argv[3]))
    asyncio.run(loop.run())


if __name__ == "__main__":
    main()

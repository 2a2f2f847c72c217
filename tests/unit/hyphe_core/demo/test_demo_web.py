"""The demo web: its pages, its faults, and that it is one connected web."""

import re
import subprocess
import sys
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from hyphe_core.demo.site_files import read_sites
from hyphe_core.demo.web import DEMO_START_URLS, DemoWeb

# Hosts that are named and do not exist, on purpose.
DEAD_HOSTS = {"www.ancien-projet-valmer.fr", "www.aerolia-group.com"}


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(read_sites())


def get(web: DemoWeb, url: str) -> tuple[int, str, bytes]:
    """Status, head and body of a URL."""
    parts = urlsplit(url)
    answer = web.answer(
        parts.hostname or "", (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    )
    head, _, body = answer.data.partition(b"\r\n\r\n")
    return int(head[9:12]), head.decode("latin-1"), body


def list_links(url: str, head: str, body: bytes) -> list[str]:
    if "text/html" not in head:
        return []
    base = re.search(rb'<base href="([^"]+)"', body)
    root = base[1].decode() if base else url
    hrefs = re.findall(rb'<(?:a|area|frame|iframe)\b[^>]*?(?:href|src)="([^"]*)"', body)
    return [urldefrag(urljoin(root, href.decode("latin-1").replace("&amp;", "&")))[0] for href in hrefs]


def test_every_start_page_answers_but_the_dead_one(web):
    statuses = {url: get(web, url)[0] for url in DEMO_START_URLS}
    assert [url for url, status in statuses.items() if status == 502] == [
        "http://www.ancien-projet-valmer.fr/"
    ]
    assert set(statuses.values()) == {200, 301, 302, 502}


def test_links_of_written_pages_lead_somewhere(web):
    missing = set()
    for site in read_sites().values():
        for path in [path for path in site.pages if path.startswith("/")]:
            url = f"http://{site.host}{path}"
            for link in list_links(url, *get(web, url)[1:]):
                if link.startswith("http://") and get(web, link)[0] in (404, 502):
                    missing.add(link)
    assert {link for link in missing if urlsplit(link).hostname not in DEAD_HOSTS} == {
        "http://capteurs-ouverts.io/stations/moulin",
        "http://www.grid-observatory.org/data/1999.html",
    }


def test_at_least_twelve_sites_are_reached_from_the_newspaper_alone(web):
    reached, wave = set(), ["http://www.gazette-valmer.fr/"]
    for _ in range(4):
        links = [link for url in wave for link in list_links(url, *get(web, url)[1:])]
        wave = [link for link in dict.fromkeys(links) if link.startswith("http://") and link not in reached]
        reached.update(wave)
    assert len({urlsplit(url).hostname for url in reached} - DEAD_HOSTS) >= 12


def test_bare_host_redirects_to_www(web):
    status, head, _ = get(web, "http://gazette-valmer.fr/energie/?a=1")
    assert status == 301
    assert "Location: http://www.gazette-valmer.fr/energie/?a=1" in head


def test_latin1_page_is_sent_as_declared_and_found_under_both_escapes(web):
    status, head, body = get(web, "http://www.archives-valmer.fr/%C3%A9t%C3%A9.htm")
    assert status == 200
    assert "charset=iso-8859-1" in head
    assert "Été 1911" in body.decode("iso-8859-1")
    assert get(web, "http://www.archives-valmer.fr/%E9t%E9.htm")[2] == body


def test_forum_paginates_and_hands_out_session_ids(web):
    url = "http://forum.debat-eolien.fr/viewtopic.php?t=1&PHPSESSID=0123"
    links = list_links(url, *get(web, url)[1:])
    pages = [link for link in links if "viewtopic.php?t=1" in link]
    assert [re.sub("&PHPSESSID=[0-9a-f]{32}$", "", link)[-8:] for link in pages] == ["&start=5", "start=10"]
    assert all(get(web, link)[0] == 200 for link in pages)
    assert get(web, url + "&start=15")[0] == 404


def test_calendar_has_no_end(web):
    url = "http://www.mairie-valmer.fr/agenda"
    for _ in range(30):
        head, body = get(web, url)[1:]
        months = [link for link in list_links(url, head, body) if re.search(r"/agenda/\d{4}-\d\d$", link)]
        url = months[-1]
    assert url.endswith("/agenda/2028-09")


def test_bulletins_lead_ever_deeper(web):
    url = "http://www.horizon-libre.org/bulletins/"
    for _ in range(5):
        url = next(link for link in list_links(url, *get(web, url)[1:]) if link.startswith(url))
    assert url.endswith("/" + "bulletins/" * 6)


def test_pdf_starts_and_ends_as_one(web):
    _, head, body = get(web, "http://www.mairie-valmer.fr/documents/etude-paysage.pdf")
    assert "application/pdf" in head
    table_at = int(body.rpartition(b"startxref\n")[2].split()[0])
    assert body[table_at:].startswith(b"xref")
    assert body.startswith(b"%PDF-")
    assert body.endswith(b"%%EOF\n")


@pytest.fixture(scope="module")
def port():
    command = [sys.executable, "-m", "hyphe_core.demo.web", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield int(process.stdout.readline())
        process.terminate()
        assert process.wait(10) == 0


def ask(connection: HTTPConnection, address: str, host: str = "x", method: str = "GET") -> HTTPResponse:
    connection.request(method, address, headers={"Host": host})
    return connection.getresponse()


def test_served_as_proxy_and_by_host_header_over_one_connection(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    as_proxy = ask(connection, "http://vent-des-cretes.org/liens").read()
    by_host = ask(connection, "/liens", "vent-des-cretes.org").read()
    assert b"Nos amis" in as_proxy
    assert as_proxy == by_host
    head = ask(connection, "/liens", "vent-des-cretes.org", "HEAD")
    assert (head.status, head.getheader("Content-Length"), head.read()) == (200, str(len(as_proxy)), b"")
    assert ask(connection, "http://nowhere.example/").status == 502


def test_cut_answer_ends_before_its_length(port):
    answer = ask(HTTPConnection("127.0.0.1", port, timeout=10), "http://capteurs-ouverts.io/stations/quai")
    with pytest.raises(IncompleteRead):
        answer.read()


def test_connect_is_refused(port):
    assert ask(HTTPConnection("127.0.0.1", port, timeout=10), "a.fr:443", method="CONNECT").status == 501


def test_port_in_use_is_told_in_one_line(port):
    command = [sys.executable, "-m", "hyphe_core.demo.web", "--port", str(port)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith(f"the demo web cannot listen on port {port}: ")
    assert run.stderr.count("\n") == 1

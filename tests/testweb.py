#!/usr/bin/env python3
# ruff: noqa
"""testweb: a small synthetic web, the same each time for a seed, served on loopback.

It stands in for the real web in tests and benchmarks of a crawler, on a machine
that reaches nothing outside: many sites, one port, one process.

    python testweb.py --sites 200 --pages 20000 --port 8000          # serve
    python testweb.py --sites 200 --pages 20000 --truth truth.json   # write the true graph and stop
    python testweb.py ... --urls                                     # print each URL and stop

A client reaches any host of it in one of two ways:
  * as an HTTP proxy (http_proxy=http://127.0.0.1:8000), so that URLs look like the
    real ones: http://www.gazette-libre-12.testweb.fr/politique/ ;
  * straight, with the wanted host in the Host header.
A host that is not part of this web answers 502 (as a proxy does where DNS fails);
CONNECT (https) is refused with 501 unless --https-as-http is given, since it speaks
plain HTTP only.

What the web holds (profile in brackets: each one adds to the one before it)
  [clean]  HTML pages of 200 only, in UTF-8: nav, breadcrumb, article text, lists of
           links, footer, inline script; 20 to 80 links a page (relative, absolute,
           protocol-relative, with fragments, tracking parameters, entities, rel=nofollow;
           beside mailto:, javascript:, tel:, data: and empty ones, which are no links).
  [normal] + 301/302/307/308 redirects (in the site, across sites, chains, loops),
           404/410/403/500/503, PDF, RSS, Atom, XML, JSON, text and JPEG files, pages in
           ISO-8859-1 and windows-1252 (declared by header, by meta, or wrongly), pages
           of 1 to 3 MB, base64 images, meta robots, X-Robots-Tag, canonical, base href,
           meta refresh, no title, broken markup, no content type, robots.txt.
  [wild]   + slow answers (1 to 3 s), answers that never come, bodies cut short.
           With --no-stall these three answer at once (as plain pages).

Site shapes: own domains under many public suffixes (co.uk, gouv.fr, com.br ...), with
the www/bare twin redirecting; subdomains of a few platforms (ann3.blogs.testweb.com);
folders of a few platforms (http://social.testweb.com/ann3/). Sites fall in communities:
most cross-site links stay inside one, so the entity graph has clusters to find.

GET /__testweb__/stats   counters as JSON: hits by kind, distinct URLs, repeats, robots
                         violations, most requests in flight and shortest gap per host.
GET /__testweb__/reset   zeroes them.   GET /__testweb__/hits   hits of each URL.

The truth (JSON): {"sites": [{"prefix","host","pages","community","home"}],
"urls": [[url, site, status, kind, depth, allowed, target]], "links": {url id: [url ids]},
"site_links": [[site, site, links]]}. Links are distinct, fragments dropped, links to the
page itself kept; `depth` is the fewest clicks from the site's home inside the site;
`target` is the redirect's target id, for a twin the page it is a twin of (or -1). URL ids past the pages are the frontier:
hosts outside, twins with tracking parameters (served as the page itself, which names its
canonical URL).

Only `random.Random(int).random()` is used for chance, whose sequence Python promises to keep.
"""
import argparse
import asyncio
import base64
import gzip
import json
import random
import sys
import time
from collections import Counter
from html import escape
from urllib.parse import quote, urljoin

SUFFIXES = ("fr fr fr fr com com com org org net eu de it es be ch info io co.uk ac.uk org.uk "
            "gouv.fr asso.fr com.br edu.au co.jp gov.uk paris bzh blog").split()
WORDS = ("gazette libre climat nord atlas monde radio forum jardin science ville ocean lettre "
         "mouvement citoyen marche debat energie foret riviere pouvoir commune culture musique "
         "cinema histoire memoire archive lecture sante ecole travail logement quartier voisin "
         "velo train avion montagne plage soleil lune etoile planete data carte graphe reseau "
         "media presse journal revue tribune opinion enquete analyse dossier video photo").split()
FIRST = "ann bob chloe dan eva fred gus hana ivan jade karl lea max nina omar paul rosa sam tom zoe".split()
SECTIONS = ("actualites politique economie societe culture sport sciences international opinions "
            "dossiers archives agenda ressources blog equipe projets").split()
TEXT = ("le la les un une des de du et à où dans sur pour par avec sans être avoir faire dire "
        "voir savoir pouvoir vouloir année jour temps monde vie homme femme enfant pays ville "
        "état peuple société économie élection députés réforme débat manifestation énergie "
        "nucléaire climat réchauffement forêt océan santé hôpital école éducation culture "
        "données réseau numérique recherche méthode analyse étude résultat question problème "
        "cœur naïf façon français européen général spécial déjà très même aussi bien plus moins").split()

# kind: (share in a hundred, status, content type, lowest profile)
KINDS = {
    "html": (0, 200, "text/html; charset=utf-8", 0),
    "latin1": (3.0, 200, "text/html; charset=iso-8859-1", 1),
    "latin1meta": (2.0, 200, "text/html", 1),
    "cp1252": (0.7, 200, "text/html; charset=windows-1252", 1),
    "mislabeled": (0.5, 200, "text/html; charset=iso-8859-1", 1),  # in truth UTF-8
    "big": (0.15, 200, "text/html; charset=utf-8", 1),
    "base64": (0.7, 200, "text/html; charset=utf-8", 1),
    "noindex": (0.8, 200, "text/html; charset=utf-8", 1),
    "nofollow": (0.8, 200, "text/html; charset=utf-8", 1),
    "xrobots": (0.3, 200, "text/html; charset=utf-8", 1),
    "canonical": (2.0, 200, "text/html; charset=utf-8", 1),
    "basehref": (1.0, 200, "text/html; charset=utf-8", 1),
    "notitle": (0.7, 200, "text/html; charset=utf-8", 1),
    "broken": (2.0, 200, "text/html; charset=utf-8", 1),
    "refresh": (0.3, 200, "text/html; charset=utf-8", 1),
    "xhtml": (0.7, 200, "application/xhtml+xml; charset=utf-8", 1),
    "notype": (0.1, 200, "", 1),
    "moved": (2.5, 301, "text/html", 1),
    "found": (1.5, 302, "text/html", 1),
    "temporary": (0.2, 307, "text/html", 1),
    "permanent": (0.2, 308, "text/html", 1),
    "loop": (0.1, 302, "text/html", 1),
    "missing": (1.8, 404, "text/html; charset=utf-8", 1),
    "gone": (0.2, 410, "text/html", 1),
    "forbidden": (0.3, 403, "text/html", 1),
    "crash": (0.5, 500, "text/html", 1),
    "busy": (0.2, 503, "text/html", 1),
    "pdf": (1.2, 200, "application/pdf", 1),
    "rss": (0.6, 200, "application/rss+xml; charset=utf-8", 1),
    "atom": (0.2, 200, "application/atom+xml", 1),
    "xml": (0.2, 200, "text/xml", 1),
    "json": (0.2, 200, "application/json", 1),
    "text": (0.2, 200, "text/plain; charset=utf-8", 1),
    "jpeg": (0.4, 200, "image/jpeg", 1),
    "slow": (0.2, 200, "text/html; charset=utf-8", 2),
    "hang": (0.05, 200, "text/html; charset=utf-8", 2),
    "cut": (0.05, 200, "text/html; charset=utf-8", 2),
}
FILES = {"pdf", "rss", "atom", "xml", "json", "text", "jpeg"}
EXT = {"pdf": ".pdf", "rss": "feed.rss", "atom": "feed.atom", "xml": ".xml", "json": ".json",
       "text": ".txt", "jpeg": ".jpg"}
REDIRECTS = {"moved", "found", "temporary", "permanent", "loop"}
ERRORS = {"missing", "gone", "forbidden", "crash", "busy"}
LEAF = FILES | REDIRECTS | ERRORS | {"hang", "cut", "refresh"}
PROFILES = {"clean": 0, "normal": 1, "wild": 2}
REASON = {200: "OK", 301: "Moved Permanently", 302: "Found", 307: "Temporary Redirect",
          308: "Permanent Redirect", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
          410: "Gone", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
          503: "Service Unavailable"}
TRACK = "?utm_source=testweb&utm_medium=link"


class Chance:
    """Chance made of random() alone, so that it is the same under every Python."""

    __slots__ = ("r",)

    def __init__(self, *key):
        n = 0x9E3779B97F4A7C15
        for k in key:
            n = ((n ^ k) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
            n ^= n >> 29
        self.r = random.Random(n).random

    def below(self, n):
        return int(self.r() * n)

    def between(self, a, b):
        return a + int(self.r() * (b - a + 1))

    def pick(self, seq):
        return seq[int(self.r() * len(seq))]


class Site:
    __slots__ = ("host", "prefix", "first", "count", "community", "sections", "style", "robots", "twin", "name")


class Web:
    def __init__(self, sites=100, pages=10000, seed=1, profile="normal", kb=20, stall=True):
        self.seed, self.kb, self.stall = seed, kb, stall
        self.level = PROFILES[profile]
        self._make_sites(sites, pages)
        self._make_pages()
        self._make_text()
        self.index = {}
        for g in range(self.total):
            self.index[self.url(g)[7:].encode()] = g
        self.twins = {s.twin: i for i, s in enumerate(self.sites) if s.twin}
        self.hosts = {}
        for i, s in enumerate(self.sites):
            self.hosts.setdefault(s.host, i)

    # -- sites ----------------------------------------------------------
    def _make_sites(self, n, pages):
        c = Chance(self.seed, 1)
        self.communities = max(1, int(n ** 0.5 / 1.5))
        weights = [(1 - c.r()) ** -0.9 for _ in range(n)]          # Pareto: few big, many small
        cap = sum(weights) * 0.12
        weights = [min(w, cap) for w in weights]
        total = sum(weights)
        self.sites, first = [], 0
        platforms = max(1, n // 60)
        for i in range(n):
            s = Site()
            s.community = c.below(self.communities)
            kind, first_word, second = c.r(), c.pick(WORDS), c.pick(WORDS)
            s.twin = None
            s.prefix = "/"
            if kind < 0.72 or n < 4:
                bare = "%s-%s-%d.testweb.%s" % (first_word, second, i, c.pick(SUFFIXES))
                bare = bare.replace(".testweb.", "-testweb.")       # one registrable name each
                s.host, s.twin = ("www." + bare, bare) if c.r() < 0.6 else (bare, "www." + bare)
            elif kind < 0.86:
                s.host = "%s%d.blogs%d-testweb.com" % (c.pick(FIRST), i, c.below(platforms))
            else:
                s.host = "social%d-testweb.com" % c.below(platforms)
                s.prefix = "/%s%d/" % (c.pick(FIRST), i)
            s.name = "%s %s %d" % (first_word.title(), second, i)
            s.count = max(3, int(weights[i] / total * pages))
            s.first, first = first, first + s.count
            s.style = c.below(4)
            s.sections = [c.pick(SECTIONS) for _ in range(c.between(4, 9))]
            r = c.r()
            s.robots = 0 if r < 0.3 else 1 if r < 0.93 else 2 if r < 0.98 else 3
            self.sites.append(s)
        if self.level == 0:
            for s in self.sites:
                s.robots = 0
        self.total = first
        order = sorted(range(n), key=lambda i: Chance(self.seed, 2, i).r())
        self.by_rank = order                                        # popularity, Zipf by rank
        self.members = [[i for i in order if self.sites[i].community == k] for k in range(self.communities)]

    # -- pages ----------------------------------------------------------
    def _make_pages(self):
        table, acc = [], 0.0
        for name, (share, _, _, level) in KINDS.items():
            if share and level <= self.level:
                acc += share / 100
                table.append((acc, name))
        self.kind, self.path, self.parent, self.depth = [], [], [], []
        self.children = [[] for _ in range(self.total)]
        self.site_of = []
        self.target = {}
        for si, s in enumerate(self.sites):
            c = Chance(self.seed, 3, si)
            open_pages, seen = [0], set()
            dirs = {}
            for k in range(s.count):
                g = s.first + k
                self.site_of.append(si)
                if k == 0:
                    kind, parent, path, depth = "html", 0, s.prefix, 0
                else:
                    r, kind = c.r(), "html"
                    if k > 2:
                        for edge, name in table:
                            if r < edge:
                                kind = name
                                break
                    at = int(len(open_pages) * c.r() ** 1.6)
                    parent = open_pages[at]
                    kids = self.children[s.first + parent]
                    kids.append(g)
                    if len(kids) >= 22:
                        open_pages[at] = open_pages[-1]
                        open_pages.pop()
                    depth = self.depth[s.first + parent] + 1
                    path = self._path(c, s, k, kind, dirs[parent], depth)
                    if path in seen:
                        path += "-%d" % k
                    if kind not in LEAF:
                        open_pages.append(k)
                    if not open_pages:
                        open_pages.append(k - 1)
                seen.add(path)
                dirs[k] = path if path.endswith("/") else path.rsplit("/", 1)[0] + "/"
                self.kind.append(kind)
                self.path.append(path)
                self.parent.append(s.first + parent)
                self.depth.append(depth)
        for g, kind in enumerate(self.kind):
            if kind in REDIRECTS:
                self.target[g] = self._redirect(g, kind)
            elif kind == "refresh":
                self.target[g] = self.parent[g]

    def _path(self, c, s, k, kind, folder, depth):
        a, b = c.pick(WORDS), c.pick(WORDS)
        folder = folder.split("?")[0]
        if depth == 1 and kind not in LEAF:
            slug = "%s-%d/" % (s.sections[k % len(s.sections)], k)
        elif kind in EXT:
            slug = "%s-%d%s" % (a, k, EXT[kind]) if EXT[kind][0] == "." else "%s-%d/%s" % (a, k, EXT[kind])
        elif s.style == 0:
            slug = "%s-%s-%d.html" % (a, b, k)
        elif s.style == 1:
            slug = "%s-%s-%d/" % (a, b, k)
        elif s.style == 2:
            slug = "article.php?id=%d&rubrique=%s" % (k, a)
        else:
            slug = "%d/%02d/%s-%s-%d" % (2005 + k % 20, 1 + k % 12, a, b, k)
        if c.r() < 0.03:
            slug = quote("é" + a) + "-" + slug
        if c.r() < 0.02 and self.level:
            folder = s.prefix + "private/"
        if folder.count("/") > 7:
            folder = s.prefix
        return folder + slug

    def _redirect(self, g, kind):
        c = Chance(self.seed, 4, g)
        s = self.sites[self.site_of[g]]
        if kind == "loop":
            return g if c.r() < 0.5 else self.parent[g]
        if c.r() < 0.75:
            return s.first + c.below(s.count)
        o = self.sites[self._popular(c, self.by_rank)]
        return o.first + (0 if c.r() < 0.6 else c.below(o.count))

    @staticmethod
    def _popular(c, order):
        return order[min(len(order) - 1, int(len(order) ** c.r()) - 1)]

    def host(self, g):
        return self.sites[self.site_of[g]].host

    def url(self, g):
        return "http://" + self.sites[self.site_of[g]].host + self.path[g]

    def allowed(self, g):
        s = self.sites[self.site_of[g]]
        s = self.sites[self.hosts[s.host]]
        if s.robots == 0:
            return True
        if s.robots == 3:
            return False
        return "/private/" not in self.path[g]

    def robots(self, s):
        if s.robots == 0:
            return None
        lines = ["User-agent: *"]
        if s.robots == 3:
            lines.append("Disallow: /")
        else:
            lines += ["Disallow: /private/", "Disallow: /*/private/"]
        if s.robots == 2:
            lines.append("Crawl-delay: 1")
        lines += ["", "Sitemap: http://%s/sitemap.xml" % s.host, ""]
        return "\n".join(lines).encode()

    # -- links ----------------------------------------------------------
    def links(self, g):
        """[(block, href as written, absolute URL without fragment, page or -1, anchor)]"""
        c = Chance(self.seed, 5, g)
        si = self.site_of[g]
        s = self.sites[si]
        here = self.path[g]
        base = self.url(g)
        out = []

        def add(block, t, plain=False):
            path = self.path[t]
            ts = self.site_of[t]
            host = self.sites[ts].host
            url = "http://" + host + path
            r = c.r()
            if host != s.host:
                href = url if r < 0.93 else url[5:] if r < 0.96 else url + "#suite"
            elif plain or r < 0.62:
                href = path
            elif r < 0.80:
                href = url
            elif r < 0.90 and "?" not in here:
                href = self._relative(here, path)
            elif r < 0.94:
                href = path + "#partie-%d" % c.between(1, 4)
            elif r < 0.96:
                href = "//" + host + path
            elif r < 0.98 and "?" not in path:
                href, url, t = path + TRACK, url + TRACK, -1 - t      # a twin of page t
            else:
                href = " " + path + "\n"
            out.append((block, href, url, t, self._anchor(c, t)))

        add("nav", s.first, True)
        for t in self.children[s.first][:9]:
            if self.kind[t] not in LEAF:
                add("nav", t, True)
        if g != s.first:
            add("crumb", self.parent[g])
        for t in self.children[g]:
            add("list", t)
        wanted = c.between(22, 84) - 6
        near = self.children[self.parent[g]]
        limit = min(s.count * 2, wanted)
        while len(out) < limit:
            r = c.r()
            if r < 0.35 and near:
                t = c.pick(near)
            else:
                t = s.first + int(s.count * c.r() ** 1.5)
            add("text" if r < 0.6 else "list", t)
        for _ in range(int(c.r() ** 3 * 14)):
            r = c.r()
            if r < 0.05:
                u = "http://outside%d-testweb.%s/page/%d" % (c.below(500), c.pick(SUFFIXES), c.below(20))
                out.append(("text", u, u, None, "ailleurs"))
                continue
            o = self._popular(c, self.members[s.community] if r < 0.8 else self.by_rank)
            o = self.sites[o]
            add("text", o.first + (0 if c.r() < 0.5 else c.below(o.count)))
        social = self.sites[self._popular(c, self.by_rank)]
        add("foot", social.first)
        if self.kind[g] == "basehref":                                # written against another base
            fixed = []
            for block, href, url, t, anchor in out:
                if not href.startswith(("http", "/", " ")):
                    href = "/" + url.split("/", 3)[3]
                fixed.append((block, href, url, t, anchor))
            out = fixed
        return out

    @staticmethod
    def _relative(here, path):
        a, b = here.split("/")[1:-1], path.split("/")[1:]
        n = 0
        while n < len(a) and n < len(b) - 1 and a[n] == b[n]:
            n += 1
        rel = "../" * (len(a) - n) + "/".join(b[n:])
        return rel if rel and not rel.startswith("?") else "./" + rel

    def _anchor(self, c, t):
        i = c.below(len(self.phrases))
        return self.phrases[i]

    # -- bodies ---------------------------------------------------------
    def _make_text(self):
        c = Chance(self.seed, 6)
        self.phrases = [" ".join(c.pick(TEXT) for _ in range(c.between(1, 7))).capitalize() for _ in range(400)]
        self.paragraphs = []
        for _ in range(300):
            words = [c.pick(TEXT) for _ in range(c.between(40, 110))]
            for _ in range(3):
                words[c.below(len(words))] = "<em>%s</em>" % c.pick(TEXT)
            self.paragraphs.append("<p class=\"corps\">%s.</p>\n" % " ".join(words).capitalize())
        self.filler = "".join("  var m%d={id:%d,k:\"<a href='/faux/%d'>x</a>\",v:[%s]};\n" % (
            i, i, i, ",".join(str(c.below(1000)) for _ in range(20))) for i in range(12))

    def html(self, g):
        """The page's text and the codec that writes it."""
        kind = self.kind[g]
        c = Chance(self.seed, 7, g)
        s = self.sites[self.site_of[g]]
        blocks = {"nav": [], "crumb": [], "list": [], "text": [], "foot": []}
        for block, href, url, t, anchor in self.links(g):
            blocks[block].append((escape(href), anchor))
        title = "%s — %s" % (c.pick(self.phrases), s.name)
        charset = {"latin1": "", "latin1meta": "iso-8859-1", "cp1252": "windows-1252"}.get(kind, "utf-8")
        codec = {"latin1": "iso-8859-1", "latin1meta": "iso-8859-1", "cp1252": "windows-1252"}.get(kind, "utf-8")
        w = []
        if kind == "xhtml":
            w.append('<?xml version="1.0" encoding="utf-8"?>\n')
        w.append('<!DOCTYPE html>\n<html lang="fr"%s>\n<head>\n' % (
            ' xmlns="http://www.w3.org/1999/xhtml"' if kind == "xhtml" else ""))
        if charset:
            w.append('<meta charset="%s" />\n' % charset)
        if kind != "notitle":
            w.append("<title>%s</title>\n" % title)
        if kind == "basehref":
            w.append('<base href="http://%s%s" />\n' % (s.host, s.prefix))
        w.append('<meta name="viewport" content="width=device-width" />\n<meta name="description" content="%s" />\n' % c.pick(self.phrases))
        if kind == "noindex":
            w.append('<meta name="robots" content="noindex, follow" />\n')
        elif kind == "nofollow":
            w.append('<meta name="robots" content="nofollow" />\n')
        if kind == "refresh":
            w.append('<meta http-equiv="refresh" content="0; url=%s" />\n' % escape(self.path[self.target[g]]))
        if kind == "canonical":
            w.append('<link rel="canonical" href="%s" />\n' % escape(self.url(self.parent[g])))
        else:
            w.append('<link rel="canonical" href="%s" />\n' % escape(self.url(g)))
        w.append('<link rel="stylesheet" href="/static/style.css" />\n<link rel="alternate" type="application/rss+xml" href="%sfeed.rss" />\n' % s.prefix)
        w.append("<script>//<![CDATA[\n%s//]]></script>\n</head>\n<body class=\"page p%d\">\n" % (self.filler, g))
        w.append('<header><div class="logo"><img src="/static/logo.png" alt="logo" /></div><nav><ul>\n')
        for href, a in blocks["nav"]:
            w.append('<li class="menu-item"><a class="menu" href="%s">%s</a></li>\n' % (href, a))
        w.append("</ul></nav></header>\n")
        for href, a in blocks["crumb"]:
            w.append('<div class="ariane"><a href=\'%s\'>%s</a> &gt; ici</div>\n' % (href, a))
        w.append("<main><article>\n<h1>%s</h1>\n" % title)
        if kind == "base64":
            w.append('<img src="data:image/png;base64,%s" alt="" />\n' % base64.b64encode(bytes(c.below(256) for _ in range(6000))).decode())
        want = self.kb * (0.35 + 1.3 * c.r() ** 2) * 700
        if kind == "big":
            want = c.between(1, 3) * 1000000
        texts, size, i = blocks["text"], 0, 0
        while size < want or i < len(texts):
            p = c.pick(self.paragraphs)
            size += len(p)
            w.append(p)
            if i < len(texts):
                href, a = texts[i]
                i += 1
                w.append('<p>Lire aussi <a href="%s"%s title="%s"><b>%s</b></a> et la suite.</p>\n' % (
                    href, ' rel="nofollow"' if i % 11 == 0 else "", a, a))
        w.append('<p><a href="mailto:x@%s">courriel</a> <a href="javascript:void(0)">ouvrir</a> <a href="tel:+33100000000">tel</a> '
                 '<a name="ancre">ancre</a> <a href="#haut">haut</a></p>\n</article>\n<aside><ul>\n' % s.host)
        if kind == "broken":
            w.append('<div <p class="x><table><tr><td>cellule</b></i><li>\n" >')
        for href, a in blocks["list"]:
            w.append('<li><a href="%s"><img src="/img/%d.jpg" alt="" /><span>%s</span></a></li>\n' % (href, len(a), a))
        w.append("</ul></aside></main>\n<footer>\n<!-- <a href=\"/commentaire/cache\">caché</a> -->\n")
        for href, a in blocks["foot"]:
            w.append('<a class="reseau" href="%s" target="_blank">%s</a>\n' % (href, a))
        w.append("<p>© %s</p>\n</footer>\n</body>\n</html>\n" % s.name)
        return "".join(w), codec

    def body(self, g):
        kind = self.kind[g]
        s = self.sites[self.site_of[g]]
        if kind in FILES:
            c = Chance(self.seed, 8, g)
            if kind == "pdf":
                return b"%PDF-1.4\n" + bytes(c.below(256) for _ in range(c.between(2, 40) * 500)) + b"\n%%EOF"
            if kind == "jpeg":
                return b"\xff\xd8\xff\xe0" + bytes(c.below(256) for _ in range(4000))
            near = self.children[self.parent[g]][:20]
            if kind == "rss":
                items = "".join("<item><title>%s</title><link>%s</link></item>" % (c.pick(self.phrases), escape(self.url(t))) for t in near)
                return ('<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title>%s</channel></rss>' % (s.name, items)).encode()
            if kind == "atom":
                items = "".join('<entry><title>%s</title><link href="%s"/></entry>' % (c.pick(self.phrases), escape(self.url(t))) for t in near)
                return ('<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">%s</feed>' % items).encode()
            if kind == "xml":
                return ('<?xml version="1.0"?><doc>%s</doc>' % "".join("<u>%s</u>" % escape(self.url(t)) for t in near)).encode()
            if kind == "json":
                return json.dumps([self.url(t) for t in near]).encode()
            return ("\n".join(c.pick(self.phrases) for _ in range(50))).encode()
        if kind in REDIRECTS:
            return b"<html><body>Moved</body></html>"
        if kind in ERRORS:
            return ("<html><head><title>%d</title></head><body><h1>%d</h1><a href=\"%s\">accueil</a></body></html>" % (
                KINDS[kind][1], KINDS[kind][1], s.prefix)).encode()
        text, codec = self.html(g)
        return text.encode(codec, "xmlcharrefreplace")

    def head(self, g, length, gz):
        kind = self.kind[g]
        status, ctype = KINDS[kind][1], KINDS[kind][2]
        lines = ["HTTP/1.1 %d %s" % (status, REASON[status]), "Server: testweb", "Content-Length: %d" % length]
        if ctype:
            lines.append("Content-Type: " + ctype)
        if gz:
            lines.append("Content-Encoding: gzip")
        if kind == "xrobots":
            lines.append("X-Robots-Tag: noindex, nofollow")
        if kind == "busy":
            lines.append("Retry-After: 2")
        if kind in REDIRECTS:
            t = self.target[g]
            same = self.host(t) == self.host(g)
            c = Chance(self.seed, 9, g)
            lines.append("Location: " + (self.path[t] if same and c.r() < 0.3 else self.url(t)))
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    # -- truth ----------------------------------------------------------
    def page_links(self, g):
        """Distinct links of page g as (absolute URL without fragment, page id or None)."""
        if self.kind[g] in FILES or self.kind[g] in REDIRECTS:
            return []
        if self.kind[g] in ERRORS:
            t = self.sites[self.site_of[g]].first
            return [(self.url(t), t)]
        seen = {}
        h = self.sites[self.site_of[g]].first if self.kind[g] == "basehref" else g
        seen[self.url(h)] = h                                        # its '#haut' link
        for _, href, url, t, _ in self.links(g):
            seen[url] = t if t is not None and t >= 0 else None
        return list(seen.items())

    def truth(self):
        urls = [[self.url(g), self.site_of[g], KINDS[self.kind[g]][1], self.kind[g], 0,
                 self.allowed(g), self.target.get(g, -1)] for g in range(self.total)]
        ids = {row[0]: i for i, row in enumerate(urls)}
        links, site_links = {}, Counter()
        for g in range(self.total):
            row = []
            for url, t in self.page_links(g):
                if url not in ids:
                    ids[url] = len(urls)
                    twin = url.endswith(TRACK)
                    at = self.index.get(url[7:-len(TRACK)].encode()) if twin else None
                    urls.append([url, self.site_of[at] if twin else -1, KINDS[self.kind[at]][1] if twin else 502,
                                 "twin" if twin else "outside", -1, True, at if twin else -1])
                i = ids[url]
                row.append(i)
                o = urls[i][1]
                if o >= 0:
                    site_links[(self.site_of[g], o)] += 1
            links[g] = row
        # clicks from the home page, inside the site
        for g in range(self.total):
            urls[g][4] = -1
        for si, s in enumerate(self.sites):
            urls[s.first][4] = 0
            wave = [s.first]
            while wave:
                after = []
                for g in wave:
                    to = links.get(g) or []
                    if g in self.target:
                        to = [self.target[g]] + to
                    for t in to:
                        if t < self.total and urls[t][1] == si and urls[t][4] < 0:
                            urls[t][4] = urls[g][4] + 1
                            after.append(t)
                wave = after
        return {
            "seed": self.seed, "pages": self.total,
            "sites": [{"prefix": "http://" + s.host + s.prefix, "host": s.host, "pages": s.count, "first": s.first,
                       "community": s.community, "home": s.first, "twin": s.twin} for s in self.sites],
            "urls": urls, "links": links,
            "site_links": [[a, b, n] for (a, b), n in sorted(site_links.items())],
        }


def plain(status, body=b"", ctype="text/html", extra=""):
    return ("HTTP/1.1 %d %s\r\nServer: testweb\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n" % (
        status, REASON[status], ctype, len(body), extra)).encode() + body


class Server:
    def __init__(self, web, cache_mb=512, gz=False, latency=0.0, jitter=0.0, count=True, https=False, log=None):
        self.web, self.gz, self.latency, self.jitter, self.count, self.https = web, gz, latency, jitter, count, https
        self.room = cache_mb * 1048576
        self.cache = {}
        self.cache_gz = {}
        self.log = log
        self.reset()
        self.chance = Chance(web.seed, 10)

    def reset(self):
        self.hits = Counter()
        self.kinds = Counter()
        self.busy = Counter()
        self.peak = Counter()
        self.last = {}
        self.gap = {}
        self.violations = 0
        self.requests = 0
        self.connections = 0
        self.began = time.time()

    def stats(self):
        return {"requests": self.requests, "distinct": len(self.hits), "connections": self.connections,
                "repeats": sum(self.hits.values()) - len(self.hits), "kinds": dict(self.kinds),
                "robots_violations": self.violations, "seconds": time.time() - self.began,
                "peak_in_flight": dict(self.peak.most_common(20)),
                "shortest_gap_s": dict(sorted(self.gap.items(), key=lambda kv: kv[1])[:20])}

    def answer(self, key, gz):
        """(response bytes, head length, page or None, what)"""
        web = self.web
        g = web.index.get(key)
        if g is None:
            return self.rare(key, gz)
        cache = self.cache_gz if gz else self.cache
        hit = cache.get(g)
        if hit is None:
            body = web.body(g)
            squeeze = gz and len(body) > 200 and web.kind[g] not in ("pdf", "jpeg")
            if squeeze:
                body = gzip.compress(body, 6, mtime=0)
            head = web.head(g, len(body) + (5000 if web.kind[g] == "cut" and web.stall else 0), squeeze)
            hit = (head + body, len(head), g, web.kind[g])
            if self.room > 0:
                cache[g] = hit
                self.room -= len(hit[0])
        return hit

    def rare(self, key, gz):
        web = self.web
        host, _, rest = key.decode("latin-1").partition("/")
        target = "/" + rest
        if target.startswith("/__testweb__/"):
            what = target[13:]
            if what == "reset":
                self.reset()
                body = b"{}"
            elif what == "hits":
                body = json.dumps({web.url(g): n for g, n in self.hits.items() if isinstance(g, int)}).encode()
            elif what == "stats":
                body = json.dumps(self.stats()).encode()
            else:
                return plain(404), 0, None, "control"
            return plain(200, body, "application/json"), 0, None, "control"
        for port in (":80", ":8000"):
            if host.endswith(port):
                host = host[:-len(port)]
        host = host.lower()
        si = web.twins.get(host)
        if si is not None:
            return plain(301, b"", extra="Location: http://%s%s\r\n" % (web.sites[si].host, target)), 0, None, "www-twin"
        si = web.hosts.get(host)
        if si is None:
            return plain(502, b"<html><body>no such host</body></html>"), 0, None, "no-host"
        if target == "/robots.txt":
            text = web.robots(web.sites[si])
            if text is None:
                return plain(404), 0, None, "robots"
            return plain(200, text, "text/plain"), 0, None, "robots"
        # the same page in another spelling: tracking parameters, fragment, escapes
        tidy = target.partition("#")[0]
        for mark in ("?utm_", "&utm_"):
            at = tidy.find(mark)
            if at > 0:
                tidy = tidy[:at]
        if tidy != target:
            return self.answer((host + tidy).encode("latin-1"), gz)
        spelled = quote(target, safe="/?&=%#:+,;@!$'()*~-._")
        if spelled != target:
            return self.answer((host + spelled).encode("latin-1"), gz)
        if target == "/sitemap.xml":
            s = web.sites[si]
            body = "".join("<url><loc>%s</loc></url>" % escape(web.url(g)) for g in range(s.first, s.first + min(s.count, 1000)))
            body = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>' % body
            return plain(200, body.encode(), "text/xml"), 0, None, "sitemap"
        return plain(404, b"<html><head><title>404</title></head><body>rien</body></html>"), 0, None, "unknown"


class Protocol(asyncio.Protocol):
    __slots__ = ("server", "transport", "buffer", "waiting", "closed")

    def __init__(self, server):
        self.server, self.buffer, self.waiting, self.closed = server, b"", False, False

    def connection_made(self, transport):
        self.transport = transport
        self.server.connections += 1

    def connection_lost(self, exc):
        self.closed = True

    def data_received(self, data):
        self.buffer = self.buffer + data if self.buffer else data
        if not self.waiting:
            self.serve()

    def serve(self):
        while not self.waiting and not self.closed:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self.buffer) > 65536:
                    self.transport.close()
                return
            head, self.buffer = self.buffer[:end + 2], self.buffer[end + 4:]
            self.request(head)

    def request(self, head):
        srv = self.server
        eol = head.find(b"\r\n")
        try:
            method, target, version = head[:eol].split(b" ")
        except ValueError:
            self.transport.write(plain(400))
            self.transport.close()
            return
        low = head[eol:].lower()
        close = b"\r\nconnection: close" in low or (version == b"HTTP/1.0" and b"keep-alive" not in low)
        if method == b"CONNECT":
            self.transport.write(plain(501))
            self.transport.close()
            return
        at = low.find(b"\r\ncontent-length:")
        if at >= 0:                                                    # a body is read over and ignored
            n = int(low[at + 17:low.find(b"\r\n", at + 2)])
            self.buffer = self.buffer[n:]
        if target.startswith(b"http://"):
            key = target[7:]
            if b"/" not in key:
                key += b"/"
        elif target.startswith(b"https://") and srv.https:
            key = target[8:]
        else:
            at = low.find(b"\r\nhost:")
            key = low[at + 7:low.find(b"\r\n", at + 2)].strip() + target
        gz = srv.gz and b"gzip" in low
        data, cut, g, what = srv.answer(key, gz)
        host = None
        if srv.count and what != "control":
            srv.requests += 1
            srv.kinds[what] += 1
            srv.hits[g if g is not None else key] += 1
            if g is not None:
                host = srv.web.site_of[g]
                host = srv.web.sites[host].host
                now = time.monotonic()
                before = srv.last.get(host)
                if before is not None and now - before < srv.gap.get(host, 1e9):
                    srv.gap[host] = now - before
                srv.last[host] = now
                if not srv.web.allowed(g):
                    srv.violations += 1
        if srv.log:
            srv.log.write("%.4f %s %s\n" % (time.time(), what, key.decode("latin-1")))
        if method == b"HEAD":
            data = data[:cut] if cut else data[:data.find(b"\r\n\r\n") + 4]
        delay = 0.0
        if srv.latency:
            delay = srv.latency + srv.jitter * srv.chance.r()
        if g is not None and srv.web.stall and what in ("slow", "hang"):
            delay += 1 + g % 3 if what == "slow" else 300
        if what == "cut" and srv.web.stall:
            close = True
        if delay:
            self.waiting = True
            if host:
                srv.busy[host] += 1
                srv.peak[host] = max(srv.peak[host], srv.busy[host])
            asyncio.get_running_loop().call_later(delay, self.later, data, close, host)
        else:
            self.transport.write(data)
            if close:
                self.transport.close()

    def later(self, data, close, host):
        self.waiting = False
        if host:
            self.server.busy[host] -= 1
        if self.closed:
            return
        self.transport.write(data)
        if close:
            self.transport.close()
        else:
            self.serve()


async def serve(server, port, ready=None):
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(lambda: Protocol(server), "127.0.0.1", port, backlog=2048, reuse_address=True)
    port = listener.sockets[0].getsockname()[1]
    print("testweb: http://127.0.0.1:%d  sites=%d pages=%d" % (port, len(server.web.sites), server.web.total), flush=True)
    if ready:
        ready(port)
    async with listener:
        await listener.serve_forever()


def main(argv=None):
    p = argparse.ArgumentParser(description="A synthetic web on loopback, the same each time for a seed.")
    p.add_argument("--sites", type=int, default=100)
    p.add_argument("--pages", type=int, default=10000, help="about as many pages in all")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--profile", choices=list(PROFILES), default="normal")
    p.add_argument("--kb", type=float, default=20, help="mean size of a page in KB, about")
    p.add_argument("--port", type=int, default=8000, help="0: any free one, printed at the start")
    p.add_argument("--no-stall", action="store_true", help="slow, hanging and cut answers come at once and whole")
    p.add_argument("--gzip", action="store_true", help="gzip bodies for clients that accept it")
    p.add_argument("--latency-ms", type=float, default=0)
    p.add_argument("--jitter-ms", type=float, default=0)
    p.add_argument("--cache-mb", type=int, default=1024)
    p.add_argument("--prebuild", action="store_true", help="make each page before serving")
    p.add_argument("--no-count", action="store_true", help="keep no counters")
    p.add_argument("--https-as-http", action="store_true")
    p.add_argument("--log", help="write a line for each request there")
    p.add_argument("--truth", help="write the true graph there as JSON (.gz: squeezed) and stop")
    p.add_argument("--urls", action="store_true", help="print the URL of each page and stop")
    a = p.parse_args(argv)
    web = Web(a.sites, a.pages, a.seed, a.profile, a.kb, not a.no_stall)
    if a.truth:
        data = json.dumps(web.truth(), separators=(",", ":")).encode()
        with (gzip.open(a.truth, "wb") if a.truth.endswith(".gz") else open(a.truth, "wb")) as f:
            f.write(data)
        return
    if a.urls:
        try:
            sys.stdout.writelines(web.url(g) + "\n" for g in range(web.total))
            sys.stdout.flush()
        except BrokenPipeError:
            sys.stderr.close()
        return
    server = Server(web, a.cache_mb, a.gzip, a.latency_ms / 1000, a.jitter_ms / 1000, not a.no_count,
                    a.https_as_http, open(a.log, "w", 1) if a.log else None)
    if a.prebuild:
        for g in range(web.total):
            server.answer(web.url(g)[7:].encode(), a.gzip)
    import gc
    gc.collect()
    gc.freeze()
    try:
        import uvloop
        uvloop.install()
    except ImportError:
        pass
    try:
        asyncio.run(serve(server, a.port))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()

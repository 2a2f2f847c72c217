"""Methods that launch crawls, and propose where they may begin."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.parameters import Anything, Flag, Integer, ListOf, Mapping, Number, Parameter, Text
from hyphe_core.api.readings import read_status
from hyphe_core.api.schemas import TEXT, TEXTS, either, keyed
from hyphe_core.api.wire import HIDDEN
from hyphe_core.crawl.launch import CrawlChoices, CrawlTarget, launch_crawl, launch_crawls
from hyphe_core.crawl.start_pages import MODES as START_MODES
from hyphe_core.crawl.start_pages import propose_start_pages, united
from memory_structure.records import StartPage

methods = MethodGroup()
crawl_methods = MethodGroup("crawl")

_DEPTH = Parameter(
    "depth", Anything(), 0, "clicks from the start pages; what is no number is the corpus' largest"
)
_PHANTOM = Parameter("phantom_crawl", Flag(), False, "crawl with a browser: not available, must be false")
_STATUS = Parameter("status", Text(), "IN", "status to give the web entity; empty leaves it")
_PROXY = Parameter("proxy", Text(max_chars=1000), None, "proxy as host:port or URL; none is the corpus' own")
_COOKIES = Parameter(
    "cookies_string",
    Text(),
    None,
    f"value of a Cookie header, never shown again; {HIDDEN}, which jobs show in its place, means that of the "
    "last crawl of the same prefixes",
)
_AGENT = Parameter("user_agent", Text(max_chars=1000), None, "user agent; none is the corpus' own")
_TIMEOUTS = Parameter("phantom_timeouts", Mapping(), {}, "kept for older clients, without effect")
_ARCHIVES = Parameter("webarchives", Mapping(), {}, "web archive to crawl: only the live web is available")
MODES = Parameter(
    "startmode",
    ListOf(Text(max_chars=100), or_one=True),
    ("default",),
    f"{START_MODES}, or several of them: united in that order",
)


@methods.method(
    ENTITY_ID,
    MODES,
    Parameter("categories", Flag(), False, "answer an object: start mode -> URLs"),
    Parameter("save_startpages", Flag(), False, "also keep them as start pages of the entity"),
    CORPUS,
    result=either(TEXTS, keyed(TEXTS)),
    returns="a list of URLs, or with categories an object: start mode -> URLs",
    role=Role.CURATOR,
)
def propose_webentity_startpages(
    call: Call, web_entity_id: int, modes: list[str], categories: bool, save: bool
) -> object:
    """Propose start pages for the crawl of a web entity."""
    by_mode = propose_start_pages(call.structure, web_entity_id, tuple(modes))
    urls = united(by_mode.values())
    if save:
        _save_start_pages(call, web_entity_id, urls)
    return {mode: list(found) for mode, found in by_mode.items()} if categories else urls


def _save_start_pages(call: Call, web_entity_id: int, urls: list[str]) -> None:
    known = {page.url for page in call.structure.get_web_entity(web_entity_id).start_pages}
    added = [StartPage(url, "auto") for url in urls if url not in known]
    call.structure.edit_start_pages(web_entity_id, add=added)


@methods.method(
    ENTITY_ID,
    _DEPTH,
    _PHANTOM,
    _STATUS,
    _PROXY,
    _COOKIES,
    _AGENT,
    _TIMEOUTS,
    _ARCHIVES,
    CORPUS,
    result=TEXT,
    returns="the id of the job, as a text",
    role=Role.CURATOR,
)
def crawl_webentity(
    call: Call,
    web_entity_id: int,
    depth: object,
    phantom: bool,
    status: str,
    proxy: str | None,
    cookies: str | None,
    user_agent: str | None,
    _timeouts: JsonObject,
    archives: JsonObject,
) -> str:
    """Crawl a web entity from its start pages; one without any from those that the default modes propose.
    Start pages that answer are kept with the entity."""
    _refuse_unavailable(phantom, archives)
    entity = call.structure.get_web_entity(web_entity_id)
    urls = [page.url for page in entity.start_pages]
    if not urls:
        urls = united(propose_start_pages(call.structure, web_entity_id, ("default",)).values())
    return _launch(call, web_entity_id, depth, status, urls, proxy, cookies, user_agent)


@methods.method(
    ENTITY_ID,
    _DEPTH,
    _PHANTOM,
    _STATUS,
    MODES,
    _PROXY,
    _COOKIES,
    _AGENT,
    _TIMEOUTS,
    _ARCHIVES,
    Parameter("save_startpages", Flag(), False, "also keep them as start pages of the entity"),
    CORPUS,
    result=TEXT,
    returns="the id of the job, as a text",
    role=Role.CURATOR,
)
def crawl_webentity_with_startmode(
    call: Call,
    web_entity_id: int,
    depth: object,
    phantom: bool,
    status: str,
    modes: list[str],
    proxy: str | None,
    cookies: str | None,
    user_agent: str | None,
    _timeouts: JsonObject,
    archives: JsonObject,
    save: bool,
) -> str:
    """Crawl a web entity from the start pages that the modes propose; those that answer are kept with it."""
    _refuse_unavailable(phantom, archives)
    urls = united(propose_start_pages(call.structure, web_entity_id, tuple(modes)).values())
    if save:
        _save_start_pages(call, web_entity_id, urls)
    return _launch(call, web_entity_id, depth, status, urls, proxy, cookies, user_agent)


@crawl_methods.method(
    Parameter("webentity_ids", ListOf(Integer(1), or_one=True), doc="ids of web entities"),
    _DEPTH,
    _STATUS,
    MODES,
    _PROXY,
    _COOKIES,
    _AGENT,
    Parameter("max_pages", Integer(1), None, "pages of each crawl at most; none is without limit"),
    Parameter("max_bytes", Integer(1), None, "bytes of bodies of each crawl at most; none is without limit"),
    Parameter("time_limit", Number(0.1, 10**9), None, "seconds of each crawl at most, without its pauses"),
    CORPUS,
    result=TEXTS,
    returns="a list of ids of jobs, in the order of the entities",
    role=Role.CURATOR,
)
def start_many(
    call: Call,
    ids: list[int],
    depth: object,
    status: str,
    modes: list[str],
    proxy: str | None,
    cookies: str | None,
    user_agent: str | None,
    max_pages: int | None,
    max_bytes: int | None,
    time_limit_seconds: float | None,
) -> list[str]:
    """Crawl many web entities, each from the start pages that the modes propose, in a few transactions. A
    crawl that comes to one of its limits ends, and says so."""
    choices = CrawlChoices(
        depth=_depth(call, depth),
        status=read_status(status) if status else None,
        proxy=_proxy_url(proxy),
        cookies=_given_cookies(cookies),
        user_agent=user_agent or None,
        max_bytes=max_bytes,
        time_limit_seconds=time_limit_seconds,
    )
    targets = [CrawlTarget(i, start_modes=tuple(modes), max_pages=max_pages) for i in dict.fromkeys(ids)]
    jobs = launch_crawls(call.registry, call.corpus.corpus_id, targets, config=call.config, choices=choices)
    return [str(job.job_id) for job in jobs]


_PREFIXES = ListOf(Text(max_chars=5000), or_one=True)


@crawl_methods.method(
    ENTITY_ID,
    Parameter("starts", ListOf(Text(max_chars=5000), or_one=True), doc="URLs to begin at"),
    Parameter("follow_prefixes", _PREFIXES, doc="LRU prefixes whose pages are fetched"),
    Parameter("nofollow_prefixes", _PREFIXES, doc="LRU prefixes below those whose pages are not"),
    Parameter("follow_redirects", _PREFIXES, None, "without effect: see redirects.list"),
    _DEPTH,
    _PHANTOM,
    _TIMEOUTS,
    Parameter("download_delay", Number(0, 3600), None, "seconds between requests; none is the corpus' own"),
    _PROXY,
    _COOKIES,
    _AGENT,
    _ARCHIVES,
    CORPUS,
    result=TEXT,
    returns="the id of the job, as a text",
    role=Role.CURATOR,
)
def start(
    call: Call,
    web_entity_id: int,
    starts: list[str],
    follow: list[str],
    nofollow: list[str],
    _redirects: list[str] | None,
    depth: object,
    phantom: bool,
    _timeouts: JsonObject,
    delay_seconds: float | None,
    proxy: str | None,
    cookies: str | None,
    user_agent: str | None,
    archives: JsonObject,
) -> str:
    """Crawl from given pages within given prefixes, on behalf of a web entity, whose status stays."""
    _refuse_unavailable(phantom, archives)
    choices = CrawlChoices(
        depth=_depth(call, depth),
        status=None,
        proxy=_proxy_url(proxy),
        cookies=_given_cookies(cookies),
        user_agent=user_agent or None,
        delay_seconds=delay_seconds,
    )
    scope = (tuple(call.prefixes_of_clients(follow)), tuple(call.prefixes_of_clients(nofollow)))
    if not starts or not scope[0]:
        raise Refusal("starts and follow_prefixes must not be empty")
    target = CrawlTarget(web_entity_id, tuple(starts), scope=scope)
    jobs = launch_crawls(call.registry, call.corpus.corpus_id, [target], config=call.config, choices=choices)
    return str(jobs[0].job_id)


def _refuse_unavailable(phantom: bool, archives: JsonObject) -> None:
    if phantom:
        raise Refusal("crawling with a browser is not available: phantom_crawl must be false")
    if archives.get("option"):
        raise Refusal("only the live web can be crawled: webarchives must be empty")


def _launch(
    call: Call,
    web_entity_id: int,
    depth: object,
    status: str,
    urls: list[str],
    proxy: str | None,
    cookies: str | None,
    user_agent: str | None,
) -> str:
    if not urls:
        raise Refusal(f"web entity {web_entity_id} has no start page: give it one, or choose a start mode")
    job = launch_crawl(
        call.registry,
        call.corpus.corpus_id,
        web_entity_id,
        depth=_depth(call, depth),
        start_urls=urls,
        status=read_status(status) if status else None,
        proxy=_proxy_url(proxy),
        cookies=_cookies(call, web_entity_id, cookies),
        user_agent=user_agent or None,
        config=call.config,
    )
    return str(job.job_id)


def _cookies(call: Call, web_entity_id: int, cookies: str | None) -> str:
    """The cookies to send. What listings show in their place stands for those of the entity's last crawl that
    had any: so clients repeat a crawl. They go to no other prefixes than those they were given for."""
    if cookies != HIDDEN:
        return cookies or ""
    prefixes = set(call.structure.get_web_entity(web_entity_id).prefixes)
    jobs = sorted(call.structure.list_jobs(web_entity_id=web_entity_id), key=lambda job: job.job_id)
    kept = [job.spec.cookies for job in jobs if prefixes <= set(job.spec.follow_prefixes)]
    return next((given for given in reversed(kept) if given), None) or _given_cookies(cookies)


def _given_cookies(cookies: str | None) -> str:
    """The cookies as given. Refuses what listings show in their place."""
    if cookies == HIDDEN:
        raise Refusal("cookies of earlier crawls are hidden, and none are kept for this one: give them again")
    return cookies or ""


def _depth(call: Call, depth: object) -> int:
    most = min(call.structure.options().max_depth, call.config.max_depth)
    try:
        asked = Integer(0).read(depth)
    except ValueError:
        return most
    if asked > most:
        raise Refusal(f"depth {asked} is more than {most}, the largest this corpus allows")
    return asked


def _proxy_url(proxy: str | None) -> str | None:
    if not proxy or not proxy.strip(" :"):
        return None
    return proxy if "://" in proxy else f"http://{proxy.strip()}"

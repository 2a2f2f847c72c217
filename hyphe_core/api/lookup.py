"""Methods that ask a web server, here and now, what it answers at a URL."""

from __future__ import annotations

from hyphe_core.api.asking import Answer, ask
from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.methods import CORPUS, MethodGroup, Role
from hyphe_core.api.options import names_own_proxy
from hyphe_core.api.parameters import Number, Parameter, Text
from hyphe_core.api.schemas import FLAG, INTEGER
from memory_structure.urls import BadUrl, clean_user_url

methods = MethodGroup()

_TIMEOUT = Parameter("timeout", Number(0.1, 120), 30.0, "seconds to wait")
_URL = Parameter("url", Text(max_chars=5000), doc="a URL")


async def answer_at(call: Call, url: str, timeout_seconds: float) -> Answer:
    """What a server answers at a URL, asked by the rules of the call's corpus. Refuses what is no address."""
    options = call.options
    try:
        meant = clean_user_url(url)
    except BadUrl as error:
        raise Refusal(str(error)) from None
    return await ask(
        meant,
        agent_name=options.user_agent or call.config.user_agent,
        timeout_seconds=timeout_seconds,
        allow_private=options.allow_private_networks or call.config.allow_private_networks,
        proxy=options.proxy or call.config.proxy,
        guards_proxy=names_own_proxy(options.proxy, call.config),
    )


async def _ask_for(call: Call, url: str, timeout_seconds: float) -> Answer:
    answer = await answer_at(call, url, timeout_seconds)
    if answer.location is not None:
        call.beside["location"] = answer.location
    if answer.words:
        call.beside["message"] = answer.words
    return answer


@methods.method(
    _URL,
    _TIMEOUT,
    CORPUS,
    result=INTEGER,
    returns="the HTTP status; -1 when the server cannot be reached, -2 when the proxy cannot",
    role=Role.CURATOR,
)
async def lookup_httpstatus(call: Call, url: str, timeout_seconds: float) -> int:
    """Ask a server for a URL by the crawler's rules. The target of a redirect stands in `location`, beside
    the result."""
    return (await _ask_for(call, url, timeout_seconds)).status


@methods.method(_URL, _TIMEOUT, CORPUS, result=FLAG, returns="true for 200 and redirects", role=Role.CURATOR)
async def lookup(call: Call, url: str, timeout_seconds: float) -> bool:
    """Tell whether a URL leads anywhere."""
    status = (await _ask_for(call, url, timeout_seconds)).status
    return status == 200 or 300 <= status < 400

"""Arguments for every method of Hyphe that succeed on the full corpus of the suite, the corpus left out.

Order is that of the declaration. `TOKEN` stands for the token of a listing made just before the call.
"""

from __future__ import annotations

from typing import Any

ONE, TWO, THREE, SUB = 1, 2, 3, 4
HOST = "s:http|h:com|h:example|h:one|"
TOKEN = object()

CALLS: dict[str, list[Any]] = {
    # corpora and the service
    "test_corpus": [],
    "list_corpus": [False],
    "get_corpus_options": [],
    "set_corpus_options": [{"max_depth": 1}],
    "create_corpus": ["Another", "", {}],
    "start_corpus": [""],
    "stop_corpus": [],
    "get_corpus_tlds": [],
    "backup_corpus": [],
    "ping": [3],
    "rename_corpus": ["Another name"],
    "reinitialize": [],
    "destroy_corpus": [],
    "force_destroy_corpus": [],
    "clear_all": [["full"]],
    "get_status": [],
    "system.listMethods": [],
    "system.methodHelp": ["ping"],
    "system.methodSignature": ["ping"],
    # pages and crawls
    "declare_page": ["http://four.org/page"],
    "declare_pages": [["http://four.org/page", "five.org"]],
    "listjobs": [[1], 0, 4_000_000_000_000, False],
    "propose_webentity_startpages": [ONE, ["prefixes", "startpages"], False, False],
    "crawl_webentity": [ONE, 1, False, "IN", None, None, None, {}, {}],
    "crawl_webentity_with_startmode": [TWO, 0, False, "IN", "prefixes", None, None, None, {}, {}, True],
    "get_webentity_jobs": [ONE],
    "cancel_webentity_jobs": [ONE],
    "get_webentity_logs": [ONE],
    "lookup_httpstatus": ["http://one.example.com/", 3],
    "lookup": ["http://one.example.com/", 3],
    "crawl.deploy_crawler": [],
    "crawl.delete_crawler": [],
    "crawl.cancel_all": [],
    "crawl.start": [
        ONE, ["http://one.example.com/"], [HOST], [HOST + "p:private|"], None, 0, False, {}, 1, None, None,
        None, {},
    ],
    "crawl.cancel": [2],
    "crawl.get_job_logs": [1],
    "crawl.get_job_log": [1],
    "crawl.set_job_review_status": [1, "true"],
    # declaring and editing
    "store.get_lru_definedprefixes": [HOST + "p:sub|p:page|"],
    "store.declare_webentity_by_lruprefix_as_url": ["http://six.org/a", None, None, None, True, None],
    "store.declare_webentity_by_lru": [
        "s:http|h:org|h:seven|", "Seven", "IN", ["http://seven.org/"], False, {},
    ],
    "store.declare_webentity_by_lrus": [
        ["s:http|h:org|h:eight|"], "", "", ["", None], True, {"USER": {"a": "b"}},
    ],
    "store.declare_webentity_by_lrus_as_urls": [["nine.org", "http://ten.org"], "Nine", "OUT", [], True, {}],
    "store.basic_edit_webentity": [ONE, "New name", "OUT", "http://one.example.com/a"],
    "store.rename_webentity": [ONE, "New name"],
    "store.set_webentity_status": [THREE, "UNDECIDED"],
    "store.set_webentities_status": [[THREE, TWO], "OUT"],
    "store.set_webentity_homepage": [ONE, "http://one.example.com/a"],
    "store.add_webentity_lruprefixes": [ONE, ["s:http|h:org|h:four|", "s:http|h:org|h:five|"]],
    "store.rm_webentity_lruprefix": [ONE, "s:https|h:com|h:example|"],
    "store.add_webentity_startpages": [ONE, ["http://one.example.com/", "http://one.example.com/gone"]],
    "store.add_webentity_startpage": [ONE, "http://one.example.com/"],
    "store.rm_webentity_startpages": [ONE, ["http://one.example.com/a"]],
    "store.rm_webentity_startpage": [ONE, "http://one.example.com/a"],
    "store.merge_webentity_into_another": [TWO, ONE, True, True, True],
    "store.merge_webentities_into_another": [[TWO, THREE], ONE, True, True],
    "store.delete_webentity": [THREE],
    # finding and listing
    "store.get_webentity": [ONE],
    "store.get_webentity_by_lruprefix": ["s:http|h:com|h:example|"],
    "store.get_webentity_by_lruprefix_as_url": ["http://example.com"],
    "store.get_webentity_for_url": ["http://one.example.com/never/seen"],
    "store.get_webentity_for_url_as_lru": [HOST + "p:never|"],
    "store.get_webentities": [[ONE, THREE], ["-status", "name"], -1, 0, False, False, False],
    "store.search_webentities": ["example", [["status", "IN OUT"]], "-indegree", 10, 0, False, True],
    "store.wordsearch_webentities": ["example", [["status", "IN OUT"]], "-indegree", 10, 0, False, True],
    "store.get_webentities_by_status": ["IN", "", 100, 0, False, True],
    "store.get_webentities_by_name": ["Two.org", "name", 10, 0],
    "store.get_webentities_by_tag_value": ["press", "USER", "kind", "name", 10, 0],
    "store.get_webentities_by_tag_category": ["USER", "kind", "name", 10, 0],
    "store.get_webentities_mistagged": ["IN", True, True, "name", -1, 0, False, True],
    "store.get_webentities_uncrawled": ["name", 10, 0, True, False],
    "store.get_webentities_page": [TOKEN, 0, False],
    "store.get_webentities_ranking_stats": [TOKEN],
    # tags
    "store.rebuild_tags_dictionary": [],
    "store.add_webentity_tag_value": [TWO, "USER", "kind", "blog"],
    "store.add_webentity_tags": [TWO, "USER", {"kind": "blog", "language": ["fr", "en"]}],
    "store.add_webentities_tag_value": [[TWO, THREE], "USER", "kind", "blog"],
    "store.rm_webentity_tag_value": [ONE, "USER", "kind", "press"],
    "store.rm_webentities_tag_value": [[ONE, TWO], "USER", "kind", "press"],
    "store.edit_webentity_tag_value": [ONE, "USER", "kind", "press", "newspaper"],
    "store.get_tags": ["USER"],
    "store.get_tag_namespaces": [],
    "store.get_tag_categories": ["USER"],
    "store.get_tag_values": ["USER", "kind"],
    # pages, links, networks
    "store.get_webentity_pages": [ONE, True],
    "store.paginate_webentity_pages": [ONE, 2, None, False, True, True, True],
    "store.get_webentity_mostlinked_pages": [ONE, 20, None],
    "store.get_webentity_subwebentities": [ONE, True],
    "store.get_webentity_parentwebentities": [SUB, False],
    "store.get_webentity_pagelinks_network": [ONE, True],
    "store.paginate_webentity_pagelinks_network": [ONE, 2, None, True],
    "store.get_webentity_referrers": [ONE, -1, 0, True, False],
    "store.get_webentity_referrals": [ONE, 1, 0, True, False],
    "store.get_webentity_ego_network": [ONE],
    "store.get_webentities_network": [True, True],
    "store.trigger_links_build": [],
    "store.get_webentities_stats": [],
    # rules
    "store.get_default_webentity_creationrule": [],
    "store.get_webentity_creationrules": [None],
    "store.delete_webentity_creationrule": ["s:http|h:net|h:three|"],
    "store.add_webentity_creationrule": ["s:http|h:org|h:four|", "path-1"],
    "store.simulate_creationrules_for_urls": [["http://new.org/a", "not an address"]],
    "store.simulate_creationrules_for_lrus": [["s:http|t:80|h:org|h:new|p:|", "nonsense"]],
}  # fmt: skip

# Defaults that mean the same as theirs in another form, or depend on the configuration.
OTHER_DEFAULTS = {
    ("set_corpus_options", "options"),
    ("propose_webentity_startpages", "startmode"),
    ("crawl_webentity_with_startmode", "startmode"),
    ("store.declare_webentity_by_lrus", "status"),
    ("crawl.start", "download_delay"),
    *((f"store.get_webentity_{of}", "webentity_id") for of in ("ego_network", "referrals", "referrers")),
    ("store.get_webentity_pagelinks_network", "webentity_id"),
    ("store.paginate_webentity_pagelinks_network", "webentity_id"),
}

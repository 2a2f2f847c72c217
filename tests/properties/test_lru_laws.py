"""Laws of the LRU algebra that hold for every URL."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_structure.lru import (
    UrlCutter,
    UrlPolicy,
    canonical_lru,
    display_url,
    entity_prefix,
    head_of,
    is_under,
    join_stems,
    join_url,
    lru_name,
    lru_to_url,
    parent_lrus,
    range_end,
    request_url,
    split_stems,
    url_to_lru,
)
from memory_structure.lru_tree import LruTree
from memory_structure.strategies import hosts, labels, lrus, named_hosts, related_lrus, urls
from memory_structure.suffixes import suffix_table

law = settings(deadline=None, max_examples=100)
LONG_LIVED = UrlCutter()


@law
@given(lrus())
def test_lru_to_url_to_lru_is_the_identity(lru):
    assert url_to_lru(lru_to_url(lru)) == lru


@law
@given(urls())
def test_url_to_lru_to_url_is_fixed_after_one_step(url):
    once = lru_to_url(url_to_lru(url))
    assert lru_to_url(url_to_lru(once)) == once


@law
@given(urls())
def test_memory_of_hosts_and_fast_paths_never_change_a_key(url):
    careful = UrlCutter()._careful_lru(url)
    assert UrlCutter().lru(url) == careful
    assert LONG_LIVED.lru(url) == careful
    assert LONG_LIVED.lru(url) == careful


@law
@given(urls())
def test_what_is_fetched_has_the_key_of_what_was_found(url):
    assert url_to_lru(request_url(url)) == url_to_lru(url)


@law
@given(urls())
def test_the_fetch_form_is_a_fixed_point(url):
    sent = request_url(url)
    assert request_url(sent) == sent
    assert re.fullmatch(r"https?://[!-~]+", sent)


@law
@given(urls())
def test_keys_are_plain_ascii_of_stems_in_order(url):
    lru = url_to_lru(url)
    assert re.fullmatch(r"s:https?\|(t:[1-9][0-9]*\|)?(h:[!-{}~]+\|)+(p:[!-{}~]*\|)*(q:[!-{}~]+\|)?", lru)
    assert not set(' "<>\\^`{}') & set(lru)
    assert not re.search(r"%(?![0-9A-F]{2})", lru)


@law
@given(urls(), st.booleans(), st.booleans())
def test_the_laws_hold_under_every_policy(url, tracking, private):
    policy = UrlPolicy(drop_tracking=tracking, private_suffixes=private)
    lru = url_to_lru(url, policy)
    assert url_to_lru(lru_to_url(lru), policy) == lru
    assert canonical_lru(lru, policy) == lru


@law
@given(urls(), st.text(max_size=20))
def test_a_fragment_is_no_part_of_the_key(url, fragment):
    page = url.partition("#")[0].strip()
    assert url_to_lru(f"{page}#{fragment}") == url_to_lru(page)


@law
@given(lrus())
def test_a_client_may_send_our_lrus_back_also_with_suffixes_unglued(lru):
    first_host_stem = next(stem for stem in split_stems(lru) if stem.startswith("h:"))
    labels = first_host_stem[2:].split(".")
    unglued = "|".join("h:" + label for label in labels[::-1])
    assert canonical_lru(lru) == lru
    assert canonical_lru(lru + "f:x|") == lru
    if not labels[-1].isdigit():
        assert canonical_lru(lru.replace(first_host_stem, unglued, 1)) == lru


@law
@given(lrus())
def test_stems_and_parents(lru):
    stems = split_stems(lru)
    assert join_stems(stems) == lru
    chain = [lru, *parent_lrus(lru)]
    assert chain == [join_stems(stems[:n]) for n in range(len(stems), 0, -1)]
    assert head_of(lru) in chain
    assert is_under(lru, entity_prefix(lru))
    assert not entity_prefix(lru).endswith("|p:|")


@law
@given(related_lrus())
def test_the_prefix_test_is_the_ancestor_test_by_stems(lrus):
    for lru in lrus:
        ancestors = {lru, *parent_lrus(lru)}
        for other in lrus:
            assert is_under(lru, other) == (other in ancestors)
        for ancestor in ancestors:
            shortened = ancestor[:-2] + "|"
            assert is_under(lru, shortened) == (shortened in ancestors)


@law
@given(related_lrus())
def test_order_keeps_every_subtree_contiguous_and_in_its_range(lrus):
    ordered = sorted(set(lrus))
    for prefix in {parent for lru in lrus for parent in (lru, *parent_lrus(lru))}:
        at = [n for n, lru in enumerate(ordered) if is_under(lru, prefix)]
        assert at == list(range(at[0], at[0] + len(at)))
        assert [lru for lru in ordered if prefix <= lru < range_end(prefix)] == [ordered[n] for n in at]


@law
@given(related_lrus(), st.data())
def test_the_lru_tree_agrees_with_a_scan(lrus, data):
    tree = LruTree()
    for n, lru in enumerate(lrus, start=1):
        tree.add_lru(lru)
        prefix = data.draw(st.sampled_from([lru, head_of(lru), parent_lrus(lru)[-1], ""]))
        assert tree.get_children(prefix) == sorted(x for x in set(lrus[:n]) if is_under(x, prefix))
    assert len(tree) == len(set(lrus))
    assert list(tree) == sorted(set(lrus))


@law
@given(hosts())
def test_a_host_comes_back_from_its_stems(host):
    assert lru_to_url(url_to_lru(f"http://{host}/")) == f"http://{host}"


@law
@given(named_hosts(), labels)
def test_a_host_owns_what_lies_below_it_unless_it_is_a_public_suffix(host, label):
    suffixes, below = suffix_table(), f"{label}.{host}"
    owns = is_under(url_to_lru(f"http://{below}/"), url_to_lru(f"http://{host}/"))
    if suffixes.is_suffix(host):
        assert not owns
    elif not suffixes.is_suffix(below):
        assert owns == (suffixes.suffix_of(below) == suffixes.suffix_of(host))


@law
@given(lrus())
def test_every_key_has_a_name_and_a_url_for_people(lru):
    assert lru_name(lru)
    assert display_url(lru).startswith(("http://", "https://"))


@law
@given(urls(), st.one_of(urls(), st.text("ab/.?#:\\ é%", max_size=12)))
def test_joining_twice_changes_nothing(base, href):
    joined = join_url(base, href)
    assert join_url(base, joined) == joined

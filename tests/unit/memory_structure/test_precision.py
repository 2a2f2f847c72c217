import pytest

from memory_structure.precision import PrecisionLimit

SITE = "s:http|h:org|h:e|"


@pytest.mark.parametrize(
    ("limit", "lru", "node"),
    [
        (None, SITE + "p:a|p:b|p:c|", SITE + "p:a|p:b|p:c|"),
        (0, SITE + "p:a|", SITE),
        (0, SITE, SITE),
        (1, SITE, SITE),
        (1, SITE + "p:a|p:b|", SITE + "p:a|"),
        (2, SITE + "p:a|p:b|", SITE + "p:a|p:b|"),
        (2, SITE + "p:a|p:b|p:c|", SITE + "p:a|p:b|"),
        (2, SITE + "p:a|p:|q:x|", SITE + "p:a|p:|"),
        (1, SITE + "q:x|", SITE + "q:x|"),
        (1, "s:http|t:81|h:org|h:e|h:www|p:a|p:b|", "s:http|t:81|h:org|h:e|h:www|p:a|"),
    ],
)
def test_node_of_a_page(limit, lru, node):
    precision = PrecisionLimit(limit)
    assert precision.node(lru) == node
    assert precision.is_node(lru) == (lru == node)


def test_full_precision_restarts_at_an_exception():
    precision = PrecisionLimit(1, [SITE + "p:a|p:b|", SITE + "p:a|p:b|p:c|p:d|"])
    assert precision.head(SITE + "p:z|") == SITE
    assert precision.head(SITE + "p:a|p:b|p:c|") == SITE + "p:a|p:b|"
    assert precision.node(SITE + "p:a|p:b|p:c|p:x|") == SITE + "p:a|p:b|p:c|"
    assert precision.node(SITE + "p:a|p:b|p:c|p:d|p:e|p:f|") == SITE + "p:a|p:b|p:c|p:d|p:e|"
    assert precision.node(SITE + "p:a|p:bb|") == SITE + "p:a|"


def test_exceptions_are_listed_and_added():
    precision = PrecisionLimit(2, [SITE + "p:b|"])
    more = precision.with_exceptions(SITE + "p:a|")
    assert (precision.limit, precision.exceptions) == (2, (SITE + "p:b|",))
    assert (more.limit, more.exceptions) == (2, (SITE + "p:a|", SITE + "p:b|"))
    assert more.is_exception(SITE + "p:a|")
    assert not more.is_exception(SITE)


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="-1"):
        PrecisionLimit(-1)

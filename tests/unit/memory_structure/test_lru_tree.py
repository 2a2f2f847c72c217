from memory_structure.lru_tree import LruTree

SITE = "s:http|h:org|h:e|"


def test_children_are_what_lies_under_a_prefix_by_whole_stems():
    tree = LruTree(
        [SITE + "p:article|", SITE + "p:art|p:x|", SITE, "s:http|h:org|h:ee|", "s:https|h:org|h:e|"]
    )
    tree.add_lru(SITE + "p:art|")
    assert tree.get_children(SITE + "p:art|") == [SITE + "p:art|", SITE + "p:art|p:x|"]
    assert tree.get_children(SITE) == [SITE, SITE + "p:article|", SITE + "p:art|", SITE + "p:art|p:x|"]
    assert tree.get_children("s:http|h:fr|") == []
    assert len(tree.get_children("")) == len(tree) == 6


def test_adding_after_asking():
    tree = LruTree()
    assert tree.get_children(SITE) == []
    tree.add_lru(SITE)
    tree.add_lru(SITE)
    assert tree.get_children(SITE) == [SITE]
    tree.add_lru(SITE + "p:a|")
    assert tree.get_children(SITE) == [SITE, SITE + "p:a|"]
    assert SITE in tree
    assert "s:http|" not in tree
    assert list(tree) == [SITE, SITE + "p:a|"]

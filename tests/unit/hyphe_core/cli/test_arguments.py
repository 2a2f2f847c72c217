import pytest

from hyphe_core.cli.arguments import hoist_global_options


@pytest.mark.parametrize(
    ("typed", "hoisted"),
    [
        ("corpus list --data-dir X", "--data-dir X corpus list"),
        ("crawl u --config=F --corpus c --debug", "--config=F --debug crawl u --corpus c"),
        ("--mongodb-uri U corpus list", "--mongodb-uri U corpus list"),
        ("lru -- --data-dir X", "lru -- --data-dir X"),
        ("corpus list --data-dir", "--data-dir corpus list"),
        ("config show", "config show"),
    ],
)
def test_global_options_move_before_the_command(typed, hoisted):
    assert hoist_global_options(typed.split()) == hoisted.split()

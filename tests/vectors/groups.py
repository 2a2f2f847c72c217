"""All adapters: the name of a group -> what answers its cases."""

from __future__ import annotations

from collections.abc import Mapping

from tests.vectors import html_groups, rule_groups, url_groups, xml_groups
from tests.vectors.cases import Adapter

ADAPTERS: Mapping[str, Adapter] = {
    **url_groups.ADAPTERS,
    **html_groups.ADAPTERS,
    **rule_groups.ADAPTERS,
    **xml_groups.ADAPTERS,
}

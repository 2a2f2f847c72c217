"""Addresses in plain text, found in time proportional to its length."""

from __future__ import annotations

import re

# After the scheme and a first slash: the second, the first character of the host, and the rest.
MAX_FOLLOWING_CHARACTERS = 333
_MAX_REST_CHARACTERS = MAX_FOLLOWING_CHARACTERS - 2
_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.\-])(?:https?|ftp)://(?:[A-Za-z0-9]|\[[A-Fa-f0-9:.]{2,45}\])"
    rf"(?:[A-Za-z0-9$_.+!*,;/?:@&~=\-]|%[A-Fa-f0-9]{{2}}){{0,{_MAX_REST_CHARACTERS}}}+"
    r"(?:#[A-Za-z0-9][A-Za-z0-9$_.+!*,;/?:@&~=%\-]{0,1000}+)?",
    re.IGNORECASE,
)
_AT_END = ".,;:!?"


def list_text_links(text: str, *, trims: bool = False) -> list[str]:
    """Addresses with a fetchable scheme, in order of appearance, repeated ones too.

    A bare host name is none. At most 333 characters follow the scheme. `trims`: a mark at the end, such as
    the full stop of a sentence, is not taken for a part of the address; Nutch takes it.
    """
    found = [match[0] for match in _ADDRESS.finditer(text)]
    return [address.rstrip(_AT_END) for address in found] if trims else found

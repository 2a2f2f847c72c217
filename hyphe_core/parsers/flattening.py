"""Tags of a page counted and rewritten without building its tree, by a simple model of how HTML5 nests them.

The model never takes an element for closed that the parser may have left open, or counts it as loose: so what
is counted is at least as deep as the tree. The rewritten page is nested properly, each element closed by its
own tag, at most `MAX_DEPTH` deep; links, facts and text stay.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import NamedTuple

MAX_DEPTH = 512
_MAX_LOOSE = 2000
_MAX_NAMES = 2000
FORMATTING = frozenset(b"b big code em font i nobr s small strike strong tt u".split())

_W = rb"\t\n\f\r "
# An attribute as the tokenizer of HTML5 sees it: quotes count right after "=" only. Never backtracks.
_ATTRIBUTE = rb"""=?([^%b/>=]++)(?:[%b]*+=[%b]*+(?:"[^"]*+"|'[^']*+'|[^%b>]*+)?+)?+""" % (_W, _W, _W, _W)
_INNER = _ATTRIBUTE.replace(b"([^", b"(?:[^")
_TOKEN = re.compile(
    rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+>?|<(/?)([a-z][^%b/>]*+)((?:[%b/]++|%b|=)*+)>?"
    % (_W, _W, _INNER),
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_RAW = {
    name: re.compile(rb"</%b(?=[%b/>])[^>]*+>?|\Z" % (name, _W), re.IGNORECASE)
    for name in b"script style title textarea iframe xmp noembed noframes".split()
}
# Elements without content or closed by anything: never on the stack. `a` closes the `a` before it.
_FLAT = frozenset(
    b"a area base basefont bgsound br col embed frame hr html head body img input keygen link meta param"
    b" source track wbr".split()
)
_TABLE_PARTS = frozenset(b"td th tr thead tbody tfoot caption colgroup".split())
_CELLS = frozenset((b"td", b"th"))
# Elements whose end tag may be missing.
_OPTIONAL_END = _TABLE_PARTS | frozenset(b"p li dd dt option optgroup rb rp rt rtc".split())
_P = frozenset((b"p",))
_CLOSE_P = frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer"
    b" form h1 h2 h3 h4 h5 h6 header hgroup listing main menu nav ol p pre search section summary"
    b" table ul".split()
)
_CLOSED_BY = {
    **dict.fromkeys(_CLOSE_P, _P),
    b"li": _P | {b"li"},
    **dict.fromkeys((b"dd", b"dt"), _P | {b"dd", b"dt"}),
    b"option": frozenset((b"option",)),
    b"optgroup": frozenset((b"option",)),  # outside of a select they nest
}
# Their end tags work whatever is open inside; those of all others stop at such an element.
_SPECIAL = (
    _CLOSE_P
    | _OPTIONAL_END
    | FORMATTING
    | frozenset(b"applet button frameset marquee noscript object select template".split())
)
_KNOWN = _SPECIAL | frozenset(
    b"abbr acronym audio bdi bdo canvas cite data del dfn ins kbd label map mark meter object output picture"
    b" progress q ruby samp slot span sub sup time var video".split()
)
_FOREIGN = (b"svg", b"math")
_COUNTED = FORMATTING | {*_FOREIGN}
_LEAVES = FORMATTING | frozenset(
    b"abbr bdi cite data dd del dfn div dt h1 h2 h3 h4 h5 h6 ins kbd label li mark option p q samp span sub"
    b" sup time var".split()
)
_CLOSED_BY_THEMSELVES = frozenset(b"dd dt li option p".split())


_WITHIN = rb"(?:[%b/]++|%b|=)*+" % (_W, _INNER)


def _nesting(leaves: bytes) -> re.Pattern[bytes]:
    """From anywhere between two tags in lower case: what changes no nesting, then a tag, or the end of the
    page. Always matches, with the groups of `_TOKEN`: the engine loses groups within possessive repeats."""
    flat = rb"</?(?:%b)(?=[%b/>]|\Z)%b>?" % (b"|".join(sorted(_FLAT)), _W, _WITHIN)
    comments = rb"<!--(?:-?>|.*?(?:--!?>|\Z))|<[!?][^>]*+>?"
    skipped = rb"[^<]++|%b|%b%b|<(?!/?[a-z]|[!?])" % (comments, flat, leaves)
    return re.compile(rb"(?:%b)*+(?:<(/?)([a-z][^%b/>]*+)(%b)>?)?" % (skipped, _W, _WITHIN), re.DOTALL)


def _leaf(name: bytes) -> bytes:
    """An element that holds nothing but text, with its end tag or before one of its name that closes it."""
    end = rb"</%b[%b]*+>" % (name, _W)
    if name in _CLOSED_BY_THEMSELVES:
        end = rb"(?:%b|(?=<%b[%b/>]))" % (end, name, _W)
    return rb"%b(?=[%b/>])%b>[^<]*+%b" % (name[1:], _W, _WITHIN, end)


def _leaves() -> bytes:
    letters = groupby(sorted(_LEAVES), key=lambda name: name[:1])
    return b"|<(?:%b)" % b"|".join(
        b"%b(?:%b)" % (letter, b"|".join(map(_leaf, names))) for letter, names in letters
    )


_NESTING, _NESTING_BUT_LEAVES = _nesting(b""), _nesting(_leaves())
_FOREIGN_TAG = re.compile(rb"<(?:svg|math)[%b/>]" % _W)
# Elements whose attributes are read, and these attributes.
_WITH_FACTS = frozenset(b"a area base link meta img iframe frame form source script html".split())
_FACTS = frozenset(
    b"href src rel name content http-equiv charset hreflang type title alt action method lang".split()
)


class Examination(NamedTuple):
    """What was found of a page: whether it is too deep or has too many names, and how many formatting
    elements may be open at once."""

    is_deep: bool
    n_formatting: int


class _Model:
    """The elements that are open while tags are met in order; subclasses do something with them."""

    def __init__(self) -> None:
        self.stack: list[bytes] = []
        self.open: Counter[bytes] = Counter()
        self.n_loose = 0
        self.is_over = False
        self._n_foreign = 0

    def read(self, markup: bytes, tags: re.Pattern[bytes] = _TOKEN) -> None:
        """Meet all tags, or those that a pattern finds, until `is_over`."""
        at = 0
        n_bytes = len(markup)
        search = tags.search
        while at < n_bytes and not self.is_over and (found := search(markup, at)) is not None:
            start = found.start()
            if start > at:
                self.on_text(markup[at:start])
            at = found.end()
            closing, name, attributes = found.groups()
            if name is None:
                continue
            name = name.lower()
            if name in _FLAT:
                self.on_flat(name, found)
            elif closing:
                self.close(name)
            elif name in _RAW:
                at = self._read_raw(name, markup, found)
            elif not (self._n_foreign and attributes.endswith(b"/")):
                self.start(name, found)
        if at < n_bytes and not self.is_over:
            self.on_text(markup[at:])

    def _read_raw(self, name: bytes, markup: bytes, found: re.Match[bytes]) -> int:
        end = _RAW[name].search(markup, found.end())
        assert end is not None  # the end of the page is one
        self.on_raw(name, found, markup[found.end() : end.start()])
        return end.end()

    def start(self, name: bytes, found: re.Match[bytes]) -> None:
        """An element begins; those that it closes end before."""
        stack = self.stack
        if self._n_foreign and name in _KNOWN:
            self.close(b"svg" if self.open[b"svg"] else b"math")
        if name in _TABLE_PARTS:
            if not self._reach_table(name):
                return
        elif closed := _CLOSED_BY.get(name):
            while stack and stack[-1] in closed:
                self.pop()
        self.on_start(name, found)

    def _reach_table(self, name: bytes) -> bool:
        """End what is open in the nearest table, its row aside for a cell; False outside of tables."""
        if not (self.open[b"table"] or self.open[b"template"]):
            return False
        kept = (b"table", b"template", b"tr") if name in _CELLS else (b"table", b"template")
        while self.stack[-1] not in kept:
            self.n_loose += self.stack[-1] not in _OPTIONAL_END
            self.pop()
        return True

    def close(self, name: bytes) -> None:
        """An end tag: of the innermost element, or of one further out, when there is one."""
        stack = self.stack
        if stack and stack[-1] == name:
            self.pop()
        elif self.open[name]:
            is_sure = name in _SPECIAL
            n_open = len(stack)
            while (last := self.pop()) != name:
                is_sure = is_sure and last in _OPTIONAL_END
            if not is_sure:  # whatever was open may stay so
                self.n_loose += n_open

    def pop(self) -> bytes:
        """The innermost element ends."""
        name = self.stack.pop()
        self.open[name] -= 1
        if name in _COUNTED:
            self.count(name, -1)
        return name

    def push(self, name: bytes) -> None:
        """An element is open from now on."""
        self.stack.append(name)
        self.open[name] += 1
        if name in _COUNTED:
            self.count(name, 1)

    def count(self, name: bytes, n: int) -> None:
        """One more or less of an element of which the number matters is open."""
        if name in _FOREIGN:
            self._n_foreign += n

    def on_text(self, text: bytes) -> None:
        """Text between two tags."""

    def on_flat(self, name: bytes, found: re.Match[bytes]) -> None:
        """A tag of an element that is never on the stack."""

    def on_raw(self, name: bytes, found: re.Match[bytes], content: bytes) -> None:
        """An element whose content is no markup."""

    def on_start(self, name: bytes, found: re.Match[bytes]) -> None:
        """An element to be put on the stack."""
        self.push(name)


class _Examiner(_Model):
    """Counts."""

    def __init__(self) -> None:
        super().__init__()
        self.n_formatting = self.n_most_formatting = 0

    def on_raw(self, name: bytes, found: re.Match[bytes], content: bytes) -> None:
        """In some places the content is markup after all."""
        if b"<" not in content:
            return
        if name not in (b"script", b"style") or self._n_foreign:
            self.n_loose += content.count(b"<")
        elif b"<!--" in content and b"<script" in content.lower():
            self.n_loose += len(self.stack)  # this end tag may be a part of the script

    def on_start(self, name: bytes, found: re.Match[bytes]) -> None:
        """Enough is seen when the page is known to be too deep."""
        self.push(name)
        if len(self.stack) > MAX_DEPTH or self.n_loose > _MAX_LOOSE or len(self.open) > _MAX_NAMES:
            self.is_over = True

    def count(self, name: bytes, n: int) -> None:
        """Formatting elements count besides."""
        super().count(name, n)
        if name in FORMATTING:
            self.n_formatting += n
            self.n_most_formatting = max(self.n_most_formatting, self.n_formatting)


class _Flattener(_Model):
    """Writes the page again."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self._n_left_out: Counter[bytes] = Counter()

    def on_text(self, text: bytes) -> None:
        """As it is; what could become part of a tag is parted from it."""
        self.pieces.append(text.replace(b"<", b"&lt;"))

    def on_flat(self, name: bytes, found: re.Match[bytes]) -> None:
        """Kept, with the attributes that count."""
        self.pieces.append(b"</%b>" % name if found[1] else _tag_with_facts(name, found[3]))

    def on_raw(self, name: bytes, found: re.Match[bytes], content: bytes) -> None:
        """Titles are kept, and frames."""
        if name == b"title":
            self.pieces.append(b"<title>%b</title>" % content)
        elif name == b"iframe":
            self.pieces.append(_tag_with_facts(name, found[3]) + b"</iframe>")

    def on_start(self, name: bytes, found: re.Match[bytes]) -> None:
        """Kept when it is known and not too deep."""
        if name not in _KNOWN or name in FORMATTING:
            return
        if len(self.stack) >= MAX_DEPTH:
            self._n_left_out[name] += 1
            self.pieces.append(b" ")
            return
        self.push(name)
        self.pieces.append(_tag_with_facts(name, found[3]))

    def close(self, name: bytes) -> None:
        """Elements that were left out have end tags too."""
        if self._n_left_out[name]:
            self._n_left_out[name] -= 1
            self.pieces.append(b" ")
        else:
            super().close(name)

    def pop(self) -> bytes:
        """With an end tag of its own."""
        name = super().pop()
        self.pieces.append(b"</%b>" % name)
        return name


def _tag_with_facts(name: bytes, attributes: bytes) -> bytes:
    if name not in _WITH_FACTS or not attributes:
        return b"<%b>" % name
    kept: dict[bytes, bytes] = {}
    for found in _ATTRIBUTES.finditer(attributes):
        key = found[1].lower()
        if key in _FACTS:
            kept.setdefault(key, found[0].lstrip(b"="))
    return b"<%b %b>" % (name, b" ".join(kept.values()))


def examine(markup: bytes) -> Examination:
    """Look at the tags of a page."""
    examiner = _Examiner()
    markup = markup.lower()
    # What does not nest is passed over by the pattern, many times quicker than tag by tag. In foreign
    # elements leaves may end what is around them.
    examiner.read(markup, _NESTING if _FOREIGN_TAG.search(markup) else _NESTING_BUT_LEAVES)
    return Examination(
        examiner.is_over or examiner.n_loose > _MAX_LOOSE, examiner.n_most_formatting + 1 + examiner.n_loose
    )


def flatten(markup: bytes) -> bytes:
    """The page nested properly, at most `MAX_DEPTH` deep, without formatting, scripts and comments."""
    flattener = _Flattener()
    flattener.read(markup)
    return b"".join(flattener.pieces)


def count_attribute_names(markup: bytes) -> int:
    """How many names of attributes a page has."""
    sections = b" ".join(groups[2] for groups in _TOKEN.findall(markup))
    return len(set(_ATTRIBUTES.findall(sections)))

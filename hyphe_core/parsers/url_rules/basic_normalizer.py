"""The basic normaliser: case, ports, dots, slashes and percent-encoding of a URL."""

from __future__ import annotations

import re
import stringprep
from dataclasses import dataclass
from enum import StrEnum

import idna

from hyphe_core.parsers.url_rules.addresses import (
    DEFAULT_PORTS,
    MAX_HOST_CHARACTERS,
    Address,
    MalformedUrl,
    drop_dots,
    split_address,
)
from hyphe_core.parsers.url_rules.steps import Normalizer, Scope

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_UNSAFE = re.compile(r"""[^!#$%&'()*+,\-./0-9:;=?@A-Z\\_a-z~]++|%(?![0-9A-Fa-f]{2})""")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPES = tuple(f"%{octet:02X}" for octet in range(256))
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NO_HOST_CHARACTER = re.compile(r"[\x00-\x20/\\?#@%:\[\]\x7f]")
_OTHER_DOTS = re.compile("[\u3002\uff0e\uff61]")
_SLASHES = re.compile(r"/{2,}")
# The usual case: no escape, no fragment, nothing to encode.
_PLAIN = re.compile(
    r"https?://[a-z0-9.\-]++(/[!$&'()*+,\-./0-9:;=@A-Z_a-z~]*+)(?:\?[!$&'()*+,\-./0-9:;=?@A-Z_a-z~]*+)?"
)
_WITH_HOST = frozenset(DEFAULT_PORTS)
_MAX_LABEL_CHARACTERS = 63


class HostForm(StrEnum):
    """The form in which names outside ASCII are written."""

    AS_FOUND = "asFound"
    ASCII = "toAscii"
    UNICODE = "toUnicode"


@dataclass(frozen=True, slots=True)
class BasicNormalizer(Normalizer):
    """Scheme and host in lower case, host decoded, default port, user and fragment dropped, dots resolved and
    slash runs collapsed in the path, percent-encoding made uniform.

    User and password stay for ftp. An address without a host gets one slash (`http:/path`). `mailto` and
    `jar` are only encoded; a `file` address that has nothing to change stays as written. `idna2008`: by that
    standard instead of IDNA 2003 (they differ on the sharp s).
    """

    host_form: HostForm = HostForm.AS_FOUND
    idna2008: bool = False
    trim_trailing_dot: bool = False

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """Raises MalformedUrl: see `addresses.split_address`, and bad escapes or characters in the host."""
        plain = _PLAIN.fullmatch(url)
        if plain and "//" not in plain[1] and "/." not in plain[1] and self._is_shipped:
            return url
        if not url:
            return url
        address = split_address(url, keeps_breaks=True)
        if address.scheme in _WITH_HOST:
            return self._with_host(address)
        if address.scheme == "file":
            return _file_address(address)
        return address._replace(path=recode(address.path)).text

    @property
    def _is_shipped(self) -> bool:
        return self.host_form is HostForm.AS_FOUND and not self.trim_trailing_dot

    def _with_host(self, address: Address) -> str:
        scheme = address.scheme
        query = "" if address.query is None else "?" + recode(address.query)
        file = _tidy_path(address.path) + query
        if not address.authority:
            return f"{scheme}:{file}"
        if not address.host:
            raise MalformedUrl("no host")
        host = self._host(address.host)
        port = "" if address.port in (None, DEFAULT_PORTS[scheme]) else f":{address.port}"
        userinfo = f"{address.userinfo}@" if scheme == "ftp" and address.userinfo else ""
        return f"{scheme}://{userinfo}{host}{port}{file}"

    def _host(self, host: str) -> str:
        if host.startswith("["):
            return host.lower()
        if "%" in host:
            host = _decoded_host(host)
        host = host.lower()
        if self.host_form is not HostForm.AS_FOUND and host:
            if len(host) > MAX_HOST_CHARACTERS:
                raise MalformedUrl("a host longer than names can be")
            host = self._converted(host)
        if _NO_HOST_CHARACTER.search(host):
            raise MalformedUrl("a character that no host has")
        if self.trim_trailing_dot and not (host := host.removesuffix(".")):
            raise MalformedUrl("no host")
        return host

    def _converted(self, host: str) -> str:
        if self.host_form is HostForm.UNICODE:
            labels = _OTHER_DOTS.sub(".", host).split(".") if "xn--" in host else [host]
            convert = _unicode_by_2008 if self.idna2008 else _unicode_by_2003
        else:
            labels = [host] if host.isascii() else _OTHER_DOTS.sub(".", host).split(".")
            convert = _ascii_by_2008 if self.idna2008 else _ascii_by_2003
        if "" in labels[:-1]:
            raise MalformedUrl("an empty label in the host")
        try:
            return ".".join(map(convert, labels))
        except UnicodeError as error:  # idna.IDNAError is one
            raise MalformedUrl(f"a host outside of IDNA: {error}") from error


# By IDNA 2008 means: as UTS 46 maps names without transition, which lets symbols pass.
def _ascii_by_2008(label: str) -> str:
    if label.isascii():
        return label
    if label.startswith("xn--"):
        raise UnicodeError("punycode that is not in ASCII")
    mapped = idna.uts46_remap(label, std3_rules=False)
    written = mapped if mapped.isascii() else "xn--" + mapped.encode("punycode").decode("ascii")
    if len(written) > _MAX_LABEL_CHARACTERS:
        raise UnicodeError("label too long")
    return written


def _unicode_by_2008(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    text = label[4:].encode("ascii").decode("punycode")
    if text.isascii() or idna.uts46_remap(text, std3_rules=False) != text:
        raise UnicodeError(f"{label} is not valid punycode")
    return text


def _ascii_by_2003(label: str) -> str:
    if any(map(stringprep.in_table_a1, label)):
        raise UnicodeError("a character that IDNA 2003 does not know")
    return label if label.isascii() else label.encode("idna").decode("ascii")


def _unicode_by_2003(label: str) -> str:
    """The label in Unicode; one that is no valid punycode stays as it is."""
    if not label.startswith("xn--"):
        return label
    try:
        text = label.encode("ascii").decode("idna")
    except UnicodeError:
        return label
    return label if any(map(stringprep.in_table_a1, text)) else text


def _decoded_host(host: str) -> str:
    if _BAD_ESCAPE.search(host):
        raise MalformedUrl("bad escape in the host")
    octets = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), host) if host.isascii() else None
    try:
        if octets is not None:
            return octets.encode("latin-1").decode("utf-8")
        return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), host)
    except UnicodeDecodeError as error:
        raise MalformedUrl("escapes in the host are not UTF-8") from error


def _tidy_path(path: str) -> str:
    path = recode(path)
    if not path.startswith("/"):
        path = "/" + path
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return drop_dots(path)


def _file_address(address: Address) -> str:
    file = _tidy_path(address.path) + ("" if address.query is None else "?" + recode(address.query))
    if file == address.file:
        return address.text
    return f"file:{'//' + address.authority if address.authority else ''}{file}"


def recode(text: str) -> str:
    """Part of a URL with uniform escapes: unreserved octets decoded, others in upper case, unsafe characters
    encoded as UTF-8, a lone percent sign as `%25`."""
    if "%" in text:
        text = _ESCAPE.sub(_decode_unreserved, text)
    return _UNSAFE.sub(_encode, text)


def _decode_unreserved(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _encode(match: re.Match[str]) -> str:
    octets = _SURROGATE.sub("\ufffd", match[0]).encode("utf-8")
    return "".join(map(_ESCAPES.__getitem__, octets))

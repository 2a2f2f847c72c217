"""The basic normaliser: case, ports, dots, slashes and percent-encoding of a URL."""

from __future__ import annotations

import re
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
_UNSAFE = re.compile(r"""[^!#$%&'()*+,\-./0-9:;=?@A-Z\\_a-z~]|%(?![0-9A-Fa-f]{2})""")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NO_HOST_CHARACTER = re.compile(r"[\x00-\x20/\\?#@%:\[\]\x7f]")
_OTHER_DOTS = re.compile("[\u3002\uff0e\uff61]")
_SLASHES = re.compile(r"/{2,}")
# The usual case: no escape, no fragment, nothing to encode.
_PLAIN = re.compile(
    r"https?://[a-z0-9.\-]++(/[!$&'()*+,\-./0-9:;=@A-Z_a-z~]*+)(?:\?[!$&'()*+,\-./0-9:;=?@A-Z_a-z~]*+)?"
)
_WITH_HOST = frozenset(DEFAULT_PORTS)


class HostForm(StrEnum):
    """The form in which names outside ASCII are written."""

    AS_FOUND = "asFound"
    ASCII = "toAscii"
    UNICODE = "toUnicode"


@dataclass(frozen=True, slots=True)
class BasicNormalizer(Normalizer):
    """Scheme and host in lower case, host decoded, default port, user and fragment dropped, dots resolved and
    slash runs collapsed in the path, percent-encoding made uniform.

    User and password stay for ftp. `mailto` and `jar` are only encoded; a `file` address that has nothing to
    change stays as written. `idna2008`: by that standard instead of IDNA 2003 (they differ on the sharp s).
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
        address = split_address(url)
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
        if not address.host:
            raise MalformedUrl("no host")
        host = self._host(address.host)
        port = "" if address.port in (None, DEFAULT_PORTS[scheme]) else f":{address.port}"
        userinfo = f"{address.userinfo}@" if scheme == "ftp" and address.userinfo else ""
        query = "" if address.query is None else "?" + recode(address.query)
        return f"{scheme}://{userinfo}{host}{port}{_tidy_path(address.path)}{query}"

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
        labels = _OTHER_DOTS.sub(".", host).split(".")
        convert = self._ascii_label if self.host_form is HostForm.ASCII else self._unicode_label
        return ".".join(map(convert, labels))

    def _ascii_label(self, label: str) -> str:
        if label.isascii():
            return label
        try:
            if self.idna2008:
                return idna.encode(label, uts46=True, transitional=False).decode("ascii")
            return label.encode("idna").decode("ascii")
        except UnicodeError as error:  # idna.IDNAError is one
            raise MalformedUrl(f"a host outside of IDNA: {error}") from error

    def _unicode_label(self, label: str) -> str:
        """The label in Unicode; one that is no valid punycode stays as it is."""
        if not label.startswith("xn--"):
            return label
        try:
            return idna.decode(label) if self.idna2008 else label.encode("ascii").decode("idna")
        except UnicodeError:
            return label


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
    character = match[0] if not "\ud800" <= match[0] <= "\udfff" else "\ufffd"
    octets = character.encode("utf-8")
    return "".join(f"%{octet:02X}" for octet in octets)

"""Labels of encodings that pages use and Python does not know, as labels that it does (Encoding Standard)."""

from __future__ import annotations

import re

_BY_LABEL = {
    "8859_1": "iso-8859-1",
    "cn-big5": "big5",
    "cseucpkdfmtjapanese": "euc-jp",
    "cseuckr": "euc-kr",
    "csgb2312": "gb2312",
    "csiso88596e": "iso-8859-6",
    "csiso88596i": "iso-8859-6",
    "csiso88598e": "iso-8859-8",
    "csiso88598i": "iso-8859-8-i",
    "csisolatin9": "iso-8859-15",
    "csksc56011987": "euc-kr",
    "csmacintosh": "macintosh",
    "csunicode": "utf-16le",
    "dos-874": "windows-874",
    "gb_2312": "gb2312",
    "gb_2312-80": "gb2312",
    "iso-10646-ucs-2": "utf-16le",
    "iso-8859-6-e": "iso-8859-6",
    "iso-8859-6-i": "iso-8859-6",
    "iso-8859-8-e": "iso-8859-8",
    "iso-ir-149": "euc-kr",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "korean": "euc-kr",
    "ks_c_5601-1987": "euc-kr",
    "ks_c_5601-1989": "euc-kr",
    "ksc_5601": "euc-kr",
    "logical": "iso-8859-8-i",
    "mac": "macintosh",
    "ms_kanji": "shift_jis",
    "sun_eu_greek": "iso-8859-7",
    "ucs-2": "utf-16le",
    "unicode-1-1-utf-8": "utf-8",
    "unicode11utf8": "utf-8",
    "unicode20utf8": "utf-8",
    "unicodefeff": "utf-16le",
    "unicodefffe": "utf-16be",
    "visual": "iso-8859-8",
    "x-euc-jp": "euc-jp",
    "x-mac-roman": "macintosh",
    "x-mac-ukrainian": "x-mac-cyrillic",
    "x-sjis": "shift_jis",
    "x-unicode20utf8": "utf-8",
    "x-windows-949": "windows-949",
    "x-x-big5": "big5",
}
_ISO_8859 = re.compile(r"iso8859([0-9]{1,2})")
_WINDOWS = re.compile(r"x-cp(125[0-8])")


def known_label(label: str) -> str:
    """The label in lower case, blanks and quotes around it left out, or a better known one of its meaning."""
    name = label.strip().strip("\"'").lower()
    if iso := _ISO_8859.fullmatch(name):
        return f"iso-8859-{iso[1]}"
    if windows := _WINDOWS.fullmatch(name):
        return f"windows-{windows[1]}"
    return _BY_LABEL.get(name, name)

"""Parsers: bytes of an answer in, one immutable `ParseResult` out. They never raise for a bad page.

`registry.ParserRegistry` chooses a parser by media type, `sniff` names the type when the answer does not, and
`links.merge_links` turns the links found into those that are stored.
"""

"""Parsers: bytes of an answer in, one immutable `ParseResult` out. They never raise for a bad page.

`registry.parser_for(media_type)` chooses a parser, `sniff.find_media_type` names the type when the answer does not,
`links.merge_links` turns found links into those that are stored.
"""

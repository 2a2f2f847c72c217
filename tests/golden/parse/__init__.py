"""Documents of all formats and the parse-out they give: `FORMAT/CASE/` holds the document as `input.*`, how
it came in `case.json` (url, content_type, and where they differ from the defaults profile and format), and
`expected.xml`.

    python -m tests.golden.parse FORMAT/CASE ...        # shows what differs
    python -m tests.golden.parse --regenerate FORMAT/CASE ...   # and writes it

Nothing is written for cases that are not named, and what is written is shown: read it before it is committed.
"""

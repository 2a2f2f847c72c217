"""A fuzzer of the parse stage: hostile documents made by grammars and by mutation of known ones."""

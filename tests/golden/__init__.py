"""Cases kept as files, one folder each."""

"""Analyses of a corpus: pure, over what the memory structure gives."""

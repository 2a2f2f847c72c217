"""The memory structure over a database of keyed tables: all that the backends share."""

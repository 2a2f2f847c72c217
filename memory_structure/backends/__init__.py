"""Storages under the memory structure: one module for each database."""

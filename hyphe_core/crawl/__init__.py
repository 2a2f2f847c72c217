"""Crawl jobs: the frontier, the worker that serves many jobs at once, and how both are started and
stopped."""

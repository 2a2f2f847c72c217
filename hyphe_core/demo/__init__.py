"""A small local web about one invented debate, and a runner that crawls it: `python -m hyphe_core.demo`."""

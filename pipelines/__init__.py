"""Scrapy item pipelines: they decide where a page goes and hold no domain rule."""

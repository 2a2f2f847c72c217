"""Scrapy spiders: they decide what is fetched next and hold no domain rule."""

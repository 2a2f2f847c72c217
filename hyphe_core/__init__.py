"""The crawler service: configuration, crawling, parsing, exports, API and command line."""

"""Chains of URL normalisers and filters for what a parse keeps of its outlinks. Never for the key of a page.

`addresses` takes URLs apart and resolves references, `chains` puts steps in order for a scope, the other
modules hold the steps. All of it is pure: text in, text or a refusal out.
"""

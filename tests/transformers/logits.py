"""Logits of attention patterns, entry by entry, for tests that compare with them."""

from __future__ import annotations


def logit(pattern, key, query, distance):
    """The logit for 0/1 feature vectors of key and query, in units of 2^-p."""
    content = sum(
        entry
        for present, row in zip(key, pattern.logits, strict=False)
        if present
        for entry, asked in zip(row, query, strict=True)
        if asked
    )
    return content + pattern.phi_at(distance)

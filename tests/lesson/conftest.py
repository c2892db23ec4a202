"""A browser, as pages of reports have it."""

from __future__ import annotations

from tests.show.html.conftest import browser

__all__ = ["browser"]

"""A browser, and what judges pages in it, as pages of reports have them."""

from tests.show.html.conftest import browser
from tests.show.html.test_accessibility import axe

__all__ = ["axe", "browser"]

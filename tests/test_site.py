"""The site of the documents: built strictly, whole, and asking for nothing outside of its folder (slow)."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import idinf

for needed in ("mkdocs", "material", "mkdocstrings", "griffe"):
    pytest.importorskip(needed, reason=f"{needed} is not installed: pip install -e '.[docs]'")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]

#: Attributes that name what is loaded.
_LOADS = ("src", "href", "srcset", "data")


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """What `make docs` does, into a folder of its own."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


class Loaded(HTMLParser):
    """What a browser loads with a page, and apart from it where links lead that somebody may follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = self.links if tag == "a" else self.addresses
        found += [value or "" for key, value in attrs if key in _LOADS]


def outside(path: Path) -> list[str]:
    """The addresses of other machines from which a page or a style sheet loads something."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        loaded = Loaded(text).addresses
    else:
        loaded = re.findall(r"""url\(['"]?([^'")]*)|@import\s+['"]([^'"]*)""", text)
        loaded = ["".join(pair) for pair in loaded]
    return [address for address in loaded if re.match(r"(https?:)?//", address)]


def test_every_document_is_a_page(site: Path) -> None:
    documents = [path for path in (ROOT / "docs").rglob("*.*") if path.suffix in (".md", ".ipynb")]
    names = {str(path.relative_to(ROOT).with_suffix(".html")) for path in documents} - {"docs/README.html"}
    names -= {"docs/site/front.html"}  # index.html
    names |= {"index.html", "README.html", "docs/index.html", "specs/index.html", "CONTRIBUTING.html"}
    names |= {"gallery.html", "page/majority.html"}
    assert sorted(name for name in names if not (site / name).is_file()) == []
    cells = (site / "docs" / "first-steps.html").read_text(encoding="utf-8")
    assert "<table" in cells
    assert "data:image/png;base64," in cells


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (site / "api").glob("*.html"))
    shown = set(re.findall(r'id="idinf\.(\w+)"', text))
    assert shown == set(idinf.__all__) - {"__version__"}
    assert "was compared; None: not even the empty word" not in text
    assert "None: not even the empty word was compared" in text  # a comment beside an attribute


def dead_links(page: Path) -> list[str]:
    """The links of a page to what is no file; a folder is none, since it opens as a list of files."""
    links = Loaded(page.read_text(encoding="utf-8")).links
    own = [link.partition("#")[0].partition("?")[0] for link in links if not re.match(r"[a-z]+:", link)]
    return [link for link in own if link and not (page.parent / unquote(link)).is_file()]


def test_every_link_leads_to_a_file(site: Path, tmp_path: Path) -> None:
    pages = set(site.rglob("*.html")) - {site / "404.html"}  # whose links begin at the root of a server
    assert {path.name: dead for path in pages if (dead := dead_links(path))} == {}
    planted = tmp_path / "x.html"
    planted.write_text('<a href=".">a</a><a href="x.html#b">b</a><a href="y.html">c</a><a href="#d">d</a>')
    assert dead_links(planted) == [".", "y.html"]


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    assert len(pages) > 20
    assert {path.name: found for path in pages if (found := outside(path))} == {}

"""Pages of the site: a front page, the documents where they lie in the repository, notebooks, rows of the
results, public names, the gallery.

MkDocs calls the functions that begin with ``on_``. Pages keep their paths from the root of the repository,
so a link that works on GitHub works in the site. What is missing is a warning, and ends a strict build.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import inspect
import json
import logging
import posixpath
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import griffe
from click.testing import CliRunner
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import idinf
from idinf.commands import main
from tools.site_tables import (
    PLACE,
    RESULTS,
    frame_tables,
    link_rows,
    list_tables,
    read_table,
    write_overview,
    write_page,
    write_table,
)

LOG = logging.getLogger("mkdocs.hooks.pages")

#: What the site takes from the repository. What is built into ``build/gallery`` is taken along.
TAKEN = (
    "*.md",
    "CITATION.cff",
    "specs/README.md",
    "docs/*.*",
    "docs/results/*.*",
    "docs/results/atlas/*",
    "docs/figures/*",
    "docs/site/*.css",
    "docs/site/*.js",
    "idinf/report/*.json",
)

#: Where the front page takes the page of a report from, which is made with the site, and the findings.
SHOWN, FINDINGS = "page/majority.html", "<!-- findings of the README -->"

#: Rules of the style of reports that draw the cards of a gallery.
_CARDS = re.compile(
    r"^(?:\.(?:cards|thumb|axis|outcome|life|end|open-end|cross|selected|point\.out)|rect\.).*$", re.MULTILINE
)

#: A link to a file, its text apart.
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^()\s#:]+)\)")

#: A block of code that is no part of a list.
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


class Notebook(File):
    """A notebook that is a page, so links to it lead to the page."""

    def is_documentation_page(self) -> bool:
        """Whether MkDocs makes a page of it."""
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take the documents of the repository in place of one folder, and write the pages that are made here."""
    root = Path(config.config_file_path).parent
    found = Files([file for file in files if file.src_dir != config.docs_dir])  # of the theme
    for path in sorted(path for pattern in TAKEN for path in root.glob(pattern)):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".ipynb":
            found.append(Notebook.generated(config, name, content=notebook_page(path.read_text("utf-8"))))
        else:
            found.append(File.generated(config, name, abs_src_path=str(path)))
    found.get_file_from_path("README.md").dest_uri = "README.html"  # the front page is index.html
    script = root / "idinf" / "show" / "html" / "sorted.js"
    found.append(File.generated(config, "docs/site/sorted.js", abs_src_path=str(script)))
    drawn = script.with_name("page.css").read_text("utf-8")
    found.append(File.generated(config, "docs/site/cards.css", content="\n".join(_CARDS.findall(drawn))))
    page = idinf.report_page(idinf.identify("majority"))
    found.append(File.generated(config, SHOWN, content=page))
    gallery = root / "build" / "gallery"
    for name, text in gallery_files(gallery):
        found.append(File.generated(config, f"gallery/{name}", content=text))
    pages = {
        "index.md": front_page(root),
        "gallery.md": gallery_page(gallery),
        "commands.md": commands_page(),
        f"{RESULTS}/rows.md": write_overview(root),
    }
    pages |= {name: write_page(root, path) for name, path in list_tables(root).items()}
    pages |= reference_pages(root)
    for name, text in pages.items():
        found.append(File.generated(config, name, content=text))
    return found


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write for MkDocs what GitHub takes: lists are indented by four columns, and <details> hold Markdown."""
    parts = _FENCED.split(markdown.replace("<details>", '<details markdown="1">'))
    parts[::2] = [re.sub(r"^( {3}|  (?=\S))", "    ", part, flags=re.MULTILINE) for part in parts[::2]]
    folder, root = posixpath.dirname(page.file.src_uri), Path(config.config_file_path).parent

    def without_code(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[2]))
        return link[1] if files.get_file_from_path(path) is None and (root / path).exists() else link[0]

    text = _LINK.sub(without_code, "".join(parts))  # the site has no code, and a folder is no page
    return re.sub(r"^# .*\n\n", lambda head: head[0] + link_rows(root, page.file.src_uri), text, count=1)


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Give a page of rows its table, and tables their frames; those of results sort."""
    root, name = Path(config.config_file_path).parent, page.file.src_uri
    if PLACE in html:
        html = html.replace(PLACE, write_table(*read_table(list_tables(root)[name])))
    return frame_tables(html, sorts=name.startswith(f"{RESULTS}/") or name == "gallery.md")


def on_post_page(output: str, **_: object) -> str:
    """Name the box of the search, which the theme leaves without a name."""
    box = 'data-md-component="search" role="dialog"'
    return output.replace(box, f'{box} aria-label="Search"', 1)


def on_post_build(config: MkDocsConfig) -> None:
    """Leave out what only debuggers and searches in other languages would load."""
    scripts = Path(config.site_dir) / "assets" / "javascripts"
    shutil.rmtree(scripts / "lunr")
    for path in Path(config.site_dir, "assets").rglob("*.map"):
        path.unlink()


def front_page(root: Path) -> str:
    """The front page with the findings that the README has."""
    text = (root / "docs" / "site" / "front.md").read_text("utf-8")
    found = re.search(
        r"^Found with it.*?\n\n(- .*?)\n\n", (root / "README.md").read_text("utf-8"), re.M | re.S
    )
    if found is None:
        LOG.warning("README.md has no list behind 'Found with it'")
    return text.replace(FINDINGS, found[1] if found else "")


def notebook_page(text: str) -> str:
    """A notebook as Markdown, with the outputs that it keeps."""
    return "\n\n".join(part for cell in json.loads(text)["cells"] for part in cell_parts(cell)) + "\n"


def cell_parts(cell: dict[str, object]) -> Iterator[str]:
    """The source of a cell, and what it shows."""
    source = "".join(cell["source"])
    yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
    for output in cell.get("outputs", ()):
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/png" in data:
            text = re.sub(r"\s", "", "".join(data["image/png"]))
            yield f'<img alt="The figure that the cell draws" src="data:image/png;base64,{text}">'
        elif "text/html" in data:
            yield f'<div class="output">\n{unindented("".join(data["text/html"]))}\n</div>'
        else:
            yield f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def unindented(html: str) -> str:
    """HTML without styles, blank lines and indents, which Markdown would read as code."""
    html = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    return "\n".join(line.strip() for line in html.splitlines() if line.strip())


def gallery_page(folder: Path) -> str:
    """What the gallery has, as a table that leads to its pages; or how to build it."""
    index = folder / "index.html"
    if not index.is_file():
        told = "This copy of the site was built without a gallery, a page for each target"
        return f"# Gallery\n\n{told}; `make gallery` builds one.\n"
    text = index.read_text("utf-8")
    count = re.search(r'<p class="lead">(.*?)</p>', text, re.DOTALL)[1]
    cards = re.search(r'<ul class="cards">.*?</ul>', text, re.DOTALL)[0]
    table = re.search(r'<table id="benchmark-table">.*?</table>', text, re.DOTALL)[0]
    table = re.sub(r"<caption>.*?</caption>", "", table).replace(' id="benchmark-table"', "")
    shown = [unindented(part.replace('href="', 'href="gallery/')) for part in (cards, table)]
    told = "Each picture opens the page of a target, on which you move n. Each line in it is a hypothesis at "
    told += "the height of its R, and ends at the length from which it is wrong."
    way = "[Targets side by side](gallery/index.html#beside) are in the gallery by itself."
    return "\n\n".join(["---\nhide: [toc]\n---", "# Gallery", f"{count} {told} {way}", *shown]) + "\n"


def gallery_files(folder: Path) -> Iterator[tuple[str, str]]:
    """The pages of the gallery and the code that all of them hold, which would be two thirds of the site."""
    shared: dict[str, str] = {}
    for path in sorted(folder.rglob("*.html")):
        name, text = path.relative_to(folder).as_posix(), path.read_text("utf-8")
        above = "../" * name.count("/")
        for kind, code in set(re.findall(r"<(style|script)>(.*?)</", text, re.DOTALL)):
            digest = hashlib.sha256(code.encode())
            own = f"code/{digest.hexdigest()[:12]}.{'css' if kind == 'style' else 'js'}"
            loaded = f'<link rel="stylesheet" href="{above}{own}">'
            if kind == "script":
                loaded = f'<script src="{above}{own}"></script>'
            text = text.replace(f"<{kind}>{code}</{kind}>", loaded)
            named = f"&#39;sha256-{base64.b64encode(digest.digest()).decode()}&#39;"
            text = text.replace(named, "&#39;self&#39; file:")  # what its policy lets in
            shared[own] = code
        yield name, text
    yield from shared.items()


def commands_page() -> str:
    """What ``--help`` says, command by command."""
    parts = ["# Commands"]
    for words in list_commands(main, ()):
        shown = CliRunner().invoke(main, [*words, "--help"], prog_name="idinf", terminal_width=100).stdout
        parts.append(f"## {' '.join(('idinf', *words))}\n\n```text\n{shown.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def list_commands(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of a command, and of those below it."""
    yield words
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from list_commands(command.get_command(context, name), (*words, name))


def reference_pages(root: Path) -> dict[str, str]:
    """The public names with their docstrings, by what they are; one without a docstring is a warning."""
    package = griffe.load("idinf", search_paths=[str(root)], resolve_aliases=True)
    pages: dict[str, list[str]] = {"functions": [], "values": [], "errors": []}
    for name, value in public_names():
        try:
            found = package[name]
        except KeyError:  # loaded when it is asked for: it stands where it is defined
            defined = f"{value.__module__}.{value.__qualname__}"
            found = package[defined.removeprefix("idinf.")]
        for path in undocumented(name, found.final_target if found.is_alias else found):
            LOG.warning("idinf.%s has no docstring", path)
        kind = "values" if inspect.isclass(value) else "functions"
        kind = "errors" if kind == "values" and issubclass(value, Exception) else kind
        options = f"    options:\n      heading: idinf.{name}\n      toc_label: {name}"
        pages[kind].append(f"::: {found.path}\n{options}\n")
    return {f"api/{kind}.md": "\n".join([f"# {kind.title()}\n", *parts]) for kind, parts in pages.items()}


def public_names() -> Iterator[tuple[str, object]]:
    """The names behind ``idinf.`` with what they are: those at the top, then those of its public modules."""
    for prefix in ("", "crasp.", "nets.", "lab.", "errors."):
        module = importlib.import_module(f"idinf.{prefix}".rstrip("."))
        own = [
            name
            for name, value in vars(module).items()
            if inspect.isclass(value) and value.__module__ == module.__name__
        ]
        for name in sorted(set(getattr(module, "__all__", own)) - {"__version__"}):
            yield prefix + name, getattr(module, name)


def undocumented(name: str, found: griffe.Object) -> Iterator[str]:
    """A public name and its public methods, where they have no docstring."""
    if not found.has_docstring:
        yield name
    for key, member in found.all_members.items() if found.is_class else ():
        if member.is_function and not key.startswith("_") and not member.has_docstring:
            yield f"{name}.{key}"

"""Pages of the site: the documents where they lie in the repository, notebooks, public names, the gallery.

MkDocs calls ``on_files`` and ``on_page_markdown``. Pages keep their paths from the root of the repository,
so a link that works on GitHub works in the site. What is missing is a warning, and ends a strict build.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import click
import griffe
from click.testing import CliRunner
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from idinf.commands import main

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
    "docs/site/*.js",
    "idinf/report/*.json",
)

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
    gallery = root / "build" / "gallery"
    shown = sorted(path for path in gallery.rglob("*") if path.is_file())
    for path in shown:
        name = path.relative_to(gallery.parent).as_posix()
        found.append(File.generated(config, name, abs_src_path=str(path)))
    pages = {"gallery.md": gallery_page(bool(shown)), "commands.md": commands_page()}
    pages |= reference_pages(root)
    for name, text in pages.items():
        found.append(File.generated(config, name, content=text))
    return found


def on_page_markdown(markdown: str, **_: object) -> str:
    """Write for MkDocs what GitHub takes: lists are indented by four columns, and <details> hold Markdown."""
    parts = _FENCED.split(markdown.replace("<details>", '<details markdown="1">'))
    parts[::2] = [re.sub(r"^( {3}|  (?=\S))", "    ", part, flags=re.MULTILINE) for part in parts[::2]]
    return "".join(parts)


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


def gallery_page(built: bool) -> str:
    """The way to the gallery, or how to build it."""
    if built:
        return "# Gallery\n\n[Open the gallery](gallery/index.html): one page for each target.\n"
    told = "This copy of the site was built without a gallery, a page for each target"
    return f"# Gallery\n\n{told}; `make gallery` builds one.\n"


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

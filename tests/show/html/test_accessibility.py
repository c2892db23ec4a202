"""No violation that axe-core finds, in light and dark, with everything opened."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from idinf.api.pages import report_page, site
from idinf.spec.spec import Answer
from tests.show.html.next_reports import NETS, report_of_spec, spec_of
from tests.show.reports import golden, opened

#: The version of axe-core that judges; another may find more.
AXE = "4.10.3"


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The text of axe-core, fetched by npm; tests are skipped where that is not possible."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so axe-core cannot be fetched")
    folder = tmp_path_factory.mktemp("axe")
    command = [npm, "pack", f"axe-core@{AXE}", "--silent"]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        pytest.skip(f"axe-core {AXE} cannot be fetched by npm")
    with tarfile.open(folder / f"axe-core-{AXE}.tgz") as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


PAGES = {
    "closed": lambda: ([golden("majority")], ""),
    "pair": lambda: ([golden("majority"), opened()], ""),
    "open pair": lambda: (
        [golden("dyck-1"), golden("dyck-1")],
        "#n=3&a.records=open&a.rule=accept+iff+true&b.records=open",
    ),
    "open": lambda: ([golden("dyck-1")], "#n=3&records=open&rule=accept+iff+empty"),
    "led": lambda: ([golden("majority")], "#step=4&told=1&n=2"),
    "asked": lambda: ([golden("parity")], "#step=3"),
    "led pair": lambda: ([golden("majority"), golden("parity")], "#step=11&told=1&exercise=3"),
    "mistaken": lambda: ([opened()], "#n=4&word=xyz"),
    "next": lambda: ([report_of_spec(spec_of("regex"), *NETS[Answer.SET])], ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_no_violation(browser, axe, tmp_path: Path, name, scheme):
    report, at = PAGES[name]()
    path = tmp_path / "page.html"
    path.write_text(report_page(*report), encoding="utf-8")
    assert violations(browser, axe, f"{path.as_uri()}{at}", scheme) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violation_in_a_site(browser, axe, tmp_path: Path, scheme):
    index = site(golden("majority"), opened(), folder=tmp_path / "site")
    assert violations(browser, axe, index.as_uri(), scheme) == []
    for page in ("targets/parity.html", "pairs/majority+parity.html"):
        assert violations(browser, axe, (index.parent / page).as_uri(), scheme) == []


def violations(browser, axe, address, scheme):
    """What axe-core finds wrong with a page."""
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.evaluate(axe)
    result = page.evaluate("axe.run()")
    context.close()
    assert len(result["passes"]) > 20
    return [
        (v["id"], node["target"], node["failureSummary"]) for v in result["violations"] for node in v["nodes"]
    ]

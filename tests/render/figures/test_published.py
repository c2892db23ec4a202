"""The copied numbers: complete, of shipped targets, with a source each; a few against the publication."""

from __future__ import annotations

from collections import Counter

from idinf.experiments.catalogue import list_names
from idinf.render.figures.observed import BINS, CAVEATS, ENCODINGS, list_rows, load_published


def test_every_row_is_a_bin_of_a_shipped_target_with_a_source():
    found = list_rows()
    assert {row["target"] for row in found} <= set(list_names())
    assert {(int(row["bin_lo"]), int(row["bin_hi"])) for row in found} == set(BINS)
    assert {row["encoding"] for row in found} == set(ENCODINGS)
    assert set(Counter((row["target"], row["encoding"]) for row in found).values()) == {len(BINS)}
    assert len(load_published()) == len(found)
    assert all(0 <= accuracy <= 1 for accuracy in load_published().values())
    sources = {"NoPE": "arXiv 2410.02140: ", "APE": "arXiv 2410.02140: ", "later": "arXiv 2602.08857: "}
    assert all(row["source"].startswith(sources[row["encoding"]]) for row in found)
    assert all((row["runs"] == "1") == (row["encoding"] == "later") for row in found)
    assert all((not row["std"]) == (row["runs"] in ("", "1")) for row in found)


def test_numbers_that_the_caveats_and_the_tables_name():
    known = load_published()

    def found(target, encoding):
        return [known[target, encoding, low] for low, _ in BINS]

    assert found("tomita-3", "later") == [0.9995, 0.9755, 0.8825]
    assert found("012-02", "later") == [1.0, 1.0, 1.0]
    assert found("012-02", "NoPE") == [0.182, 0.112, 0.0]
    assert found("parity", "NoPE") == [0.9752, 0.745, 0.633]
    assert found("majority", "APE") == [1.0, 0.9999, 0.9996]
    said = " ".join(CAVEATS)
    assert "100 %" in said
    below = {
        target
        for (target, encoding, low), accuracy in known.items()
        if low == 0 and accuracy < 1 and encoding != "later"
    }
    assert below == {"parity", "tomita-3", "tomita-5", "tomita-6", "012-02"}
    assert "below 1 in that bin (PARITY, Tomita 3, 5, 6, {0,1,2}*02*)" in said
    assert "no clean ground truth" in " ".join(CAVEATS)

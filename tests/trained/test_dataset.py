"""Datasets: labels and next symbols against the targets, bins, seeds, and one line per mistake."""

import json
from collections import Counter

import pytest

from idinf.api.languages import read_target
from idinf.show.text.labels import next_text
from idinf.spec.spec import Answer
from idinf.trained.calls.dataset import dataset
from idinf.trained.dataset import KINDS
from idinf.trained.task import Task
from tests.commands.refusals import refused, runner

run = runner("dataset")


@pytest.mark.parametrize("name", ["majority", "dyck-1", "d-3", "tomita-1", "tomita-6", "contains-ab-abc"])
def test_labels_kinds_and_bins(name: str) -> None:
    found = dataset(name, bins=[(0, 9), (20, 31)], number=41, seed=3, positives=0.25)
    language = read_target(name)
    assert found.alphabet == language.alphabet
    assert Counter((each.bin, each.label) for each in found.examples) == {
        (text, label): count for text in ("0-9", "20-31") for label, count in ((True, 10), (False, 31))
    }
    for each in found.examples:
        low, high = map(int, each.bin.split("-"))
        assert low <= each.length == len(language.alphabet.encode(each.word)) <= high
        assert (each.word in language) is each.label is (each.kind == KINDS[0])


def test_next_symbols_of_a_regular_language_are_its_legal_continuations() -> None:
    found = dataset("tomita-4", bins="0-12", number=30)
    target = Task.of(read_target("tomita-4").spec, Answer.SET).target
    for each in found.examples:
        sets = target.next_symbols(target.alphabet.encode(each.word)) if each.label else None
        assert each.next == sets
    assert {each.next for each in dataset("majority", bins="3-4", number=9).examples} == {None}


@pytest.mark.parametrize("name", ["majority-next", "tomita-4-next", "copy-unique-next", "parity-next"])
def test_targets_of_next_symbols(name: str) -> None:
    found = dataset(name, bins="2-7", number=30, positives=0)
    machine = read_target(name).machine
    assert len(found.examples) == 30
    for each, line in zip(found.examples, found.txt().splitlines(), strict=True):
        word = found.alphabet.encode(each.word)
        assert machine.is_counted(word)
        assert (each.label, each.kind, each.next) == (True, "uniform", machine.next_symbols(word))
        assert line == f"{each.word}\t{next_text(each.next)}"


def test_a_set_that_is_not_judged_is_null() -> None:
    spec = read_target("parity-next").spec
    assert spec.judged is not None
    rows = [json.loads(line) for line in dataset(spec, bins="2-7", number=9).jsonl().splitlines()]
    assert all(None in row["next"] and len(row["next"]) == row["length"] + 1 for row in rows)


def test_lengths_and_words_are_equally_frequent() -> None:
    """Of even lengths alone, as no other has words; long ones have no more weight than short ones."""
    found = dataset("dyck-1", bins="0-7", number=4000, positives=1)
    lengths = Counter(each.length for each in found.examples)
    assert set(lengths) == {0, 2, 4, 6}
    assert all(abs(count - 1000) < 150 for count in lengths.values())
    words = Counter(each.word for each in found.examples if each.length == 6)
    assert len(words) == 5
    assert all(abs(count - 200) < 75 for count in words.values())


def test_the_same_seed_writes_the_same_bytes() -> None:
    one = dataset("majority", bins="0-9,70-80", number=30, seed=7)
    assert one.jsonl() == dataset("majority", bins="0-9,70-80", number=30, seed=7).jsonl()
    assert one.jsonl() != dataset("majority", bins="0-9,70-80", number=30, seed=8).jsonl()
    alone = dataset("majority", bins="70-80", number=30, seed=7)
    assert alone.examples == one.examples[30:]
    labels = [each.label for each in alone.examples]
    assert labels not in (sorted(labels), sorted(labels, reverse=True))


def test_where_near_misses_are_rare_the_rest_is_uniform_among_the_rejected() -> None:
    """Of a majority of many symbols, no small change makes a minority; of all words none is rejected."""
    found = dataset("regex:(a|b)*a(a|b)*|b*", alphabet="ab", bins="5-5", number=10)
    assert found.notes == ("5 examples of 5-5 are missing, as words are hardly ever rejected",)
    assert len(found.examples) == 5
    found = dataset("majority", bins="120-120", number=400)
    assert Counter(each.label for each in found.examples) == {True: 200, False: 200}
    assert {each.kind for each in found.examples} == set(KINDS)
    assert min(Counter(each.kind for each in found.examples).values()) > 5


def test_files(tmp_path) -> None:
    found = dataset("tomita-6", bins="0-5,6-9", number=5, seed=2)
    for form in ("jsonl", "txt"):
        file, own = tmp_path / f"words.{form}", tmp_path / f"own.{form}"
        asked = ("tomita-6", "--bins", "0-5,6-9", "--number", 5, "--seed", 2, "--as", form)
        result = run(*asked, "-o", file)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == "0-5\t2\t3\t0\n6-9\t2\t3\t0\n"
        found.save(own)
        assert file.read_text() == own.read_text() == getattr(found, form)() == run(*asked).stdout
    rows = [json.loads(line) for line in found.jsonl().splitlines()]
    assert list(rows[0]) == ["word", "length", "bin", "label", "kind", "next"]
    lines = [line.split("\t") for line in found.txt().splitlines()]
    assert [[row["word"], str(int(row["label"]))] for row in rows] == lines
    assert found.examples.to_frame()["word"].tolist() == [row["word"] for row in rows]


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--bins", "0-50,50-60"), ("0-50 and 50-60 share lengths",)),
        (("--bins", "5-6,0-9"), ("5-6 and 0-9 share lengths",)),
        (("--bins", "0-2", "--number", 0), ("0", "100000")),
        (("--bins", "0-2", "--seed", -1), ("-1",)),
        (("--bins", "0-2", "--positives", "nan"), ("'nan'", "a number from 0 to 1")),
        (("--bins", "0-2", "--positives", "1.5"), ("1.5", "give for example 0.5")),
        (("--bins", "0-2", "--as", "csv"), ("csv", "jsonl")),
    ],
)
def test_options_that_are_none(options: tuple[object, ...], parts: tuple[str, ...]) -> None:
    refused(run("majority", *options), 2, *parts)

"""What follows from the records of a report: stages, n0, outcome, bracket, by the definitions alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from idinf.quoting import quoted
from idinf.transformers.regularizer import EPSILON
from idinf.verification.definition import TargetDefinition

__all__ = ["OPEN", "OUTCOMES", "SLACK", "ReportTable", "differs"]

#: Numbers R are rounded to 9 decimals, so two that agree within EPSILON can be so far apart.
SLACK = 2 * EPSILON

#: Outcomes of runs that reached the stop bound, with what they say of n = max_n.
_FINISHED = {"identified": True, "identified-for-all-n": True, "not-identified": False}

_FOR_ALL = "identified-for-all-n"

#: All that a report can say.
OPEN = "open"
OUTCOMES = (*_FINISHED, OPEN)


def differs(name: str, given: object, expected: object) -> Iterator[str]:
    """Say that a value is not the expected one, or within `SLACK` of it for numbers R.

    Examples
    --------
    >>> list(differs("r", 4.0, 4.5)), list(differs("r", 4.0, 4.000000001)), list(differs("n0", None, 3))
    (['r = 4.0; expected 4.5'], [], ['n0 = null; expected 3'])
    """
    numbers = [x for x in (given, expected) if isinstance(x, int | float) and not isinstance(x, bool)]
    close = len(numbers) == 2 and abs(numbers[0] - numbers[1]) <= SLACK
    if not close and (given != expected or type(given) is not type(expected)):
        yield f"{name} = {_shown(given)}; expected {_shown(expected)}"


@dataclass(frozen=True)
class ReportTable:
    """The numbers of a report.

    Parameters
    ----------
    report : mapping
        As `idinf.report.shape.read_report` gives it.
    definition : TargetDefinition
        Tells which words count.
    """

    report: Mapping[str, Any]
    definition: TargetDefinition

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows of the records."""
        return list(self.report["records"])

    @property
    def stages(self) -> list[dict[str, Any]]:
        """The rows of the stages."""
        return list(self.report["stages"])

    @property
    def max_n(self) -> int:
        """The largest n."""
        return int(self.report["max_n"])

    def selected(self, n: int) -> list[dict[str, Any]]:
        """Records that are selected at n whatever was rounded; more may be selected that are none."""
        r_star = self._r_star(n)
        high = -1.0 if r_star is None else min(r_star + self._tolerance(n), self._complete)
        return [record for record in self.records if _fits(record, n) and record["r"] <= high]

    def record_faults(self) -> Iterator[str]:
        """Records rise in R and in fail; all lie where the search was complete; proved ones are marked."""
        before_r, before_fail = -1.0, 0
        proved = [proof["hypothesis"] for proof in self.report["proofs"]]
        for number, record in enumerate(self.records):
            place, r, fail = f"records[{number}]", record["r"], record["fail"]
            if r <= before_r:
                yield f"{place}.r = {r}; expected more than {before_r}"
            if r > min(self._complete, self.report["space"]["max_r"]) + SLACK:
                yield f"{place}.r = {r}; expected at most complete_up_to_r and max_r"
            if fail is None and number + 1 < len(self.records):
                yield f"{place}.fail = null; expected that of the last record only"
            if fail is not None and not before_fail < fail <= 2 * self.max_n:
                yield f"{place}.fail = {fail}; expected from {before_fail + 1} to {2 * self.max_n}"
            holds = record["hypothesis"] in proved
            yield from differs(f"{place}.proved_all_n", record["proved_all_n"], holds)
            before_r, before_fail = r, before_fail if fail is None else fail

    def r_star_faults(self) -> Iterator[str]:
        """R*_n is the R of the first record with fail > n, or above all that is complete."""
        if [row["n"] for row in self.stages] != list(range(1, len(self.stages) + 1)):
            yield f"n = {', '.join(str(row['n']) for row in self.stages)}; expected 1, 2, … in turn"
        if not 1 <= len(self.stages) == self.max_n:
            yield f"{len(self.stages)} rows; expected max_n = {self.max_n}, at least 1"
        for n, row in enumerate(self.stages, 1):
            r_star = self._r_star(n)
            yield from differs(f"at n = {n} r_star", row["r_star"], r_star)
            lower = self._complete if r_star is None else r_star
            yield from differs(f"at n = {n} r_star_lower", row["r_star_lower"], lower)

    def good_faults(self) -> Iterator[str]:
        """Good, bad and undetermined, as far as records and the row itself decide them."""
        for n, row in enumerate(self.stages, 1):
            yield from (f"at n = {n} {fault}" for fault in self._row_faults(n, row))

    def _row_faults(self, n: int, row: Mapping[str, Any]) -> Iterator[str]:
        r_star, good, worst = self._r_star(n), row["good"], row["fail_of_worst"]
        fails = [record["fail"] for record in self.selected(n) if record["fail"] is not None]
        least, records = min(fails, default=None), len(self.selected(n))
        whole = r_star is not None and r_star + self._tolerance(n) <= self._complete + SLACK
        number, bad = row["num_selected"], row["num_selected_bad"]
        if r_star is None and (number or bad or worst is not None or good is not None):
            yield "something is selected or decided; expected nothing where r_star is null"
        if number < records:  # their fails differ, so they are functions of their own
            yield f"num_selected = {number}; expected at least {records}, that many records are selected"
        if worst is not None and not n < worst <= 2 * self.max_n:
            yield f"fail_of_worst = {worst}; expected from {n + 1} to {2 * self.max_n}"
        if least is not None and (worst is None or worst > least):
            yield f"fail_of_worst = {_shown(worst)}; a selected record has fail {least}"
        elif row["num_selected_exact"] and number == records and worst != least:
            yield f"fail_of_worst = {worst}; expected {_shown(least)}, no more is selected than the records"
        fails_early = worst is not None and worst <= 2 * n
        if good is None and r_star is not None and (fails_early or (whole and row["num_selected_exact"])):
            yield "good = null; expected a verdict, its window is complete or something selected fails"
        if good is not False and (fails_early or bad or row["counterexample"] is not None):
            yield f"good = {_shown(good)}, but something selected fails at a length up to {2 * n}"
        if good and not (whole and row["num_selected_exact"]):
            yield "good = true; expected a complete window, and all that is selected counted"
        if good and worst is None and number != 1:
            yield f"num_selected = {number}; expected 1: what never fails is one function"
        if good is False:
            yield from self._bad_faults(n, row)

    def _bad_faults(self, n: int, row: Mapping[str, Any]) -> Iterator[str]:
        worst, text = row["fail_of_worst"], row["counterexample"]
        if not 1 <= row["num_selected_bad"] <= row["num_selected"]:
            yield f"num_selected_bad = {row['num_selected_bad']}; expected from 1 to num_selected"
        is_late = text is None and self.report["outcome"] == OPEN  # a stopped run had no time to find it
        if worst is None or worst > 2 * n or (text is None and not is_late):
            yield f"good = false without a counterexample of length at most {2 * n}"
            return
        if text is None:
            return
        word = self.definition.alphabet.encode(text)
        if len(word) != worst or not self.definition.counts(word):
            yield (
                f"counterexample = {quoted(text)}; expected a word that counts, of length fail_of_worst = "
                f"{worst}"
            )
        for record in self.selected(n):
            if record["fail"] == worst and record["counterexample"] is not None:
                other = self.definition.alphabet.encode(record["counterexample"])
                if (len(other), other) < (len(word), word):
                    earlier = quoted(record["counterexample"])
                    yield f"counterexample = {quoted(text)}; {earlier} of a record comes before"

    def n0_faults(self) -> Iterator[str]:
        """n0 is the least n from which every stage is good; that of the canonical pick is not above it.

        Of all hypotheses with R = R*_n a record has the largest fail; if that is at most 2n, the pick is bad.
        """
        good = [row["good"] is True for row in self.stages]
        n0 = None
        for n in range(len(good), 0, -1):
            if not good[n - 1]:
                break
            n0 = n
        if self.report["outcome"] not in _FINISHED:
            n0 = None
        yield from differs("n0", self.report["n0"], n0)
        pick = self.report["n0_canonical"]
        if n0 is not None and (pick is None or pick > n0):
            yield f"n0_canonical = {_shown(pick)}; expected at most {n0}, the pick is among what is selected"
        if pick is not None and not 1 <= pick <= len(good):
            yield f"n0_canonical = {pick}; expected from 1 to {len(good)}"
        elif pick is not None and pick > 1 and good[pick - 2]:
            yield f"n0_canonical = {pick}; expected less, all that is selected at n = {pick - 1} is good"
        firsts = ((n, self._first(n)) for n in range(1, len(good) + 1))
        bad = [n for n, record in firsts if record and record["fail"] is not None and record["fail"] <= 2 * n]
        if pick is not None and pick <= max(bad, default=0):
            yield f"n0_canonical = {pick}; expected more than {bad[-1]}, where all with R = R* fail too early"
        if pick is not None and self.stages and self.stages[-1]["r_star"] is None:
            yield f"n0_canonical = {pick}; expected null, nothing is known to be selected at max_n"

    def outcome_faults(self) -> Iterator[str]:
        """What the outcome claims: complete to the stop bound, good at max_n, all of it proved."""
        outcome, bound = self.report["outcome"], self._stop_bound(None)
        if not 0 <= self._complete <= self.report["space"]["max_r"] + SLACK:
            yield f"complete_up_to_r = {self._complete}; expected from 0 to max_r"
        if outcome in _FINISHED:
            if bound is None or bound > self._complete + SLACK:
                yield f"stop bound {_shown(bound)}; expected at most complete_up_to_r = {self._complete}"
            good = self.stages[-1]["good"] if self.stages else None
            yield from differs(f"{outcome}, good at max_n", good, _FINISHED[outcome])
        if self.report["method"] != "exact":
            yield f"method = {quoted(self.report['method'])}; expected 'exact'"
        if outcome == _FOR_ALL:
            yield from self._for_all_faults()
        elif self.report["proofs"]:
            yield f"there are proofs; expected none with the outcome {outcome}"

    def _for_all_faults(self) -> Iterator[str]:
        r_star = self._r_star(self.max_n)
        proofs = self.report["proofs"]
        if r_star is None or not any(abs(proof["r"] - r_star) <= SLACK for proof in proofs):
            yield f"no proved hypothesis has R = {_shown(r_star)}, which is R* at max_n"
            return
        for number, proof in enumerate(proofs):
            if proof["r"] < r_star - SLACK:
                yield f"proofs[{number}].r = {proof['r']}; expected at least R* = {r_star}"
        proved = [proof["hypothesis"] for proof in proofs]
        for number, record in enumerate(self.records):
            near = record["r"] <= r_star + self._tolerance(self.max_n + 1)
            if near and _fits(record, self.max_n + 1) and record["hypothesis"] not in proved:
                yield f"records[{number}] can be selected beyond max_n; expected a proof of it"

    def bracket_faults(self) -> Iterator[str]:
        """An open run brackets R* at max_n; no other does."""
        bracket, n = self.report["bracket"], len(self.stages)
        if (bracket is None) != (self.report["outcome"] in _FINISHED):
            yield f"bracket = {_shown(bracket)}; expected one iff the outcome is open"
        if bracket is None or not n:
            return
        yield from differs("r_lower", bracket["r_lower"], self._r_star(n) or self._complete)
        upper, length = bracket["r_upper"], bracket["upper_length"]
        if len({value is None for value in (upper, length, bracket["hypothesis"])}) > 1:
            yield "r_upper, upper_length or hypothesis is null; expected all of them or none"
            return
        if upper is not None and upper < bracket["r_lower"] - SLACK:
            yield f"r_upper = {upper}; expected at least r_lower"
        if length is not None and not 0 <= length <= 2 * self.max_n:
            yield f"upper_length = {length}; expected from 0 to {2 * self.max_n}"
        last = self.records[-1] if self.records else None
        if last is not None and last["fail"] is None:
            yield from differs("r_upper", upper, last["r"])
            yield from differs("upper_length", length, 2 * self.max_n)
        known = self._stop_bound(upper if length is not None and length >= self.max_n else None)
        yield from differs("stop_bound_upper", bracket["stop_bound_upper"], known)
        bad = [row["n"] for row in self.stages if row["good"] is False]
        yield from differs("n0_lower", bracket["n0_lower"], max(bad, default=0) + 1)

    @property
    def _complete(self) -> float:
        return float(self.report["complete_up_to_r"])

    def _tolerance(self, n: int) -> float:
        tolerance = self.report["regularizer"]["tolerance"]
        return 1 / (2 * n) if isinstance(tolerance, str) else float(tolerance)

    def _first(self, n: int) -> dict[str, Any] | None:
        """The first record that is consistent at n."""
        return next((record for record in self.records if _fits(record, n)), None)

    def _r_star(self, n: int) -> float | None:
        first = self._first(n)
        return None if first is None else float(first["r"])

    def _stop_bound(self, at_most: float | None) -> float | None:
        """The maximum of R*_n + tolerance; ``at_most`` stands for what is unknown."""
        levels = [
            at_most if (level := self._r_star(n)) is None else level for n in range(1, len(self.stages) + 1)
        ]
        if not levels or None in levels:
            return None
        return max(level + self._tolerance(n) for n, level in enumerate(levels, 1) if level is not None)


def _fits(record: Mapping[str, Any], n: int) -> bool:
    """Whether it is right on all words up to length n, by its fail."""
    return record["fail"] is None or int(record["fail"]) > n


def _shown(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

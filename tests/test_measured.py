"""What `make suite` and `make reach` read of reports."""

import json

from idinf.inference.run import run
from idinf.report.files import report_to_dict
from idinf.spec.spec import Kind
from idinf.work.limits import Limits
from tests.inference.test_budgets import asked
from tools import reach, suite
from tools.languages import Language


class Mislabelled(Language):
    """A language that the second look takes for its complement: a planted fault."""

    def membership(self, word):
        """Say the opposite."""
        return not super().membership(word)


def test_reach_reads_letters_that_are_merged():
    """Of (c|c+)* a and b are one letter of the report, so codes of words are not those of the language."""
    drawn = 1, 0, Kind.REGEX, "abc", "(c|c+)*"
    row = reach.measure(Language(*drawn), 60)
    assert (row.outcome, row.smaller, row.second_look) == ("identified-for-all-n", "", reach.AGREES)
    assert reach.measure(Mislabelled(*drawn), 60).is_wrong


def test_the_suite_tells_the_first_of_several_smaller_spaces():
    report = run(asked("b*", 2000), Limits()).report
    content = json.loads(json.dumps(report_to_dict(report)))
    assert suite.smaller_of(content) == "-"
    told = suite.smaller_of({**content, "smaller": [content, {}]})
    assert told == "one-hot family: R\\* 8.000000, n0 2, for every n"

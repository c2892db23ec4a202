# What the methods of a report call, each with the module that it is loaded from when it is asked for first.
from idinf.api.languages import HypothesisLike as HypothesisLike
from idinf.api.languages import hypothesis as hypothesis
from idinf.api.pages import report_page as report_page
from idinf.api.plots import LookArguments as LookArguments
from idinf.api.plots import plot as plot
from idinf.api.reports import verify as verify
from idinf.proofs.check.report_check import ReportCheck as ReportCheck
from idinf.report.files import dump_report as dump_report
from idinf.report.files import report_from_dict as report_from_dict
from idinf.report.files import report_to_dict as report_to_dict
from idinf.show.sentences import headline as headline
from idinf.show.sentences import list_caveats as list_caveats
from idinf.show.sentences import sentences as sentences
from idinf.show.text.answer import render_answer as render_answer
from idinf.trained.show.page import render_page as render_page
from idinf.trained.show.text import render_judgement as render_judgement

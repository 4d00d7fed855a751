"""Reports: what a tournament's log says, for people. Read afterwards, of completed blocks only, and never audited here.

- `gathering`: what the matches' logs hold beyond results: time use and faults.
- `report`: everything that is shown, computed once; `sources`: from a log or a bundle.
- `results`: JSON and CSV; `page` and `pictures`: the HTML page; `explaining`: where one bot's points came from.
"""

from cutpurse_server.reports.explaining import Explanation, explanation_of
from cutpurse_server.reports.page import page_of
from cutpurse_server.reports.report import Report
from cutpurse_server.reports.results import matrix_csv, results_csv, results_json
from cutpurse_server.reports.sources import NoReport, report_of_bundle, report_of_log

__all__ = [
    "Explanation",
    "NoReport",
    "Report",
    "explanation_of",
    "matrix_csv",
    "page_of",
    "report_of_bundle",
    "report_of_log",
    "results_csv",
    "results_json",
]

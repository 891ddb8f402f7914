"""How much of a report a page shows: an answer of nothing but terms has a verdict for each word."""

from typing import Final

from server.contract import Report

MOST_SHOWN: Final = 1000
"""Places of terms, and remarks. Half an hour of speech has some 500; an answer as long as the
contract allows can have 49,000, and its page had 68 MB."""


def bounded(report: Report) -> Report:
    """The report with as many places of terms, worst first, and remarks as a page can show.

    It says so where something is left out; scores and counts of the report are as they were.
    """
    terms, notes = report.pronunciation.terms, report.language.notes
    left_out = max(0, len(terms) - MOST_SHOWN) + max(0, len(notes) - MOST_SHOWN)
    if not left_out:
        return report
    notice = (
        f"{left_out:,} more places of terms and remarks on the language are left out here; "
        "the JSON export has them."
    )
    return report.model_copy(
        update={
            "pronunciation": report.pronunciation.model_copy(update={"terms": terms[:MOST_SHOWN]}),
            "language": report.language.model_copy(update={"notes": notes[:MOST_SHOWN]}),
            "notices": (*report.notices, notice),
        }
    )

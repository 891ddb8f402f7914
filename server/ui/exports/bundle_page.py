"""One answer as a page that a coach opens from disk, comments in, and saves the comments of."""

import base64
import hashlib
import json
from typing import Final

from markupsafe import Markup

from server.contract import ArchivedAttempt
from server.review_contract import MAX_COMMENT_CHARS, ReviewDocument
from server.ui.rendering import STATIC, STYLESHEET, environment
from server.ui.report_view import Sounds, view_report

__all__ = ["bundle_page"]

_SCRIPT: Final = STATIC / "bundle.js"


def bundle_page(attempt: ArchivedAttempt, review: ReviewDocument, recording: str | None) -> str:
    """The page with everything inlined; it asks the network for nothing, and may not.

    Args:
        attempt: the answer with its report.
        review: what was written about it so far.
        recording: its sound as a ``data:`` address; ``None``: without.
    """
    # our own files: nothing in them comes from an answer
    script = _SCRIPT.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # "<" cannot end the element that holds it
    data = json.dumps(review.model_dump(mode="json")).replace("<", "\\u003c")
    template = environment().get_template("sharing/bundle.html")
    return (
        template.render(
            attempt=attempt,
            view=view_report(attempt.report),
            words=[each.text for each in attempt.submission.transcript.words],
            sounds=Sounds(recording_url=recording),
            stylesheet=Markup(STYLESHEET.read_text(encoding="utf-8")),
            script=Markup(script),
            script_digest=digest,
            review=Markup(data),
            most_chars=MAX_COMMENT_CHARS,
        )
        + "\n"
    )

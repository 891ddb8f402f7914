"""Self-contained HTML files: attempts to keep or print, and a bundle for a coach."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from server.contract import (
    MAX_COMMENT_CHARS,
    MAX_SCORE,
    ArchivedAttempt,
    Criterion,
    Report,
    ReviewDocument,
    TermOrPhrase,
    clock,
)
from server.ui.rendering import STATIC, environment, stylesheet
from server.ui.report_view import Sounds, view_report
from server.ui.verdict_words import VERDICT_WORDS, words_of_term


def to_html(attempts: Sequence[ArchivedAttempt]) -> str:
    """The attempts with their latest reports, as the studio shows them but without sound."""
    alone = len(attempts) == 1
    entries = [
        (attempt, view_report(attempt.report, prefix="" if alone else f"a{number}-"))
        for number, attempt in enumerate(attempts, start=1)
    ]
    says = any(note.sentence for attempt in attempts for note in attempt.report.language.notes)
    speech = _Script.of("speech.js") if says else None
    template = environment().get_template("report/standalone.html")
    return (
        template.render(entries=entries, stylesheet=stylesheet(), sounds=Sounds(), speech=speech)
        + "\n"
    )


@dataclass(frozen=True)
class _Script:
    """One of our own files, without anything from an answer; the policy names its digest."""

    text: Markup
    digest: str

    @classmethod
    def of(cls, name: str) -> "_Script":
        text = (STATIC / name).read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return cls(Markup(text), digest)


_CHOICES: Final[dict[TermOrPhrase, dict[str, str]]] = {
    "phrase": {
        "covered": "It was said",
        "partial": "It was partly said",
        "missing": "It was not said",
    },
    "term": {
        "correct": "It was said right",
        "mispronounced": "It was mispronounced",
        "unclear": "It is not clear",
    },
}
"""What a verdict can be corrected to."""


@dataclass(frozen=True)
class _Verdict:
    target: TermOrPhrase
    name: str
    word_index: int | None
    verdict: str
    text: str


def bundle_page(attempt: ArchivedAttempt, review: ReviewDocument, recording: str | None) -> str:
    """The page with everything inlined; its policy forbids network access.

    Args:
        attempt: the answer with its report.
        review: what was written about it so far.
        recording: its sound as a ``data:`` URL; ``None``: none.
    """
    # without "<", the content cannot end its element
    data = json.dumps(review.model_dump(mode="json")).replace("<", "\\u003c")
    view = view_report(attempt.report)
    transcript = attempt.report.transcript
    template = environment().get_template("sharing/bundle.html")
    return (
        template.render(
            attempt=attempt,
            view=view,
            word_count=len(transcript.tokens),
            has_times=view.timed or recording is not None,
            criteria=_criteria(review),
            verdicts=tuple(_verdicts(attempt.report)),
            choices=_CHOICES,
            sounds=Sounds(recording_url=recording),
            stylesheet=stylesheet(),
            script=_Script.of("bundle.js"),
            speech=_Script.of("speech.js"),
            review=Markup(data),
            most_chars=MAX_COMMENT_CHARS,
        )
        + "\n"
    )


def _criteria(review: ReviewDocument) -> tuple[Criterion, ...]:
    """The criteria of the owner's cohorts, and those that somebody has already scored."""
    criteria = {each.name: each for each in review.criteria}
    for each in review.scores:
        if each.criterion.strip() and each.criterion not in criteria:
            criteria[each.criterion] = Criterion.model_construct(
                name=each.criterion, description="", scale=MAX_SCORE
            )
    return tuple(criteria.values())


def _verdicts(report: Report) -> Iterator[_Verdict]:
    for number, phrase in enumerate(report.coverage.phrases, start=1):
        said = "denied" if phrase.negated else VERDICT_WORDS[phrase.status]
        text = f"{number}. {phrase.phrase}: {said}"
        yield _Verdict("phrase", phrase.phrase, None, phrase.status, text)
    for term in report.pronunciation.terms:
        where = f" at {clock(term.start_s)}" if term.start_s is not None else ""
        yield _Verdict(
            "term",
            term.term,
            term.word_indices[0] if term.word_indices else None,
            term.verdict,
            f"{term.term}{where}: {words_of_term(term)}",
        )

"""An answer with a planted report: a score with its parts, a structure, phrases perhaps said."""

from datetime import UTC, datetime
from typing import Final

from question_bank.models import KeyPhrase, Question
from server.contract import (
    ArchivedAttempt,
    ArchivedReport,
    Coverage,
    CoverageEvidence,
    Delivery,
    Language,
    PhraseCoverage,
    Pronunciation,
    Report,
    Structure,
    StructurePart,
    Submission,
    Transcript,
    Word,
    content_score,
    coverage_score,
)
from server.grading.summary import summarize

TEXT: Final = (
    "The fast network keeps data paths short because requests join the running batch at every "
    "step so the accelerators never idle and we page the cache like an operating system"
)
CLAUSE: Final = "requests join the running batch at every step"
OWN_WORDS: Final = "we page the cache like an operating system"
NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


def planted_attempt(
    question: Question, submission_id: str, phrases: tuple[str, ...], *, version: str = "2.0.0"
) -> ArchivedAttempt:
    """An attempt to import.

    Args:
        question: what it answers; its key phrases are not looked at.
        submission_id: its id.
        phrases: six names: said in own words, by sound, in the recording, by a model's verdict,
            perhaps said, missing.
        version: of the grader.
    """
    report = planted_report(question, phrases, version=version)
    return ArchivedAttempt(
        submission=Submission(
            submission_id=submission_id,
            question_id=question.id,
            created_at=NOW,
            transcript=report.transcript,
        ),
        question=question,
        received_at=NOW,
        reports=(ArchivedReport(graded_at=NOW, report=report),),
    )


def planted_report(
    question: Question, phrases: tuple[str, ...], *, version: str = "2.0.0"
) -> Report:
    """The report of ``planted_attempt``."""
    own, by_sound, heard, judged, possible, missing = phrases
    words = tuple(
        Word(text=each, start_s=float(i), end_s=i + 0.5) for i, each in enumerate(TEXT.split())
    )
    found = (
        PhraseCoverage(phrase=own, status="covered", how="own_words", evidence=said(OWN_WORDS)),
        PhraseCoverage(phrase=by_sound, status="covered", how="sound", evidence=said("network")),
        PhraseCoverage(phrase=heard, status="covered", how="heard", evidence=said("data paths")),
        PhraseCoverage(phrase=judged, status="covered", how="judge", evidence=said("never idle")),
        PhraseCoverage(
            phrase=possible,
            status="possible",
            how="own_words",
            confidence=0.8,
            evidence=said(CLAUSE),
            why="It keeps the accelerator busy.",
        ),
        PhraseCoverage(phrase=missing, status="missing", weight=5),
    )
    coverage = Coverage(score=coverage_score(found), phrases=found)
    structure = Structure(
        kind="explain",
        parts=(
            StructurePart(name="reason", status="said", evidence=said("because")),
            StructurePart(name="example", status="missing", ask="Can you give a number?"),
        ),
        score=0.5,
    )
    content = content_score(coverage, structure)
    delivery = Delivery(words=len(words), target_s=60, answer_s=float(len(words)))
    return Report(
        question_id=question.id,
        created_at=NOW,
        grader_version=version,
        bank_version="b1",
        transcript=Transcript(text=TEXT, words=words, engine="fake", duration_s=len(words)),
        score=content.score,
        score_parts=content.parts,
        coverage=coverage,
        structure=structure,
        pronunciation=Pronunciation(),
        delivery=delivery,
        summary=summarize(coverage, Pronunciation(), delivery, Language(), structure),
    )


def said(text: str) -> CoverageEvidence:
    """The place of these words in the answer."""
    words, wanted = TEXT.split(), text.split()
    at = next(i for i in range(len(words)) if words[i : i + len(wanted)] == wanted)
    return CoverageEvidence(
        text=text,
        start_s=float(at),
        end_s=at + len(wanted) - 0.5,
        word_indices=tuple(range(at, at + len(wanted))),
    )


PHRASES: Final = (
    "paged attention",
    "RoCE",
    "adaptive routing",
    "utilization",
    "continuous batching",
    "lossless",
)
QUESTION: Final = Question(
    id="fast-network",
    role="ml-engineer",
    round="domain-deep-dive",
    topic="Fabric",
    prompt="Why a fast network?",
    model_answer="Because.",
    key_phrases=tuple(KeyPhrase(phrase=each) for each in PHRASES),
)
"""A question of no bank, with the planted phrases."""

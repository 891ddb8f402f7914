"""From a question and a submission to the Report."""

import logging
from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path

from pronunciation.terms import Lexicon
from question_bank.models import KeyPhrase, Question
from server.contract import (
    Coverage,
    Report,
    Structure,
    Submission,
    Transcript,
    Word,
    content_score,
)
from server.core.errors import GradingError
from server.grading.answer import Answer, read_answer
from server.grading.coverage import cover_phrases
from server.grading.delivery import measure_delivery
from server.grading.denial import is_denied
from server.grading.judgment import apply_judgment
from server.grading.language import remark
from server.grading.listed import Listing
from server.grading.phrases import compile_phrases
from server.grading.sense.clauses import Span
from server.grading.sense.encoder import shared_encoder
from server.grading.sense.own_words import Spoken, with_own_words
from server.grading.sense.vectors import AnswerSense, like_sense_of
from server.grading.stance import denies_with
from server.grading.structure import judge_structure
from server.grading.summary import notices_of, summarize
from server.grading.terms import TermIndex, compile_terms
from server.grading.verdicts import judge_terms

logger = logging.getLogger(__name__)

GRADER_VERSION = "4.4.1"
"""Changes whenever the same answer may get a different report; ``aloud regrade`` relies on it."""

NO_SPEECH = "no speech detected: there is nothing to grade"


@lru_cache(maxsize=8)
def _by_version(version: str, size: int, lexicon: "_ById") -> TermIndex:
    if lexicon.folder is None:
        return compile_terms(lexicon.lexicon)
    from server.grading.kept_terms import kept_index

    return kept_index(lexicon.lexicon, lexicon.folder)


class _ById:
    """A lexicon as a cache key; lexicons are frozen."""

    def __init__(self, lexicon: Lexicon, folder: Path | None) -> None:
        self.lexicon, self.folder = lexicon, folder

    def __hash__(self) -> int:
        return hash((self.lexicon.version, len(self.lexicon)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and (
            other.lexicon is self.lexicon or other.lexicon.terms == self.lexicon.terms
        )


def term_index(lexicon: Lexicon, folder: Path | None = None) -> TermIndex:
    """The lexicon compiled; the same for an equal lexicon.

    Args:
        lexicon: the terms.
        folder: keeps it compiled for the next start.
    """
    return _by_version(lexicon.version, len(lexicon), _ById(lexicon, folder))


def cover(
    key_phrases: Sequence[KeyPhrase],
    words: Sequence[Word] | Sequence[str],
    lexicon: Lexicon,
    *,
    strict: bool = False,
) -> Coverage:
    """Which of the key phrases were said in these words.

    Args:
        key_phrases: the phrases to find.
        words: as transcribed, with their punctuation; plain strings for a typed answer.
        lexicon: the terms, their expansions and transcribers' spellings of them.
        strict: for a rough transcript; only the words themselves count.
    """
    timed = [word for word in words if isinstance(word, Word)]
    texts = [word.text if isinstance(word, Word) else word for word in words]
    terms = term_index(lexicon)
    phrases = compile_phrases(tuple(key_phrases), terms)
    answer = read_answer(texts, terms, phrases, strict=strict)
    return cover_phrases(answer, phrases.phrases, timed)


def cover_question(
    question: Question, texts: Sequence[str], lexicon: Lexicon, sense: AnswerSense
) -> Coverage:
    """Which key phrases of a question a text says, literally or in other words.

    Args:
        question: what was asked.
        texts: the words of the text.
        lexicon: the terms, for the words.
        sense: the text's spans and vectors.
    """
    terms = term_index(lexicon)
    phrases = compile_phrases(question.key_phrases, terms)
    answer = read_answer(texts, terms, phrases)
    coverage = cover_phrases(answer, phrases.phrases, (), denies=denies_with(answer, sense))
    spoken = Spoken(texts, (), sense, partial(_is_denied, answer))
    return _with_sense(coverage, question, spoken)[0]


def _with_sense(
    coverage: Coverage, question: Question, spoken: Spoken
) -> tuple[Coverage, float | None]:
    """Counts names in a mere list as half said, and searches for the rest by meaning.

    Returns:
        The coverage, and how far the answer is believed (``SensedAnswer.believed``).
    """
    listing = Listing(spoken.texts)
    found, believed = with_own_words(listing.mark(coverage), question, spoken)
    return listing.mark(found), believed


def _is_denied(answer: Answer, span: Span) -> bool:
    """Whether the words of a span, as numbered in the transcript, are denied."""
    start = bisect_left(answer.tokens, span[0], key=lambda token: token.first)
    end = bisect_left(answer.tokens, span[1], key=lambda token: token.last)
    return start < end and is_denied(answer, (start, end))


def grade(
    question: Question,
    submission: Submission,
    lexicon: Lexicon,
    bank_version: str,
    sense: AnswerSense | None = None,
) -> Report:
    """Grade one answer.

    Pure: the same arguments give the same report.

    Args:
        question: what was asked.
        submission: the transcript and what the client measured.
        lexicon: the terms and how they are said.
        bank_version: digest of the bank the question comes from; goes into the report.
        sense: from ``make_sense``. Without it, and for a rough transcript, only the words count:
            nothing is found in other words, and the structure is not judged. Without it, the
            coverage's score is the only one. The score of a rough transcript rests on its key
            phrases alone, so a better transcript can only raise it.

    Raises:
        GradingError: the transcript holds no words, or answers another question.
    """
    if submission.question_id != question.id:
        raise GradingError(f"this answer is to {submission.question_id!r}, not to {question.id!r}")
    transcript = submission.transcript
    texts = submission.transcript.tokens
    terms = term_index(lexicon)
    rough = transcript.is_rough
    phrases = compile_phrases(question.key_phrases, terms)
    answer = read_answer(texts, terms, phrases, strict=rough)
    if not answer.tokens:
        raise GradingError(NO_SPEECH)
    coverage = cover_phrases(
        answer,
        phrases.phrases,
        transcript.words,
        submission.evidence.heard_phrases,
        denies_with(answer, None if rough else sense),
    )
    pronunciation = judge_terms(answer, submission, question, lexicon, terms)
    delivery = measure_delivery(answer, submission, float(question.answer_seconds))
    language = remark(answer, transcript.words)
    is_denied = partial(_is_denied, answer)
    structure = Structure(kind=question.kind, parts=(), score=0.0) if rough else None
    if sense is not None and not rough:
        spoken = Spoken(texts, transcript.words, sense, is_denied)
        coverage, believed = _with_sense(coverage, question, spoken)
        structure = judge_structure(question, texts, transcript.words, sense)
        structure = structure.model_copy(update={"believed": believed})
    coverage, judge_notices = apply_judgment(coverage, submission, texts, is_denied)
    content = None if structure is None else content_score(coverage, structure)
    return Report(
        question_id=question.id,
        created_at=submission.created_at,
        grader_version=GRADER_VERSION,
        bank_version=bank_version,
        notices=(*notices_of(submission), *judge_notices),
        transcript=transcript,
        score=None if content is None else content.score,
        score_parts=() if content is None else content.parts,
        coverage=coverage,
        structure=structure,
        pronunciation=pronunciation,
        delivery=delivery,
        sound=submission.evidence.sound,
        language=language,
        summary=summarize(coverage, pronunciation, delivery, language, structure),
    )


def prepare(question: Question, lexicon: Lexicon) -> None:
    """Does the one-time work that the first answer to a question would wait for.

    Grades the model answer with the vectors of other sentences, because computing its own takes
    longer, and loads the encoder, which checks what clients send.

    Raises:
        GradingError: the model answer holds no words.
        GraderFailedError: there is no encoder.
    """
    submission = Submission(
        submission_id="0" * 32,
        question_id=question.id,
        created_at=datetime.now(UTC),
        transcript=Transcript(text=question.model_answer),
    )
    grade(question, submission, lexicon, "", like_sense_of(submission.transcript.tokens))
    shared_encoder().encode([question.topic])

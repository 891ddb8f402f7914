"""From a question and a submission to the Report."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from pronunciation.terms import Lexicon
from question_bank.models import ABOUT_ONESELF, KeyPhrase, Question
from server.contract import (
    CHALLENGED,
    WHEN_ASKED,
    Coverage,
    FollowUpAnswer,
    FollowUpReport,
    Report,
    Structure,
    Submission,
    Word,
    aim_of,
    content_score,
    earned_points,
    first_point_s,
)
from server.core.errors import GradingError
from server.grading import stance
from server.grading.answer import Answer, Span, read_answer, spans_of
from server.grading.by_meaning import MAX_SPANS, AnswerVectors
from server.grading.credit import sentence_credits
from server.grading.delivery import measure_delivery
from server.grading.judgment import apply_judgment
from server.grading.language import remark
from server.grading.phrases import PhraseSet, compile_phrases
from server.grading.structure_parts import judge_structure, open_probes, with_fitting_asks
from server.grading.summary import notices_of, summarize
from server.grading.terms import TermIndex, compile_terms
from server.grading.tokenizer import tokenize
from server.grading.verdict import DENIED_FROM, Judged, judge
from server.grading.verdicts import judge_terms

logger = logging.getLogger(__name__)

GRADER_VERSION = "5.11.1"
"""Changes whenever the same answer may get a different report; ``aloud regrade`` relies on it."""

FACT_WORDS, FACT_PHRASES = 45, 2
"""Words of a model answer under which, and phrases up to which, a question asks for a fact."""
ONE_SENTENCE_S = 20
"""Time for an answer up to which it is one sentence, which has no room for a structure."""
LEAST_CAP, CAP_PER_MISSING = 0.05, 0.8
"""At most so much is taken off an answer that says everything, and so much more by the share that
it does not say. With (0.05, 3.0) confidently wrong answers score .11 instead of .16, but a mostly
right one that a transcriber garbled 40 % instead of 67 %."""
RIGHT_FROM, WORTHY_FROM = 0.25, 0.5
"""The share of the phrases from which a short answer can be right and to the point, and of what is
worth credit from which a story can: its phrases are those of other people's stories."""
DOUBT_SHOWN_FROM = 0.02
"""Points taken off from which the words that sound wrong are named."""
NO_SPEECH = "no speech detected: there is nothing to grade"


class _ById:
    """A lexicon as a cache key; lexicons are frozen."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def __hash__(self) -> int:
        return hash((self.lexicon.version, len(self.lexicon)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and (
            other.lexicon is self.lexicon or other.lexicon.terms == self.lexicon.terms
        )


@lru_cache(maxsize=8)
def _compiled(lexicon: _ById) -> TermIndex:
    return compile_terms(lexicon.lexicon)


def term_index(lexicon: Lexicon) -> TermIndex:
    """The lexicon compiled; the same for an equal lexicon."""
    return _compiled(_ById(lexicon))


def cover(
    key_phrases: Sequence[KeyPhrase],
    words: Sequence[Word] | Sequence[str],
    lexicon: Lexicon,
    *,
    strict: bool = False,
) -> Coverage:
    """Which of the key phrases were said in these words, by their words and sounds alone.

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
    return judge(answer, phrases.phrases, words=timed).coverage


def cover_question(question: Question, texts: Sequence[str], lexicon: Lexicon) -> Coverage:
    """Which key phrases of a question a text says, in its words or by its meaning.

    Raises:
        GraderFailedError: there is no encoder.
    """
    terms = term_index(lexicon)
    phrases = compile_phrases(question.key_phrases, terms)
    answer = read_answer(texts, terms, phrases)
    vectors = AnswerVectors.of(answer.words, answer.spans)
    credits_of = sentence_credits(question, answer.words, vectors)
    return judge(
        answer, phrases.phrases, question=question, vectors=vectors, credits_of=credits_of
    ).coverage


def structure_of(question: Question, texts: Sequence[str]) -> Structure:
    """Which parts of its kind's rubric a text says.

    Raises:
        GraderFailedError: there is no encoder.
    """
    answer = read_answer(texts, _no_terms())
    vectors = AnswerVectors.of(answer.words, answer.spans)
    return judge_structure(question, answer.words, (), vectors)


def answer_vectors(
    submission: Submission, stored: dict[str, object] | None = None
) -> AnswerVectors | None:
    """The vectors of an answer's spans: stored ones if they fit, else computed.

    A rough transcript has none, because coverage must not rest on words that were not said.

    Raises:
        GraderFailedError: there is no encoder.
    """
    if submission.transcript.is_rough:
        return None
    words = submission.transcript.tokens
    spans = spans_of(words, tokenize(words))
    kept = AnswerVectors.from_json(stored, spans)
    return kept or AnswerVectors.of(words, spans)


@cache
def _no_terms() -> TermIndex:
    return compile_terms(Lexicon(version="", terms=()))


def grade(
    question: Question,
    submission: Submission,
    lexicon: Lexicon,
    bank_version: str,
    vectors: AnswerVectors | None = None,
) -> Report:
    """Grade one answer.

    The same arguments give the same report.

    Args:
        question: what was asked.
        submission: the transcript and what the client measured.
        lexicon: the terms and how they are said.
        bank_version: digest of the bank the question comes from; goes into the report.
        vectors: of ``answer_vectors``; computed if they are not given.

    For a rough transcript only the words count: nothing is found in other words, the structure is
    not judged, and the score rests on its key phrases alone, so a better transcript can only raise
    it.

    Raises:
        GradingError: the transcript holds no words, or answers another question.
        GraderFailedError: there is no encoder.
    """
    if submission.question_id != question.id:
        raise GradingError(f"this answer is to {submission.question_id!r}, not to {question.id!r}")
    transcript = submission.transcript
    terms = term_index(lexicon)
    rough = transcript.is_rough
    phrases = compile_phrases(question.key_phrases, terms)
    answer = read_answer(transcript.tokens, terms, phrases, strict=rough)
    if not answer.tokens:
        raise GradingError(NO_SPEECH)
    if rough:
        vectors = None
    elif vectors is None or vectors.spans != answer.spans[:MAX_SPANS]:
        vectors = AnswerVectors.of(answer.words, answer.spans)
    judged = judge_whole(question, answer, phrases, vectors, submission)
    fact = asks_for_a_fact(question)
    structure = Structure(kind=question.kind, parts=(), score=0.0, asked=not fact)
    if vectors is not None and not fact:
        structure = judge_structure(question, answer.words, transcript.words, vectors)
    pronunciation = judge_terms(answer, submission, question, lexicon, terms)
    language = remark(answer, transcript.words)
    coverage, judge_notices = apply_judgment(
        judged.coverage, submission, answer.words, partial(_is_denied, answer)
    )
    delivery = measure_delivery(answer, submission, float(question.answer_seconds)).model_copy(
        update={"first_point_s": first_point_s(coverage, transcript.words)}
    )
    earned = sum(part.share * part.value for part in earned_points(coverage, structure))
    off, off_topic = 0.0, False
    if judged.numbers:
        quality = judged.quality(structure)
        off_topic = judged.is_off_topic(quality)
        # an answer that says everything is not wrong
        most = LEAST_CAP + CAP_PER_MISSING * (1.0 - coverage.score)
        off = min(LEAST_CAP if judged.is_worthy else most, earned - quality)
    if off < 0.0 and not fact:  # only what is right can be to the point
        right = coverage.score / RIGHT_FROM
        if question.kind in ABOUT_ONESELF and judged.numbers:
            right = max(right, judged.numbers["worth_mean"] / WORTHY_FROM)
        off *= min(1.0, right)
    doubted = judged.doubted if off >= DOUBT_SHOWN_FROM else None
    asked = count_follow_ups(question, submission, coverage, structure, phrases, terms)
    if asked.settled and off > 0.0:
        off *= 1.0 - WHEN_ASKED
    elif any(each.added for each in asked.reports):
        alone = content_score(coverage, structure, taken_off=off, off_topic=off_topic).score
        whole = grade(question, _at_once(submission), lexicon, bank_version).overall
        parts = earned_points(asked.coverage, asked.structure)
        off = sum(part.share * part.value for part in parts) - alone
        off -= WHEN_ASKED * max(0.0, whole - alone)
    coverage, structure = asked.coverage, asked.structure
    told = [*answer.words, *(word for each in asked.reports for word in each.transcript.tokens)]
    structure = with_fitting_asks(structure, question, told)
    content = content_score(coverage, structure, taken_off=off, off_topic=off_topic)
    report = Report(
        question_id=question.id,
        created_at=submission.created_at,
        grader_version=GRADER_VERSION,
        bank_version=bank_version,
        notices=(*notices_of(submission), *judge_notices),
        transcript=transcript,
        score=content.score,
        score_parts=content.parts,
        off_topic=off_topic,
        doubted=doubted,
        coverage=coverage,
        structure=structure,
        pronunciation=pronunciation,
        delivery=delivery,
        sound=submission.evidence.sound,
        language=language,
        follow_ups=asked.reports,
        probes=() if vectors is None else open_probes(question, vectors),
        summary=summarize(coverage, pronunciation, delivery, language, structure),
    )
    return report.model_copy(update={"aim": aim_of(report)})


def _at_once(submission: Submission) -> Submission:
    """The answer as if it had the words that were said to its follow-ups."""
    first = submission.transcript
    later = [word for each in submission.follow_ups for word in each.transcript.tokens]
    words = (*first.words, *(Word(text=each) for each in later)) if first.words else ()
    whole = {"text": " ".join([first.text, *later]), "words": words}
    return submission.alone.model_copy(update={"transcript": first.model_copy(update=whole)})


@dataclass(frozen=True)
class Asked:
    """Coverage and structure with what was said when asked; ``settled``: a challenge was met."""

    coverage: Coverage
    structure: Structure
    reports: tuple[FollowUpReport, ...]
    settled: bool = False


def count_follow_ups(
    question: Question,
    submission: Submission,
    coverage: Coverage,
    structure: Structure,
    phrases: PhraseSet,
    terms: TermIndex,
) -> Asked:
    """Judge each follow-up by itself, as an answer to the question.

    What the answer says already stays. What sounds wrong in a follow-up takes nothing off, and a
    denied phrase adds nothing.
    """
    reports: list[FollowUpReport] = []
    settled = False
    for each in submission.follow_ups:
        said, words = each.transcript, each.transcript.words
        answer = read_answer(said.tokens, terms, phrases, strict=said.is_rough)
        vectors = None if said.is_rough else AnswerVectors.of(answer.words, answer.spans)
        judged = judge_whole(question, answer, phrases, vectors, each)
        added: list[str] = []
        found = list(coverage.phrases)
        for at, (phrase, now) in enumerate(zip(found, judged.coverage.phrases, strict=True)):
            is_new = not phrase.is_said
            if is_new and not phrase.when_asked and now.is_said:
                found[at] = phrase.model_copy(update={"when_asked": now.evidence})
                added.append(phrase.phrase)
        coverage = coverage.model_copy(update={"phrases": tuple(found)})
        if vectors is not None and structure.parts:
            built = judge_structure(question, answer.words, words, vectors)
            parts = list(structure.parts)
            for at, (part, part_now) in enumerate(zip(parts, built.parts, strict=True)):
                if part.status == "missing" and not part.when_asked and part_now.evidence:
                    parts[at] = part.model_copy(update={"when_asked": part_now.evidence})
                    added.append(part.name)
            structure = structure.model_copy(update={"parts": tuple(parts)})
        if each.asked.kind == "challenge" and _is_sound(judged):
            settled = True
            added.append(CHALLENGED)
        reports.append(
            FollowUpReport(
                submission_id=each.submission_id,
                asked=each.asked,
                transcript=said,
                added=tuple(added),
            )
        )
    return Asked(coverage, structure, tuple(reports), settled)


def judge_whole(
    question: Question,
    answer: Answer,
    phrases: PhraseSet,
    vectors: AnswerVectors | None,
    said: Submission | FollowUpAnswer,
) -> Judged:
    """What an answer says, and what each of its sentences is worth."""
    return judge(
        answer,
        phrases.phrases,
        question=question,
        vectors=vectors,
        words=said.transcript.words,
        heard=said.evidence.heard_phrases,
        credits_of=sentence_credits(question, answer.words, vectors) if vectors else (),
    )


def _is_sound(judged: Judged) -> bool:
    """Whether what is said to a challenge has a point of the question, and nothing wrong in it."""
    affirmed = any(each.is_said for each in judged.coverage.phrases)
    return affirmed and judged.doubted is None


def asks_for_a_fact(question: Question) -> bool:
    """Whether a sentence or two answer it whole: then structure stays out of the score."""
    if question.kind == "explain" and question.answer_seconds <= ONE_SENTENCE_S:
        return True
    few = len(question.key_phrases) <= FACT_PHRASES
    return question.kind == "explain" and few and len(question.model_answer.split()) < FACT_WORDS


def _is_denied(answer: Answer, span: Span) -> bool:
    """Whether the words of a span, as numbered in the transcript, are denied."""
    inside = [
        at
        for at, token in enumerate(answer.tokens)
        if span[0] <= token.first and token.last < span[1]
    ]
    if not inside:
        return False
    return stance.denied(answer, (inside[0], inside[-1] + 1)) >= DENIED_FROM


def prepare(question: Question, lexicon: Lexicon) -> None:
    """Loads what the first answer would wait for, by grading a question's model answer.

    Raises:
        GraderFailedError: there is no encoder.
    """
    cover_question(question, question.model_answer.split(), lexicon)

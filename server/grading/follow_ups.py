"""What the answers to follow-ups add to an answer: said when asked, so worth less than at once."""

from dataclasses import dataclass

from question_bank.models import Question
from server.contract import CHALLENGED, Coverage, FollowUpReport, Structure, Submission
from server.grading.answer import read_answer
from server.grading.by_meaning import AnswerVectors
from server.grading.phrases import PhraseSet
from server.grading.structure_parts import judge_structure
from server.grading.terms import TermIndex
from server.grading.verdict import Judged, judge


@dataclass(frozen=True)
class Asked:
    """Coverage and structure with what was said when asked, and what each follow-up added.

    ``settled``: a challenge to what sounds wrong was answered well.
    """

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
        judged = judge(
            answer,
            phrases.phrases,
            question=question,
            vectors=vectors,
            words=words,
            heard=each.evidence.heard_phrases,
        )
        added: list[str] = []
        found = list(coverage.phrases)
        for at, (phrase, now) in enumerate(zip(found, judged.coverage.phrases, strict=True)):
            is_new = phrase.status != "covered" or phrase.negated
            if is_new and not phrase.when_asked and now.status == "covered" and not now.negated:
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


def _is_sound(judged: Judged) -> bool:
    """Whether what is said to a challenge has a point of the question, and nothing wrong in it."""
    affirmed = any(
        each.status == "covered" and not each.negated for each in judged.coverage.phrases
    )
    return affirmed and judged.doubted is None

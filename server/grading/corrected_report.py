"""A report with people's corrections applied. The stored report stays as the grader wrote it.

Reviewers correct any verdict. The candidate answers "Did you mean …?" if the grader asks.
Otherwise, the candidate says "I did say it", with words of the answer as the correction's note, or
"I said it right" about a term.

Pure functions; ``server/attempts/read_reports.py`` applies them to every stored report it reads.
"""

from collections.abc import Sequence

from server.contract import (
    CorrectedVerdict,
    Correction,
    Coverage,
    NewCorrection,
    Pronunciation,
    Report,
    Transcript,
    aim_of,
    content_score,
    coverage_score,
    evidence_of,
    first_point_s,
    taken_off,
)


def places_of(report: Report, correction: NewCorrection) -> tuple[int, ...]:
    """Which entries of the report's list of terms or phrases a correction is about."""
    if correction.target == "term":
        return _term_places(report.pronunciation, correction)
    return _phrase_places(report.coverage, correction)


def corrected(report: Report, corrections: Sequence[Correction]) -> Report:
    """The report with the verdicts that people gave, and what follows: score and summary.

    Each verdict that differs from the grader's says who gave it and what the grader's was.

    Args:
        report: as it was graded.
        corrections: oldest first. Of two about the same place, the later one counts, and a
            reviewer's takes precedence over the candidate's. One that no longer fits (the answer
            was graded again since) or agrees with the grader changes nothing.
    """
    coverage = _quoted(corrected_coverage(report.coverage, corrections), report.transcript)
    pronunciation = _corrected_pronunciation(report.pronunciation, corrections)
    if coverage == report.coverage and pronunciation == report.pronunciation:
        return report
    # only if needed
    from server.grading.summary import summarize

    scored: dict[str, object] = {}
    if report.structure is not None and coverage != report.coverage:
        found = content_score(coverage, report.structure, taken_off=taken_off(report))
        scored = {
            "off_topic": False,
            "score": found.score,
            "score_parts": found.parts,
            "graded_score": report.score,
        }
    point_s = first_point_s(coverage, report.transcript.words)
    delivery = report.delivery.model_copy(update={"first_point_s": point_s})
    read = report.model_copy(
        update={
            **scored,
            "delivery": delivery,
            "coverage": coverage,
            "pronunciation": pronunciation,
            "summary": summarize(
                coverage, pronunciation, delivery, report.language, report.structure
            ),
        }
    )
    if report.aim is None:
        return read
    return read.model_copy(update={"aim": aim_of(read)})


def corrected_coverage(coverage: Coverage, corrections: Sequence[Correction]) -> Coverage:
    """The same for the coverage alone, which is all a score needs."""
    last: dict[int, Correction] = {}
    for each in sorted(corrections, key=lambda each: not each.by_owner):
        if each.target == "phrase":
            last |= dict.fromkeys(_phrase_places(coverage, each), each)
    phrases = list(coverage.phrases)
    for index, correction in last.items():
        graded = phrases[index]
        if graded.status == correction.verdict and not graded.negated:
            continue
        if correction.by_owner and graded.status != "possible" and not correction.note:
            continue  # an answer to a question that the grader no longer asks
        not_said = correction.verdict == "missing"
        phrases[index] = graded.model_copy(
            update={
                "status": correction.verdict,
                "negated": False,
                # words that do not say the phrase are not evidence for it
                "how": None if not_said else graded.how,
                "evidence": None if not_said else graded.evidence,
                "corrected": _given(correction, graded.status, negated=graded.negated),
            }
        )
    if tuple(phrases) == coverage.phrases:
        return coverage
    return Coverage(
        score=coverage_score(phrases), phrases=tuple(phrases), graded_score=coverage.score
    )


def _quoted(coverage: Coverage, transcript: Transcript) -> Coverage:
    """Makes the words that the candidate named the evidence for their phrase."""
    phrases = list(coverage.phrases)
    for index, phrase in enumerate(phrases):
        given = phrase.corrected
        if given is None or not (given.by_owner and given.note):
            continue
        places = transcript.places_of(given.note)
        quote = evidence_of(transcript.tokens, transcript.words, places[0]) if places else None
        phrases[index] = phrase.model_copy(update={"how": None, "evidence": quote})
    if tuple(phrases) == coverage.phrases:
        return coverage
    return coverage.model_copy(update={"phrases": tuple(phrases)})


def _corrected_pronunciation(
    pronunciation: Pronunciation, corrections: Sequence[Correction]
) -> Pronunciation:
    last: dict[int, Correction] = {}
    for each in sorted(corrections, key=lambda each: not each.by_owner):
        if each.target == "term":
            last |= dict.fromkeys(_term_places(pronunciation, each), each)
    terms = list(pronunciation.terms)
    for index, correction in last.items():
        graded = terms[index]
        if graded.verdict == correction.verdict:
            continue
        if correction.by_owner and graded.verdict != "mispronounced":
            continue  # "I said it right" only answers this verdict
        terms[index] = graded.model_copy(
            update={
                "verdict": correction.verdict,
                # what was heard, and the advice on it, go with the overruled verdict
                "heard": None,
                "phones": None,
                "tip": "" if correction.verdict == "correct" else graded.tip,
                "corrected": _given(correction, graded.verdict),
            }
        )
    return pronunciation.model_copy(update={"terms": tuple(terms)})


def _given(correction: Correction, was: str, *, negated: bool = False) -> CorrectedVerdict:
    return CorrectedVerdict.model_validate(
        {
            "by": correction.author,
            "by_owner": correction.by_owner,
            "at": correction.created_at,
            "note": correction.note,
            "was": was,
            "was_negated": negated,
        }
    )


def _term_places(pronunciation: Pronunciation, correction: NewCorrection) -> tuple[int, ...]:
    return tuple(
        index
        for index, term in enumerate(pronunciation.terms)
        if term.term == correction.name
        and (correction.word_index is None or correction.word_index in term.word_indices)
    )


def _phrase_places(coverage: Coverage, correction: NewCorrection) -> tuple[int, ...]:
    return tuple(
        index for index, phrase in enumerate(coverage.phrases) if phrase.phrase == correction.name
    )

"""Verdicts on how terms were said.

What the hearing found on the candidate's machine decides. If it did not listen, there is only the
transcript, in which Whisper may spell a mispronounced term correctly. Then the verdict is
``unclear``, and what the transcriber wrote is shown as a hint.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pronunciation.errors import PronunciationError
from pronunciation.hearing.everyday import Named, is_everyday, other_words
from pronunciation.hearing.sound import REASONS
from pronunciation.hearing.spotting import TermSpotter
from pronunciation.respelling.for_people import respell_phones
from pronunciation.terms import Lexicon, Term
from question_bank.models import Question
from server.contract import HeardTerm, Pronunciation, Submission, TermVerdict, Word
from server.grading.answer import Answer
from server.grading.terms import Form, TermIndex, spellings_of
from server.grading.tokenizer import tokenize

TRANSCRIPT_CONFIDENCE = 0.0
"""A transcript is no evidence of how a term was said."""
MOST_PLACES = 20
"""The worst places of one term; more of them would teach nothing new."""

_PUNCTUATION = ".,;:!?"
_ORDER = {"mispronounced": 0, "unclear": 1, "correct": 2}


def _tip(term: Term, written: str, form: Form, *, heard: bool) -> str:
    said = f"Say {term.say}."
    if form == "fuzzy" and heard:
        return (
            f"The transcriber wrote “{written}”, as it may when {term.term} is said right or "
            f"nearly so. {said}"
        )
    if term.mistakes:
        tip = term.mistakes[0].tip
        # Most tips include the reading.
        return tip if term.say.casefold() in tip.casefold() else f"{said} {tip}"
    return said


@lru_cache(maxsize=4096)
def _respelt(phones: str, term: str) -> str | None:
    """The phones heard, in plain letters; ``None`` if there are none or they are not ARPAbet."""
    if not phones.strip():
        return None
    try:
        return respell_phones(phones, term)
    except PronunciationError:
        return None


def _times(words: tuple[Word, ...], indices: tuple[int, ...]) -> tuple[float | None, float | None]:
    timed = [words[index] for index in indices if index < len(words)]
    starts = [word.start_s for word in timed if word.start_s is not None]
    ends = [word.end_s for word in timed if word.end_s is not None]
    return (min(starts) if starts else None, max(ends) if ends else None)


@lru_cache(maxsize=1024)
def _lemmas(term: Term) -> tuple[str, ...]:
    return tuple(token.lemma for token in tokenize(term.term.split()))


_spellings = lru_cache(maxsize=4096)(spellings_of)


def _is_spelling(term: Term, texts: tuple[str, ...]) -> bool:
    """Whether the words are what a transcriber writes for a term, or the plural of that."""
    singular = (*texts[:-1], texts[-1].removesuffix("s"))
    return not _spellings(term).isdisjoint((texts, singular))


@dataclass(frozen=True)
class _Said:
    """A place where a term was said: its words, and in which form."""

    term: Term
    word_indices: tuple[int, ...]
    form: Form

    @property
    def named(self) -> Named:
        return Named(self.term, self.word_indices[0], len(self.word_indices))


def _said_in(answer: Answer, terms: TermIndex) -> Iterator[_Said]:
    """Where a term itself was said: neither its expansion nor a word derived from it.

    "scheduling" covers scheduler as a key phrase, but says nothing about how it is pronounced, and
    neither does "rolled back" about rollback, although "roll back" is a spelling of it.
    """
    for symbol, places in answer.symbols.items():
        term = terms.lexicon_terms.get(symbol)
        if term is None:
            continue
        for start, end, form in places:
            tokens = answer.tokens[start:end]
            lemmas = tuple(token.lemma for token in tokens)
            spelled = form == "fuzzy" and _is_spelling(term, tuple(token.text for token in tokens))
            if spelled or (form == "exact" and lemmas == _lemmas(term)):
                words = {at for each in tokens for at in range(each.first, each.last + 1)}
                yield _Said(term, tuple(sorted(words)), form)


@lru_cache(maxsize=8)
def _spotter(terms: TermIndex) -> TermSpotter:
    return TermSpotter(terms.lexicon)


@lru_cache(maxsize=1024)
def _expected(question: Question, terms: TermIndex) -> frozenset[str]:
    """The terms that a question is about."""
    return _spotter(terms).named(question.full_text)


def _named(
    answer: Answer, heard: Iterable[HeardTerm], said: Iterable[_Said], lexicon: Lexicon
) -> list[Named]:
    """All terms that were heard or written, and where."""
    entries = ((lexicon.get(each.term), each) for each in heard)
    named = [
        Named(entry, each.word_index, each.word_count)
        for entry, each in entries
        if entry is not None and each.word_index < len(answer.words)
    ]
    return [*named, *(each.named for each in said)]


def _acoustic(heard: HeardTerm, term: Term | None, words: int) -> TermVerdict:
    tip, verdict = "", heard.verdict
    if term is not None and verdict == "mispronounced" and heard.phones in term.readings:
        verdict = "correct"  # the lexicon has accepted this reading since it was heard
    if term is not None:
        mistake = next((m for m in term.mistakes if m.phones == heard.phones), None)
        tip = mistake.tip if mistake else f"Say {term.say}." if verdict != "correct" else ""
    if heard.fault is not None and verdict != "correct":
        verdict, tip = "unclear", REASONS[heard.fault]
    return TermVerdict(
        term=heard.term,
        verdict=verdict,
        heard=_respelt(heard.phones, heard.term),
        phones=heard.phones or None,
        expected=term.say if term else "",
        confidence=heard.confidence,
        source="acoustic",
        start_s=heard.start_s,
        end_s=heard.end_s,
        tip=tip,
        fault=heard.fault if verdict == "unclear" else None,
        word_indices=tuple(
            index
            for index in range(heard.word_index, heard.word_index + heard.word_count)
            if index < words
        ),
    )


def judge_terms(
    answer: Answer, submission: Submission, question: Question, lexicon: Lexicon, terms: TermIndex
) -> Pronunciation:
    """One verdict for each place where a term of the lexicon was said, worst first.

    Each term has at most ``MOST_PLACES``.

    Args:
        answer: the answer, prepared for search.
        submission: with what the hearing found, if it listened.
        question: what was asked; it may be about a term that is also an everyday word.
        lexicon: the terms.
        terms: the same, compiled.
    """
    words = submission.transcript.words
    verdicts: list[TermVerdict] = []
    taken: set[int] = set()
    said = list(_said_in(answer, terms))
    named = _named(answer, submission.evidence.heard, said, lexicon)
    expected = _expected(question, terms) if any(is_everyday(n.term) for n in named) else ()
    others = other_words(named, answer.words, expected)
    for heard in submission.evidence.heard:
        entry = lexicon.get(heard.term)
        if entry is None or Named(entry, heard.word_index, heard.word_count) not in others:
            verdicts.append(_acoustic(heard, entry, len(answer.words)))
            taken.update(verdicts[-1].word_indices)
    # Longer names first, so that "GPUDirect RDMA" does not also count as "RDMA".
    others = other_words(named, answer.words, expected, is_listened_to=False)
    for each in sorted(said, key=lambda place: -len(place.term.term)):
        term, indices = each.term, each.word_indices
        if taken.intersection(indices):
            continue
        taken.update(indices)
        if each.named in others:
            continue
        start_s, end_s = _times(words, indices)
        written = " ".join(answer.words[index] for index in indices).strip(_PUNCTUATION)
        verdicts.append(
            TermVerdict(
                term=term.term,
                verdict="unclear",
                expected=term.say,
                confidence=TRANSCRIPT_CONFIDENCE,
                source="transcript",
                start_s=start_s,
                end_s=end_s,
                tip=_tip(term, written, each.form, heard=bool(words)),
                word_indices=indices,
            )
        )
    verdicts.sort(key=lambda v: (_ORDER[v.verdict], -v.confidence, v.word_indices))
    places: Counter[str] = Counter()
    shown = []
    for verdict in verdicts:
        places[verdict.term] += 1
        if places[verdict.term] <= MOST_PLACES:
            shown.append(verdict)
    return Pronunciation(terms=tuple(shown))

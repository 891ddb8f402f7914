"""Phrases that the client heard in the recording: which of them count."""

from collections.abc import Sequence

import pytest

from question_bank.models import KeyPhrase, Question
from server.contract import Evidence, HeardPhrase, PhraseCoverage, Submission, Transcript, Word
from server.grading import grade

BATCHING = "continuous batching"
HEARD_FROM = 0.5


def heard(first: int, last: int, phrase: str = BATCHING, confidence: float = 0.9) -> HeardPhrase:
    """A phrase heard from one word to another, a little beside their times."""
    return HeardPhrase(
        phrase=phrase, start_s=first / 2 + 0.05, end_s=last / 2 + 0.5, confidence=confidence
    )


@pytest.fixture
def verdicts(question: Question, submit, lexicon):  # type: ignore[no-untyped-def]
    def run(
        text: str,
        *found: HeardPhrase,
        phrases: Sequence[str | KeyPhrase] = (),
        engine: str = "faster-whisper",
    ) -> tuple[PhraseCoverage, ...]:
        asked = question
        if phrases:
            made = tuple(
                KeyPhrase(phrase=each) if isinstance(each, str) else each for each in phrases
            )
            asked = question.model_copy(update={"key_phrases": made})
        words = tuple(
            Word(text=each, start_s=at / 2, end_s=at / 2 + 0.5)
            for at, each in enumerate(text.split())
        )
        answer: Submission = submit(text).model_copy(
            update={
                "transcript": Transcript(text=text, words=words, engine=engine),
                "evidence": Evidence(heard_phrases=found),
            }
        )
        return grade(asked, answer, lexicon, "b").coverage.phrases

    return run


def test_a_phrase_heard_in_the_recording_is_covered_and_its_words_are_quoted(verdicts):
    text = "We tune the con tin you us bat chin for the load."

    before, after = verdicts(text)[0], verdicts(text, heard(3, 8))[0]

    assert before.status == "missing"
    assert (after.status, after.how, after.confidence) == ("covered", "heard", 0.9)
    assert after.evidence is not None
    assert after.evidence.text == "con tin you us bat chin"
    assert after.evidence.word_indices == (3, 4, 5, 6, 7, 8)
    assert (after.evidence.start_s, after.evidence.end_s) == (1.55, 4.5)


def test_what_the_words_say_is_not_replaced(verdicts):
    (phrase, *_) = verdicts("We tune continuous batching for the load.", heard(2, 3))
    assert phrase.how == "exact"


def test_an_unsure_find_does_not_count(verdicts):
    text = "We tune the con tin you us bat chin for the load."
    found = heard(3, 8, confidence=HEARD_FROM - 0.01)
    assert verdicts(text, found)[0].status != "covered"


def test_what_is_denied_does_not_count(verdicts):
    text = "We never used con tin you us bat chin there."
    assert verdicts(text, heard(3, 8))[0].status != "covered"


@pytest.mark.parametrize(
    ("phrase", "written"),
    [
        ("pipeline parallelism", "data parallelism"),
        ("warm replicas", "hot replicas"),
        ("asynchronous checkpointing", "synchronous checkpointing"),
        ("asynchronous checkpointing", "then synchronous checkpointing"),
    ],
)
def test_a_sibling_is_not_taken_for_the_phrase(verdicts, phrase, written):
    last = 1 + len(written.split())
    (verdict,) = verdicts(f"It was {written} then.", heard(2, last, phrase), phrases=[phrase])
    assert verdict.status != "covered"


@pytest.mark.parametrize(
    ("phrase", "written", "is_said"),
    [
        ("optimizer state", "optimizer estate", True),
        ("epilog", "ronsdoepilog", True),
        ("user attention", "user inattention", False),
    ],
)
def test_a_beginning_makes_a_sibling_only_if_it_is_a_prefix(verdicts, phrase, written, is_said):
    last = 1 + len(written.split())
    (verdict,) = verdicts(f"It was {written} then.", heard(2, last, phrase), phrases=[phrase])
    assert (verdict.status == "covered") is is_said


@pytest.mark.parametrize(("aliases", "is_said"), [(("spot instances",), True), ((), False)])
def test_a_word_of_another_alias_is_no_sibling(verdicts, aliases, is_said):
    phrase = KeyPhrase(phrase="reserved instances", aliases=aliases)
    found = heard(4, 6, phrase.phrase)
    (verdict,) = verdicts("It went to a spot in instances then.", found, phrases=[phrase])
    assert (verdict.status == "covered") is is_said


def test_a_stretch_counts_for_one_phrase_only_the_surer_one(verdicts):
    batching, caching = "continuous batching", "contiguous caching"
    found = (heard(3, 8, batching, 0.6), heard(3, 8, caching, 0.8))
    text = "We tune the con tin you us bat chin for the load."

    one, other = verdicts(text, *found, phrases=[batching, caching])

    assert (one.status, other.status) == ("missing", "covered")


def test_words_that_carry_a_phrase_are_not_heard_as_another(verdicts):
    phrases = ["continuous batching", "contiguous caching"]
    text = "We tune continuous batching for the load."
    one, other = verdicts(text, heard(2, 3, phrases[1]), phrases=phrases)
    assert (one.status, other.status) == ("covered", "missing")


def test_a_place_without_words_proves_nothing(verdicts):
    assert verdicts("We tune it.", heard(6, 8))[0].status == "missing"


def test_a_phrase_of_another_question_is_ignored(verdicts):
    text = "We tune the con tin you us bat chin for the load."
    assert verdicts(text, heard(3, 8, "gang scheduling")) == verdicts(text)


def test_in_a_rough_transcript_only_the_words_count(verdicts):
    text = "We tune the con tin you us bat chin for the load."
    assert verdicts(text, heard(3, 8), engine="pocketsphinx")[0].status == "missing"


def test_the_word_before_does_not_make_a_sibling_sound_like_the_phrase(judge):
    verdict = judge("asynchronous checkpointing", "We chose synchronous checkpointing then.")
    assert verdict.status != "covered"

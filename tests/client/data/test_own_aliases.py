import pytest

from client.answer.session import new_submission
from client.backend.protocol import Backend
from client.core.settings import ClientSettings
from client.data.corrections import AliasError, add_own_alias
from server.contract import Attempt, Transcript, Word

TEXT = (
    "With RoCE, the pause frames jam the whole fabric. InfiniBand doesn't do that, because it has "
    "credit-based flow control."
)
QUESTION = "infiniband-or-roce"
PHRASE = "adaptive routing"


@pytest.fixture
def attempt(backend: Backend) -> Attempt:
    return backend.submit(new_submission(QUESTION, Transcript(text=TEXT)))


def status(attempt: Attempt, phrase: str = PHRASE) -> str:
    return next(each.status for each in attempt.report.coverage.phrases if each.phrase == phrase)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("storms of pauses", "is not in the transcript"),
        ("fabric the whole", "is not in the transcript"),
        ("", "is not in the transcript"),
        ("the", "every answer"),
    ],
)
def test_words_that_cannot_be_an_alias_change_nothing(
    backend: Backend, settings: ClientSettings, attempt: Attempt, words: str, message: str
) -> None:
    with pytest.raises(AliasError, match=message):
        add_own_alias(backend, settings, attempt, PHRASE, words)
    assert not settings.own_aliases.exists()
    assert backend.attempt(attempt.id) == attempt


def test_a_phrase_that_the_question_lacks_is_refused(
    backend: Backend, settings: ClientSettings, attempt: Attempt
) -> None:
    with pytest.raises(AliasError, match="no longer has a key phrase"):
        add_own_alias(backend, settings, attempt, "no such phrase", "pause frames")


def test_words_are_found_whatever_their_case_and_punctuation() -> None:
    words = tuple(Word(text=text) for text in ("We", "don’t", "use", "RDMA,", "ever."))
    transcript = Transcript(text="", words=words)
    assert transcript.places_of("don't USE rdma")
    assert transcript.places_of("RDMA ever")
    assert not transcript.places_of("RDMA never")
    assert not transcript.places_of("…")

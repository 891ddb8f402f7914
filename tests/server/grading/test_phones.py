"""How the words of an answer sound, and which runs of them are compared."""

from server.grading.phones import MAX_PHONES, MAX_RUN_WORDS, phones_of, phones_of_words
from server.grading.tokenizer import tokenize


def _runs(text: str) -> list[str]:
    tokens = tokenize(text.split())
    return [" ".join(t.text for t in tokens[a:b]) for a, b in phones_of_words(tokens).runs]


def test_runs_end_where_the_speaker_breaks_off() -> None:
    assert _runs("infinite bend, page. tension") == [
        "infinite", "infinite bend", "bend", "page", "tension",
    ]  # fmt: skip


def test_runs_of_function_words_alone_stand_for_nothing() -> None:
    assert _runs("and there they were") == []
    assert _runs("were they sharded") == ["were they sharded", "they sharded", "sharded"]


def test_runs_are_short_and_have_their_own_phones() -> None:
    text = "kubernetes schedules deployments in separate regions now"
    tokens = tokenize(text.split())
    phones = phones_of_words(tokens)
    assert phones.of == tuple(phones_of(token.text) for token in tokens)
    assert all(end - start <= MAX_RUN_WORDS for start, end in phones.runs)
    for (start, end), classes in zip(phones.runs, phones.classes, strict=True):
        assert len(classes) == len(phones.between(start, end)) <= MAX_PHONES
    assert phones_of_words(()).runs == ()

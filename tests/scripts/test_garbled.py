"""Words that a transcriber misunderstands."""

from scripts.garbled import garble

TEXT = (
    "First I would look at whether the batches are too small, because each of the 32 requests "
    "pays the whole cost of reading the weights."
)
WORDS = TEXT.split()


def test_the_same_seed_misunderstands_the_same_words() -> None:
    assert garble(WORDS, 0.4, 7) == garble(WORDS, 0.4, 7)
    assert garble(WORDS, 0.4, 7) != garble(WORDS, 0.4, 8)
    assert garble(WORDS, 0.0, 7).words == tuple(WORDS)


def test_about_as_many_words_change_as_asked_for() -> None:
    changed = []
    for seed in range(40):
        written = garble(WORDS, 0.3, seed)
        kept = {
            at
            for word, at in zip(written.words, written.source, strict=True)
            if word == WORDS[at] and written.source.count(at) == 1
        }
        changed.append(1 - len(kept) / len(WORDS))
    assert 0.2 < sum(changed) / len(changed) < 0.45


def test_numbers_order_and_the_end_of_sentences_stay() -> None:
    for seed in range(20):
        written = garble(WORDS, 0.8, seed)
        assert "32" in written.words
        assert written.words[-1].endswith(".")
        assert list(written.source) == sorted(written.source)
        assert written.words[0][0].isupper()


def test_what_is_written_sounds_like_what_was_said() -> None:
    written = {garble(["cache"], 1.0, seed).words for seed in range(30)}
    assert len(written) > 3
    assert {word[0][0] for word in written} <= set("acgk")

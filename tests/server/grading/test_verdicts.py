"""Verdicts on terms of which only the text is known."""

from server.grading import grade


def tips(question, submission, lexicon, term):
    terms = grade(question, submission, lexicon, "b").pronunciation.terms
    return [each.tip for each in terms if each.term == term]


def test_a_verb_says_nothing_about_the_noun_that_it_resembles(question, submit, lexicon):
    text = "I {} to the old version at once, and continuous batching was off."

    assert tips(question, submit(text.format("rolled back")), lexicon, "rollback") == []
    assert len(tips(question, submit(text.format("did a rollback")), lexicon, "rollback")) == 1


def test_only_a_recording_has_a_transcriber(question, submit, lexicon):
    text = "The cube let asks for a card."

    [typed] = tips(question, submit(text), lexicon, "kubelet")
    [heard] = tips(question, submit(text, engine="faster-whisper", times=True), lexicon, "kubelet")

    assert "transcriber" in heard
    assert typed and "transcriber" not in typed

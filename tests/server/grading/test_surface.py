"""What is skipped because an answer has none of a unit's keys is really absent."""

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from question_bank.models import KeyPhrase
from server.grading import surface
from server.grading.answer import read_answer
from server.grading.grader import term_index
from server.grading.phrases import compile_phrases


def test_a_unit_whose_keys_an_answer_lacks_is_not_in_it() -> None:
    terms = term_index(load_lexicon())
    questions = load_bank().questions[::20]
    texts = [question.model_answer for question in questions]
    texts.append("In version one three, and two point oh, F S D P was check pointing non stop.")
    answers = [read_answer(text.split(), terms) for text in texts]
    units = {
        unit
        for question in questions
        for phrase in compile_phrases(question.key_phrases, terms).phrases
        for variant in phrase.variants
        for unit in variant.units
    }
    skipped = 0
    for answer in answers:
        for unit in units:
            if answer.keys.isdisjoint(unit.keys):
                skipped += 1
                assert not surface.look_up(answer, unit), unit
    assert skipped > len(units)


def test_words_are_joined_only_to_what_is_looked_for() -> None:
    terms = term_index(load_lexicon())
    phrases = compile_phrases((KeyPhrase(phrase="checkpointing"), KeyPhrase(phrase="FSDP")), terms)
    words = ["we", "are", "check", "pointing", "the", "F", "S", "D", "P", "shards", "in", "time"]
    wanted, all_joined = read_answer(words, terms, phrases), read_answer(words, terms)
    assert {"checkpointing", "fsdp"} <= wanted.joined.keys() < all_joined.joined.keys()
    for text, places in wanted.joined.items():
        assert all_joined.joined[text] == places
    assert "intime" in all_joined.joined.keys() - wanted.joined.keys()


def test_a_text_may_go_on_just_where_a_writing_begins_with_it() -> None:
    terms = term_index(load_lexicon())
    question = load_bank().questions[0]
    phrases = compile_phrases(question.key_phrases, terms)
    texts = {*question.model_answer.lower().split(), "", "a", "z", "x" * 30}
    texts |= {each[:size] for each in phrases.writings for size in range(len(each) + 1)}
    texts |= {f"{each}x" for each in phrases.writings}
    for text in texts:
        begins = any(each.startswith(text) for each in phrases.writings)
        assert phrases.may_go_on(text) == begins, text

"""What is skipped because an answer has none of a unit's keys is really absent."""

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from server.grading import surface
from server.grading.answer import read_answer
from server.grading.grader import term_index
from server.grading.phrases import compile_phrase


def test_a_unit_whose_keys_an_answer_lacks_is_not_in_it() -> None:
    terms = term_index(load_lexicon())
    questions = load_bank().questions[::20]
    texts = [question.model_answer for question in questions]
    texts.append("In version one three, and two point oh, F S D P was check pointing non stop.")
    answers = [read_answer(text.split(), terms) for text in texts]
    units = {
        unit
        for question in questions
        for phrase in question.key_phrases
        for variant in compile_phrase(phrase, terms).variants
        for unit in variant.units
    }
    skipped = 0
    for answer in answers:
        for unit in units:
            if not answer.has_any(unit.keys):
                skipped += 1
                assert not surface._look_up(answer, unit), unit
    assert skipped > len(units)

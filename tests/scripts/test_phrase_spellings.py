import json

from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank
from scripts import phrase_spellings
from server.grading import cover

SAID = "Nobody here had used {} before that project."


def test_the_grader_finds_every_phrase_in_every_spelling() -> None:
    table = json.loads(phrase_spellings.DATA.read_text("utf-8"))
    phrases = {
        name: each
        for question in load_bank().questions
        for each in question.key_phrases
        for name in (*each.aliases, each.phrase)
    }

    lexicon = load_lexicon()
    assert table
    for wording, counts in table.items():
        for spelling, count in counts.items():
            covered = cover([phrases[wording]], SAID.format(spelling).split(), lexicon)
            assert (covered.phrases[0].status, count > 0) == ("covered", True), spelling

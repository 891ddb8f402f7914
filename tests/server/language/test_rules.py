import pytest

from server.language.notes import parsed, rules
from server.language.proposals import CHECKS, LEAST_STRENGTH, UNVOUCHED, Proposal, propose, shapes

SURE = 0.95


def proposals_for(text: str, tongue: str | None = None) -> list[tuple[str, Proposal]]:
    found = []
    for sentence in parsed(text, tongue):
        before, after = text[: sentence.offset], text[sentence.offset + len(sentence.doc.text) :]
        found += [(before + e.applied(sentence.doc.text) + after, e) for e in propose(sentence)]
    return found


def test_every_check_has_a_rule_and_every_rule_a_check() -> None:
    assert {name for name, _ in (*CHECKS, *shapes())} == set(rules())


@pytest.mark.parametrize(
    ("name", "said", "better"), [(r.name, *pair) for r in rules().values() for pair in r.wrong]
)
def test_what_is_wrong_is_offered_its_repair(name: str, said: str, better: str) -> None:
    least = UNVOUCHED if name.endswith("-perhaps") else LEAST_STRENGTH
    assert better in {t for t, e in proposals_for(said) if e.strength >= least}, said


def test_a_rule_is_sure_of_what_no_speaker_says() -> None:
    found = proposals_for("I am agreeing with you, and we are needing access.")
    assert {"agree", "need"} <= {each.new for _, each in found if each.strength >= SURE}


@pytest.mark.parametrize(
    ("name", "sentence"), [(rule.name, text) for rule in rules().values() for text in rule.right]
)
def test_what_is_right_is_nothing_a_rule_is_sure_of(name: str, sentence: str) -> None:
    sure = [each for _, each in proposals_for(sentence) if each.rule == name]
    assert [each for each in sure if each.strength >= SURE] == []

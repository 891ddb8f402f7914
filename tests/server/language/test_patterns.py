import re

import pytest

from server.language import Group, find, groups

GROUPS = [pytest.param(each, id=f"{at}-{each.why[:30]}") for at, each in enumerate(groups())]


def words(sentence: str) -> str:
    parts = re.split(r"[.?!]", sentence.lower())
    return " | ".join(" ".join(re.findall(r"[\w'-]+", part)) for part in parts)


@pytest.mark.parametrize("group", GROUPS)
def test_every_example_holds(group: Group) -> None:
    assert group.fine and group.wrong
    for sentence in group.fine:
        assert find(words(sentence)) == []
    for example in group.wrong:
        assert [hit.better for hit in find(words(example.say))] == [example.better], example


def test_what_a_line_proposes_is_not_itself_wrong() -> None:
    betters = [line.split(" > ")[1] for group in groups() for line in group.lines]
    assert [each for each in betters if not re.search(r"[\\<…+\"]", each) and find(each)] == []


def test_a_verb_keeps_the_form_that_was_said() -> None:
    said, saying = find("he said us that it was down | she was listening the customers")
    assert (said.better, saying.better) == ("told us that", "listening to the")

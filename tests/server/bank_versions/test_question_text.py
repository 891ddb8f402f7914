"""One question put into a text: what does not change keeps its lines."""

from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from server.bank_versions.question_form import data_of, form_of, wanted_of
from server.bank_versions.text import find_question, put_question
from server.core.errors import InvalidInputError
from tests.server.bank_versions.test_text import BANK
from tests.server.conftest import make_question

TEXT = """\
# our own questions
- id: paging   # a remark
  round: coding
  # why this topic
  topic: Memory
  prompt: >-
    How do you page
    a cache?
  model_answer: |
    I use paged attention.
    # not a comment
  key_phrases:
    # the first one
    - phrase: paged attention
      aliases: [PagedAttention, paging]   # short
      weight: 2
    # the second one
    - phrase: block table
      ways:
        - a table says where each block is
  # at the end
- id: other
  round: coding
  topic: Others
  prompt: Other?
  model_answer: Other.
  key_phrases:
  - phrase: other
---
role: ml-engineer
questions:
  - id: queues
    round: coding
    topic: Schedulers
    prompt: How do you schedule?
    model_answer: I use fair queueing.
    key_phrases: [{phrase: fair queueing}]
"""


def data(text: str = TEXT, question_id: str = "paging") -> dict[str, Any]:
    found = find_question(text, question_id)
    assert found is not None
    return dict(found.data)


def put(wanted: dict[str, Any], text: str = TEXT, role: str | None = None) -> str:
    written = put_question(text, wanted, role)
    assert data(written.text, wanted["id"]) == wanted
    lines = written.text.split("\n")[written.first_line - 1 : written.last_line]
    (alone,) = yaml.safe_load(dedent("\n".join(lines)))
    assert alone == wanted, "the lines that it tells are those of the question"
    return written.text


def changes(new: str, old: str = TEXT) -> tuple[set[str], set[str]]:
    before, after = old.split("\n"), new.split("\n")
    return {line for line in before if line not in after}, {
        line for line in after if line not in before
    }


def test_a_question_is_found_with_its_role() -> None:
    assert find_question(TEXT, "nobody") is None
    own, of_role = find_question(TEXT, "other"), find_question(TEXT, "queues")
    assert own is not None and own.role is None
    assert of_role is not None and of_role.role == "ml-engineer"
    assert find_question("- [", "paging") is None


@pytest.mark.parametrize("question_id", ["paging", "other", "queues"])
def test_what_is_as_it_was_changes_nothing(question_id: str) -> None:
    assert put(data(TEXT, question_id)) == TEXT
    form = form_of(data(TEXT, question_id))
    assert put_question(TEXT, wanted_of(form, data(TEXT, question_id)), None).text == TEXT


def test_a_field_is_changed_and_all_other_lines_stay() -> None:
    assert changes(put(data() | {"topic": "Caches"})) == ({"  topic: Memory"}, {"  topic: Caches"})
    gone, new = changes(put(data() | {"prompt": "Why?"}))
    assert gone == {"  prompt: >-", "    How do you page", "    a cache?"}
    assert new == {"  prompt: Why?"}
    gone, new = changes(put(data() | {"model_answer": "No."}))
    assert "    # not a comment" in gone and new == {"  model_answer: No."}


def test_a_field_comes_to_its_place_and_goes() -> None:
    new = put(data() | {"difficulty": 4})
    lines = new.split("\n")
    assert changes(new) == (set(), {"  difficulty: 4"})
    assert lines.index("  difficulty: 4") == lines.index("  topic: Memory") + 1
    without = {name: value for name, value in data().items() if name != "topic"}
    assert changes(put(without)) == ({"  topic: Memory"}, set())


def test_one_key_phrase_changes_and_the_others_keep_their_lines() -> None:
    first, second = data()["key_phrases"]
    heavier = data() | {"key_phrases": [first | {"weight": 3}, second]}
    assert changes(put(heavier)) == ({"      weight: 2"}, {"      weight: 3"})
    more = data() | {"key_phrases": [first, second, {"phrase": "eviction", "weight": 2}]}
    assert changes(put(more)) == (set(), {"    - phrase: eviction"})
    turned = put(data() | {"key_phrases": [second, first]})
    assert sorted(turned.split("\n")) == sorted(TEXT.split("\n"))
    assert turned.index("# the second one") < turned.index("# the first one")
    fewer = put(data() | {"key_phrases": [second]})
    assert "# the first one" not in fewer and "# the second one" in fewer
    assert "# at the end" in fewer


def test_the_first_field_may_change_or_go() -> None:
    text = TEXT.replace(
        "    - phrase: block table\n      ways:",
        "    - why: x\n      phrase: block table\n      ways:",
    )
    first, second = data(text)["key_phrases"]
    new = put(data(text) | {"key_phrases": [first, {**second, "why": "y"}]}, text)
    assert "    - why: y\n      phrase: block table" in new
    bare = {name: value for name, value in second.items() if name != "why"}
    assert "    - phrase: block table\n" in put(data(text) | {"key_phrases": [first, bare]}, text)


def test_a_list_in_brackets_is_written_line_by_line_when_it_changes() -> None:
    first, second = data()["key_phrases"]
    new = put(data() | {"key_phrases": [first | {"aliases": ["a", "b"]}, second]})
    assert "      aliases:\n        - a\n        - b\n" in new
    assert "key_phrases:\n      - phrase: new\n" in put(
        data(TEXT, "queues") | {"key_phrases": [{"phrase": "new"}]}
    )


def test_a_new_question_goes_to_the_others_of_its_role() -> None:
    new = {"id": "new", "prompt": "What?"}
    assert changes(put(new, role="ml-engineer"))[0] == set()
    assert put(new, role="ml-engineer").endswith("\n  - id: new\n    prompt: What?\n")
    assert "  - phrase: other\n- id: new\n  prompt: What?\n---\n" in put(new)
    assert put(new, role="chef").endswith(
        "---\nrole: chef\nquestions:\n  - id: new\n    prompt: What?\n"
    )
    assert put(new, "") == "- id: new\n  prompt: What?\n"
    assert put(new, "# nothing yet\n\n\n") == "# nothing yet\n---\n- id: new\n  prompt: What?\n"


def test_a_question_in_braces_is_left_to_the_text_editor() -> None:
    with pytest.raises(InvalidInputError, match="braces"):
        put_question("[{id: a, prompt: x}]", {"id": "a", "prompt": "y"}, None)


@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end\n", "   # x\n"])
def test_what_follows_the_last_line_stays(end: str) -> None:
    text = BANK.rstrip("\n") + end
    new = put(data(text, "queues") | {"topic": "Else"}, text)
    assert new == text.replace("Schedulers", "Else")


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60, min_size=1).map(
    str.strip
)
texts = texts.filter(bool)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_whatever_is_typed_is_read_again(drawn: st.DataObject) -> None:
    lines = st.lists(texts, max_size=3)
    long = st.one_of(texts, texts.map(lambda text: f"{text}\n\n  {text} # {text}\n- {text}"))
    phrase = st.fixed_dictionaries(
        {"phrase": texts}, optional={"aliases": lines, "why": long, "weight": st.integers(1, 9)}
    )
    wanted = data() | drawn.draw(
        st.fixed_dictionaries(
            {"prompt": long, "key_phrases": st.lists(phrase, min_size=1, max_size=4)},
            optional={"model_answer": long, "topic": texts},
        )
    )
    written = put_question(TEXT, wanted, None).text
    assert data(written) == wanted
    for other in ("other", "queues"):
        assert data(written, other) == data(TEXT, other)


def test_a_question_of_the_bank_goes_through_the_form_and_comes_out_the_same() -> None:
    question = make_question(difficulty=4)
    fields = data_of(question)
    assert wanted_of(form_of(fields), {}) == fields

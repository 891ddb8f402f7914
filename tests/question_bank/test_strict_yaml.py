from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from question_bank.errors import FileError
from question_bank.strict_yaml import read_yaml


def read(tmp_path: Path, content: str | bytes) -> object:
    path = tmp_path / "x.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_yaml(path, "x.yaml").data


def test_plain_data_comes_back(tmp_path: Path) -> None:
    assert read(tmp_path, "a: [1, two, {b: 'ü'}]\n") == {"a": [1, "two", {"b": "ü"}]}


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfa: 1\n") == {"a": 1}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "x.yaml: is empty"),
        ("# only a comment\n", "x.yaml: is empty"),
        (b"a: \xff\xfe\n", "x.yaml: is not UTF-8 text"),
        ("a: [1, 2\n", "x.yaml: line 2, column 1: not valid YAML"),
        (
            "a: 1\nb: Queues: full\n",
            "if a text has a colon with a space behind it, put the text in",
        ),
        ("- a: 1\n\tb: 2\n", "indent with spaces"),
        ("- a:\n    - x\n   - y\n", "what is on one level is indented alike"),
        ("a: 1\nb: 'open\nc: 3\n", "line 2, column 4: not valid YAML: the quote that opens"),
        ("a: 1\nb: &n [1]\n", "x.yaml: line 2, column 4: YAML anchors"),
        ("a: 1\nb: *n\n", "x.yaml: line 2, column 4: YAML anchors"),
        ("a: 1\nb: 2\na: 3\n", "x.yaml: line 3, column 1: the field 'a' appears twice"),
        ("a: !!python/object/apply:os.system [id]\n", "x.yaml: line 1"),
        ("a: !own 1\n", "could not determine a constructor"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: not valid YAML: a file holds one document"),
        ("a: 2024-13-45\n", "x.yaml: line 1, column 4: not valid YAML: month must be in 1..12"),
        ("a: " + "9" * 5000 + "\n", "x.yaml: line 1, column 4: not valid YAML"),
        ("a: !!timestamp soon\n", "x.yaml: line 1, column 4: not valid YAML"),
        ("a: !!bool maybe\n", "x.yaml: line 1, column 4: not valid YAML"),
        ("a: !!int ''\n", "x.yaml: line 1, column 4: not valid YAML"),
        ("a: 1\nü: \x07\n", "x.yaml: line 2, column 4: not valid YAML"),
    ],
)
def test_faults_are_one_line_that_names_the_file(
    tmp_path: Path, content: str | bytes, says: str
) -> None:
    with pytest.raises(FileError) as caught:
        read(tmp_path, content)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fault_knows_its_place_as_data(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("# a bank\nquestions:\n  - id: one\n    key_phrases:\n      - phrase: fast\n")
    question = replace(read_yaml(path, "x.yaml"), name="question 'one'")
    field = ("questions", 0, "key_phrases", 0, "phrase")
    fault = question.fault("must not be empty", *field)
    assert (fault.file, fault.entry, fault.field) == ("x.yaml", "question 'one'", field)
    assert (fault.line, fault.column) == (5, 9)
    beyond = question.fault("is required", "questions", 0, "round")
    assert (beyond.line, beyond.column) == (3, 5), "the entry, where the field is missing"


def test_every_key_that_appears_twice_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        read(tmp_path, "a: {b: 1, b: 2}\nc: 3\nc: 4\n")
    assert [(each.line, each.column) for each in caught.value.faults] == [(1, 11), (3, 1)]


def test_an_alias_bomb_is_refused_before_it_expands(tmp_path: Path) -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30)]
    with pytest.raises(FileError, match="line 1, column 5: YAML anchors"):
        read(tmp_path, "\n".join(lines))


@pytest.mark.parametrize("content", ["[" * 200_000, "- " * 200_000 + "x", "{a: " * 200_000])
def test_nesting_that_would_crash_the_parser_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FileError, match="nested deeper"):
        read(tmp_path, content)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(FileError, match=r"label\.yaml: there is no such file"):
            read_yaml(path, "label.yaml")


def test_no_text_of_the_packages_needs_libyaml(project_root: Path) -> None:
    for top in ("server", "client", "question_bank", "pronunciation"):
        for path in sorted((project_root / top).rglob("*.yaml")):
            lines = path.read_text("utf-8").splitlines()  # whole files take PyYAML over a minute
            for line in (each for each in lines if "{" in each and "?" in each):
                yaml.safe_load(line)

"""The layers that the architecture page draws are those of the imports; the house is in order."""

import re
import tomllib
from pathlib import Path

import pytest

from scripts import changed_tests, house

MOST_IGNORED_IMPORTS = 10
DEEPEST = {"server": 12, "client": 11}
DEEPEST_OF_ALL = 15

# Whoever makes the house lighter lowers these; to raise one, say in the commit who would miss what.
MOST_LINES = 73_458
MOST_LINES_OF_CODE = 51_108
MOST_FILES = 338
MOST_LINES_OF_TESTS = 48_974
MOST_INNER_IMPORTS = 56
PICTURE = re.compile(r"^```layers\n(.*?)^```", re.S | re.M)


def layers_of(text: str) -> dict[str, int]:
    """Folder → its line in the picture, counted from the top.

    A line has an area where one begins, names between ``|``, and what they are for.
    """
    (picture,) = PICTURE.findall(text)
    found: dict[str, int] = {}
    package = ""
    for number, line in enumerate(picture.splitlines()):
        if not line.startswith(" "):
            package, line = line.split(maxsplit=1)
        names = re.split(r"\s{2,}", line.strip())[0]
        for each in names.split("|"):
            name = each.strip() if package == "library" else f"{package}.{each.strip()}"
            assert name not in found, f"{name} is drawn twice"
            found[name] = number
    return found


def folder_of(module: str) -> str:
    """What the picture calls the place of a module: ``server.web``, ``pronunciation``."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in ("server", "client") else parts[0]


def faults(layers: dict[str, int], edges: house.Edges) -> list[str]:
    """What the picture does not show, shows too much of, or shows upside down."""
    folders = {folder_of(module) for module in edges} - {"server", "client"}
    found = [f"{each} is not in the picture" for each in sorted(folders - layers.keys())]
    found += [f"{each} is not there" for each in sorted(layers.keys() - folders)]
    for module, imported in sorted(edges.items()):
        for other in sorted(imported):
            upper, lower = folder_of(module), folder_of(other)
            known = upper in layers and lower in layers
            if known and upper != lower and layers[upper] >= layers[lower]:
                found.append(f"{module} imports {other}, which is not below it")
    return found


@pytest.fixture(scope="module")
def edges() -> house.Edges:
    return house.imports()


def test_every_folder_is_drawn_and_every_import_goes_down(
    edges: house.Edges, project_root: Path
) -> None:
    text = (project_root / "docs" / "maintainers" / "architecture.md").read_text(encoding="utf-8")
    assert faults(layers_of(text), edges) == []


def test_faults_of_a_picture_are_found() -> None:
    layers = layers_of("```layers\nserver  web\n        db | ui\nlibrary pronunciation\n```\n")
    edges = {
        "server.web.app": frozenset({"server.db.tables", "pronunciation.clip"}),
        "server.db.tables": frozenset({"server.ui.pages"}),
        "server.ui.pages": frozenset({"server.web.app"}),
        "server.jobs.queue": frozenset[str](),
    }
    assert faults(layers, edges) == [
        "server.jobs is not in the picture",
        "pronunciation is not there",
        "server.db.tables imports server.ui.pages, which is not below it",
        "server.ui.pages imports server.web.app, which is not below it",
    ]


def test_there_are_no_cycles(edges: house.Edges) -> None:
    assert house.cycles_of(edges) == []
    assert house.cycles_of(house.folder_imports(edges)) == []


def test_few_imports_are_ignored_by_the_contracts(edges: house.Edges) -> None:
    number, ignored = house.ignored_imports(edges)
    assert number <= MOST_IGNORED_IMPORTS, ignored


def test_chains_of_imports_stay_short(edges: house.Edges) -> None:
    for top, deepest in DEEPEST.items():
        found, chain = house.depth(house.within(edges, top))
        assert found <= deepest, chain
    found, chain = house.depth(edges)
    assert found <= DEEPEST_OF_ALL, chain


def test_the_house_does_not_gain_weight(edges: house.Edges) -> None:
    assert house.lines_of(*house.PACKAGES) <= MOST_LINES
    assert house.code_lines_of(*house.PACKAGES) <= MOST_LINES_OF_CODE
    assert len(edges) <= MOST_FILES
    assert house.lines_of("tests") <= MOST_LINES_OF_TESTS


def test_imports_inside_functions_stay_few() -> None:
    found = house.inner_imports()
    assert len(found) <= MOST_INNER_IMPORTS, found


def test_docstrings_comments_and_blank_lines_are_no_code() -> None:
    lines = ['"""What it is for,', 'in two lines."""', "", "A = 1", '"""A constant."""', "# why"]
    text = "\n".join([*lines, 'B = """x', 'y"""'])
    assert house.code_lines(text) == 3


def test_the_changelog_begins_with_this_version(project_root: Path) -> None:
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    text = (project_root / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", text, re.M)
    assert dated and dated[1] == project["project"]["version"]


def test_a_quick_check_runs_the_tests_that_mirror_a_change(project_root: Path) -> None:
    changed = [
        "server/review/desk.py",
        "client/studio/static/answer.js",
        "client/doctor.py",
        "question_bank/roles/ml-engineer.yaml",
        "tests/server/jobs/conftest.py",
        "tests/server/jobs/test_workers.py",
        "tests/worlds/planted_terms.py",
        "scripts/misspellings.py",
        "docs/maintainers/jobs.md",
    ]
    assert changed_tests.tests_of(changed, project_root) == [
        "tests/client/studio",
        "tests/client/test_doctor.py",
        "tests/pronunciation/hearing/test_respelled.py",
        "tests/pronunciation/hearing/test_sounding.py",
        "tests/question_bank",
        "tests/scripts",
        "tests/server/jobs",
        "tests/server/review",
    ]


def test_code_without_a_test_folder_of_its_own_runs_the_test_of_its_name(
    project_root: Path,
) -> None:
    changed = ["client/studio/routes/home.py", "server/web/routes/account.py"]
    assert changed_tests.tests_of(changed, project_root) == [
        "tests/client/studio/test_home.py",
        "tests/server/web/test_account.py",
    ]

"""Prints the tests that mirror what changed since main, for ``scripts/check --quick``.

``server/x/y.py`` is tested in ``tests/server/x``, or in the nearest folder above: by the file of
its name and those that import it if there are any, or else by the whole folder. A changed test file
brings itself, a world those that import it, any other helper its folder.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTED = ("server", "client", "question_bank", "pronunciation", "scripts", "benchmarks")
WHOLE_AREAS = ("tests", "tests/server", "tests/client")
"""Too much for a quick check: of these only the test files that stand in them directly."""


def main() -> None:
    """Print one path a line, first the tests that are named for a change."""
    changed = changed_files()
    closest = {f"test_{Path(each).stem}.py" for each in changed} | {Path(e).name for e in changed}
    for each in sorted(tests_of(changed), key=lambda test: Path(test).name not in closest):
        print(each)


def changed_files() -> set[str]:
    """What differs from where the branch left main: committed, not committed and untracked."""
    base = _git("merge-base", "HEAD", "main").strip()
    changed = _git("diff", "--name-only", base)
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return {*changed.splitlines(), *untracked.splitlines()}


def tests_of(changed: Iterable[str], root: Path = ROOT) -> list[str]:
    """The test files and folders to run, without those inside another one."""
    found = {place.relative_to(root) for name in changed for place in _places(root, root / name)}
    return sorted(each.as_posix() for each in found if not found.intersection(each.parents))


def _places(root: Path, path: Path) -> list[Path]:
    parts = path.relative_to(root).parts
    if parts[0] == "tests":
        if path.name.startswith("test_") and path.suffix == ".py":
            return [path] if path.exists() else []
        if parts[1] == "worlds":
            return _of_module(root / "tests", parts)
        return _tests_in(root, path.parent)
    if parts[0] not in TESTED:
        return []
    folder = _nearest(root / "tests" / Path(*parts[:-1]))
    if path.suffix == ".py" and (closest := _of_module(folder, parts)):
        return closest
    return _tests_in(root, folder)


def _of_module(folder: Path, parts: tuple[str, ...]) -> list[Path]:
    """The tests in a folder that are named for a module or import it, or else mention its name."""
    *package, file = parts
    stem = re.escape(file.removesuffix(".py"))
    inside = re.escape(".".join(package))
    imports = re.compile(rf"\b{inside}\.{stem}\b|\bfrom {inside} import (\(\s*|.*)\b{stem}\b")
    texts = {test: test.read_text("utf-8") for test in sorted(folder.rglob("test_*.py"))}
    return [
        test for test, text in texts.items() if test.name == f"test_{file}" or imports.search(text)
    ] or [test for test, text in texts.items() if re.search(rf"\b{stem}\b", text)]


def _nearest(folder: Path) -> Path:
    while not any(folder.rglob("test_*.py")):
        folder = folder.parent
    return folder


def _tests_in(root: Path, folder: Path) -> list[Path]:
    folder = _nearest(folder)
    if folder.relative_to(root).as_posix() in WHOLE_AREAS:
        return sorted(folder.glob("test_*.py"))
    return [folder]


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    main()

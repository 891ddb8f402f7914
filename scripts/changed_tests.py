"""Prints the tests that mirror what changed since main, for ``scripts/check --quick``.

``server/x/y.py`` is tested in ``tests/server/x``; a changed test file or helper brings itself or
its folder. Code without its own folder under ``tests`` is tested in the nearest one above it: by
the file of its name (``client/studio/routes/home.py`` in ``tests/client/studio/test_home.py``), or
else by the whole folder.
"""

import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("server", "client", "question_bank", "pronunciation")
WHOLE_AREAS = ("tests", "tests/server", "tests/client")
"""Too much for a quick check: of these only the test files that stand in them directly."""


def main() -> None:
    """Print one path a line."""
    for each in tests_of(changed_files()):
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
        return _tests_in(root, path.parent)
    if parts[0] not in PACKAGES:
        return []
    named = root / "tests" / Path(*parts[:-1]) / f"test_{path.stem}.py"
    if len(parts) == 2 and named.exists():
        return [named]
    if (upper := _nearest(named.parent)) != named.parent and (upper / named.name).exists():
        return [upper / named.name]
    return _tests_in(root, named.parent)


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

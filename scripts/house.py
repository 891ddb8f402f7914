"""Prints figures on the code's weight and structure: lines, files, import depth, cycles, ignores.

`python scripts/house.py` prints the figures, `--list` the modules behind them too. CHANGELOG.md
has the figures before and after the rebuild, and `tests/test_house.py` holds those that may only
fall.
"""

import argparse
import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("server", "client", "question_bank", "pronunciation")
CRUMB_LINES = 150
"""A module of at most this many lines with a single importer may belong in that importer."""

Edges = Mapping[str, frozenset[str]]


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the modules behind the figures")
    named = parser.parse_args().list
    modules = imports()
    folders = folder_imports(modules)
    crumbs = single_importer_modules(modules)
    cycles, folder_cycles = cycles_of(modules), cycles_of(folders)
    database = sorted(folder for folder in sqlalchemy_folders())
    inner = inner_imports()
    rows: list[tuple[str, object, Iterable[object]]] = [
        ("lines in the packages", lines_of(*PACKAGES), lines_by_folder(*PACKAGES)),
        ("lines of code in the packages", code_lines_of(*PACKAGES), ()),
        ("Python files in the packages", len(modules), ()),
        ("lines in the tests", lines_of("tests"), lines_by_folder("tests")),
        ("imports inside functions", len(inner), inner),
        *(
            (f"loose modules in {top}/", len(loose(modules, top)), loose(modules, top))
            for top in ("server", "client")
        ),
        ("import depth", *depth(modules)),
        ("import depth of server alone", *depth(within(modules, "server"))),
        ("import depth of client alone", *depth(within(modules, "client"))),
        ("cycles between files", len(cycles), cycles),
        ("cycles between folders", len(folder_cycles), folder_cycles),
        ("ignored imports in import-linter", *ignored_imports(modules)),
        (f"modules of at most {CRUMB_LINES} lines with one importer", len(crumbs), crumbs),
        ("folders that import SQLAlchemy", len(database), database),
    ]
    for name, figure, behind in rows:
        print(f"{figure!s:>6}  {name}")
        if named:
            for each in behind:
                print(f"         {each}")


def python_files(*tops: str) -> list[Path]:
    """The Python files below these folders."""
    return sorted(path for top in tops for path in (ROOT / top).rglob("*.py"))


def lines_of(*tops: str) -> int:
    """How many lines their Python files have, of every kind."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(*tops))


def lines_by_folder(*tops: str) -> list[str]:
    """The same for each folder in them, the largest first."""
    folders = [each for top in tops for each in (ROOT / top).iterdir() if each.is_dir()]
    names = [each.relative_to(ROOT).as_posix() for each in folders]
    found = sorted(((lines_of(name), name) for name in names), reverse=True)
    return [f"{name} ({lines})" for lines, name in found if lines]


def code_lines_of(*tops: str) -> int:
    """How many of their lines are neither blank nor only a comment nor a docstring."""
    return sum(code_lines(path.read_text(encoding="utf-8")) for path in python_files(*tops))


def code_lines(text: str) -> int:
    """The lines of a source that are neither blank nor only a comment nor a docstring."""
    prose = {
        number
        for node in ast.walk(ast.parse(text))
        # a string that stands for itself: a docstring, or what a constant means
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return sum(
        number not in prose and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
    )


def inner_imports() -> list[str]:
    """The import statements of the packages that stand in a function."""
    found: set[str] = set()
    for path in python_files(*PACKAGES):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found |= {
                    f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Import | ast.ImportFrom)
                }
    return sorted(found)


def imports() -> dict[str, frozenset[str]]:
    """What each module imports from the packages; ``__init__`` files count as their package."""
    graph = grimp.build_graph(*PACKAGES)
    return {
        module: frozenset(graph.find_modules_directly_imported_by(module))
        for module in sorted(graph.modules)
    }


def within(edges: Edges, top: str) -> dict[str, frozenset[str]]:
    """The modules of one top-level package, and their imports of each other."""
    mine = {module for module in edges if module.split(".")[0] == top}
    return {module: edges[module] & mine for module in mine}


def path_of(module: str) -> Path:
    """The file of a module."""
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def folder_of(module: str) -> str:
    """The folder of a module's file, as a dotted name."""
    return path_of(module).parent.relative_to(ROOT).as_posix().replace("/", ".")


def folder_imports(edges: Edges) -> dict[str, frozenset[str]]:
    """What each folder imports from other folders."""
    found: dict[str, set[str]] = defaultdict(set)
    for module, imported in edges.items():
        found[folder_of(module)] |= {folder_of(each) for each in imported}
    return {folder: frozenset(others - {folder}) for folder, others in found.items()}


def loose(edges: Edges, top: str) -> list[str]:
    """The modules directly in a top-level package."""
    return [module for module in edges if folder_of(module) == top and module != top]


def cycles_of(edges: Edges) -> list[list[str]]:
    """The groups of more than one node that reach each other (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(edges.get(node, ())):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                groups.append(sorted(group))

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return groups


def depth(edges: Edges) -> tuple[int, list[str]]:
    """The longest chain of imports, in modules, and the chain; a cycle is entered once."""
    longest: dict[str, list[str]] = {}
    above: set[str] = set()

    def chain(node: str) -> list[str]:
        if node in above:
            return []
        if node not in longest:
            above.add(node)
            below = max((chain(other) for other in sorted(edges[node])), key=len, default=[])
            above.discard(node)
            longest[node] = [node, *below]
        return longest[node]

    found = max((chain(node) for node in sorted(edges)), key=len)
    return len(found), found


def ignored_imports(edges: Edges) -> tuple[int, list[str]]:
    """The imports that a contract of import-linter would refuse without its ignores."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: set[str] = set()
    for contract in pyproject["tool"]["importlinter"]["contracts"]:
        for line in contract.get("ignore_imports", ()):
            importer, imported = (_pattern(each) for each in line.split(" -> "))
            found |= {
                f"{module} -> {other}"
                for module, others in edges.items()
                if importer.fullmatch(module)
                for other in others
                if imported.fullmatch(other)
            }
    return len(found), sorted(found)


def _pattern(dotted: str) -> re.Pattern[str]:
    escaped = re.escape(dotted)
    return re.compile(escaped.replace(r"\*\*", r"[\w.]+").replace(r"\*", r"\w+"))


def single_importer_modules(edges: Edges) -> list[str]:
    """Small modules with a single importer, not counting packages' ``__init__`` files."""
    importers: dict[str, set[str]] = defaultdict(set)
    for module, imported in edges.items():
        for each in imported:
            importers[each].add(module)
    found = []
    for module, others in sorted(importers.items()):
        path = path_of(module)
        if path.name == "__init__.py" or len(others) != 1:
            continue
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines <= CRUMB_LINES:
            found.append(f"{module} ({lines}) <- {min(others)}")
    return found


def sqlalchemy_folders() -> set[str]:
    """The folders with a file that imports SQLAlchemy."""
    return {
        path.parent.relative_to(ROOT).as_posix()
        for top in PACKAGES
        for path in (ROOT / top).rglob("*.py")
        if re.search(r"^\s*(from|import) sqlalchemy", path.read_text(encoding="utf-8"), re.M)
    }


if __name__ == "__main__":
    main()

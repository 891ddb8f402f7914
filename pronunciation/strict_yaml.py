"""Reading one YAML file of ours, safely and strictly, for the lexicon and the drill sets."""

from pathlib import Path
from typing import Any, Final

import yaml

from pronunciation.errors import LexiconError

__all__ = ["MAX_FILE_BYTES", "read_yaml", "yaml_files"]

MAX_FILE_BYTES: Final = 2 * 1024 * 1024
"""A lexicon of 2,000 full entries is about 1 MB; a larger file is no lexicon."""
MAX_DEPTH: Final = 20
"""A term nests four deep; thousands of brackets would overrun the parser's stack."""

_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):  # type: ignore[misc, valid-type]
    """Safe YAML in which a mapping may not have the same key twice (the first would be lost)."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the field {key!r} stands there twice", node.start_mark
                )
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def yaml_files(path: Path) -> list[Path]:
    """The file itself, or the YAML files of a folder in the order of their names.

    Raises:
        LexiconError: there is nothing there, or nothing in it.
    """
    if path.is_dir():
        files = sorted([*path.glob("*.yaml"), *path.glob("*.yml")])
        if not files:
            raise LexiconError(f"{path}: the folder holds no .yaml file")
        return files
    if path.is_file():
        return [path]
    if path.exists():
        raise LexiconError(f"{path}: is neither a file nor a folder")
    raise LexiconError(f"{path}: there is no such file or folder")


def read_yaml(file: Path) -> Any:
    """What one YAML file says.

    Raises:
        LexiconError: it cannot be read, is too large, or is not YAML as it is allowed here.
    """
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise LexiconError(f"{file.name}: larger than {MAX_FILE_BYTES // 1024} KiB")
        return _parse(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise LexiconError(f"{file.name}: is not UTF-8 text; save it as UTF-8") from error
    # ValueError: a date or a number that does not exist, like 2026-99-99.
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LexiconError(f"{file.name}: {' '.join(str(error).split())}") from error


def _parse(text: str) -> Any:
    """YAML without aliases (a small file of nested aliases unfolds to gigabytes), not too deep.

    Checked on the events: the loader on libyaml composes in C, where no Python hook is called.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError(f"YAML aliases are not allowed{event.start_mark}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise yaml.YAMLError(f"nested deeper than {MAX_DEPTH}{event.start_mark}")
    return yaml.load(text, Loader=_Loader)

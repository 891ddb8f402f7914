"""A copy of Whisper weights that are int8 already, half the size, kept in the user's cache folder.

CTranslate2 makes int8 of float16 weights whenever it loads them, and has both in memory then: to
load ``tiny.en`` takes 176 MB for a moment and 0.20 s of processor time, from the copy 80 MB and
0.06 s. A row of a weight is int8 times 127 over the largest value of the row, rounded to even, as
CTranslate2 does it; so the values are the same to the bit, and the words too.

The file's format is that of CTranslate2's ``ModelSpec``.
"""

import hashlib
import os
import shutil
import struct
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

_MODEL: Final = "model.bin"
_SMALL_FILES: Final = ("config.json", "preprocessor_config.json", "tokenizer.json", "vocabulary.*")
_OF: Final = "copy_of"
"""The file in a copy that names the folder it was made from."""

_VERSIONS: Final = (5, 6)
"""Of the file's format; until 4, CTranslate2 does not round."""

_INT8, _FLOAT32 = 1, 0
_FLOATS: Final[dict[int, np.dtype[np.floating[Any]]]] = {
    _FLOAT32: np.dtype("<f4"),
    4: np.dtype("<f2"),
}
"""Number of a type in the file → the type; of those that are made int8."""

_BLOCK: Final = 1 << 20
"""Values converted at once, so that it takes little memory."""

_ABANDONED_S: Final = 3600.0
"""A copy that was not finished by then never will be."""


class _UnknownFormatError(ValueError):
    """The file is cut short, or of a format whose values could come out different."""


@dataclass(frozen=True)
class _Variable:
    """A named array in the file; its values start at a byte of the file."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    begin: int
    n_bytes: int

    @property
    def is_made_int8(self) -> bool:
        """Whether the copy has it as int8; what else CTranslate2 wants so, it makes so itself."""
        return (
            self.name.endswith("weight")
            and "conv" not in self.name
            and len(self.shape) == 2
            and self.type_id in _FLOATS
        )


def copy_of(folder: Path) -> Path:
    """The folder of the int8 copy of a model, made where there is none.

    The folder itself, where there is nothing to gain or a copy cannot be made: the weights are int8
    already, of an unknown format or damaged, the disk is full or may not be written to.
    """
    try:
        files = _files(folder)
        known = [str(folder.resolve())]
        for file in files:
            status = file.stat()
            known.append(f"{file.name} {status.st_size} {status.st_mtime_ns}")
        copy = _copies() / hashlib.sha256("\n".join(known).encode()).hexdigest()[:32]
        if not copy.exists():
            _make(copy, folder, files)
    except (OSError, _UnknownFormatError):
        return folder
    return copy


def discard(copy: Path) -> None:
    """Delete a copy that cannot be used; it is made again the next time."""
    shutil.rmtree(copy, ignore_errors=True)


def _copies() -> Path:
    import platformdirs

    return platformdirs.user_cache_path("aloud", appauthor=False) / "whisper" / "int8"


def _files(folder: Path) -> list[Path]:
    found = [path for pattern in _SMALL_FILES for path in sorted(folder.glob(pattern))]
    return [folder / _MODEL, *found]


def _make(copy: Path, folder: Path, files: list[Path]) -> None:
    """Make a copy beside its place, and move it there whole: others may make the same."""
    with (folder / _MODEL).open("rb") as source:
        head, variables = _head_of(source), list(_variables(source))
        if not any(each.is_made_int8 for each in variables):
            raise _UnknownFormatError(f"{folder} has nothing to make int8")
        copy.parent.mkdir(parents=True, exist_ok=True)
        _clean(copy.parent)
        with tempfile.TemporaryDirectory(dir=copy.parent) as beside:
            made = Path(beside) / copy.name
            made.mkdir()
            for file in files[1:]:
                shutil.copyfile(file, made / file.name)
            (made / _OF).write_text(str(folder.resolve()), "utf-8")
            with (made / _MODEL).open("wb") as target:
                _write(target, head, variables, source)
                target.flush()
                os.fsync(target.fileno())  # a file of the right length may have no content yet
            with suppress(OSError):  # another process was first
                made.rename(copy)
    if not copy.exists():
        raise OSError(f"{copy} cannot be made")


def _clean(copies: Path) -> None:
    """Delete the copies of weights that are gone, and what was never finished."""
    for each in copies.iterdir():
        with suppress(OSError):  # another process has deleted it
            if (of := each / _OF).exists():
                is_left = not Path(of.read_text("utf-8")).exists()
            else:
                is_left = time.time() - each.stat().st_mtime > _ABANDONED_S
            if is_left:
                discard(each)


def _head_of(source: BinaryIO) -> bytes:
    """What comes before the number of variables."""
    (version,) = _unpacked(source, "<I")
    name = _string(source)
    if version not in _VERSIONS or name != b"WhisperSpec":
        raise _UnknownFormatError(f"version {version} of {name!r}")
    head = struct.pack("<I", version) + _packed_string(name)
    return head + struct.pack("<I", *_unpacked(source, "<I"))


def _variables(source: BinaryIO) -> Iterator[_Variable]:
    """All variables in order; the file is then at what follows them."""
    (count,) = _unpacked(source, "<I")
    for _ in range(count):
        name = _string(source)
        (rank,) = _unpacked(source, "<B")
        shape = _unpacked(source, f"<{rank}I")
        type_id, n_bytes = _unpacked(source, "<BI")
        begin = source.tell()
        yield _Variable(name.decode(), shape, type_id, begin, n_bytes)
        source.seek(begin + n_bytes)


def _write(target: BinaryIO, head: bytes, variables: list[_Variable], source: BinaryIO) -> None:
    """Write the copy; ``source`` is at what follows the variables."""
    rest = source.read()
    if not rest:
        raise _UnknownFormatError("the file is cut short")
    count = len(variables) + sum(each.is_made_int8 for each in variables)
    target.write(head + struct.pack("<I", count))
    for each in variables:
        source.seek(each.begin)
        if each.is_made_int8:
            rows, _columns = each.shape
            _begin(target, each.name, each.shape, _INT8, rows * _columns)
            scales = list(_write_int8(target, each, source))
            _begin(target, f"{each.name}_scale", (rows,), _FLOAT32, 4 * rows)
            target.write(np.concatenate(scales).astype("<f4").tobytes())
        else:
            _begin(target, each.name, each.shape, each.type_id, each.n_bytes)
            target.write(_read(source, each.n_bytes))
    target.write(rest)


def _write_int8(
    target: BinaryIO, variable: _Variable, source: BinaryIO
) -> Iterator[npt.NDArray[np.float32]]:
    """Write the rows of a weight; their scales, some rows at a time."""
    rows, columns = variable.shape
    stored = _FLOATS[variable.type_id]
    step = max(1, _BLOCK // columns)
    for first in range(0, rows, step):
        n_rows = min(step, rows - first)
        block = _read(source, n_rows * columns * stored.itemsize)
        values = np.frombuffer(block, stored).reshape(n_rows, columns).astype(np.float32)
        largest = np.abs(values).max(axis=1)
        largest[largest == 0] = 127
        scale = np.float32(127) / largest
        target.write(np.rint(values * scale[:, None]).astype(np.int8).tobytes())
        yield scale


def _begin(target: BinaryIO, name: str, shape: tuple[int, ...], type_id: int, n_bytes: int) -> None:
    """Write what comes before a variable's values."""
    target.write(_packed_string(name.encode()))
    target.write(struct.pack(f"<B{len(shape)}IBI", len(shape), *shape, type_id, n_bytes))


def _packed_string(text: bytes) -> bytes:
    return struct.pack("<H", len(text) + 1) + text + b"\0"


def _string(source: BinaryIO) -> bytes:
    (length,) = _unpacked(source, "<H")
    return _read(source, length)[:-1]


def _unpacked(source: BinaryIO, layout: str) -> tuple[int, ...]:
    return struct.unpack(layout, _read(source, struct.calcsize(layout)))


def _read(source: BinaryIO, n_bytes: int) -> bytes:
    found = source.read(n_bytes)
    if len(found) < n_bytes:
        raise _UnknownFormatError("the file is cut short")
    return found

"""What a process frees goes back to the system."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps memory")

_KEPT_MB = """
import ctypes, sys
from pathlib import Path
from pronunciation.memory import hold_little

if sys.argv[1] == "hold little":
    hold_little()
library = ctypes.CDLL(None)
library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
MB = 1024**2

def filled(size):
    block = library.malloc(size)
    ctypes.memset(block, 1, size)
    return block

def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / MB

library.free(filled(30 * MB))  # what glibc learns from
before = resident_mb()
blocks = [(filled(4 * MB), filled(100_000)) for _ in range(25)]
for large, _ in blocks:
    library.free(large)
print(resident_mb() - before)
"""


def kept_mb(how: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _KEPT_MB, how], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def test_large_blocks_between_small_ones_are_returned_as_they_are_freed() -> None:
    assert kept_mb("as usual") > 90
    assert kept_mb("hold little") < 20

"""espeak-ng behind the phones of words that no dictionary has."""

import subprocess
import sys
from pathlib import Path

from pronunciation.g2p.letter_to_sound import espeak_phones

AT_ONCE = """
import sys, threading
from pronunciation.g2p.letter_to_sound import espeak_phones

at_once = threading.Barrier(4)

def read(word):
    at_once.wait()
    sys.stdout.write(" ".join([word, *espeak_phones(word)]) + "\\n")

for word in sys.argv[1:]:
    threading.Thread(target=read, args=(word,)).start()
"""


def test_threads_that_begin_at_once_all_get_their_phones(project_root: Path) -> None:
    words = ["etcd", "kubelet", "nginx", "raft"]

    # a process of its own, because the library begins once in a process
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *words],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert sorted(done.stdout.splitlines()) == [
        " ".join([word, *espeak_phones(word)]) for word in words
    ]

"""The spoken answer that comes with Aloud, for ``aloud demo``."""

from pathlib import Path
from typing import Final

AUDIO: Final = Path(__file__).with_name("demo.flac")
"""Made by ``scripts/make_demo.py`` with a synthetic voice."""

QUESTION_ID: Final = "infiniband-or-roce"

INTRODUCTION: Final = (
    "A spoken answer made with a synthetic voice: two key phrases are missing on purpose, and one "
    "term is said wrong."
)

"""Write which terms each question of the built-in bank names (``pronunciation/terms.py``).

python scripts/terms_together.py
"""

import json
from pathlib import Path
from typing import Final

from pronunciation.hearing.spotting import TermSpotter
from pronunciation.lexicon_loader import load_lexicon
from question_bank.loader import load_bank

PATH: Final = Path("pronunciation/data/together.json")


def main() -> None:
    """Write the file."""
    spotter = TermSpotter(load_lexicon())
    named = [sorted(spotter.named(each.full_text)) for each in load_bank().questions]
    lines = [json.dumps(terms, ensure_ascii=False) for terms in named if len(terms) > 1]
    PATH.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()

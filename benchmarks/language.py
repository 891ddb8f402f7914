"""How many errors the notes on English find, and how often they are wrong.

    uv run --extra language python benchmarks/language.py weigh FILE OUT
    uv run python benchmarks/language.py score OUT… [--together]

FILE holds ``tongue|kind|sentence with {wrong=>right|right}``, or correct text, or, tab-separated,
a learner's sentence and its corrections by several people (JFLEG).
"""

import difflib
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from server.language.acceptor import Acceptor, acceptor, derived, weigh
from server.language.notes import Repair, best_of, likely, parsed
from server.language.proposals import Proposal, propose
from server.language.referee import Referee

# ruff: noqa: E501
app = typer.Typer(help=__doc__)
_BRACES = re.compile(r"\{([^{}]*)\}")
FOLDER = Path.home() / ".cache/aloud/language"


def _cases(path: Path) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = []
    for line in path.read_text("utf-8").splitlines():
        if "=>" in line:
            tongue, kind, marked = line.split("|", 2)
            said = _BRACES.sub(lambda m: m[1].split("=>")[0], marked)
            rights = [
                _BRACES.sub(
                    lambda m, n=n: (
                        m[1].split("=>")[1].split("|") + [m[1].split("=>")[1].split("|")[-1]] * 9
                    )[n],
                    marked,
                )
                for n in range(4)
            ]
            cases.append(
                {
                    "tongue": tongue,
                    "kind": kind,
                    "said": " ".join(said.split()),
                    "rights": [" ".join(r.split()) for r in rights],
                }
            )
        elif "\t" in line:
            said, *rights = line.split("\t")
            cases.append({"tongue": None, "kind": "jfleg", "said": said, "rights": rights})
        elif line.strip():
            cases.append({"tongue": None, "kind": "right", "said": line.strip(), "rights": []})
    return cases


@app.command(name="weigh")
def weigh_(
    path: Path, out: Path, folder: Path = FOLDER, most: int = 10_000, every: int = 1
) -> None:
    """Ask the model about all proposals for a file of sentences."""
    referee = Referee(folder)
    with out.open("w", encoding="utf-8") as file:
        for case in _cases(path)[::every][:most]:
            sentences = []
            for s in parsed(case["said"], case["tongue"]):
                weighed = weigh(s, propose(s), referee)
                sentences.append(
                    {
                        "text": s.doc.text,
                        "offset": s.offset,
                        "all": [
                            {
                                "rule": w.proposal.rule,
                                "start": w.proposal.start,
                                "end": w.proposal.end,
                                "new": w.proposal.new,
                                "strength": w.proposal.strength,
                                "f": dict(w.features),
                            }
                            for w in weighed
                        ],
                    }
                )
            file.write(json.dumps(case | {"sentences": sentences}) + "\n")
            file.flush()


def _flat(text: str) -> str:
    """The words alone; "it's" is "it is"."""
    text = re.sub(r"\b(it|that|there|he|she|what)['’]s\b", r"\1 is", text, flags=re.I)
    text = re.sub(r"\bI['’]m\b", "I am", text, flags=re.I)
    return re.sub(
        r"[^a-z0-9']+", " ", text.lower().replace(" n't", "n't").replace(" '", "'")
    ).strip()


def chosen(cases: list[dict[str, Any]], model: Acceptor) -> None:
    """Put into each of one speaker's cases its accepted edits: start, end, new, rule, chance."""
    best: list[Repair] = []
    for number, case in enumerate(cases):
        case["edits"] = []
        for s in case["sentences"]:
            best += best_of(_repair(number, s["offset"], c, model) for c in s["all"])
    words = [word for case in cases for word in case["said"].split()]
    for each in likely(best, words, cases[0]["tongue"], model):
        it = each.proposal
        cases[it.first]["edits"].append((it.start, it.end, it.new, it.rule, each.chance))


def _repair(number: int, offset: int, row: dict[str, Any], model: Acceptor) -> Repair:
    """A stored row; its case stands where the sentence's first token would."""
    start, end = row["start"] + offset, row["end"] + offset
    proposal = Proposal(row["rule"], start, end, row["new"], row["strength"], number, number)
    return Repair(None, proposal, model.logit(derived(row["f"])))  # type: ignore[arg-type]


@app.command()
def score(
    files: list[Path],
    least: Annotated[float | None, typer.Option(help="chance of a note")] = None,
    together: Annotated[bool, typer.Option(help="all lines are one speaker's")] = False,
    show: bool = False,
) -> None:
    """Count what is found, what is repaired right, and false notes."""
    model = acceptor()
    if least is not None:
        model = replace(model, least=least)
    for path in files:
        cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        total: Counter[str] = Counter()
        kinds: dict[str, Counter[str]] = {}
        words = sum(len(case["said"].split()) for case in cases)
        for speaker in [cases] if together else [[case] for case in cases]:
            chosen(speaker, model)
        for case in cases:
            edits = case["edits"]
            if case["kind"] == "right":
                total["false"] += len(edits)
                if show:
                    for e in edits:
                        _show("FALSE", case, e)
                continue
            if case["kind"] == "jfleg":
                faulty = all(_flat(r) != _flat(case["said"]) for r in case["rights"])
                total["faulty"] += faulty
                total["noted"] += bool(edits) and faulty
                for e in edits:
                    total["notes"] += 1
                    ok = _touched(case, e)
                    total["justified"] += ok
                    if show and not ok:
                        _show("WRONG", case, e)
                continue
            count = kinds.setdefault(case["kind"], Counter())
            count["all"] += 1
            flat = {_flat(r) for r in case["rights"]}
            after = case["said"]
            for e in sorted(edits, reverse=True):
                after = after[: e[0]] + e[2] + after[e[1] :]
            right = _flat(after) in flat or any(
                _flat(case["said"][: e[0]] + e[2] + case["said"][e[1] :]) in flat for e in edits
            )
            found = right or any(_touched(case, e) for e in edits)
            count["found"] += found
            count["right"] += right
            count["beside"] += sum(not _touched(case, e) for e in edits)
            if show and not right:
                print("  MISSED", case["kind"], case["said"], "|", [(e[3], e[2]) for e in edits])
        for name, count in sorted(kinds.items()):
            print(
                f"  {name:16} {count['all']:4} found {count['found'] / count['all']:.2f} right {count['right'] / count['all']:.2f}"
            )
        for count in kinds.values():
            total += count
        if kinds:
            print(
                path.name,
                f"found {total['found'] / total['all']:.3f} right {total['right'] / total['all']:.3f} beside {total['beside']} of {total['all']}",
            )
        if total["faulty"]:
            print(
                path.name,
                f"faulty {total['faulty']} noted {total['noted'] / total['faulty']:.3f} notes {total['notes']} justified {total['justified'] / max(1, total['notes']):.3f}",
            )
        if not kinds and not total["faulty"]:
            print(
                path.name,
                f"{words} words, {total['false']} false notes, {3000 * total['false'] / words:.2f} in 3,000",
            )


def _show(what: str, case: dict[str, Any], edit: tuple[int, int, str, str, float]) -> None:
    start, end, new, rule, chance = edit
    said = case["said"]
    before, after = said[max(0, start - 40) : start], said[end : end + 30]
    print(" ", what, rule, round(chance, 2), before, "[", said[start:end], "=>", new, "]", after)


def _touched(case: dict[str, Any], edit: tuple[int, int, str, str, float]) -> bool:
    """Whether a person changed the words that the note is on (or beside an insertion)."""
    said = case["said"]
    for right in case["rights"]:
        if _flat(right) == _flat(said):
            continue
        a, b = said.split(), right.split()
        place = len(said[: edit[0]].split())
        last = place + max(1, len(said[edit[0] : edit[1]].split()))
        for op, i1, i2, _, _ in difflib.SequenceMatcher(
            None, [w.lower() for w in a], [w.lower() for w in b], autojunk=False
        ).get_opcodes():
            if op != "equal" and i1 <= last and place <= max(i2, i1):
                return True
    return False


if __name__ == "__main__":
    sys.exit(app())

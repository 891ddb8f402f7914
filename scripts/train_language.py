"""Trains the acceptor of notes on English: ``server/language/data/acceptor.json``.

Correct sentences (a file with one a line) are broken as learners break them; each repair that
restores one is right, each other proposal wrong, and so is each proposal for a sentence left alone.

    uv run --extra language python scripts/train_language.py rows SENTENCES ROWS --broken 900 --whole 900
    uv run --extra language python scripts/train_language.py fit ROWS…

``fit --onward`` starts from the weights that stand there and moves them no further than new rows ask:
for weighed sentences of ``benchmarks/language.py`` without the rows of the first training.
"""

import json
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from server.language.acceptor import derived, weigh
from server.language.notes import parsed
from server.language.proposals import Sentence, propose
from server.language.referee import Referee
from server.language.words import compared, inflect, lists, load, marked

app = typer.Typer(help=__doc__)
FOLDER = Path.home() / ".cache/aloud/language"
DATA = Path(__file__).parent.parent / "server/language/data"


def broken_by_hand(s: Sentence) -> Iterator[tuple[str, str]]:
    """Sentences broken as learners break them."""
    text, doc = s.doc.text, s.doc

    def put(first: int, last: int, new: str) -> str:
        start = doc[first].idx
        end = doc[last - 1].idx + len(doc[last - 1].text) if last > first else start
        middle = new if last > first else f"{new} "
        if not new:
            return re.sub(r"  +", " ", text[:start] + text[end:]).strip()
        return text[:start] + middle + text[end:]

    for at in range(len(s)):
        lemma, tag, word = s.lemma(at), s.tag(at), s.word(at)
        if tag == "VB" and (s.word(at - 1) in ("n't", "not") or s.tag(at - 1) == "MD"):
            if inflect(lemma, "VBD") != word:
                yield "verb-form", put(at, at + 1, inflect(lemma, "VBD"))
            if s.tag(at - 1) == "MD" and s.word(at - 1) not in ("'ll", "'d"):
                yield "verb-form", put(at, at, "to")
                yield "verb-form", put(at, at + 1, inflect(lemma, "VBZ"))
                yield "verb-form", put(at, at + 1, inflect(lemma, "VBG"))
        if tag == "TO" and s.tag(at + 1) == "VB":
            verb = s.lemma(at + 1)
            yield "verb-form", put(at + 1, at + 2, inflect(verb, "VBD"))
            if s.pos(at - 1) == "VERB":
                yield "gerund-infinitive", put(at, at + 2, inflect(verb, "VBG"))
                yield "gerund-infinitive", put(at, at + 1, "")
            if s.pos(at - 1) == "ADJ":
                yield "gerund-infinitive", put(at, at + 2, inflect(verb, "VBG"))
                yield "gerund-infinitive", put(at, at, "for")
            if s.tag(at - 1) in ("NN", "PRP"):
                yield "gerund-infinitive", put(at, at, "for")
        if tag == "VBG" and (
            s.pos(at - 1) == "ADP" or s.lemma(at - 1) in lists().words("gerund_verbs")
        ):
            yield "gerund-infinitive", put(at, at + 1, f"to {lemma}")
            yield "verb-form", put(at, at + 1, lemma)
        if tag == "VBN" and s.lemma(at - 1) in ("have", "be") and inflect(lemma, "VBD") != word:
            yield "verb-form", put(at, at + 1, inflect(lemma, "VBD"))
        if tag in ("VBN", "VBG") and s.lemma(at - 1) in ("have", "be") and s.pos(at - 1) == "AUX":
            yield "verb-form", put(at, at + 1, lemma)
        if s.word(at) in ("am", "is", "are", "'m", "'re") and s.pos(at) == "AUX":
            if s.pos(at + 1) in ("ADJ", "ADV", "DET") and s.word(at + 1) not in ("n't", "not"):
                yield "verb-missing", put(at, at + 1, "")
            if s.tag(at + 1) == "VBG":
                yield "verb-missing", put(at, at + 1, "")
        if tag == "VBP" and s.word(at - 1) in ("i", "we", "they") and s.pos(at) == "VERB":
            yield "verb-form", put(at, at, "am" if s.word(at - 1) == "i" else "are")
        if tag in ("JJR", "RBR") and word not in (
            "more",
            "less",
            "better",
            "worse",
            "later",
            "further",
        ):
            base = lemma
            if compared(base, "JJR") == word:
                yield "comparative", put(at, at + 1, f"more {base}")
                yield "comparative", put(at, at + 1, f"more {word}")
                yield "comparative", put(at, at + 1, base)
        if tag in ("JJR", "RBR") and word in ("better", "worse"):
            yield "comparative", put(at, at + 1, f"more {word}")
        if tag == "JJS" and compared(lemma, "JJS") == word:
            yield "comparative", put(at, at + 1, f"most {lemma}")
        if word == "than" and any(s.tag(p) in ("JJR", "RBR") for p in range(max(0, at - 4), at)):
            yield "comparative", put(at, at + 1, random.choice(["that", "as", "then"]))
        if word == "more" and s.pos(at + 1) == "ADJ" and "than" in s.low[at:]:
            yield "comparative", put(at, at + 1, "")
        if word == "for" and re.search(
            r"\b(years|months|weeks|time|days|hours)\b", " ".join(s.low[at : at + 5])
        ):
            yield "since-for", put(at, at + 1, "since")
            yield "since-for", put(at, at + 1, "during")
        if word == "since" and s.word(at + 1).isdigit():
            yield "since-for", put(at, at + 1, "for")
        if word in ("have", "has", "'ve") and s.tag(at + 1) == "VBN":
            perfect = s.lemma(at + 1)
            third = word == "has"
            if s.word(at + 1) == "been" and s.tag(at + 2) == "VBG":
                be = "is" if third else "am" if s.word(at - 1) == "i" else "are"
                new = be if word != "'ve" else {"i": "'m"}.get(s.word(at - 1), "'re")
                yield "tense", put(at, at + 2, new)
            elif perfect != "be":
                own = inflect(perfect, "VBZ" if third else "VBP")
                yield "tense", put(at, at + 2, own if word != "'ve" else f" {own}")
        past = re.search(
            r"\b(yesterday|ago|last (?:week|month|year)|in (?:19|20)\d\d)\b", text.lower()
        )
        if (
            tag == "VBD"
            and s.pos(at) == "VERB"
            and past
            and not any(w in ("n't", "did") for w in s.low[max(0, at - 3) : at])
        ):
            third = s.word(at - 1) in ("he", "she", "it")
            yield "tense", put(at, at + 1, f"{'has' if third else 'have'} {inflect(lemma, 'VBN')}")
            yield "tense", put(at, at + 1, inflect(lemma, "VBZ" if third else "VBP"))
        if tag in ("WP", "WRB") and at and s.doc[-1].text != "?":
            chunk = s.chunk_from(at + 1)
            if chunk is not None and chunk.end < len(s):
                verb = chunk.end
                if s.lemma(verb) == "be" and s.word(verb) in ("is", "are", "was", "were"):
                    yield "embedded-question", put(at + 1, verb + 1, f"{s.word(verb)} {chunk.text}")
                elif s.tag(verb) in ("VBZ", "VBP", "VBD") and s.pos(verb) == "VERB":
                    do = {"VBZ": "does", "VBP": "do", "VBD": "did"}[s.tag(verb)]
                    yield (
                        "embedded-question",
                        put(at + 1, verb + 1, f"{do} {chunk.text} {s.lemma(verb)}"),
                    )
                elif s.tag(verb) == "MD" and s.word(verb) in ("can", "should", "could", "will"):
                    yield "embedded-question", put(at + 1, verb + 1, f"{s.word(verb)} {chunk.text}")
        if (
            word == "it"
            and s.word(at + 1) in ("is", "was", "'s")
            and s.pos(at + 2) in ("ADJ", "DET", "VERB", "ADV")
        ):
            yield (
                "subject-missing",
                put(at, at + 2, "is" if s.word(at + 1) == "'s" else s.word(at + 1)),
            )
        if word in ("it", "them") and s.pos(at - 1) == "VERB" and s.doc[at].dep_ == "dobj":
            yield "pronoun", put(at, at + 1, "")
        if word == "there" and s.word(at + 1) in ("is", "are", "'s"):
            yield "subject-missing", put(at, at + 2, random.choice(["is", "are", "have", "it is"]))
        if word in ("any", "anything", "anybody", "anyone") and any(
            w in ("n't", "not") for w in s.low[:at]
        ):
            yield (
                "negation",
                put(at, at + 1, {"any": "no", "anything": "nothing"}.get(word, "nobody")),
            )
        if word in ("nobody", "nothing") and s.tag(at + 1) == "VBZ":
            yield "negation", put(at + 1, at + 2, f"doesn't {s.lemma(at + 1)}")
        if word in ("if", "when") and s.tag(at + 1) == "PRP" and s.tag(at + 2) in ("VBP", "VBZ"):
            yield "conditional", put(at + 2, at + 3, f"will {s.lemma(at + 2)}")
        if word == "if" and s.tag(at + 1) == "PRP" and s.tag(at + 2) == "VBD" and "would" in s.low:
            yield "conditional", put(at + 2, at + 3, f"would {s.lemma(at + 2)}")
        if (
            s.doc[at].dep_ == "nsubj"
            and s.doc[at].pos_ == "NOUN"
            and s.tag(at + 1) in ("VBZ", "VBD", "VBP", "MD")
        ):
            own = "they" if tag == "NNS" else "it"
            yield "pronoun", put(at, at + 1, f"{s.doc[at].text} {own}")
        if (
            word in ("who", "that")
            and s.lemma(at - 1) in lists().words("persons")
            and s.doc[at].dep_ == "nsubj"
        ):
            yield "pronoun", put(at, at + 1, "which")
        if (
            word in ("that", "which")
            and s.pos(at - 1) == "NOUN"
            and s.doc[at].dep_ in ("nsubj", "dobj")
        ):
            yield "pronoun", put(at, at + 1, "what")
        if word == "really" and s.pos(at + 1) == "VERB":
            yield "word-order", put(at, at + 2, f"{s.word(at + 1)} very much")
        if word == "because" and s.word(at + 1) == "of":
            yield "conjunction", put(at + 1, at + 2, "")
        if (
            word.endswith("ed")
            and tag == "JJ"
            and s.word(at - 1) in ("very", "so", "really", "'m", "am", "was")
        ):
            yield "word-choice", put(at, at + 1, f"{word[:-2]}ing")
        if tag in ("NN", "NNS") and word in lists().words("never_plural"):
            yield "number", put(at, at + 1, f"{word}s")
        if word == "to" and s.lemma(at - 1) in (
            "listen",
            "explain",
            "belong",
            "respond",
            "connect",
            "refer",
        ):
            yield "preposition-missing", put(at, at + 1, "")
        if word in ("on", "for", "of", "in", "at", "about") and s.pos(at - 1) in ("VERB", "ADJ"):
            lemma_ = s.lemma(at - 1)
            if lists().raw["needs_preposition"].get(lemma_) == word:
                yield "preposition-missing", put(at, at + 1, "")
            governed = lists().governed("verb").get(lemma_) or lists().governed("adjective").get(
                s.word(at - 1)
            )
            if governed == word:
                for other in random.sample(
                    ["on", "for", "of", "in", "at", "from", "to", "with"], 3
                ):
                    if other != word:
                        yield "governed", put(at, at + 1, other)
        if s.pos(at) == "VERB" and lemma in lists().raw["direct_verbs"]:
            chunk = s.chunk_from(at + 1)
            if chunk is not None and chunk.root.dep_ == "dobj":
                yield "governed", put(at, at + 1, f"{word} {lists().raw['direct_verbs'][lemma][0]}")
        if (
            tag == "RB"
            and word.endswith("ly")
            and s.pos(at + 1) in ("PUNCT", "ADP")
            and len(word) > 5
        ):
            yield "adverb", put(at, at + 1, word[:-2])
        chunk = s.chunk_from(at)
        if (
            chunk is not None
            and chunk.root.dep_ == "dobj"
            and chunk.end < len(s)
            and s.tag(chunk.end) == "RB"
            and s.pos(at - 1) == "VERB"
        ):
            yield "word-order", put(at, chunk.end + 1, f"{s.word(chunk.end)} {chunk.text}")
        if word in ("always", "never", "also", "usually", "often") and s.pos(at + 1) == "VERB":
            yield "word-order", put(at, at + 2, f"{s.word(at + 1)} {word}")
    yield from broken_collocations(s, put)
    lower = f" {text.lower()} "
    for better, said in reversed_phrases().items():
        if f" {better} " in lower:
            start = lower.index(f" {better} ")
            yield "phrase", text[:start] + random.choice(said) + text[start + len(better) :]


def broken_collocations(s: Sentence, put) -> Iterator[tuple[str, str]]:  # type: ignore[no-untyped-def]
    """The right verb of a noun replaced by one that learners use."""
    for token in s.doc:
        if token.dep_ != "dobj" or token.head.pos_ != "VERB" or token.head.i > token.i:
            continue
        wrongs = reversed_pairs().get((token.head.lemma_.lower(), token.lemma_.lower()), [])
        for wrong in random.sample(wrongs, min(2, len(wrongs))):
            yield (
                "collocation",
                put(token.head.i, token.head.i + 1, inflect(wrong, token.head.tag_)),
            )
            yield (
                "collocation",
                put(token.head.i, token.head.i + 1, inflect(wrong, token.head.tag_)),
            )


_PAIRS: dict[tuple[str, str], list[str]] = {}


def reversed_pairs() -> dict[tuple[str, str], list[str]]:
    """Right verb and noun → wrong verbs."""
    if not _PAIRS:
        from server.language.wording import _pairs

        for noun, known in _pairs().items():
            for wrong, whole, right in known:
                if len(whole) == 1:
                    _PAIRS.setdefault((right, noun), []).append(wrong)
    return _PAIRS


_PHRASES: dict[str, list[str]] = {}


def reversed_phrases() -> dict[str, list[str]]:
    """Right phrase → wrong ones."""
    if not _PHRASES:
        for _, said, rights, _ in map(marked, load("phrases.yaml")):
            for each in rights:
                if len(each.split()) > 1:
                    _PHRASES.setdefault(each.lower(), []).append(said.lower())
    return _PHRASES


@app.command()
def rows(
    sentences: Path,
    out: Path,
    whole: Annotated[int, typer.Option(help="sentences left alone")] = 500,
    broken: Annotated[int, typer.Option(help="sentences that are broken")] = 500,
    folder: Annotated[Path, typer.Option(help="where the language model lies")] = FOLDER,
    seed: int = 1,
) -> None:
    """Write a row for each proposal: its features, its rule, whether it is right."""
    random.seed(seed)
    referee = Referee(folder)
    lines = [line.strip() for line in sentences.read_text("utf-8").splitlines() if line.strip()]
    random.shuffle(lines)
    tongues = [None, None, "de", "fr", "es", "pt", "it", "ru", "zh", "hi"]
    kinds: Counter[str] = Counter()
    with out.open("w", encoding="utf-8") as file:

        def write(text: str, right: str | None, kind: str) -> None:
            tongue = random.choice(tongues)
            for s in parsed(text, tongue):
                if right is not None and s.doc.text != text:
                    continue  # the parser cut it
                for weighed in weigh(s, propose(s), referee):
                    proposal = weighed.proposal
                    after = proposal.applied(s.doc.text)
                    label = int(right is not None and after.lower() == right.lower())
                    if right is not None and not label:
                        # where the fault is, any other edit is neither right nor wrong
                        changed = _changed(text, right)
                        if proposal.start <= changed[1] + 1 and changed[0] <= proposal.end + 1:
                            continue
                    if label and weighed.features["gain"] < 0.7:
                        continue  # what was broken is as good as the other
                    row = {
                        "y": label,
                        "kind": kind,
                        "rule": proposal.rule,
                        "text": text,
                        "after": after,
                        "f": {k: round(v, 4) for k, v in weighed.features.items()},
                    }
                    file.write(json.dumps(row) + "\n")
            file.flush()

        left = lines[:whole]
        pool = lines[whole:]
        done = 0
        for text in pool:
            if done >= broken:
                break
            found = [s for s in parsed(text, None)]
            if len(found) != 1:
                continue
            options: dict[str, list[str]] = {}
            for kind, wrong in broken_by_hand(found[0]):
                options.setdefault(kind, []).append(wrong)
            if not options:
                continue
            kind = min(options, key=lambda each: kinds[each] + random.random() * 4)
            wrong = random.choice(options[kind])
            if wrong.lower() == text.lower():
                continue
            kinds[kind] += 1
            done += 1
            write(wrong, text, kind)
            if done <= whole and left:
                write(left[done - 1], None, "whole")
            if done % 50 == 0:
                print(done, dict(kinds), file=sys.stderr, flush=True)
        for text in left[done:]:
            write(text, None, "whole")


def _changed(one: str, other: str) -> tuple[int, int]:
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, len(one) - end


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of ``rows``, or those of sentences that ``benchmarks/language.py`` weighed."""
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        if "sentences" not in case:
            yield case | {"f": derived(case["f"]), "group": case["text"], "weight": 1.0}
            continue
        said = case["said"]
        rights = {right.lower() for right in case["rights"]}
        for s in case["sentences"]:
            for each in s["all"]:
                start, end = each["start"] + s["offset"], each["end"] + s["offset"]
                right = (said[:start] + each["new"] + said[end:]).lower() in rights
                if rights and not right:
                    changed = [_changed(said, other) for other in case["rights"]]
                    if any(start <= last + 1 and first <= end + 1 for first, last in changed):
                        continue
                yield {"y": int(right), "f": derived(each["f"]), "group": said, "weight": 2.0}


@app.command()
def examples(out: Path, folder: Path = FOLDER) -> None:
    """Write the examples of ``data/rules.yaml`` as cases for ``benchmarks/language.py weigh``."""
    lines = []
    for rule in load("rules.yaml").values():
        for line in rule["wrong"]:
            said, better = line.split(" > ")
            lines.append(f"|{rule['kind']}|{{{said}=>{better}}}")
        lines += rule["right"]
    out.write_text("\n".join(lines) + "\n", "utf-8")


@app.command()
def fit(files: list[Path], ridge: float = 3.0, onward: bool = False) -> None:
    """Fit the logistic model on rows, and write its weights."""
    data = [row for file in files for row in read_rows(file)]
    old = json.loads((DATA / "acceptor.json").read_text("utf-8"))
    start = old["weights"] if onward else {}
    names = sorted({name for row in data for name in row["f"]} | set(start))
    prior = np.array([start.get(name, 0.0) for name in names] + [old["bias"] if onward else 0.0])
    place = {name: at for at, name in enumerate(names)}
    x = np.zeros((len(data), len(names) + 1))
    y = np.array([row["y"] for row in data], dtype=float)
    for at, row in enumerate(data):
        for name, value in row["f"].items():
            x[at, place[name]] = value
        x[at, -1] = 1.0
    counts = np.array([row["weight"] for row in data])
    weights = logistic(x, y, ridge, counts, prior)
    groups = sorted({row["group"] for row in data})
    fold = {group: zlib.crc32(group.encode()) % 5 for group in groups}
    folds = np.array([fold[row["group"]] for row in data])
    unseen = np.zeros(len(data))
    for each in range(5):
        inside = folds == each
        unseen[inside] = x[inside] @ logistic(x[~inside], y[~inside], ridge, counts[~inside], prior)
    for bar in (0.0, 0.5, 1.0, 1.5, 2.0):
        said = unseen >= bar
        print(
            f"log odds {bar}: right {y[said].sum():.0f} of {y.sum():.0f}, wrong {(1 - y[said]).sum():.0f}"
        )
    model = {
        "weights": {name: round(float(weights[at]), 4) for name, at in place.items()},
        "bias": round(float(weights[-1]), 4),
        "least": old["least"],
        "speakers": old["speakers"],
        "rules_alone": old["rules_alone"],
    }
    (DATA / "acceptor.json").write_text(json.dumps(model, indent=0) + "\n", "utf-8")
    print(len(data), "rows,", int(y.sum()), "right")


def logistic(
    x: np.ndarray, y: np.ndarray, ridge: float, counts: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """Weights by Newton's method, shrunk toward ``prior``; the last, the bias, is not shrunk."""
    weights = prior.copy()
    shrink = np.full(x.shape[1], ridge)
    shrink[-1] = 1e-6
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (counts * (p - y)) + shrink * (weights - prior)
        hessian = (x * (counts * p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(shrink)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights


if __name__ == "__main__":
    app()

"""Reads a posting, or a list of questions, against a bank: what fits, what is missing, what to ask.

Everything proposed is in the text's own words; the candidate edits it before it is kept.
"""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from lemminflect import getAllLemmas  # type: ignore[import-untyped]

from pronunciation.terms import Lexicon, Term
from pronunciation.written_terms import find_term, split_words
from question_bank.models import Bank, Question, Role
from server.grading.by_meaning import content_stems, vectors_of

FITS: Final = 0.95
"""Cosine of a line and a question, plus the share of the line's rare words that the question has,
from which both are about the same. Of a posting for a site reliability engineer, the questions for
six of 13 lines have 0.97 to 1.50; the eight lines of a nurse's have 0.48 to 0.83."""
_FITTING_LINES: Final = 2
"""A role is near if so many lines of a posting fit its questions; one may do so by chance."""
MAX_FITS: Final = 8
MAX_PROPOSALS: Final = 8
MAX_PHRASES: Final = 6
MAX_PHRASE_WORDS: Final = 4
SHORTEST_LINE: Final = 3
LONGEST_LINE: Final = 45
"""Words of a line that asks for something."""

_ASKED: Final = re.compile(
    r"(tell me|describe|explain|(walk|talk) (me|us) through|give (me|us) an example)\b",
    re.IGNORECASE,
)
_QUESTION_COLUMN: Final = re.compile(r"(the |interview |your )?(questions?|prompts?)( text)?")
_PHRASE_COLUMN: Final = re.compile(r"phrase|key ?(word|point|term)")
_PAPERS: Final = re.compile(
    r"\b(degrees? (in|or)|bachelor|master[’']?s|diploma|ph\.?d)\b", re.IGNORECASE
)
"""What is shown, not talked about."""
_NOT_THE_WORK: Final = re.compile(
    r"\b(benefits?|we offer|offer you|perks|salary|compensation|equal opportunit"
    r"|about (us|the company)|how to apply|apply now|application process|annual leave|pension"
    r"|holiday|vacation|diversity|visa)\b",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"^(#+ .*|\*\*.*\*\*:?|[A-Z][^.;,]{2,60}:|[A-Z][\w’' &/-]{2,40})$")
_BULLET: Final = re.compile(r"^\s*([-*•·▪–◦o]|\d+[.)])\s+")
_FEW_BULLETS: Final = 3
"""From so many on, other lines are headings and what the company says about itself."""
_ADDRESSED: Final = re.compile(r"^(you\b|your\b|as an? )", re.IGNORECASE)
_COMPANY: Final = re.compile(r"^(we|our|join us)\b|\b(is|are) (looking|hiring)\b", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.;!?])\s+(?=[A-Z])")
_SKILL: Final = re.compile(
    r"^(?:(?:(?:\d+\+?|two|three|four|five|several|many)\W* years?(?: of)?|at least|minimum"
    r"|you (?:have|bring|are)|must have|have|an?|the|strong|good|solid|deep|proven|hands-on"
    r"|practical|working|excellent|some|professional|relevant|demonstrated|demonstrable|extensive"
    r"|prior|previous|basic|advanced|in-depth|sound)\b)*\s*"
    r"(?:experience|knowledge|understanding|familiarity|proficiency|expertise|background|skills?"
    r"|track record|command|familiar|proficient|experienced|comfortable)\s*"
    r"(?:with|in|of|on|using|for|as)?\s+(?:the |a |an )?",
    re.IGNORECASE,
)
_ABILITY: Final = re.compile(
    r"^(?:(?:the|an?|your|strong|proven|you have the|demonstrated) )*"
    r"(?:ability|able|capacity|willing(?:ness)?) to ",
    re.IGNORECASE,
)
_WISHED: Final = re.compile(
    r"^(nice to have|bonus( points)?( for)?|plus|ideally|preferably)\b[:,]? *"
    r"|[,;–—-]* *\b(((is|are|would be|as|considered) )*(an? )?(big |strong |real |definite )?"
    r"(plus|bonus|nice to have|welcome|advantage(ous)?|desirable|preferred|desired|required"
    r"|appreciated|beneficial|optional|must))$",
    re.IGNORECASE,
)
_YOU: Final = re.compile(
    r"^(?:you(?:[’']ll| will| can| are going to)?|we expect you to|to) ", re.IGNORECASE
)
_CUT: Final = re.compile(
    r"[,;:()\[\]–—•.!?\"“”]+|(?<=\w{3})/(?=\w{3})|\s[/&]\s|(?<![\w-])(?:and|or|with|in|of|for|to|on|at|by|from|as|using|such|like"
    r"|including|during|before|after|e\.g|etc|our|your|you|we|will|the|an?|that|which|who|when|where|their|them|its|is"
    r"|are|be|into|across|within|through|under|per|well|plus|than|more|least|between|against|what|how|why"
    r"|do|does|would|did|have|has|had|it|they|this|these|those|if|not|was|were|tell|me|us|about|i|my"
    r"|can|could|should)(?![\w-])",
    re.IGNORECASE,
)
_PARTICLES: Final = ("over", "up", "out", "off", "down", "away")
_SAYS_LITTLE: Final = frozenset({
    "experience", "knowledge", "ability", "able", "strong", "good", "great", "excellent", "proven",
    "solid", "deep", "skill", "skills", "year", "years", "team", "teams", "work", "working",
    "environment", "environments", "role", "candidate", "candidates", "related", "similar",
    "relevant", "required", "preferred", "must", "nice", "bonus", "degree", "other", "others",
    "various", "new", "best", "high", "highly", "closely", "clearly", "daily", "day", "days",
    "understanding", "familiarity", "familiar", "proficiency", "proficient", "hands", "practical",
    "minimum", "equivalent", "field", "company", "people", "person", "time", "example", "give",
    "each", "every", "all", "any", "some", "many", "own", "join", "looking", "seeking", "help",
    "ideally", "preferably", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "according", "part", "take", "keep", "make", "use", "get",
})  # fmt: skip
_BEHAVIOR: Final = re.compile(
    r"\b(communicat|collaborat|conflict|lead(ing|ership)?\b|mentor|stakeholder|empath|teamwork|feedback|disagree|influenc|"
    r"pressure|relatives|famil(y|ies)\b|colleagues?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Fit:
    """A question of the bank, and the line of the posting that asks for the same."""

    question: Question
    line: str


@dataclass(frozen=True)
class Proposal:
    """A question that a line of the text suggests, for the candidate to edit."""

    prompt: str
    key_phrases: tuple[str, ...]
    topic: str
    round: str
    line: str = ""
    answer_seconds: int = 120


@dataclass(frozen=True)
class Posting:
    """What a text asks for.

    Attributes:
        role: the nearest one of the bank; ``None``: a list of questions, or nothing is near.
        fits: questions of the role's field that the posting asks for, the nearest first.
        gaps: what it asks for and the field has no question about.
        terms: those of the lexicon that it uses.
        proposals: what may be asked, gaps first.
    """

    role: Role | None = None
    fits: tuple[Fit, ...] = ()
    gaps: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    proposals: tuple[Proposal, ...] = ()


def read_posting(text: str, bank: Bank, lexicon: Lexicon, *, is_table: bool = False) -> Posting:
    """What a text asks for, and which questions it suggests.

    Args:
        text: a posting in plain text or Markdown, or questions, one a line.
        bank: what there is already.
        lexicon: the terms that the program knows how to say.
        is_table: it is a CSV file with a column of questions.
    """
    words = split_words(text)
    terms = tuple(each for each in lexicon.terms if find_term(words, each.term))
    names = [each.term for each in terms]
    asked = list(_table(text)) if is_table else _questions(text)
    lines = [prompt for prompt, _ in asked] or _asks(text)
    if not lines:
        return Posting(terms=terms)
    near = nearness(lines, bank.questions)
    role = _nearest_role(text, near, bank)
    if asked:
        return Posting(role, terms=terms, proposals=tuple(_asked(*each, names) for each in asked))
    related = () if role is None else bank.related(role.id)
    field = {each.id for each in related if each.role}  # not what everybody is asked
    held = np.array([each.id in field for each in bank.questions], bool)
    best = np.where(held, near, 0).max(axis=1, initial=0)
    fits: dict[str, Fit] = {}
    for at in np.argsort(-best).tolist():
        if best[at] >= FITS:
            question = bank.questions[int(np.where(held, near[at], 0).argmax())]
            fits.setdefault(question.id, Fit(question, lines[at]))
    gaps = [line for line, value in zip(lines, best, strict=True) if value < FITS]
    known = [content_stems(each.full_text) for each in related]

    def is_known(phrase: str) -> bool:
        stems = content_stems(phrase)
        return any(stems <= each for each in known)

    missing = dict.fromkeys(phrase for line in gaps for phrase in phrases_of(line, names)[:3])
    ordered = [*gaps, *(line for line in lines if line not in gaps)]
    proposals = [made for line in ordered if (made := _proposed(line, names)) is not None]
    return Posting(
        role,
        tuple(fits.values())[:MAX_FITS],
        tuple(each for each in missing if not is_known(each)),
        terms,
        tuple({each.prompt: each for each in proposals}.values())[:MAX_PROPOSALS],
    )


def phrases_of(text: str, terms: Iterable[str] = ()) -> tuple[str, ...]:
    """The phrases of a text that say something, in its own words; known terms come first."""
    words = split_words(text)
    found = [each for each in terms if find_term(words, each)]
    for number, chunk in enumerate(_CUT.split(text)):
        kept = chunk.strip(" -*'’`").split()
        particle = len(kept) > 1 and kept[1] in _PARTICLES
        if number == 0 and kept and not particle and kept[0].casefold() in _verbs(kept[0]):
            kept = kept[1:]  # what is done, without "run", "define", "lead"
        while kept and _says_little(kept[0]):
            kept = kept[1:]
        while kept and _says_little(kept[-1]) and (len(kept) == 1 or kept[-1] != "days"):
            kept = kept[:-1]
        phrase = " ".join(kept[:MAX_PHRASE_WORDS]).strip(" -'’")
        parts = getAllLemmas(phrase.casefold())
        if (len(phrase) > 2 or phrase.isupper()) and ("ADV" not in parts or "NOUN" in parts):
            found.append(phrase)
    plain: dict[str, str] = {}
    for phrase in found:
        known = phrase.casefold().replace("-", "")
        if not any(known in each or each in known for each in plain):
            plain[known] = phrase
    return tuple(plain.values())[:MAX_PHRASES]


def _says_little(word: str) -> bool:
    plain = word.casefold().strip("'’-+")
    return plain in _SAYS_LITTLE or not any(char.isalpha() for char in plain)


def _questions(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The lines of a list of questions; none if the text is something else."""
    lines = [_BULLET.sub("", each).strip() for each in text.splitlines() if each.strip()]
    asked = [each for each in lines if each.endswith("?") or _ASKED.match(each)]
    return [(each, ()) for each in asked] if len(asked) * 2 > len(lines) else []


def _table(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The questions of a table with their key phrases, in whichever columns these are."""
    rows = _rows(text)
    head = [cell.strip().casefold() for cell in rows[0]] if rows else []
    columns = [[row[at].strip() for row in rows if len(row) > at] for at in range(len(head))]
    asked = [(sum(c.endswith("?") for c in each), sum(map(len, each))) for each in columns]
    named = [at for at, cell in enumerate(head) if _QUESTION_COLUMN.fullmatch(cell)]
    at = named[0] if named else max(range(len(head)), key=asked.__getitem__, default=0)
    phrases = next((n for n, cell in enumerate(head) if _PHRASE_COLUMN.search(cell)), None)
    is_head = named or phrases is not None or (asked[at][0] and not head[at].endswith("?"))
    for row in rows[1:] if rows and is_head else rows:
        if len(row) > at and row[at].strip():
            cell = row[phrases] if phrases is not None and len(row) > phrases else ""
            between = r"[;|\n]" if re.search(r"[;|\n]", cell) else ","
            yield row[at].strip(), tuple(p.strip() for p in re.split(between, cell) if p.strip())


def _rows(text: str) -> list[list[str]]:
    """The rows of a table, whatever stands between its cells; one column if nothing does."""
    found = [[line.strip().strip('"')] for line in text.splitlines() if line.strip()]
    for between in (",", ";", "\t"):
        read = csv.reader(io.StringIO(text), delimiter=between, skipinitialspace=True)
        rows = [row for row in read if any(cell.strip() for cell in row)]
        width = len(rows[0]) if rows else 0
        if width > len(found[0]) and sum(len(row) == width for row in rows) > 0.8 * len(rows):
            found = rows
    return found


def _asks(text: str) -> list[str]:
    """The sentences of a posting that say what the work asks for."""
    rows = [each for each in text.splitlines() if each.strip()]
    has_bullets = sum(bool(_BULLET.match(row)) for row in rows) >= _FEW_BULLETS
    lines, skipped = [], False
    for row in rows:
        line = row.strip()
        if not _BULLET.match(row) and (
            _HEADING.match(line) or (has_bullets and not _ADDRESSED.match(line))
        ):
            skipped = bool(_NOT_THE_WORK.search(line))
            continue
        if skipped or _NOT_THE_WORK.search(line) or _PAPERS.search(line):
            continue
        for part in _SENTENCE_END.split(_BULLET.sub("", line).replace("**", "")):
            if SHORTEST_LINE <= len(part.split()) <= LONGEST_LINE and not _COMPANY.search(part):
                lines.append(_WISHED.sub("", part.strip().rstrip(".")))
    return list(dict.fromkeys(lines))


def nearness(lines: Sequence[str], questions: Sequence[Question]) -> npt.NDArray[np.float32]:
    """How near each question is to each line: cosine and share of rare words; shape (n, m)."""
    if not questions:
        return np.zeros((len(lines), 0), np.float32)
    known = [content_stems(each.full_text) for each in questions]
    number = Counter(stem for stems in known for stem in stems)
    near = vectors_of(lines) @ vectors_of([each.prompt for each in questions]).T
    for at, line in enumerate(lines):
        rarity = {
            stem: math.log((len(questions) + 1) / (number[stem] + 0.5))
            for stem in content_stems(line)
        }
        total = sum(rarity.values()) or 1.0
        near[at] += [sum(rarity[stem] for stem in rarity.keys() & stems) / total for stems in known]
    return near


def _nearest_role(text: str, near: npt.NDArray[np.float32], bank: Bank) -> Role | None:
    """The role that the text names, or the one whose questions are nearest to its lines."""
    said = " ".join(text.casefold().split())
    named = [each for each in bank.roles if each.title.casefold() in said]
    if named:
        return max(named, key=lambda each: len(each.title))
    found: tuple[float, Role | None] = (0.0, None)
    for role in bank.roles:
        held = np.array([each.role == role.id for each in bank.questions], bool)
        best = near[:, held].max(axis=1, initial=0)
        if (best >= FITS).sum() >= _FITTING_LINES and best.mean() > found[0]:
            found = float(best.mean()), role
    return found[1]


def _asked(prompt: str, phrases: tuple[str, ...], terms: Sequence[str]) -> Proposal:
    found = phrases or phrases_of(prompt, terms) or (prompt.rstrip("?. "),)
    is_story = prompt.casefold().startswith(
        ("tell me about a", "describe a time", "give me an example")
    )
    return Proposal(
        prompt, found, _topic(found[0]), "behavioral" if is_story else "domain-deep-dive", prompt
    )


def _proposed(line: str, terms: Sequence[str]) -> Proposal | None:
    """A question about a line, or ``None`` where it says too little."""
    phrases = phrases_of(line, terms)
    if not phrases:
        return None
    subject = line.rstrip(".!")
    skill, ability, you = _SKILL.match(subject), _ABILITY.match(subject), _YOU.match(subject)
    round_ = "behavioral" if _BEHAVIOR.search(line) else "domain-deep-dive"
    cut = next((each.end() for each in (skill, ability, you) if each), 0)
    rest = re.sub(r"\bour ", "", subject[cut:], flags=re.IGNORECASE)
    first = rest.split()[0] if rest.split() else ""
    if not rest or not first:
        return None
    verb = _verbs(first)
    plain = first[1:] == first[1:].lower() and getAllLemmas(first.casefold())
    lower = rest[0].lower() + rest[1:] if plain else rest
    if skill:
        link = re.search(r" as( an?)? $", skill[0], re.IGNORECASE)
        prompt = f"What have you done{link[0] if link else ' with '}{rest}, and what did you learn?"
    elif round_ == "behavioral" and first.casefold() in verb:
        prompt = f"Tell me about a time when you had to {lower}. What did you do?"
    elif first.casefold() in verb:
        prompt = f"How do you {lower}? Walk me through an example of your own."
    elif verb and first.casefold().endswith("ing"):
        prompt = f"How do you go about {lower}? Walk me through an example of your own."
    elif round_ == "behavioral":
        prompt = f"Tell me about a time that shows this: {lower}."
    else:
        prompt = f"This job asks for {lower}. What have you done there?"
    return Proposal(prompt, phrases, _topic(phrases[0]), round_, line)


def _topic(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _verbs(word: str) -> tuple[str, ...]:
    """The base forms of a word that may be a verb."""
    found: tuple[str, ...] = getAllLemmas(word.casefold()).get("VERB", ())
    return found

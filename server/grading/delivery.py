"""How the delivery came across: rate, pauses, fillers, repeated starts."""

import re
from collections.abc import Sequence

from server.contract import Delivery, Filler, Pause, RepeatedStart, Submission, Word
from server.grading.answer import Answer
from server.grading.english import (
    FUNCTION_WORDS,
    by_word,
    lemma,
    parts_of_speech,
    word_class,
    word_set,
)
from server.grading.tokenizer import COMMA, NO_BREAK, SENTENCE, Token
from server.language.words import HESITATIONS

_VOWEL_GROUPS = re.compile(r"[aeiouy]+")
_DIGIT_SYLLABLES = {"7": 2, "0": 2}
_FILLER_PHRASES = (("you", "know"), ("i", "mean"), ("sort", "of"), ("kind", "of"))
_FILLER_STARTS = frozenset(["like", *(first for first, _ in _FILLER_PHRASES)])
_BEFORE_KIND = word_class("before_kind")
# "you know that …", "this kind of …", "I mean it", "sort of thing" are not fillers.
_NOT_BEFORE = {
    ("you", "know"): word_set("do if as what when how don't should would that did may might"),
    ("kind", "of"): _BEFORE_KIND,
    ("sort", "of"): _BEFORE_KIND | word_set("we i to you they"),
    ("i", "mean"): word_set("what do does which that"),
}  # fmt: skip
_NOT_AFTER = {
    ("you", "know"): word_set("what how that the where why who whether if about when it"),
    ("i", "mean"): word_set("by that it this"),
    ("kind", "of"): frozenset(),
    ("sort", "of"): frozenset(("thing", "things")),
}
MIN_ANSWER_S = 1.0
"""Below this length, a rate is mostly rounding."""
_MAX_REPEAT = 3
# Said twice in good English ("that that", "had had") or for emphasis ("very very").
_REPEAT_MEANT = word_class("repeat_meant")
_NO_EMPHASIS = FUNCTION_WORDS | word_set("own such same other first last next")
"""Adjectives by the dictionary that are said twice by stumbling ("just just")."""
_PARTICLES = word_set("in on out up over off down by through along around")
"""After a verb the first of two may belong to it: "logged in in 2020"."""
_AFTER_A_RELATIVE = word_class("after_a_relative")
"""Two of these end one clause and begin the next: "what it is is", "who we talk to to learn"."""
_STRANDED = word_set("to for with at of from about into")
_SUBJECTS, _ARTICLES = word_set("i you he she we they"), word_set("a an the this that our my their")
_RELATIVES = word_class("relatives")
_OBJECTS = word_set("it them him her us me you this that these those everything")
"""They may stand between a verb and its particle: "turned it on on Monday"."""
_MAX_CLAUSE = 10
_LINKS = word_set("by and after to over upon or for in")
"""Between one word said several times: "more and more and more", "step by step by step"."""


def _time(words: Sequence[Word], index: int) -> tuple[float | None, float | None]:
    if index < len(words):
        return words[index].start_s, words[index].end_s
    return None, None


def find_fillers(answer: Answer, words: Sequence[Word]) -> tuple[Filler, ...]:
    """Filler words, by conservative rules: a word that may carry meaning does not count."""
    tokens = answer.tokens
    out: list[Filler] = []

    def put(first: int, last: int) -> None:
        start, end = tokens[first].first, tokens[last].last
        text = " ".join(token.raw for token in tokens[first : last + 1])
        begins, ends = _time(words, start)[0], _time(words, end)[1]
        out.append(Filler(text=text, start_s=begins, end_s=ends, word_index=start))

    for place, token in enumerate(tokens):
        if token.raw in HESITATIONS and not token.inside:
            put(place, place)
            continue
        if token.raw not in _FILLER_STARTS:
            continue
        pair = (token.raw, tokens[place + 1].raw) if place + 1 < len(tokens) else ("", "")
        if pair in _FILLER_PHRASES and tokens[place + 1].gap == NO_BREAK:
            before = tokens[place - 1].raw if place and token.gap == NO_BREAK else ""
            follower = tokens[place + 2] if place + 2 < len(tokens) else None
            after = follower.raw if follower is not None and follower.gap == NO_BREAK else ""
            if before not in _NOT_BEFORE[pair] and after not in _NOT_AFTER[pair]:
                put(place, place + 1)
        elif token.raw == "like" and _is_filler_like(answer, place):
            put(place, place)
    return tuple(out)


def _is_filler_like(answer: Answer, place: int) -> bool:
    """Whether "like" is set off by commas on both sides; otherwise it may be meant."""
    tokens = answer.tokens
    follower = tokens[place + 1] if place + 1 < len(tokens) else None
    return tokens[place].gap == COMMA and follower is not None and follower.gap == COMMA


def find_repeated_starts(answer: Answer, words: Sequence[Word]) -> tuple[RepeatedStart, ...]:
    """Starts said again: "we we", "the model the model"."""
    tokens = answer.tokens
    live = [at for at, token in enumerate(tokens) if token.raw not in HESITATIONS]
    texts = [tokens[at].raw for at in live]
    out: list[RepeatedStart] = []
    at = 0
    while at < len(live):
        if texts[at] not in texts[at + 1 : at + 1 + _MAX_REPEAT]:
            at += 1
            continue
        for size in range(_MAX_REPEAT, 0, -1):
            block, again = texts[at : at + size], texts[at + size : at + 2 * size]
            if len(block) < size or block != again or _is_meant(answer, live, at, size):
                continue
            first = tokens[live[at]].first
            start_s = _time(words, first)[0]
            out.append(RepeatedStart(text=" ".join(block), start_s=start_s, word_index=first))
            at += size - 1
            break
        at += 1
    return tuple(out)


def _is_meant(answer: Answer, live: Sequence[int], at: int, size: int) -> bool:
    """Whether ``size`` live tokens said twice are good English, emphasis, a name, or read out."""
    tokens = answer.tokens
    said = [tokens[place] for place in live[at : at + 2 * size]]
    if any(token.gap == SENTENCE for token in said[1:]) or said[size].gap == COMMA:
        return True
    block = [token.raw for token in said[:size]]
    before = tokens[live[at - 1]] if at and said[0].gap != SENTENCE else None
    after = tokens[live[at + 2 * size]] if at + 2 * size < len(live) else None
    if all(_is_read_out(token) for token in said[:size]):
        beside = {each.raw for each in (before, after) if each is not None and len(each.raw) == 1}
        return size > 1 or block[0] not in ("i", "a") or bool(beside - {"i", "a"})
    if size == 2 and block[0] in _LINKS and before is not None and before.raw == block[1]:
        return True
    if size == 2 and block[1] in _LINKS and after is not None and after.raw == block[0]:
        return True
    if size > 1:
        return False
    word = block[0]
    if word in _REPEAT_MEANT or any(token.inside for token in said):
        return True
    if "ADJ" in parts_of_speech(word) and word not in _NO_EMPHASIS:
        return True
    written = [answer.words[token.first][:1] for token in said]
    if word != "i" and before is not None and all(map(str.isupper, written)):
        return True  # "New York" would be two words: "Duran Duran"
    clause: list[str] = []
    for place in reversed(live[max(0, at - _MAX_CLAUSE) : at]):
        clause.append(tokens[place].raw)
        if tokens[place].gap == SENTENCE:
            break
    if word in _AFTER_A_RELATIVE and not _RELATIVES.isdisjoint(clause):
        return True
    if word in _STRANDED and clause and "VERB" in parts_of_speech(clause[0]):
        runs = zip(clause, clause[1:], clause[2:], strict=False)  # "the bug I was looking for"
        if any(who in _SUBJECTS and article in _ARTICLES for who, _, article in runs):
            return True
    if word == "her":  # "gave her her token"
        return bool(clause) and "VERB" in parts_of_speech(clause[0])
    verb = clause[1:] if clause[:1] and clause[0] in _OBJECTS else clause
    return word in _PARTICLES and bool(verb) and "VERB" in parts_of_speech(verb[0])


def _is_read_out(token: Token) -> bool:
    """Whether it is a digit or a letter, as numbers and names are read out."""
    return len(token.text) == 1 or token.text.replace(".", "").isdecimal()


@by_word
def syllables(word: str) -> int:
    """About how many syllables a lower-case word has (at least one).

    Counts vowel groups, minus a silent final ``e`` and a silent ``-ed``/``-es``, plus the hiatus in
    ``-ia-`` and ``-io-`` unless ``t``, ``s``, ``c`` or ``x`` precedes it. A word without a vowel is
    spelled out: one syllable per letter, three for ``w``.
    """
    letters = "".join(letter for letter in word if letter.isalpha())
    if not letters:
        return sum(_DIGIT_SYLLABLES.get(digit, 1) for digit in word if digit.isdecimal()) or 1
    groups = len(_VOWEL_GROUPS.findall(letters))
    if groups == 0:
        return sum(3 if letter == "w" else 1 for letter in letters)
    if letters.endswith("e") and not letters.endswith("le") and groups > 1:
        groups -= letters[-2] not in "aeiouy"
    elif re.search(r"[^aeiouytd]ed$|[^aeiouyszxc]es$", letters) and groups > 1:
        groups -= 1
    groups += len(re.findall(r"(?<![tscx])i[ao]|eo|ua(?!r)|[aeo]i(?=ng)", letters))
    return max(1, groups)


_TERMS = (
    r"i mean|or rather|no wait|wait no|sorry(?! to )|actually no|no actually|let me rephrase"
    r"|let me say (?:it|that) again|let me correct (?:that|myself)|i meant|i should say|excuse me"
)
"""What speakers say when they take words back (Levelt 1983: editing terms)."""
_EDITING = re.compile(
    rf"(?<= )(?<!and )(?!(?<=\. )sorry)"
    rf"(?:(?:{_TERMS}|(?<=, )(?:no|well|wait|actually|rather)(?=,))[,.]? )+"
)
_STUMBLING = re.compile(
    rf"(?<=, )|(?<= )(?:(?:{'|'.join(HESITATIONS)})[,.]? )+|(?<=n't )(?=\S+n't )"
)
_ALIKE, _AND = (word_set("a an the"), _STRANDED | {"on", "in"}), word_set("and or but so then")
_ALIKE_ANNOUNCED = (
    _ARTICLES | word_set("these those some any much many few little less fewer every each"),
    _ALIKE[1] | word_set("since during by until over through"),
)
"""Behind an editing term more of them are: "much feedback, sorry, some", "since, sorry, for"."""
_FORMS = [word_set(forms) for forms in ("do does did", "am is are was were", "has have had")]
_CLEFT, _ASKED = word_set("what how where which who way all"), word_set("it this that there the")
"""What begins "what they are, is", where nothing is taken back, and subjects of a question."""
_MOST_TAKEN_BACK = 8
"""A correction goes back this many words at most: hardly ever beyond the clause (Levelt)."""


def taken_back(words: Sequence[str]) -> list[range]:
    """The places of words that their speaker corrected at once, and of the "I mean" between.

    A correction begins with a word that it repeats, or that replaces one of its kind (Levelt 1983).
    Without an editing term only another form of the last word is one ("he don't, doesn't"), "an"
    for "a", "on Monday" for "in Monday"; after an "um" any little word before the same ones.
    """
    plain = [re.sub(r"^\W+|\W+$|\s", "", word.replace("’", "'").lower()) for word in words]
    ends = {end: "," for end in ",…—-"} | {end: "." for end in ".;:?!"}
    ended = [ends.get(word[-1:], "") for word in words]
    text = "".join(f"{word}{end} " for word, end in zip(plain, ended, strict=True))
    found: list[range] = []
    for editing, most in ((_EDITING, _MOST_TAKEN_BACK), (_STUMBLING, _MAX_REPEAT)):
        for term in editing.finditer(text):
            at, after = (text[:place].count(" ") for place in term.span())
            for first in range(at - 1, max(-1, at - most - 1), -1) if after < len(words) else ():
                if first + 1 < at and words[first][-1:] in ".?!":
                    break
                again = plain[after : after + at - first + 2]
                announced = editing is _EDITING
                if not announced and not _CLEFT.isdisjoint(plain[max(0, first - 4) : first]):
                    continue
                if _is_corrected(plain[first:at], again, announced, after > at):
                    if not any(first in other for other in found):
                        found.append(range(first, after))
                    break
    return found


def _is_corrected(said: Sequence[str], again: Sequence[str], announced: bool, paused: bool) -> bool:
    first, new = said[0], again[0]
    sets = _ALIKE_ANNOUNCED if announced else _ALIKE
    alike = first != new and any({first, new} <= words for words in sets)
    if not announced:
        negated = first.endswith("n't") == new.endswith("n't")  # not "he is, isn't he"
        asks = not (_SUBJECTS | _ASKED).isdisjoint(again[1:2])  # "the question is, are we"
        form = negated and not asks and _are_forms(first, new)
        if not paused:  # "a cache, the cache is warm" and "to it, from it" take nothing back
            alike = (len(said) > 1 and {first, new} == {"a", "an"}) or (
                first in ("in", "at") and new == "on" and said[-1].endswith("day")
            )
        elif new == "the" and len(said) > 1:  # "a queue, um, the queue is full"
            alike &= not any("VERB" in parts_of_speech(word) for word in again[len(said) :][:1])
        return list(said[1:]) == list(again[1 : len(said)]) and (form or alike)
    kinds = parts_of_speech(first), parts_of_speech(new)
    verbs = all("VERB" in each and "NOUN" not in each for each in kinds)
    verbs &= all(forms.isdisjoint((first, new)) for forms in _FORMS[1:])  # "was, well, healed"
    same = _is_same(first, new)
    if len(said) == 1:
        return (same or verbs or alike) and (first != new or first not in _OBJECTS)
    if first in _OBJECTS and new in _ALIKE[1] and first == again[1]:
        return True  # "explained me the plan, sorry, to me"
    common = (alike and list(said[1:]) == list(again[1 : len(said)])) or any(
        _are_forms(word, other) or (word not in FUNCTION_WORDS and lemma(word) == lemma(other))
        for word in said[1:]
        for other in again[1:]
    )
    content = same and first not in FUNCTION_WORDS
    return content or (common and new not in _AND and (same or verbs or alike))


def _is_same(one: str, other: str) -> bool:
    return lemma(one) == lemma(other) or _are_forms(one, other)


def _are_forms(one: str, other: str) -> bool:
    both = {one.removesuffix("n't"), other.removesuffix("n't")}
    return one != other and any(both <= forms for forms in _FORMS)


_CLAUSE_STARTS = word_class("clause_starts")


def _places_of_pauses(
    answer: Answer, words: Sequence[Word], pauses: Sequence[Pause]
) -> tuple[int, int] | None:
    """How many pauses stand within a clause, and between clauses; ``None``: no word has a time.

    Between: after punctuation, or before a word that begins a clause.
    """
    begins = [(word.start_s, at) for at, word in enumerate(words) if word.start_s is not None]
    if not begins:
        return None
    tokens = {token.first: token for token in answer.tokens}
    inside = between = 0
    for pause in pauses:
        middle = (pause.start_s + pause.end_s) / 2
        after = next((at for start_s, at in begins if start_s >= middle), None)
        if not after:  # before the first word, or after the last
            continue
        token = tokens.get(after)
        begins_one = token is not None and (
            token.gap in (COMMA, SENTENCE) or token.raw in _CLAUSE_STARTS
        )
        between, inside = between + begins_one, inside + (not begins_one)
    return inside, between


def measure_delivery(answer: Answer, submission: Submission, target_s: float) -> Delivery:
    """Measure the delivery of an answer.

    Rates need the length of the answer, from the client's evidence or else from the word times. The
    articulation rate (syllables per second of speech, after Goldman-Eisler 1968) needs the pauses,
    which only the audio gives.

    Args:
        answer: the answer, prepared for search.
        submission: with times and pauses if there was audio.
        target_s: how long a good answer takes.
    """
    transcript, evidence = submission.transcript, submission.evidence
    words = transcript.words
    begin, end = evidence.answer_start_s, evidence.answer_end_s
    if begin is None:
        begin = min([w.start_s for w in words if w.start_s is not None], default=None)
    if end is None:
        end = max([w.end_s for w in words if w.end_s is not None], default=None)
    if (begin is None or end is None) and transcript.duration_s is not None:
        begin, end = 0.0, transcript.duration_s
    answer_s = end - begin if begin is not None and end is not None and end > begin else None
    corrected = taken_back(answer.words)
    fillers = [  # the "I mean" of a correction is none
        filler
        for filler in find_fillers(answer, words)
        if " " not in filler.text or not any(filler.word_index in each for each in corrected)
    ]
    spoken_words = len({token.first for token in answer.tokens})
    measurable = answer_s is not None and answer_s >= MIN_ANSWER_S
    pauses = evidence.pauses or ()
    inside = [
        max(0.0, min(pause.end_s, end) - max(pause.start_s, begin))
        for pause in pauses
        if begin is not None and end is not None
    ]
    rate: float | None = None
    articulation: float | None = None
    mean_run: float | None = None
    places = _places_of_pauses(answer, words, pauses) if evidence.pauses is not None else None
    if measurable and answer_s is not None:
        rate = round(spoken_words / answer_s * 60.0, 1)
        speech_s = answer_s - sum(inside)
        if evidence.pauses is not None and speech_s >= MIN_ANSWER_S:
            count = sum(syllables(token.raw) for token in answer.tokens)
            articulation = round(count / speech_s, 2)
            mean_run = round(count / (sum(places) + 1), 1) if places is not None else None
    return Delivery(
        words=spoken_words,
        words_per_minute=rate,
        articulation_rate=articulation,
        pauses=pauses,
        fillers=tuple(fillers),
        longest_pause_s=(
            round(max((p.end_s - p.start_s for p in pauses), default=0.0), 3)
            if evidence.pauses is not None
            else None
        ),
        repeated_starts=find_repeated_starts(answer, words),
        first_word_s=(
            round(evidence.answer_start_s, 1) if evidence.answer_start_s is not None else None
        ),
        pauses_inside=places[0] if places is not None else None,
        pauses_between=places[1] if places is not None else None,
        mean_run=mean_run,
        self_corrections=len(corrected),
        answer_s=round(answer_s, 3) if answer_s is not None else None,
        target_s=target_s,
    )

"""Abbreviations written out for a voice, by their place: "no. 5" is a number, "no." an answer."""

import re
from typing import Final

_BEFORE_A_NUMBER: Final = {
    "no": "number", "nos": "numbers", "fig": "figure", "figs": "figures", "art": "article",
    "arts": "articles", "vol": "volume", "vols": "volumes", "ch": "chapter", "chap": "chapter",
    "sec": "section", "p": "page", "pg": "page", "pp": "pages", "eq": "equation", 
    "ext": "extension",
    "min": "minimum", "max": "maximum", "est": "established", "ver": "version", "pt": "part",
    "par": "paragraph", "col": "column", "app": "appendix", "ca": "around",
    "approx": "approximately",
    "op": "opus", "ed": "edition", "tab": "table", "ln": "line", "ref": "reference",
}  # fmt: skip
_AFTER_A_NUMBER: Final = {
    "in": ("inch", "inches"), "ft": ("foot", "feet"), "oz": ("ounce", "ounces"),
    "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "sec": ("second", "seconds"),
    "secs": ("second", "seconds"), "min": ("minute", "minutes"), "mins": ("minute", "minutes"),
    "hr": ("hour", "hours"), "hrs": ("hour", "hours"), "mi": ("mile", "miles"),
    "gal": ("gallon", "gallons"), "yd": ("yard", "yards"), "yr": ("year", "years"),
    "yrs": ("year", "years"), "wk": ("week", "weeks"), "mo": ("month", "months"),
}  # fmt: skip
_ALWAYS: Final = {
    "max": "maximum", "min": "minimum", "etc": "et cetera",
    "approx": "approximately", "dept": "department", "temp": "temperature", "incl": "including",
    "excl": "excluding", "misc": "miscellaneous", "esp": "especially",
}  # fmt: skip

_NUMBERED: Final = re.compile(rf"\b({'|'.join(_BEFORE_A_NUMBER)})\.\s*(?=#?\d)", re.IGNORECASE)
_MEASURED: Final = re.compile(
    rf"(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s?({'|'.join(_AFTER_A_NUMBER)})\.(?!\w)(?P<end>\s*$|\s+(?=[A-Z\"“]))?"
)
_WRITTEN_OUT: Final = re.compile(rf"\b((?i:{'|'.join(_ALWAYS)}))\.(?=\s+[a-z\d(])")
_COUNT_OF: Final = re.compile(r"\b[Nn]o\.(?=\s+of\b)")
_VERSUS: Final = re.compile(r"\bvs\.(?=\s+\w)")
_DATE: Final = re.compile(r"\b(Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?=\s+\d)")
_MONTHS: Final = {
    "Jan": "January", "Feb": "February", "Mar": "March", "Apr": "April", "Jun": "June",
    "Jul": "July", "Aug": "August", "Sep": "September", "Sept": "September", "Oct": "October",
    "Nov": "November", "Dec": "December",
}  # fmt: skip
"""The voice reads these too, but as the end of a sentence."""
_CLOCK: Final = re.compile(
    r"(?<=\d)\s?([ap])\.?\s?m\b\.?(?P<end>\s*$|\s+(?=[A-Z]))?", re.IGNORECASE
)
_LETTERS: Final = re.compile(r"(?<![\w.’'-])(IT|US|WHO)(?![\w.’'])")
_EDITION: Final = re.compile(r"(?<=\d(?:st|nd|rd|th)) ed\.")
_KNOWN_AS: Final = re.compile(r"\ba\.?k\.?a\.?(?=\s)", re.IGNORECASE)
_DRIVE: Final = re.compile(r"([A-Z][a-z]+ )Dr\.(?!\s+[A-Z])")
_ALL_DAY: Final = re.compile(r"\b24/7\b")


def spelled_out(text: str) -> str:
    """``text`` with abbreviations as words where their place says that they are abbreviations."""
    text = _NUMBERED.sub(lambda m: f"{_like(m[1], _BEFORE_A_NUMBER[m[1].lower()])} ", text)
    text = _CLOCK.sub(
        lambda m: f" {m[1].upper()}.M." + ("" if m["end"] is None else m["end"]), text
    )
    text = _MEASURED.sub(_measure, text)
    text = _WRITTEN_OUT.sub(lambda m: _like(m[1], _ALWAYS[m[1].lower()]), text)
    text = _COUNT_OF.sub(lambda m: _like(m[0], "number"), text)
    text = _VERSUS.sub("versus", text)
    text = _DATE.sub(lambda m: _MONTHS[m[1]], text)
    text = _EDITION.sub(" edition", text)
    text = _KNOWN_AS.sub("also known as", text)
    text = _DRIVE.sub(r"\1Drive", text)
    text = _ALL_DAY.sub("twenty-four seven", text)
    if not text.isupper():  # a shout has no acronyms
        text = _LETTERS.sub(lambda m: ".".join(m[1]) + ".", text)
    return text


def _measure(match: re.Match[str]) -> str:
    one, more = _AFTER_A_NUMBER[match[2]]
    end = match["end"]
    return f"{match[1]} {one if match[1] == '1' else more}" + ("" if end is None else f".{end}")


def _like(written: str, word: str) -> str:
    return word.capitalize() if written[0].isupper() else word

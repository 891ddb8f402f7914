"""Writes docs/commands.md from the program itself: commands, options, settings, variables, report.

python scripts/commands_doc.py          writes it
python scripts/commands_doc.py --check  exit status 1 if it is out of date or something has no text

An option without help, and a setting, variable or field of the report without a text below, is an
error: what the program can do is written down, or a test fails.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from typer.core import TyperGroup
from typer.main import get_command

from client.cli.app import app
from client.core.preferences import NAMES, Preferences
from server.contract import Report

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "commands.md"

INTRODUCTION: Final = """\
# Commands, settings, variables and the report

`python scripts/commands_doc.py` generates this page from the program, and a test compares the two.
Exit status: 0 success, 1 an expected failure with one clear line on standard error, 2 wrong usage,
141 the reader of the output closed it.
`--json` prints one JSON document on standard output, and nothing else.
"""

COMMON: Final = ("bank", "lexicon", "server", "judge", "judge_model")
"""Options that most commands have: described once."""

SETTINGS: Final = {
    "voice": "the voice that asks the questions: `natural` or `system`",
    "speed": "how fast the voice speaks, 0.5 to 2; 1 is its own pace",
    "theme": "`system`, `light` or `dark`",
    "microphone": "the microphone's name or a part of it; empty: the system's own choice",
    "engine": "the engine: `auto`, `faster-whisper`, `openai-whisper` or `pocketsphinx`",
    "model": "the engine's weights by name or folder; empty: the engine's own choice",
    "thinking_s": "seconds to think before recording begins by itself, at most 600; empty: the "
    "studio waits for the button",
    "mother_tongue": "your mother tongue, as you call it",
    "role": "the ID of the role that your plan is for; empty: the one practiced last",
    "interview_date": "the day of your interview, such as 2027-03-01",
    "plan_start": "the first day of your plan",
    "plan_minutes": "minutes for a day of your plan, 5 to 240; 15 if you choose none",
    "keys": "keyboard shortcuts of the studio: `on` or `off`",
}

VARIABLES: Final = {
    "ALOUD_HOME": "the data folder; default: the system's folder for application data",
    "ALOUD_BANK": "folders or files added to the question bank, separated as in `PATH`",
    "ALOUD_LEXICON": "files or folders of terms, separated as in `PATH`",
    "ALOUD_SERVER": "the address of a shared server",
    "ALOUD_TOKEN": "the token for that server, instead of the one that `aloud login` stores",
    "ALOUD_JUDGE": "the address of a language model that judges key phrases not found",
    "ALOUD_JUDGE_MODEL": "the judge's model",
    "ALOUD_JUDGE_KEY": "the judge's key, if it needs one",
    "ALOUD_OFFLINE": "any value: download no weights",
    "ALOUD_DATABASE_URL": "server: the database; default: SQLite in the data folder",
    "ALOUD_HOSTS": "server: its host names, separated by commas",
    "ALOUD_SECRET": "server: signs sessions, 32 characters or more; by default a stored random one",
    "ALOUD_LOG_LEVEL": "server: `debug`, `info`, `warning` or `error`",
    "ALOUD_PROXY": "container: the proxy whose headers are trusted, in `compose.yaml`",
    "ALOUD_DATABASE_PASSWORD": "container: the database's password, in `compose.yaml`",
}
INTERNAL: Final = {"ALOUD_SERVER_SETTINGS"}
"""How `aloud serve` passes its settings on to its own processes."""

REPORT: Final = {
    "Report.question_id": "the question that was answered",
    "Report.created_at": "when the answer was spoken or typed",
    "Report.schema_version": "the version of this format: 1",
    "Report.grader_version": "scores of versions that differ by more than the last number cannot be compared",
    "Report.bank_version": "a digest of the bank's content",
    "Report.notices": "what a reader must know first, for example that the transcript is rough",
    "Report.transcript": "what was said",
    "Report.score": "0 to 1, content only; null in reports of earlier graders",
    "Report.score_parts": "what the score is made of",
    "Report.graded_score": "the grader's own score, if a verdict was corrected",
    "Report.coverage": "which key phrases were said",
    "Report.doubted": "the words that sound wrong and cost points; null where none do",
    "Report.off_topic": "the answer does not answer the question, and earns next to nothing",
    "Report.structure": "how the answer is built; null where it was not judged",
    "Report.pronunciation": "how terms were said",
    "Report.delivery": "pace, pauses and fillers",
    "Report.sound": "how good the sound is; null for text and in reports of earlier graders",
    "Report.language": "remarks on the English",
    "Report.summary": "three things that went well and three to work on",
    "Transcript.text": "the whole text",
    "Transcript.language": "`en`",
    "Transcript.engine": "what wrote it; `text` for a typed answer",
    "Transcript.model": "the engine's weights",
    "Transcript.duration_s": "length of the recording",
    "Transcript.words": "the words with their times",
    "Transcript.corrected": "the places where you replaced the engine's words",
    "Word.text": "as the engine wrote it, with punctuation",
    "Word.start_s": "when the word begins",
    "Word.end_s": "when the word ends",
    "Word.confidence": "the engine's confidence, 0 to 1",
    "CorrectedWords.word_index": "the first corrected word",
    "CorrectedWords.word_count": "how many; 0 if words were deleted",
    "CorrectedWords.was": "the engine's words",
    "ScorePart.name": "for example coverage or structure",
    "ScorePart.share": "its share of the whole score",
    "ScorePart.value": "its own value, 0 to 1",
    "Coverage.score": "the weighted share of key phrases that were said; a partial one counts "
    "half, a possible one by its confidence, a denied one nothing",
    "Coverage.phrases": "one entry for each key phrase",
    "Coverage.graded_score": "the grader's own, if a verdict was corrected",
    "PhraseCoverage.phrase": "the key phrase",
    "PhraseCoverage.status": "`possible`: perhaps said in other words, and you are asked",
    "PhraseCoverage.how": "how it was recognized",
    "PhraseCoverage.evidence": "the words that say it",
    "PhraseCoverage.confidence": "the grader's probability, where words alone do not settle it",
    "PhraseCoverage.negated": "the phrase was denied",
    "PhraseCoverage.weight": "the weight of the phrase in the score",
    "PhraseCoverage.why": "why a listener waits for it",
    "PhraseCoverage.follow_up": "what an interviewer asks when it is missing",
    "PhraseCoverage.corrected": "who changed the verdict",
    "CoverageEvidence.text": "the words",
    "CoverageEvidence.start_s": "when they begin",
    "CoverageEvidence.end_s": "when they end",
    "CoverageEvidence.word_indices": "their places in `words`",
    "CorrectedVerdict.by": "who corrected it",
    "CorrectedVerdict.by_owner": "the candidate did",
    "CorrectedVerdict.at": "when",
    "CorrectedVerdict.note": "what they wrote about it",
    "CorrectedVerdict.was": "the grader's verdict",
    "CorrectedVerdict.was_negated": "the grader took the phrase for denied",
    "Structure.kind": "of the question, which chooses the rubric",
    "Structure.parts": "the parts that such an answer needs",
    "Structure.asked": "false for a question about a fact: its phrases alone make the score",
    "Structure.score": "the weighted share of the parts that were said",
    "Structure.believed": "how much of it counts, because the answer sounds right (0 to 1)",
    "StructurePart.name": "the part",
    "StructurePart.status": "whether it was said",
    "StructurePart.confidence": "the chance that a missing one was said after all",
    "StructurePart.evidence": "the words that say it",
    "StructurePart.ask": "the interviewer's question where it is missing",
    "StructurePart.weight": "its weight among the parts",
    "StructurePart.when_asked": "the words of a follow-up that say it, where only those do",
    "PhraseCoverage.when_asked": "the words of a follow-up that say it, where only those do",
    "FollowUpReport.submission_id": "the id of its own recording",
    "FollowUpReport.asked": "what was asked",
    "FollowUpReport.transcript": "what was said to it",
    "FollowUpReport.added": "the key phrases and parts that only it brought",
    "FollowUp.kind": "what it is about",
    "FollowUp.about": "the key phrase, the part, or what a good reply has",
    "Probe.ask": "the question",
    "Probe.expects": "what a good reply has",
    "Report.probes": "what an expert may ask besides, the most serious gap first; none of it was said",
    "FollowUp.ask": "the question",
    "FollowUp.quote": "the words of the answer that it takes up",
    "FollowUp.by_model": "a language model put it into words",
    "Aim.kind": "content, structure, language or delivery",
    "Aim.name": "what the next take is compared on",
    "Aim.text": "the aim in a sentence",
    "Aim.evidence": "where it is in the report",
    "Aim.quote": "the words it rests on",
    "Aim.model": "a sentence to say, in your own words",
    "Report.aim": "the one thing to do better in the next take",
    "Report.follow_ups": "what was asked after the answer, and what it added",
    "Pronunciation.terms": "one entry for each place where a term was said, worst first",
    "TermVerdict.term": "the term",
    "TermVerdict.verdict": "`unclear`: the sound does not decide",
    "TermVerdict.heard": "a respelling of what was heard",
    "TermVerdict.phones": "the same in ARPAbet",
    "TermVerdict.expected": "a respelling of the reading that is taught",
    "TermVerdict.confidence": "0 to 1",
    "TermVerdict.source": "`acoustic`: from the sound; `transcript`: the text alone",
    "TermVerdict.start_s": "when the term begins",
    "TermVerdict.end_s": "when it ends",
    "TermVerdict.tip": "how to say it",
    "TermVerdict.fault": "why the sound is no evidence, and the verdict unclear",
    "TermVerdict.word_indices": "its places in `words`",
    "TermVerdict.corrected": "who changed the verdict",
    "Delivery.words": "how many words",
    "Delivery.words_per_minute": "pace, with pauses",
    "Delivery.articulation_rate": "syllables per second of speech, pauses left out",
    "Delivery.pauses": "silences, from the sound",
    "Delivery.fillers": "filler words that the engine wrote",
    "Delivery.fillers_are_lower_bound": "engines drop many fillers",
    "Delivery.longest_pause_s": "the longest silence",
    "Delivery.repeated_starts": "words said twice",
    "Delivery.first_word_s": "silence from the start of the recording to the first word",
    "Delivery.first_point_s": "from the first word to the first key phrase that was said",
    "Delivery.pauses_inside": "pauses within a clause",
    "Delivery.pauses_between": "pauses between clauses",
    "Delivery.mean_run": "syllables from pause to pause",
    "Delivery.self_corrections": "words taken back, a lower bound",
    "Delivery.answer_s": "length of the answer",
    "Delivery.target_s": "length that the question asks for",
    "Pause.start_s": "when the pause begins",
    "Pause.end_s": "when it ends",
    "Filler.text": "the word",
    "Filler.start_s": "when it begins",
    "Filler.end_s": "when it ends",
    "Filler.word_index": "its place in `words`",
    "RepeatedStart.text": "what was said again",
    "RepeatedStart.start_s": "when",
    "RepeatedStart.word_index": "its place in `words`",
    "SoundQuality.problems": "what is wrong, the worst first",
    "SoundQuality.speech_dbfs": "level of the speech; null where it cannot be measured",
    "SoundQuality.noise_dbfs": "level between the words",
    "SoundQuality.clipped_share": "of the speech, peaks cut off",
    "SoundQuality.hum_hz": "the frequency of mains hum, if there is any",
    "SoundQuality.hum_dbfs": "level of the hum",
    "SoundQuality.fall_db": "how far the level falls in 64 ms where speech stops; little in a room "
    "with much echo",
    "SoundQuality.offset": "the constant part of the signal, which was taken out",
    "SoundQuality.channels": "which channels of a stereo recording were used, if it was not mixed",
    "SoundQuality.missing_s": "how much of a damaged file could not be read",
    "SoundQuality.misses_more": "more may be missing: this kind of file does not say how much",
    "SoundQuality.declared_s": "the length that a damaged file declares",
    "Language.by": "what judged the remarks: rules alone, or a language model too; null where nobody looked",
    "Language.pending": "errors in the English are still looked for",
    "Language.mother_tongue": "what it was looked at with; null where nobody looked, or it is not known",
    "Language.notes": "one entry for each remark",
    "LanguageNote.kind": "the kind of remark",
    "LanguageNote.said": "what was said",
    "LanguageNote.better": "what is better",
    "LanguageNote.why": "why",
    "LanguageNote.start_s": "when it was said",
    "LanguageNote.end_s": "when that ended",
    "LanguageNote.sentence": "all of what was said there, repaired",
    "LanguageNote.weight": "the higher, the surer and the worse",
    "Summary.went_well": "up to three",
    "Summary.work_on": "up to three",
    "SummaryPoint.text": "one sentence",
    "SummaryPoint.evidence": "the entry it rests on, for example `coverage.phrases[2]`",
}


class Undocumented(Exception):
    """Something of the program has no text."""


def main() -> int:
    """Write the page, or check it."""
    try:
        text = page()
    except Undocumented as error:
        print(error, file=sys.stderr)
        return 1
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print("docs/commands.md is out of date: run python scripts/commands_doc.py")
            return 1
        return 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


def page() -> str:
    """The whole page."""
    program = get_command(app)
    assert isinstance(program, TyperGroup)
    lines = [INTRODUCTION, "## Commands", "", "### `aloud`", "", program.help or "", ""]
    lines += _options(program, [each for each in program.params if each.name not in COMMON])
    lines += ["### Options of most commands", ""]
    grade = program.commands["grade"]
    lines += _options(grade, [each for each in grade.params if each.name in COMMON])
    for name, command in _commands(program, "aloud"):
        lines += _command(name, command)
    lines += [
        "## Settings",
        "",
        "`aloud settings set NAME VALUE`, or the studio's settings page.",
        "",
    ]
    lines += ["| setting | variable | default | what |", "|---|---|---|---|"]
    defaults = {each.name: getattr(Preferences(), each.name) for each in fields(Preferences)}
    for name in _known("setting", NAMES, SETTINGS):
        default = _shown(defaults[name])
        lines.append(f"| `{name}` | `ALOUD_{name.upper()}` | {default} | {SETTINGS[name]} |")
    lines += ["", "## Environment variables", "", "| variable | what |", "|---|---|"]
    for name in _known("variable", variables(), VARIABLES):
        lines.append(f"| `{name}` | {VARIABLES[name]} |")
    lines += ["", "## The report", ""]
    lines += ["What `--json` prints and the API sends. Times are in seconds from the start of the"]
    lines += ["recording, and null for a typed answer. A score goes from 0 to 1.", ""]
    seen = list(dict.fromkeys(_models(Report)))
    every = [f"{model.__name__}.{name}" for model in seen for name in model.model_fields]
    _known("field of the report", every, REPORT)
    for model in seen:
        lines += [f"### {model.__name__}", "", "| field | values | what |", "|---|---|---|"]
        for name, field in model.model_fields.items():
            what = REPORT[f"{model.__name__}.{name}"]
            lines.append(f"| `{name}` | {_values(field.annotation)} | {what} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def variables() -> set[str]:
    """The environment variables that the program reads, without those of the settings."""
    files = [
        *(ROOT / "client").rglob("*.py"),
        *(ROOT / "server").rglob("*.py"),
        *(ROOT / "question_bank").rglob("*.py"),
        *(ROOT / "pronunciation").rglob("*.py"),
        ROOT / "compose.yaml",
        ROOT / "Containerfile",
    ]
    found = {
        name
        for file in files
        for name in re.findall(r"\bALOUD_[A-Z]+(?:_[A-Z]+)*\b", file.read_text(encoding="utf-8"))
    }
    return found - INTERNAL - {f"ALOUD_{name.upper()}" for name in NAMES}


def _known(kind: str, names: Any, texts: dict[str, str]) -> list[str]:
    """The names that have a text, in the order of the texts.

    Raises:
        Undocumented: some have none, or a text is about nothing.
    """
    missing, gone = set(names) - set(texts), set(texts) - set(names)
    if missing or gone:
        raise Undocumented(
            "\n".join(
                [f"{kind} without a text: {name}" for name in sorted(missing)]
                + [f"text for a {kind} that is not there: {name}" for name in sorted(gone)]
            )
        )
    return list(texts)


def _commands(group: TyperGroup, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        yield f"{path} {name}", command
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{path} {name}")


def _command(name: str, command: Any) -> list[str]:
    if not command.help:
        raise Undocumented(f"command without a help text: {name}")
    about = re.sub(r"\s+", " ", command.help.partition("\n\n")[0])
    if isinstance(command, TyperGroup):
        return [f"### `{name}`", "", about, ""]
    places = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join([name, *(_place(each) for each in places)])
    own = [each for each in command.params if each.name not in COMMON]
    return [f"### `{usage}`", "", about, "", *_options(name, own)]


def _place(argument: Any) -> str:
    """How help shows an argument: in brackets where it can be left out."""
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _options(command: Any, parameters: list[Any]) -> list[str]:
    shown = [each for each in parameters if not getattr(each, "hidden", False)]
    shown = [each for each in shown if each.name not in ("help",)]
    if not shown:
        return []
    lines = ["| option | what |", "|---|---|"]
    for each in shown:
        if each.param_type_name == "argument":
            name = f"`{_place(each).strip('[]')}`"
        else:
            names = ", ".join(f"`{opt}`" for opt in (*each.opts, *each.secondary_opts))
            name = names if each.is_flag or not each.metavar else f"{names} `{each.metavar}`"
        if not each.help:
            raise Undocumented(f"option without help: {command} {name}")
        about = each.help.replace("|", r"\|")
        lines.append(f"| {name} | {about} |")
    return [*lines, ""]


def _shown(default: object) -> str:
    if default in (None, ""):
        return ""
    return f"`{'on' if default is True else 'off' if default is False else default}`"


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        for part in _parts(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _models(part)


def _parts(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (None, Literal):
        yield annotation
    for each in get_args(annotation):
        if get_origin(annotation) is not Literal:
            yield from _parts(each)


def _values(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if origin in (Union, UnionType):
        return " or ".join(_values(each) for each in inner)
    if origin is tuple:
        return f"list of {_values(inner[0])}"
    if hasattr(annotation, "__metadata__"):
        return _values(inner[0])
    if annotation is type(None):
        return "null"
    names = {"str": "text", "float": "number", "int": "whole number", "bool": "true or false"}
    name: str = getattr(annotation, "__name__", str(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{name}](#{name.lower()})"
    return names.get(name, "time" if "date" in name.lower() else name)


if __name__ == "__main__":
    sys.exit(main())

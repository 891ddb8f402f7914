from collections.abc import Callable

from server.contract import Filler, Pause, RepeatedStart, Report, Word
from server.ui.rendering import environment
from server.ui.report_view import Sounds, view_report
from server.ui.transcript_view import (
    MAX_PART_WORDS,
    MIN_PART_WORDS,
    PartView,
    WordView,
    view_transcript,
)
from tests.server.ui.conftest import make_words, phrase, term

MakeReport = Callable[..., Report]


def all_words(parts: tuple[PartView, ...]) -> list[WordView]:
    return [word for part in parts for run in part.runs for word in run.words]


def runs(report: Report) -> list[tuple[str, str]]:
    return [
        (run.mark, " ".join(word.text for word in run.words))
        for part in view_transcript(report, "")
        for run in part.runs
    ]


def test_a_phrase_is_one_run_with_its_number_behind_the_last_word(make_report: MakeReport) -> None:
    words = make_words("we use flow control here")
    report = make_report(words, phrases=(phrase("a"), phrase("flow control", (2, 3))))
    assert runs(report) == [("", "we use"), ("mark-covered", "flow control"), ("", "here")]
    (sign,) = all_words(view_transcript(report, "x-"))[3].signs
    assert (sign.text, sign.href, sign.tone) == ("2", "#x-phrase-2", "good")
    assert sign.label == "key phrase 2, flow control, said"


def test_overlapping_phrases_are_parted_and_the_best_mark_shows(make_report: MakeReport) -> None:
    words = make_words("alpha beta gamma delta")
    report = make_report(
        words, phrases=(phrase("one", (0, 1, 2)), phrase("two", (1, 2, 3), "partial"))
    )
    assert runs(report) == [
        ("mark-covered", "alpha"),
        ("mark-covered", "beta gamma"),
        ("mark-partial", "delta"),
    ]
    signs = [sign.text for word in all_words(view_transcript(report, "")) for sign in word.signs]
    assert signs == ["1", "◐2"]


def test_a_denied_phrase_is_marked_as_denied(make_report: MakeReport) -> None:
    report = make_report(make_words("we never pause"), phrases=(phrase("p", (2,), negated=True),))
    assert runs(report)[-1] == ("mark-denied", "pause")
    (sign,) = all_words(view_transcript(report, ""))[2].signs
    assert (sign.text, sign.tone) == ("≠1", "warn")
    assert "denied" in sign.label


def test_a_mispronounced_term_within_a_phrase_keeps_both_marks(make_report: MakeReport) -> None:
    report = make_report(
        make_words("the RoCE network"),
        phrases=(phrase("roce network", (1, 2)),),
        terms=(term("RoCE", (1,), "mispronounced"), term("RoCE", (2,), "unclear")),
    )
    assert runs(report)[1] == ("mark-covered", "RoCE network")
    _, roce, network = all_words(view_transcript(report, ""))
    assert roce.classes == ("mark-mispronounced",)
    assert [(sign.text, sign.href) for sign in roce.signs] == [("✗", "#term-1")]
    assert "heard as ROHSS, say ROCK-ee" in roce.signs[0].label
    assert network.classes == ("mark-unclear",)
    assert [sign.text for sign in network.signs] == ["1", "?"]


def test_a_term_said_right_is_not_marked(make_report: MakeReport) -> None:
    report = make_report(make_words("RoCE here"), terms=(term("RoCE", (0,), "correct"),))
    assert all_words(view_transcript(report, ""))[0].classes == ()


def test_what_was_typed_is_not_called_badly_heard(make_report: MakeReport) -> None:
    typed = term("RoCE", (0,), "unclear", source="transcript", start_s=None, end_s=None)
    report = make_report("RoCE here", terms=(typed,))
    assert all_words(view_transcript(report, ""))[0].classes == ()
    template = '{% from "report/terms.html" import terms %}{{ terms(view, sounds) }}'
    page = environment().from_string(template)
    shown = page.render(view=view_report(report), sounds=Sounds())
    assert "A text has no sound" in shown
    assert "The recording fits" not in shown


def test_fillers_and_repeated_starts_are_marked(make_report: MakeReport) -> None:
    report = make_report(
        make_words("so you know we use we use it"),
        delivery={
            "fillers": (Filler(text="you know", word_index=1),),
            "repeated_starts": (RepeatedStart(text="we use", word_index=3),),
        },
    )
    words = all_words(view_transcript(report, ""))
    assert [word.classes for word in words] == [
        (), ("mark-filler",), ("mark-filler",), *[("mark-repeated",)] * 4, (),
    ]  # fmt: skip
    assert [word.announced for word in words if word.announced] == ["filler"]
    assert [sign.text for word in words for sign in word.signs] == ["↺"]


def test_a_long_pause_stands_behind_the_word_before_it(make_report: MakeReport) -> None:
    words = (
        Word(text="one", start_s=0.0, end_s=0.5),
        # the engine let the word run into the silence
        Word(text="two", start_s=0.6, end_s=1.8),
        Word(text="three", start_s=3.1, end_s=3.5),
    )
    pauses = (Pause(start_s=0.5, end_s=0.6), Pause(start_s=1.1, end_s=3.1))
    parts = view_transcript(make_report(words, delivery={"pauses": pauses}), "")
    assert [word.pause_after_s for word in all_words(parts)] == [None, 2.0, None]


def test_parts_end_at_pauses_and_sentences_but_not_within_a_phrase(make_report: MakeReport) -> None:
    texts = [f"w{n}" for n in range(100)]
    texts[MIN_PART_WORDS - 2] = "early."
    texts[MIN_PART_WORDS + 3] = "end."
    words = make_words(" ".join(texts))
    cut = MIN_PART_WORDS + 4 + MAX_PART_WORDS  # where the second part would grow too long
    report = make_report(words, phrases=(phrase("p", (cut - 1, cut)),))
    lengths = [sum(len(run.words) for run in part.runs) for part in view_transcript(report, "")]
    assert lengths[0] == MIN_PART_WORDS + 4
    assert lengths[1] == MAX_PART_WORDS + 1
    assert sum(lengths) == 100
    starts = [part.start_s for part in view_transcript(report, "")]
    assert starts[:2] == [0.0, words[MIN_PART_WORDS + 4].start_s]


def test_every_word_is_shown_once_in_order(make_report: MakeReport) -> None:
    text = " ".join(f"w{n}" for n in range(230))
    shown = all_words(view_transcript(make_report(make_words(text)), ""))
    assert [word.index for word in shown] == list(range(230))
    assert " ".join(word.text for word in shown) == text


def test_a_typed_answer_keeps_its_lines(make_report: MakeReport) -> None:
    parts = view_transcript(make_report("first line here\n\nsecond line"), "")
    assert [len(part.runs[0].words) for part in parts] == [3, 2]
    assert [part.start_s for part in parts] == [None, None]

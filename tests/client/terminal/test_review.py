"""What coaches wrote, below the report in the terminal."""

from datetime import UTC, datetime

from rich.console import Console

from client.terminal.report import render_review
from server.contract import Comment, Criterion, ReviewDocument, RubricScore

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = ["I", "use", "paged", "attention"]


def comment(number: int, **values: object) -> Comment:
    given = {"external_id": f"{number:032x}", "author": "Cleo", "created_at": NOW}
    return Comment.model_validate(given | values)


def shown(**values: object) -> list[str]:
    console = Console(width=100, force_terminal=False)
    review = ReviewDocument.model_validate({"submission_id": "f" * 32} | values)
    with console.capture() as captured:
        console.print(render_review(review, WORDS))
    return [line.strip() for line in captured.get().splitlines() if line.strip()]


def test_a_comment_names_its_place_and_its_replies_follow_it() -> None:
    when = f"{NOW.astimezone():%Y-%m-%d %H:%M}"
    comments = (
        comment(1, text="How does it page?", kind="span", word_from=2, word_to=3),
        comment(2, text="Slower [here]", kind="moment", at_s=17.6),
        comment(3, text="In blocks.", parent=f"{1:032x}", author="Ana", by_owner=True),
        comment(4, text="Good", edited_at=NOW),
        comment(5, text="Gone", kind="word", word_from=40),
    )
    assert shown(comments=comments) == [
        "Comments",
        f"Cleo on “paged attention” {when}",
        "How does it page?",
        f"you {when}",
        "In blocks.",
        f"Cleo at 0:17 {when}",
        "Slower [here]",
        f"Cleo on the whole answer {when}, edited",
        "Good",
        f"Cleo on words that are no longer there {when}",
        "Gone",
    ]


def test_a_score_says_of_how_much_where_the_scale_is_known() -> None:
    given = {"external_id": "a" * 32, "author": "Cleo", "created_at": NOW, "score": 3}
    scores = (
        RubricScore(criterion="Structure", **given),
        RubricScore(criterion="Pace", note="Too fast", **given),
    )
    assert shown(scores=scores, criteria=(Criterion(name="Pace", scale=4),)) == [
        "Scores by coaches",
        "Structure: 3, by Cleo",
        "Pace: 3 of 4, by Cleo: Too fast",
    ]


def test_nothing_written_is_nothing_shown() -> None:
    assert shown() == []

"""What coaches wrote about an answer, as the terminal shows it below the report."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from server.contract import Comment, ReviewDocument, clock

_MOST_QUOTED_CHARS = 90


def render_review(review: ReviewDocument, words: Sequence[str]) -> RenderableType:
    """Comments with their replies, then scores; corrected verdicts are in the report itself.

    Args:
        review: what was written about the answer.
        words: of its newest transcript, which the comments' word numbers count.
    """
    parts: list[RenderableType] = []
    if review.comments:
        parts += _section("Comments", _comments(review, words))
    if review.scores:
        parts += _section("Scores by coaches", _scores(review))
    return Group(*parts)


def _section(title: str, lines: Iterator[RenderableType]) -> list[RenderableType]:
    return [Text(title, style="bold cyan"), Padding(Group(*lines), (0, 0, 1, 2))]


def _comments(review: ReviewDocument, words: Sequence[str]) -> Iterator[RenderableType]:
    for comment in review.comments:
        if comment.parent is not None:
            continue
        yield _head(comment, _place(comment, words))
        yield Padding(Text(comment.text), (0, 0, 0, 2))
        for reply in review.comments:
            if reply.parent == comment.external_id:
                yield Padding(Group(_head(reply, ""), Text(reply.text)), (0, 0, 0, 4))


def _head(comment: Comment, place: str) -> Text:
    author = "you" if comment.by_owner else comment.author
    when = f"{comment.created_at.astimezone():%Y-%m-%d %H:%M}"
    edited = ", edited" if comment.edited_at else ""
    return Text.assemble((author, "bold"), f" {place}".rstrip(), (f" {when}{edited}", "dim"))


def _place(comment: Comment, words: Sequence[str]) -> str:
    if comment.at_s is not None:
        return f"at {clock(comment.at_s)}"
    if comment.word_from is None:
        return "on the whole answer"
    last = comment.word_from if comment.word_to is None else comment.word_to
    if last >= len(words):
        return "on words that are no longer there"
    quote = " ".join(words[comment.word_from : last + 1])
    if len(quote) > _MOST_QUOTED_CHARS:
        quote = quote[: _MOST_QUOTED_CHARS - 1].rstrip() + "…"
    return f"on “{quote}”"


def _scores(review: ReviewDocument) -> Iterator[RenderableType]:
    scales = {each.name: f" of {each.scale}" for each in review.criteria}
    for each in review.scores:
        scale = scales.get(each.criterion, "")
        line = Text.assemble((each.criterion, "bold"), f": {each.score}{scale}, by {each.author}")
        yield line.append(f": {each.note}" if each.note else "")

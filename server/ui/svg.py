"""SVG elements with everything escaped."""

from collections.abc import Iterable

from markupsafe import Markup, escape

from server.ui.controls import show_controls


def element(tag: str, content: str = "", /, **attributes: str | float | None) -> Markup:
    """An element; ``_`` in an attribute's name becomes ``-``, ``class_`` is ``class``.

    Args:
        tag: the element's name.
        content: escaped unless it is markup already.
        **attributes: numbers are written with two digits at most; ``None`` is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_plain(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    shown = content if isinstance(content, Markup) else show_controls(content)
    return Markup(f"<{tag}{written}>{escape(shown)}</{tag}>")


def picture(
    parts: Iterable[Markup], *, width: int, height: int, title: str, text: str, id_prefix: str
) -> Markup:
    """A whole drawing, with a text alternative for screen readers.

    Args:
        parts: what is drawn.
        width: in the drawing's own units; the page scales it.
        height: likewise.
        title: what it is.
        text: what it shows, in words.
        id_prefix: unique on the page.
    """
    body = (
        element("title", title, id=f"{id_prefix}-title")
        + element("desc", text, id=f"{id_prefix}-desc")
        + Markup("").join(parts)
    )
    return element(
        "svg",
        body,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_labelledby=f"{id_prefix}-title",
        aria_describedby=f"{id_prefix}-desc",
        xmlns="http://www.w3.org/2000/svg",
    )


def _plain(value: str | float) -> str:
    if isinstance(value, str):
        return show_controls(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")

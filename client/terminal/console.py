"""The console through which everything reaches the terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from client.core.wording import visible


class SafeConsole(Console):
    """Shows control characters in any text as signs; colors and cursor are only our own.

    What people stored (a coach's comment, an imported file, a bank) is never a command to the
    terminal of whoever reads it.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of anything that is printed."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)

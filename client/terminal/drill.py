"""A drill in the terminal: hear a term, say it, see how it was heard, hear both again."""

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from client.answer.answer import Answer
from client.answer.journal import Journal
from client.audio import Level, Recorder, RecorderSettings
from client.core.errors import SpeakingError
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.practice.drills.drill_session import DrillSession
from client.practice.drills.items import REPLAY_MARGIN_S, VERDICTS, Item, Step
from client.terminal.keys import Keys, quiet_libraries
from client.terminal.recording_screen import End, watch_recording
from pronunciation.clip import Clip
from pronunciation.errors import HearingError
from pronunciation.phones import to_ipa

_STYLES: Final = {"good": "green", "warn": "yellow", "bad": "red"}


@dataclass(frozen=True)
class Take:
    """One take; ``answer``: its place in the journal, where it has one."""

    clip: Clip
    answer: Answer | None = None


Microphone = Callable[[Item, Keys], Take | End]
"""Records one take; ``End.discard``: record again, else the person leaves."""


class Sounds(Protocol):
    """What says and plays sounds."""

    def say(self, item: Item) -> None:
        """Say an item as it should be said.

        Raises:
            SpeakingError: no voice works, or no loudspeaker.
        """

    def play(self, clip: Clip) -> None:
        """Play a person's own take.

        Raises:
            SpeakingError: there is no loudspeaker.
        """


class DrillScreen:
    """One drill; ``speak``: say each item before it is to be said."""

    def __init__(
        self,
        session: DrillSession,
        console: Console,
        keys: Keys,
        record: Microphone,
        sounds: Sounds,
        *,
        speak: bool = True,
    ) -> None:
        self._session = session
        self._console = console
        self._keys = keys
        self._record = record
        self._sounds = sounds
        self._speak = speak

    def run(self) -> None:
        """Go through the items until they are done or the person leaves.

        Raises:
            ClientError: the microphone or the server failed.
        """
        shown: Item | None = None
        while (item := self._session.current) is not None:
            if item is not shown:
                self._announce(item)
            shown = item
            take = self._record(item, self._keys)
            if isinstance(take, End):
                if take is not End.discard:
                    break
                self._console.print(Text("Discarded. Once more:", "dim"))
                continue
            if not self._what_next(item, self._hear(take), take.clip):
                break
        self._farewell()

    def _hear(self, take: Take) -> Step | None:
        with take.answer or nullcontext():
            try:
                step = self._session.take(take.clip, take.answer)
            except HearingError as error:  # about this take: the next one may be fine
                self._console.print(Text(f"! {error}", "yellow"))
                if take.answer is not None:
                    take.answer.discard()
                return None
        self._show(step)
        return step

    def _announce(self, item: Item) -> None:
        left = len(self._session)
        self._console.print(Rule(f"{item.set} · {left} to go"))
        self._console.print(Text(item.ask or item.prompt, "bold"))
        if item.sentence:
            self._console.print(Text(item.sentence, "dim"))
        if item.ask:  # to be recalled: hearing it would give it away
            self._console.print(
                Text("Say the whole sentence, with the verb that is missing.", "dim")
            )
            return
        if self._speak and self._said(item):
            return
        self._speak = False
        if not item.phrases:
            self._console.print(_reading("say", item, item.readings[0]))

    def _said(self, item: Item) -> bool:
        try:
            self._sounds.say(item)
        except SpeakingError as error:
            self._console.print(Text(f"! {error}", "yellow"))
            return False
        return True

    def _show(self, step: Step) -> None:
        console, heard, item = self._console, step.heard, step.item
        sign, tone, words = VERDICTS[heard.verdict]
        sure = "" if heard.verdict in ("nothing", "unclear") else f" {heard.confidence:.0%}"
        console.print(Text(f"{sign} {words}{sure}", _STYLES[tone]))
        if step.is_undecided:
            console.print(Text(step.note))
        elif heard.phones:
            console.print(_reading("heard", item, heard.phones))
        if heard.verdict == "mispronounced":
            console.print(_reading("expected", item, item.readings[0]))
            if step.tip:
                console.print(Text(step.tip, "bold"))
        if step.waiting:
            console.print(Text(f"! {step.waiting}", "yellow"))
        if step.comes_back:
            console.print(Text("It comes back in a moment.", "dim"))
        elif step.card is not None and heard.verdict == "correct":
            days = max((step.card.due - step.card.last_reviewed_at).days, 0)
            console.print(Text(f"next in {count_of(days, 'day')}", "dim"))

    def _what_next(self, item: Item, step: Step | None, clip: Clip) -> bool:
        """Wait for a key; ``False``: the person leaves."""
        undecided = step is None or step.is_undecided
        first = "Enter say it again · n next" if undecided else "Enter next"
        self._console.print(Text(f"{first} · o hear yourself · m hear the model · q leave", "dim"))
        while True:
            key = self._keys.get(0.5)
            if key == "q":
                return False
            if key == "o":
                self._replay(step, clip)
            elif key == "m":
                self._said(item)
            elif key == "n" and undecided:
                self._session.skip()
                return True
            elif key in ("\r", "\n", " ", "n"):
                return True

    def _replay(self, step: Step | None, clip: Clip) -> None:
        heard = step.heard if step is not None else None
        if heard is not None and heard.start_s is not None and heard.end_s is not None:
            clip = clip.slice(heard.start_s - REPLAY_MARGIN_S, heard.end_s + REPLAY_MARGIN_S)
        try:
            self._sounds.play(clip)
        except SpeakingError as error:
            self._console.print(Text(f"! {error}", "yellow"))

    def _farewell(self) -> None:
        tally = self._session.tally
        parts = [f"{tally.correct} right at once", f"{tally.mispronounced} to work on"]
        if tally.undecided:
            parts.append(f"{count_of(tally.undecided, 'take')} undecided")
        self._console.print(Rule())
        self._console.print(Text(" · ".join(parts)))


def _reading(label: str, item: Item, phones: str) -> Text:
    if phones in item.phrases:
        return Text.assemble((f"{label:<9}", "dim"), (item.respelling(phones), "bold"))
    return Text.assemble(
        (f"{label:<9}", "dim"), (item.respelling(phones), "bold"), f"  /{to_ipa(phones)}/"
    )


def recorder_of_takes(
    console: Console, settings: ClientSettings, device_name: str | None
) -> Microphone:
    """Records short takes; each is kept on the disk until its verdict is stored."""
    journal = Journal.of(settings)

    def record(item: Item, keys: Keys) -> Take | End:
        chosen = RecorderSettings(
            folder=settings.recordings,
            device_name=device_name,
            silence_stop_s=item.silence_stop_s,
            time_limit_s=item.time_limit_s,
        )
        levels: list[Level] = []
        answer = journal.drill(item.id, item.set)
        with ExitStack() as ended:
            ended.push(answer)
            with quiet_libraries(), Recorder(chosen) as recorder:
                recorder.start(
                    lambda level: levels.__setitem__(slice(None), [level]), open_take=answer.open
                )
                end = watch_recording(console, keys, recorder, levels, item.time_limit_s)
                if end is End.stop:
                    recording = recorder.stop()
                elif end is not End.keep:
                    recorder.discard()
            if end is not End.stop:
                return end
            for notice in recording.notices:
                console.print(Text(f"! {notice}", "yellow"))
            clip = recording.clip
            answer.recorded()
            answer.claim()
            ended.pop_all()  # from here on in the hands of who hears it
            return Take(clip, answer)

    return record

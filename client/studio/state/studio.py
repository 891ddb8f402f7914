"""What all pages of the studio share: data, rehearsal, voice, page rendering."""

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from client.answer.hearing import load_hearing
from client.answer.session import Session
from client.answer.term_track import Hear
from client.audio.devices import zeros_remedy
from client.backend.protocol import RejectedError
from client.backend.sending import OutboxBackend
from client.core.durable_file import changed_ns
from client.core.errors import ClientError, SettingsError
from client.core.own_lexicon import load_own_lexicon
from client.core.preferences import change_preferences, load_preferences, preferences_file
from client.core.settings import ClientSettings
from client.core.wording import sentence
from client.data.own_recordings import OwnRecordings
from client.data.repair import Repairs
from client.judging.judge import judge_of
from client.practice.choosing import first_question
from client.practice.drills.drill_session import answers_of
from client.practice.drills.items import DrillItems
from client.practice.interviews import Interviews
from client.practice.progress import ReportReader
from client.speaking import Speaker
from client.studio.state.engine_state import EngineState
from client.studio.state.open_interviews import OpenInterviews
from client.studio.state.page_recording import Microphone
from pronunciation.terms import Lexicon
from question_bank.models import Bank, Question
from server.contract import Attempt
from server.ui.rendering import environment


def microphone_passed(settings: ClientSettings) -> bool:
    """Whether the check was passed; quick."""
    return microphone_file(settings).is_file()


def microphone_file(settings: ClientSettings) -> Path:
    """The file that exists once the check was passed."""
    return settings.home / "microphone.json"


logger = logging.getLogger(__name__)

_TEMPLATES = Path(__file__).parents[1] / "templates"


class Studio:
    """One studio for one person; safe to use from several threads.

    Args:
        settings: the data folder, bank, lexicon and server.
        engine: the transcription engine.
        backend: the server that the settings name, with its outbox; closed with the studio.
        hear: stands in for the hearing.
        make_speaker: makes the voice for a lexicon; stands in for the machine's own.
        tell: takes one line for a person, e.g. that waiting answers went out.

    Attributes:
        shown: set when a page was made.
    """

    def __init__(
        self,
        settings: ClientSettings,
        engine: EngineState | None = None,
        *,
        backend: OutboxBackend,
        hear: Hear | None = None,
        make_speaker: Callable[[Lexicon], Speaker] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Raises a ``LexiconError`` if a file of terms or readings is not valid."""
        self.settings = settings
        self._settings_at = changed_ns(preferences_file(settings.home))
        self.shown = threading.Event()
        self.engine = engine or EngineState(settings)
        self._lexicon: Lexicon | None = None
        if settings.lexicon or settings.own_readings.exists():
            self._lexicon = load_own_lexicon(settings)  # the built-in one alone cannot be wrong
        self.backend = backend
        self.recordings = OwnRecordings(settings.recordings)
        self.reports = ReportReader(self.backend)
        self.drill_items = DrillItems(lambda: self.settings, self.reports.phrases)
        self._hear = hear
        self._judge = judge_of(settings, tell)
        self._make_speaker = make_speaker or self._speaker_here
        self._environment = environment(_TEMPLATES)
        self._session_lock = threading.Lock()
        self._lexicon_lock = threading.Lock()
        self._regrading: threading.Thread | None = None
        self.not_gradable = 0
        self._session: tuple[tuple[str, str], Session] | None = None
        self.answers = answers_of(settings, self.backend, lambda: self.session, self.drill_items)
        self.microphone = Microphone(settings, self.backend, lambda: self.session, self.answers)
        self.repairs = Repairs(self.backend, lambda: self.session, self.recordings)
        self.interviews = OpenInterviews(
            Interviews.of(settings), self.answers, lambda: self.microphone.recording_name
        )

    @property
    def bank(self) -> Bank:
        """Everything in the bank; read each time, because a server's bank may change."""
        return self.backend.bank()

    @property
    def lexicon(self) -> Lexicon:
        """How terms are said, with the person's own readings; read when it is needed first."""
        with self._lexicon_lock:
            if self._lexicon is None:
                self._lexicon = load_own_lexicon(self.settings)
            return self._lexicon

    @property
    def session(self) -> Session:
        """What a rehearsal does with an answer: one for all while the engine stays the same.

        It lets one answer at a time use the engine; other weights begin another one.
        """
        status = self.engine.status()
        engine = (status.name, status.model)
        with self._session_lock:
            if self._session is None or self._session[0] != engine:
                session = Session(self.backend, self.engine.load, self._hearing, self._judge)
                self._session = (engine, session)
            return self._session[1]

    def warm_up(self) -> None:
        """Begins to load the engine, for an answer that will be spoken soon; does not wait."""
        threading.Thread(target=self._warm, name="aloud-warm", daemon=True).start()

    def choose(self, changes: Mapping[str, str | None]) -> None:
        """Store settings; they apply from now on.

        Args:
            changes: texts by the setting's name; ``None`` takes a choice back.

        Raises:
            SettingsError: a value cannot be used, or the file cannot be written.
        """
        change_preferences(self.settings.home, changes)
        self._take_settings()

    def catch_up(self) -> None:
        """Take the settings that a terminal or another studio has stored in the meantime."""
        if changed_ns(preferences_file(self.settings.home)) != self._settings_at:
            with suppress(SettingsError):  # damaged: those in force stay, and saving says so
                self._take_settings()

    def _take_settings(self) -> None:
        self._settings_at = changed_ns(preferences_file(self.settings.home))
        preferences = load_preferences(self.settings.home)
        if preferences != self.settings.preferences:
            self.settings = replace(self.settings, preferences=preferences)
            self.engine.choose(preferences)

    def learn_readings(self) -> None:
        """Take the person's own readings as they are now, and grade all answers by them.

        The grading continues in the background: an answer opened earlier shows its old report.
        """
        lexicon = load_own_lexicon(self.settings)
        with self._lexicon_lock:
            self._lexicon = lexicon
        with self._session_lock:
            self.__dict__.pop("_hearing", None)  # the next answer is heard with them
            self._session = None
        self._regrading = None
        self.grade_again()

    def grade_again(self) -> None:
        """Grade all answers by today's grader, in the background."""
        if self._regrading is None or not self._regrading.is_alive():
            self._regrading = threading.Thread(
                target=self._regrade, name="aloud-regrade", daemon=True
            )
            self._regrading.start()

    def speaker(self, lexicon: Lexicon | None = None) -> Speaker:
        """The voice; with a separate lexicon for a single reading."""
        return self._make_speaker(lexicon or self.lexicon)

    def speak_ahead(self, text: str) -> None:
        """Begin to say a text into the voice's cache, for a page that will play it soon."""
        threading.Thread(
            target=self.say_into_cache, args=(text,), name="aloud-voice", daemon=True
        ).start()

    def get_ready(self) -> None:
        """Load what the first page did without and the next ones need: answers and voice.

        The voice says what a first visit, a phone screen and a behavioral round ask into its cache.
        """
        with suppress(ClientError):  # the page that needs it says so
            self.backend.drills.queue()
            self.reports.recent()
        first = first_question(self.bank.questions)
        self.say_into_cache("Ready." if first is None else first.prompt)

    def question_of(self, attempt: Attempt) -> tuple[Question, bool]:
        """The question as the bank has it now, or else as it was asked; and whether it is there."""
        try:
            return self.backend.question(attempt.report.question_id), True
        except RejectedError:
            return self.backend.export_one(attempt.id).attempts[0].question, False

    def page(
        self, request: Request, template: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """A page from a template.

        Args:
            request: what is answered; the template sees its path as ``path``.
            template: a file of ``templates``.
            status: the HTTP status.
            **values: what the template shows.
        """
        self.catch_up()
        found = self._environment.get_template(template)
        html = found.render(
            path=request.url.path,
            engine=self.engine.status(),
            repairing=self.repairs.status().running,
            preferences=self.settings.preferences,
            zeros_remedy=sentence(zeros_remedy("browser")),
            **values,
        )
        self.shown.set()
        return HTMLResponse(html, status)

    def close(self) -> None:
        """Closes the backend and everything else that is open."""
        self.backend.close()

    @cached_property
    def _hearing(self) -> Hear:
        if self._hear is not None:
            return self._hear

        return load_hearing(self.settings)

    def say_into_cache(self, text: str) -> None:
        """Say a text into the voice's cache, and wait until it is said."""
        with suppress(ClientError):  # the page that plays it says why it cannot be said
            self.speaker().clip(text)

    def _regrade(self) -> None:
        try:
            self.not_gradable = len(self.backend.regrade().failures)
        except ClientError as error:
            logger.warning("the answers could not all be graded again: %s", error)

    def _warm(self) -> None:
        try:
            self.session.warm()
            if self.settings.server is None and self.bank.questions:
                self.session.warm_grader(self.bank.questions[0].id)
        except ClientError as error:
            # The page shows it from the engine's state, and the answer says it again.
            logger.info("the engine could not be loaded ahead: %s", error)

    def _speaker_here(self, lexicon: Lexicon) -> Speaker:
        return Speaker.of(self.settings, lexicon)

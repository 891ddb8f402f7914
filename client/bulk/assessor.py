"""The work of one worker: a recording in, its line of results out."""

import json
from dataclasses import dataclass

from client.answer.hearing import load_hearing, vocabulary
from client.answer.session import Session
from client.audio.files import SoundFile
from client.backend.opening import open_direct
from client.backend.protocol import UnavailableError
from client.bulk.recordings import Recording
from client.bulk.results import Line
from client.core.errors import ClientError
from client.core.settings import ClientSettings
from client.engines.engines import load_engine
from client.judging.judge import Judge
from pronunciation.errors import PronunciationError


@dataclass(frozen=True)
class AssessorOptions:
    """What makes an assessor, sent to the process that it runs in.

    Attributes:
        settings: name the bank, the lexicon, the server and the judge.
        engine: as on the command line.
        model: likewise.
        threads: how many of the processor's cores the engine may use.
    """

    settings: ClientSettings
    engine: str
    model: str | None
    threads: int


class Assessor:
    """Assesses recordings one by one, with one engine.

    Raises:
        ClientError, PronunciationError: engine, server or lexicon cannot be opened.
    """

    def __init__(self, options: AssessorOptions) -> None:
        settings = options.settings
        self._session = Session(
            open_direct(settings),
            lambda: load_engine(
                options.engine,
                options.model,
                offline=True,  # the run has fetched the weights before it started
                threads=options.threads,
                vocabulary=lambda: vocabulary(settings),
            ),
            load_hearing(settings),
            None if settings.judge is None else Judge(settings.judge),
        )
        self._session.warm()

    def assess(self, recording: Recording) -> Line:
        """The line of a recording; what is wrong with the recording is the line's ``error``.

        The report has no ``created_at``: the same recording always gives the same line.

        Raises:
            UnavailableError: the server is away, which is no fault of the recording.
        """
        line: Line = {
            "id": recording.id,
            "audio": recording.audio,
            "question": recording.question,
        }
        try:
            submission = self._session.prepare(SoundFile(recording.path), recording.question)
            outcome = self._session.submit(submission, save=False)
        except UnavailableError:
            raise
        except (ClientError, PronunciationError) as error:
            return line | {"error": str(error)}
        except Exception as error:  # a defect in one answer never stops the rest
            return line | {"error": f"{type(error).__name__}: {error}"}
        assert outcome.report is not None, "an answer that is not stored is graded at once"
        return line | {"report": json.loads(outcome.report.model_dump_json(exclude={"created_at"}))}

"""All tables: importing one imports them all, since they belong to the same ``Base``.

A change to any table needs a migration; a test compares the two.
"""

from server.db.tables.accounts import (
    AccountRow,
    CohortMemberRow,
    CohortRow,
    EndedSessionRow,
    InvitationRow,
    RecoveryCodeRow,
    ServerSecretRow,
    SignInFailureRow,
    TokenRow,
)
from server.db.tables.attempts import (
    AnswerFactsRow,
    AttemptRow,
    DrillCardRow,
    DrillReviewRow,
    PhraseFactsRow,
    ReportRow,
    TermFactsRow,
)
from server.db.tables.base import Base, Key, UtcDateTime, once_per_owner, owner_column, without_nul
from server.db.tables.operations import AuditRow, BankVersionRow, JobFileRow, JobInputRow, JobRow
from server.db.tables.reviewing import (
    CommentRow,
    CorrectionRow,
    RecordingRow,
    ReviewRow,
    RubricScoreRow,
    ShareLinkRow,
    ShareRow,
)

__all__ = [
    "AccountRow",
    "AnswerFactsRow",
    "AttemptRow",
    "AuditRow",
    "BankVersionRow",
    "Base",
    "CohortMemberRow",
    "CohortRow",
    "CommentRow",
    "CorrectionRow",
    "DrillCardRow",
    "DrillReviewRow",
    "EndedSessionRow",
    "InvitationRow",
    "JobFileRow",
    "JobInputRow",
    "JobRow",
    "Key",
    "PhraseFactsRow",
    "RecordingRow",
    "RecoveryCodeRow",
    "ReportRow",
    "ReviewRow",
    "RubricScoreRow",
    "ServerSecretRow",
    "ShareLinkRow",
    "ShareRow",
    "SignInFailureRow",
    "TermFactsRow",
    "TokenRow",
    "UtcDateTime",
    "once_per_owner",
    "owner_column",
    "without_nul",
]

"""All tables: importing one imports them all, since they belong to the same ``Base``.

A change to any table needs a migration; a test compares the two.
"""

from server.db.tables.accounts import AccountRow as AccountRow
from server.db.tables.accounts import CohortMemberRow as CohortMemberRow
from server.db.tables.accounts import CohortRow as CohortRow
from server.db.tables.accounts import EndedSessionRow as EndedSessionRow
from server.db.tables.accounts import InvitationRow as InvitationRow
from server.db.tables.accounts import RecoveryCodeRow as RecoveryCodeRow
from server.db.tables.accounts import ServerSecretRow as ServerSecretRow
from server.db.tables.accounts import SignInFailureRow as SignInFailureRow
from server.db.tables.accounts import TokenRow as TokenRow
from server.db.tables.attempts import AnswerFactsRow as AnswerFactsRow
from server.db.tables.attempts import AttemptRow as AttemptRow
from server.db.tables.attempts import DrillCardRow as DrillCardRow
from server.db.tables.attempts import DrillReviewRow as DrillReviewRow
from server.db.tables.attempts import PhraseFactsRow as PhraseFactsRow
from server.db.tables.attempts import ReportRow as ReportRow
from server.db.tables.attempts import TermFactsRow as TermFactsRow
from server.db.tables.base import Base as Base
from server.db.tables.base import Key as Key
from server.db.tables.base import UtcDateTime as UtcDateTime
from server.db.tables.base import once_per_owner as once_per_owner
from server.db.tables.base import owner_column as owner_column
from server.db.tables.base import without_nul as without_nul
from server.db.tables.operations import AuditRow as AuditRow
from server.db.tables.operations import BankVersionRow as BankVersionRow
from server.db.tables.operations import JobFileRow as JobFileRow
from server.db.tables.operations import JobInputRow as JobInputRow
from server.db.tables.operations import JobRow as JobRow
from server.db.tables.reviewing import CommentRow as CommentRow
from server.db.tables.reviewing import CorrectionRow as CorrectionRow
from server.db.tables.reviewing import RecordingRow as RecordingRow
from server.db.tables.reviewing import ReviewRow as ReviewRow
from server.db.tables.reviewing import RubricScoreRow as RubricScoreRow
from server.db.tables.reviewing import ShareLinkRow as ShareLinkRow
from server.db.tables.reviewing import ShareRow as ShareRow

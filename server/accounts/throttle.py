"""Limits on wrong passwords, counted in the database so that all processes share the counts.

They slow down people who guess passwords without locking out the owner. A name tried from one place
is limited tightly. A name tried from many places is only slowed down for a minute, and not at all
for a browser that its owner has signed in with before
(https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
"""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from server.accounts.credentials import keyed_digest
from server.core.errors import TooManyTriesError
from server.db.database import Database
from server.db.tables import SignInFailureRow

WINDOW: Final = timedelta(minutes=15)
PER_NAME_AND_ADDRESS: Final = 10
"""Wrong passwords for one name from one address, or from one known browser: 960 a day."""
PER_ADDRESS: Final = 50
"""From one address, for any names; a class behind one router can still sign in."""

NAME_WINDOW: Final = timedelta(minutes=1)
PER_NAME: Final = 15
"""For one name from anywhere; nobody mistypes this often, and it ends after a minute."""

_IPV6_NETWORK_BITS: Final = 64
"""The part of an address that is fixed for one subscriber, who can change the rest (RFC 6177)."""


@dataclass(frozen=True)
class _Limit:
    """How many wrong passwords a subject may try; the subject is stored as a keyed digest."""

    subject: str
    most: int
    within: timedelta = WINDOW


@dataclass(frozen=True)
class Try:
    """A password being tried, which counts as wrong until it turns out to be right.

    Attributes:
        rows: what was counted for it.
        forgets: the subjects whose earlier wrong ones are forgotten if it is right.
    """

    rows: tuple[int, ...]
    forgets: str


class Throttle:
    """Counts wrong passwords."""

    def __init__(self, database: Database, key: Callable[[], str]) -> None:
        self._database = database
        self._key = key

    def begin(self, name: str, address: str, browser: str, now: datetime) -> Try:
        """Lets somebody try to sign in; simultaneous tries are counted one by one.

        Args:
            name: in its stored form.
            address: where the request comes from.
            browser: the mark of a browser that signed in with this name before; empty if there is
                none.
            now: the time.

        Raises:
            TooManyTriesError: too many wrong ones recently; it says when to try again.
        """
        if browser:
            return self._begin((self._limit(f"browser:{browser}", PER_NAME_AND_ADDRESS),), now)
        place = _place(address)
        return self._begin(
            (
                self._limit(f"both:{place} {name}", PER_NAME_AND_ADDRESS),
                self._limit(f"address:{place}", PER_ADDRESS),
                self._limit(f"name:{name}", PER_NAME, NAME_WINDOW),
            ),
            now,
        )

    def begin_again(self, what: Literal["account", "code"], account_id: int, now: datetime) -> Try:
        """Lets somebody who is known repeat their password, or type a second factor's code.

        Raises:
            TooManyTriesError: too many wrong ones recently; of codes 1 in 25,000 of all.
        """
        return self._begin((self._limit(f"{what}:{account_id}", PER_NAME_AND_ADDRESS),), now)

    def succeeded(self, tried: Try) -> None:
        """Forgets the try, which was right, and earlier wrong ones from the same place."""
        with self._database.write() as session:
            session.execute(
                delete(SignInFailureRow).where(
                    SignInFailureRow.id.in_(tried.rows)
                    | (SignInFailureRow.subject == tried.forgets)
                )
            )

    def lift(self, name: str, address: str) -> None:
        """Forgets the wrong ones for a name from an address, because it has a new password."""
        subject = self._limit(f"both:{_place(address)} {name}", 0).subject
        with self._database.write() as session:
            session.execute(delete(SignInFailureRow).where(SignInFailureRow.subject == subject))

    def _begin(self, limits: tuple[_Limit, ...], now: datetime) -> Try:
        with self._database.read() as session:  # a flood must not wait for the write lock
            _check(session, limits, now)
        with self._database.write() as session:
            for limit in reversed(limits):  # always in the same order
                self._database.alone(session, limit.subject)
            _check(session, limits, now)
            at = SignInFailureRow.at
            session.execute(delete(SignInFailureRow).where((at <= now - WINDOW) | _ahead(now)))
            rows = [SignInFailureRow(subject=limit.subject, at=now) for limit in limits]
            session.add_all(rows)
            session.flush()
            return Try(tuple(row.id for row in rows), limits[0].subject)

    def _limit(self, subject: str, most: int, within: timedelta = WINDOW) -> _Limit:
        return _Limit(keyed_digest(self._key(), subject), most, within)


def _check(session: Session, limits: tuple[_Limit, ...], now: datetime) -> None:
    for limit in limits:
        recent = select(SignInFailureRow.at).where(
            SignInFailureRow.subject == limit.subject,
            SignInFailureRow.at > now - limit.within,
            ~_ahead(now),
        )
        count = session.scalar(select(func.count()).select_from(recent.subquery())) or 0
        if count >= limit.most:
            oldest = session.scalar(
                recent.order_by(SignInFailureRow.at.desc()).offset(limit.most - 1).limit(1)
            )
            free_at = (oldest or now) + limit.within
            raise TooManyTriesError(max(1, round((free_at - now).total_seconds())))


def _ahead(now: datetime) -> ColumnElement[bool]:
    """Counted before the clock was set back: such tries would block until it gets there again.

    Two processes that count at once may differ by moments.
    """
    return SignInFailureRow.at > now + WINDOW


def _place(address: str) -> str:
    """The address that is counted; for IPv6 the network, because the sender chooses the rest."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((int(ip), _IPV6_NETWORK_BITS), strict=False))

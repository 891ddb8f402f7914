"""The candidate's own plan: from their settings and history, in words, and as a calendar."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from icalendar import Calendar, Event

from client.backend.protocol import Backend, RejectedError
from client.core.errors import SettingsError
from client.core.preferences import Preferences
from client.core.settings import ClientSettings
from client.core.wording import count_of
from client.practice.drills.phrases import LANGUAGE_SET, OwnError
from client.practice.interviews import MAX_MINUTES, InterviewRecord, Interviews
from client.practice.interviews.plan import full_minutes
from client.practice.planning.plan import (
    DAYS,
    LAST_WEEK_DAYS,
    Answered,
    Day,
    DueCard,
    Goal,
    History,
    Item,
    Plan,
    Story,
    make_plan,
)
from client.practice.progress import all_attempts
from question_bank.models import Bank
from server.contract import AttemptSummary, DrillCard

STORIES_FIELD: Final = "my-stories"
"""The field of the questions that practice the candidate's own stories, in 60 and 120 s."""
MOCK_SHARE: Final = 0.5
"""A whole round counts as held when this share of the questions that fill it has an answer."""


@dataclass(frozen=True)
class Step:
    """An item as people read it; ``href`` does it in the studio, ``command`` in a terminal."""

    item: Item
    text: str
    note: str
    href: str
    command: str


def my_goal(
    preferences: Preferences, bank: Bank, attempts: Sequence[AttemptSummary], today: date
) -> Goal | None:
    """What the settings ask for; ``None``: neither they nor the history name a role.

    Without a date the plan is for three weeks, again and again. An interview that is over is none.
    ``attempts``: the newest first.
    """
    named = (preferences.role, *(each.role or "" for each in attempts))
    role = next((each for each in named if bank.role(each)), None)
    if role is None:
        return None
    interview = preferences.interview_date
    if interview is not None and interview < today:
        interview = None
    start = preferences.plan_start or today
    if interview is None and start < today:
        start += timedelta(days=(today - start).days // DAYS * DAYS)
    if interview is not None:
        start = min(start, interview)
    known = bank.role(role)
    has_terms = known is not None and bool(known.spotlight)
    return Goal(role, start, interview, preferences.plan_minutes, has_terms)


def plan_settings(
    preferences: Preferences,
    bank: Bank,
    today: date,
    *,
    role: str | None = None,
    interview: date | None = None,
    start: date | None = None,
    minutes: int | None = None,
) -> dict[str, str | None]:
    """What to store for a plan: only what is given changes. A new interview begins a new plan.

    Raises:
        SettingsError: the days or the role are impossible.
    """
    if role is not None and bank.role(role) is None:
        there = ", ".join(each.id for each in bank.roles)
        raise SettingsError(f"the bank has no role {role!r}; it has {there}")
    if interview is not None and interview < today:
        raise SettingsError(f"the interview is on {interview}, which is over")
    changes: dict[str, str | None] = {}
    new_day = interview is not None and interview != preferences.interview_date
    if start is None and (new_day or preferences.plan_start is None):
        start = today
    day = interview or preferences.interview_date
    if start is not None and day is not None and start >= day:
        if interview is None and day < today:
            changes["interview_date"] = None  # of a plan that is over
        else:
            raise SettingsError(f"the plan begins on {start}, which is not before {day}")
    for name, value in (
        ("role", role),
        ("interview_date", interview),
        ("plan_start", start),
        ("plan_minutes", minutes),
    ):
        if value is not None:
            changes[name] = str(value)
    return changes


def my_plan(
    settings: ClientSettings,
    backend: Backend,
    today: date,
    attempts: Sequence[AttemptSummary] | None = None,
    errors: Sequence[OwnError] = (),
) -> Plan | None:
    """The plan of the person at this machine; ``None``: no role is known.

    ``attempts``: all of them, the newest first, if they are at hand. ``errors``: the person's own
    errors of language; those not mastered come last on a day.
    """
    bank = backend.bank()
    attempts = all_attempts(backend) if attempts is None else attempts
    goal = my_goal(settings.preferences, bank, attempts, today)
    if goal is None:
        return None
    questions = bank.asked(role=goal.role)
    cards = backend.drills.cards()
    history = _history(bank, goal, attempts, cards, errors, Interviews.of(settings))
    lengths = {
        each.id: full_minutes(bank, goal.role, each)
        for each in bank.field_of(goal.role).rounds
        if any(q.role or q.field for q in questions if q.in_round(each.id))
    }
    return make_plan(goal, questions, history, today, lengths)


def steps_of(items: Iterable[Item], bank: Bank, role: str) -> list[Step]:
    """Items of the plan in words."""
    return [_step(each, bank, role) for each in items]


def still_missing(
    backend: Backend, attempts: Sequence[AttemptSummary], question_id: str
) -> tuple[str, ...]:
    """Up to three key phrases that the latest answer to a question lacks, the weightiest first.

    ``attempts``: the newest first.
    """
    latest = next((each.id for each in attempts if each.question_id == question_id), None)
    if latest is None:
        return ()
    try:
        phrases = backend.attempt(latest).report.coverage.phrases
    except RejectedError:  # damaged, or deleted in the meantime
        return ()
    missing = sorted((p for p in phrases if p.status == "missing"), key=lambda p: -p.weight)
    return tuple(each.phrase for each in missing[:3])


def countdown(plan: Plan, today: date) -> str:
    """How many days are left, in words."""
    day = plan.goal.interview
    if day is None:
        return ""
    left = (day - today).days
    if left == 0:
        return "Your interview is today."
    return "Your interview is tomorrow." if left == 1 else f"Interview in {left} days"


def what_fits(plan: Plan) -> list[str]:
    """What the plan cannot do, or does otherwise than people expect, one sentence each."""
    said = []
    minutes, days = plan.goal.minutes, len(plan.days)
    if plan.tried < plan.questions:
        said.append(
            f"{plan.tried} of the role's {plan.questions} questions fit into "
            f"{count_of(days, 'day')} of {minutes} minutes. More minutes a day bring more of them."
        )
    elif plan.questions and days > 1:
        said.append(
            f"The bank has {count_of(plan.questions, 'question')} for this role: each comes at "
            f"least once in {DAYS} days, the weak ones again and again."
        )
    if plan.days and plan.days[-1].date + timedelta(days=1) < plan.goal.end:
        said.append(f"{days} days are shown; those after them are planned as they come near.")
    mocks = [day for day in plan.days if any(each.kind == "mock" for each in day.items)]
    if mocks:
        longer = ", which takes longer" if any(day.minutes > minutes for day in mocks) else ""
        said.append(
            f"{count_of(len(mocks), 'day')} of the last week "
            f"{'has' if len(mocks) == 1 else 'have'} a full mock interview{longer}."
        )
    return said


def day_text(day: Day, bank: Bank, role: str) -> str:
    """What a day holds in one line: ``5 drill items, 2 questions again, 1 new question``."""
    counts = Counter(each.kind for each in day.items)
    parts = [step.text for step in steps_of(day.items, bank, role) if step.item.kind == "mock"]
    drilled = sum(each.count for each in day.items if each.kind == "drills")
    phrases = sum(each.count for each in day.items if each.kind == "language")
    if drilled:
        parts.append(count_of(drilled, "drill item"))
    if counts["retry"]:
        parts.append(f"{count_of(counts['retry'], 'question')} again")
    if counts["question"]:
        parts.append(f"{count_of(counts['question'], 'new question')}")
    if counts["story"]:
        parts.append(f"{counts['story']} {'story' if counts['story'] == 1 else 'stories'}")
    if phrases:
        parts.append(count_of(phrases, "language card"))
    return ", ".join(parts) or "nothing: rest"


def _history(
    bank: Bank,
    goal: Goal,
    attempts: Sequence[AttemptSummary],
    cards: Sequence[DrillCard],
    errors: Sequence[OwnError],
    interviews: Interviews,
) -> History:
    answers = tuple(
        Answered(each.question_id, _day(each.created_at), each.score)
        for each in sorted(attempts, key=lambda each: (each.created_at, each.id))
    )
    return History(
        answers=answers,
        cards=tuple(_card(each) for each in cards if each.drill_set != LANGUAGE_SET),
        language_cards=tuple(_to_say_right(cards, errors)),
        stories=_stories(bank, answers),
        mocks=_mocks(bank, goal, interviews.all().records),
    )


def _to_say_right(cards: Iterable[DrillCard], errors: Iterable[OwnError]) -> Iterator[DueCard]:
    """The own errors that are not mastered; one never said right is due from the day after."""
    by_id = {each.item_id: each for each in cards}
    for each in errors:
        if not each.is_mastered:
            card = by_id.get(each.id)
            noted = _day(each.noted_at)
            yield DueCard(noted, noted, date.min) if card is None else _card(card)


def _stories(bank: Bank, answers: Iterable[Answered]) -> tuple[Story, ...]:
    """The candidate's own stories, each named by the first of the questions that practice it."""
    told: defaultdict[str, set[date]] = defaultdict(set)
    for each in answers:
        told[each.question_id].add(each.day)
    found: dict[str, list[str]] = {}
    for question in bank.questions:
        if question.field == STORIES_FIELD:
            found.setdefault(question.id.rpartition("-")[0], []).append(question.id)
    return tuple(
        Story(names[0], tuple(sorted(set().union(*(told[name] for name in names)))))
        for names in found.values()
    )


def _mocks(bank: Bank, goal: Goal, records: Iterable[InterviewRecord]) -> tuple[date, ...]:
    """The days of the last week on which a whole round was held."""
    if goal.interview is None:
        return ()
    since = goal.interview - timedelta(days=LAST_WEEK_DAYS)
    whole = {each.id: each.minutes[0] for each in bank.field_of(goal.role).rounds}
    days = {_day(each.started_at) for each in records if _is_held(each, whole)}
    return tuple(sorted(day for day in days if day >= since))


def _is_held(record: InterviewRecord, whole: Mapping[str, int]) -> bool:
    """Whether an interview was a whole round, and most of it was answered."""
    answered = sum(each.state in ("given", "answered") for each in record.questions)
    return (
        record.ended_at is not None
        and record.minutes >= whole.get(record.round, MAX_MINUTES + 1)
        and answered >= MOCK_SHARE * record.planned
    )


def _step(item: Item, bank: Bank, role: str) -> Step:
    query = urlencode({"role": role})
    match item.kind:
        case "drills" if item.new:
            return Step(
                item, f"Learn {count_of(item.count, 'new term')}", "drill", "/drills", "aloud drill"
            )
        case "drills":
            text = f"Drill {count_of(item.count, 'due item')}"
            return Step(item, text, "drill", "/drills", "aloud drill")
        case "language":
            text = f"Say {count_of(item.count, 'language card')} that you missed"
            return Step(item, text, "drill", "/drills/language", "aloud drill language")
        case "mock":
            rounds = bank.field_of(role).rounds
            guide = next(each for each in rounds if each.id == item.name)
            short = item.minutes < guide.minutes[0]
            note = "all that the bank has for the round" if short else "the whole round"
            href = f"/interview?{urlencode({'role': role, 'round': item.name, 'length': 'real'})}"
            command = f"aloud interview --role {role} --round {item.name} --full"
            return Step(item, f"A full mock interview: {guide.title}", note, href, command)
        case _:
            question = bank.question(item.name)
            text = question.prompt if question else item.name
            topic = question.topic if question else ""
            again = f"again; {item.missing:.0%} was missing" if item.missing else "again"
            note = {"retry": again, "story": "your story"}.get(item.kind, f"new; {topic}")
            command = f"aloud interview --question {item.name}"
            return Step(item, text, note, f"/practice/{item.name}?{query}", command)


def _card(card: DrillCard) -> DueCard:
    return DueCard(_day(card.due), _day(card.first_reviewed_at), _day(card.last_reviewed_at))


def _day(moment: datetime) -> date:
    """On this machine's calendar."""
    return moment.astimezone().date()


def to_calendar(plan: Plan, bank: Bank, now: datetime) -> bytes:
    """The days of the plan as a calendar file; a later one replaces its days in most programs."""
    role = bank.role(plan.goal.role)
    title = role.title if role else plan.goal.role
    calendar = Calendar()
    calendar.add("prodid", "-//Aloud//Plan//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", f"Aloud: {title}")

    def add(day: date, summary: str, about: str, uid: str) -> None:
        event = Event()
        event.add("uid", f"{uid}-{day.isoformat()}@aloud")
        event.add("dtstamp", now.astimezone(UTC))
        event.add("dtstart", day)
        event.add("dtend", day + timedelta(days=1))
        event.add("summary", summary)
        event.add("description", about)
        event.add("transp", "TRANSPARENT")
        calendar.add_component(event)

    for day in plan.days:
        if day.items:
            steps = steps_of(day.items, bank, plan.goal.role)
            lines = [f"{each.text} ({each.note})" for each in steps]
            add(day.date, f"Aloud: {day.minutes} minutes", "\n".join(lines), "plan")
    if plan.goal.interview:
        add(plan.goal.interview, f"Interview: {title}", "Good luck!", "interview")
    return bytes(calendar.to_ical())

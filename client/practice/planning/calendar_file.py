"""The plan as a calendar file (RFC 5545)."""

from datetime import UTC, date, datetime, timedelta

from icalendar import Calendar, Event

from client.practice.planning.my_plan import steps_of
from client.practice.planning.plan import Plan
from question_bank.models import Bank


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

"""``aloud user``: the accounts, tokens and cohorts of the server on this machine."""

from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from client.backend.embedded import open_accounts
from client.cli.commands import command_group, commands
from client.cli.common import command, errors, out, plain_table, print_json
from client.cli.options import JsonOption
from client.core.settings import ClientSettings

_DEFAULT_ADDRESS = "http://127.0.0.1:8017"

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name to sign in with.")]
CohortArgument = Annotated[str, typer.Argument(metavar="COHORT", help="The cohort's name.")]

app = commands()
user = command_group(app, "user")
token = command_group(user, "token", "Manage the tokens that clients sign in with.")
cohort = command_group(user, "cohort", "Manage cohorts: candidates with their coaches.")


RoleName = Literal["candidate", "coach", "admin"]


@command(user, "add")
def add(
    settings: ClientSettings,
    name: NameArgument,
    role: Annotated[RoleName, typer.Option(help="The role of the account.")] = "candidate",
    display_name: Annotated[
        str | None, typer.Option(help="The name that others see; by default the sign-in name.")
    ] = None,
    cohort: Annotated[str | None, typer.Option(help="A cohort to join.")] = None,
) -> None:
    """Create an account and print an invitation link for choosing its password."""
    with open_accounts(settings) as accounts:
        group = accounts.cohorts.named(cohort) if cohort else None
        made = accounts.add(name, role, display_name=display_name)
        if group is not None:
            accounts.cohorts.assign(group.id, made.id)
        _print_invitation(settings, accounts.invitations.invite(made.id))


@command(user, "list")
def list_users(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """List the accounts."""
    with open_accounts(settings) as accounts:
        users, cohorts = accounts.all(), accounts.cohorts.all()
    places = {
        user.id: [each.name for each in cohorts if user.id in {m.account.id for m in each.members}]
        for user in users
    }
    if as_json:
        print_json(
            [
                {
                    "id": user.id,
                    "name": user.name,
                    "display_name": user.display_name,
                    "role": user.role,
                    "state": user.state,
                    "second_factor": user.has_second_factor,
                    "cohorts": places[user.id],
                    "created_at": user.created_at,
                }
                for user in users
            ]
        )
        return
    if not users:
        out().print("There is no account yet; `aloud user add NAME --role admin` makes one.")
        return
    table = plain_table("name", "", "role", "state", "cohorts")
    for user in users:
        table.add_row(
            Text(user.name, "bold"),
            Text("" if user.display_name == user.name else user.display_name),
            user.role,
            f"{user.state}, second factor" if user.has_second_factor else user.state,
            Text(", ".join(places[user.id])),
        )
    out().print(table)


@command(user, "invite")
def invite(settings: ClientSettings, name: NameArgument) -> None:
    """Print a new invitation, for the first password or a lost one."""
    with open_accounts(settings) as accounts:
        _print_invitation(settings, accounts.invitations.invite(accounts.named(name).id))


@command(user, "role")
def role(
    settings: ClientSettings,
    name: NameArgument,
    role: Annotated[RoleName, typer.Argument(help="The new role.")],
) -> None:
    """Give an account another role."""
    with open_accounts(settings) as accounts:
        user = accounts.named(name)
        accounts.change(user.id, role=role, display_name=user.display_name)
    out().print(f"{user.name} is {role} now", markup=False)


@command(user, "disable")
def disable(settings: ClientSettings, name: NameArgument) -> None:
    """Stop an account from signing in; its data stays."""
    with open_accounts(settings) as accounts:
        user = accounts.disable(accounts.named(name).id)
    out().print(f"{user.name} is disabled; their sessions and tokens no longer work", markup=False)


@command(user, "enable")
def enable(settings: ClientSettings, name: NameArgument) -> None:
    """Let an account sign in again."""
    with open_accounts(settings) as accounts:
        user = accounts.enable(accounts.named(name).id)
    out().print(f"{user.name} is enabled", markup=False)


@command(user, "delete")
def delete(
    settings: ClientSettings,
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete an account and all its data permanently."""
    with open_accounts(settings) as accounts:
        user = accounts.named(name)
        if not yes:
            typer.confirm(
                f"Delete {user.name} and all their answers, recordings and comments?",
                abort=True,
                err=True,
            )
        accounts.delete(user.id)
    out().print(f"{user.name} and all their data are deleted", markup=False)


@command(user, "drop-second-factor")
def drop_second_factor(settings: ClientSettings, name: NameArgument) -> None:
    """Remove the second factor of somebody who lost phone and recovery codes."""
    with open_accounts(settings) as accounts:
        user = accounts.named(name)
        accounts.second_factors.turn_off(user.id)
    out().print(f"{user.name} signs in with the password alone now", markup=False)


@command(token, "add")
def add_token(
    settings: ClientSettings,
    name: NameArgument,
    label: Annotated[str, typer.Option(help="What the token is for, such as: my laptop.")],
) -> None:
    """Create a token and print it once."""
    with open_accounts(settings) as accounts:
        made = accounts.tokens.add(accounts.named(name).id, label)
    errors().print("This is the token. It is shown only once.")
    out().print(made.secret, markup=False, soft_wrap=True)


@command(token, "list")
def list_tokens(settings: ClientSettings, name: NameArgument, as_json: JsonOption = False) -> None:
    """List the tokens of an account."""
    with open_accounts(settings) as accounts:
        tokens = accounts.tokens.of(accounts.named(name).id)
    if as_json:
        print_json([vars(token) for token in tokens])
        return
    table = plain_table("id", "label", "begins with", "last used", "state")
    for token in tokens:
        table.add_row(
            str(token.id),
            Text(token.label),
            token.prefix + "…",
            f"{token.last_used_at:%Y-%m-%d %H:%M} UTC" if token.last_used_at else "never",
            "revoked" if token.revoked_at else "valid",
        )
    out().print(table)


@command(token, "revoke")
def revoke_token(
    settings: ClientSettings,
    name: NameArgument,
    token_id: Annotated[int, typer.Argument(metavar="ID", help="From `aloud user token list`.")],
) -> None:
    """Revoke a token."""
    with open_accounts(settings) as accounts:
        token = accounts.tokens.revoke(accounts.named(name).id, token_id)
    out().print(f"the token {token.label} is revoked", markup=False)


@command(cohort, "add")
def add_cohort(
    settings: ClientSettings,
    name: CohortArgument,
    audio_days: Annotated[
        int | None, typer.Option(help="Days to keep recordings; by default until deleted.")
    ] = None,
) -> None:
    """Create a cohort."""
    with open_accounts(settings) as accounts:
        made = accounts.cohorts.add(name, audio_days=audio_days)
    out().print(f"cohort {made.name} created", markup=False)


@command(cohort, "list")
def list_cohorts(settings: ClientSettings, as_json: JsonOption = False) -> None:
    """List the cohorts with their members."""
    with open_accounts(settings) as accounts:
        cohorts = accounts.cohorts.all()
    if as_json:
        print_json(
            [
                {
                    "name": each.name,
                    "audio_days": each.audio_days,
                    "members": [
                        {"name": member.account.name, "as_role": member.as_role}
                        for member in each.members
                    ],
                }
                for each in cohorts
            ]
        )
        return
    table = plain_table("cohort", "recordings", "coaches", "candidates")
    for each in cohorts:
        table.add_row(
            Text(each.name, "bold"),
            f"{each.audio_days} days" if each.audio_days else "until deleted",
            *(
                Text(", ".join(m.account.name for m in each.members if m.as_role == place))
                for place in ("coach", "candidate")
            ),
        )
    out().print(table)


@command(cohort, "delete")
def delete_cohort(settings: ClientSettings, name: CohortArgument) -> None:
    """Delete a cohort; its members stay."""
    with open_accounts(settings) as accounts:
        group = accounts.cohorts.named(name)
        accounts.cohorts.delete(group.id)
    out().print(f"cohort {group.name} deleted", markup=False)


@command(cohort, "assign")
def assign(
    settings: ClientSettings,
    cohort: CohortArgument,
    name: NameArgument,
    place: Annotated[
        Literal["candidate", "coach"] | None,
        typer.Option(
            "--as", help="The account's role in the cohort; by default what it is on the server."
        ),
    ] = None,
) -> None:
    """Put an account into a cohort."""
    with open_accounts(settings) as accounts:
        group, user = accounts.cohorts.named(cohort), accounts.named(name)
        made = accounts.cohorts.assign(group.id, user.id, place)
    was = f", no longer as {made.before}" if made.before not in (None, made.as_role) else ""
    out().print(f"{user.name} is in {group.name} as {made.as_role}{was}", markup=False)


@command(cohort, "unassign")
def unassign(settings: ClientSettings, cohort: CohortArgument, name: NameArgument) -> None:
    """Take an account out of a cohort."""
    with open_accounts(settings) as accounts:
        group, user = accounts.cohorts.named(cohort), accounts.named(name)
        accounts.cohorts.unassign(group.id, user.id)
    out().print(f"{user.name} is no longer in {group.name}", markup=False)


def _print_invitation(settings: ClientSettings, invited: Any) -> None:
    address = settings.server or _DEFAULT_ADDRESS
    errors().print(
        f"Send this link to {invited.account.display_name}. It is not shown again. It works once, "
        f"until {invited.expires_at:%Y-%m-%d %H:%M} UTC.",
        markup=False,
    )
    if settings.server is None:
        errors().print("(`--server https://…` prints it with the server's address)", style="dim")
    out().print(f"{address}/invitation/{invited.secret}", markup=False, soft_wrap=True)

"""`cutpurse identity`: owners, bots and tokens of a running service."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from cutpurse_server.cli.remote import CallFailed, Organiser
from cutpurse_server.cli.there import Json, at_a_service
from cutpurse_server.identity import Role

__all__ = ["identity"]

identity = typer.Typer(name="identity", help="Bots, their owners, and tokens.", no_args_is_help=True)

_MS_PER_S = 1_000
_Bot = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")]
_Valid = Annotated[int, typer.Option(help="Valid for so many seconds; 0: without end.")]


def bots(there: Organiser, as_json: Json = False) -> None:
    """List all bots and their owners."""
    owners = there.bots()
    if as_json:
        typer.echo(json.dumps(owners, indent=2))
    for bot, owner in () if as_json else sorted(owners.items()):
        typer.echo(f"{bot}  {owner}")


def register(
    there: Organiser,
    bot: _Bot,
    owner: Annotated[str | None, typer.Option(help="Whose it is.", show_default="named like the bot")] = None,
) -> None:
    """Register a bot, and its owner with it; nothing happens if that was done."""
    there.register(bot, owner or bot)
    typer.echo(f"{bot} is registered; give it a token with `cutpurse identity token --bot {bot}`")


def tokens(
    there: Organiser, bot: Annotated[str, typer.Option(help="Only this bot's.")] = "", as_json: Json = False
) -> None:
    """List the valid tokens. Their texts are not kept anywhere."""
    listed = there.tokens(bot)
    if as_json:
        typer.echo(json.dumps(listed, indent=2))
    for each in () if as_json else listed:
        expires = int(each["expires_at_ms"])
        until = datetime.fromtimestamp(expires / _MS_PER_S, UTC).isoformat(timespec="seconds") if expires else "no end"
        typer.echo(f"{each['token_id']}  {each['role']}  {each['bot'] or '–'}  {until}")


def token(
    there: Organiser,
    role: Annotated[str, typer.Option(help="bot, player, organiser, spectator or auditor.")] = "bot",
    bot: Annotated[str, typer.Option(help="For bot and player: whose it is.")] = "",
    valid_s: _Valid = 0,
    as_json: Json = False,
) -> None:
    """Issue a token and print it, this once."""
    named = {each.name.lower(): each for each in Role}
    if role not in named:
        raise CallFailed(f"there is no role {role!r}; write {', '.join(named)}")
    _print(*there.issue(named[role], bot, valid_s), as_json=as_json)


def rotate(there: Organiser, bot: _Bot, valid_s: _Valid = 0, as_json: Json = False) -> None:
    """Issue a new token of the role bot, print it, and end its old ones: its streams end, and it dials in anew."""
    old = [each["token_id"] for each in there.tokens(bot) if each["role"] == "bot"]
    issued = there.issue(Role.BOT, bot, valid_s)
    # The new one is shown first: whatever fails after that, the bot has a token.
    _print(*issued, as_json=as_json)
    for token_id in old:
        there.revoke(token_id)


def revoke(
    there: Organiser,
    token_id: Annotated[
        str, typer.Argument(metavar="NUMBER", help="Its number; `cutpurse identity tokens` lists them.")
    ],
) -> None:
    """End a token at once."""
    there.revoke(token_id)
    typer.echo(f"token {token_id} is ended")


def _print(token_text: str, token_id: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"token": token_text, "token_id": token_id}))
    else:
        # Alone on its way out, so that `> FILE` makes a file that `--token-file` takes.
        typer.echo(f"token (number {token_id}), shown this once:", err=True)
        typer.echo(token_text)


for _command in (bots, register, tokens, token, rotate, revoke):
    identity.command()(at_a_service(_command))

"""`cutpurse bot`: what a bot's author needs."""

from __future__ import annotations

import typer

from cutpurse_server.cli.bot_new import bot_new

__all__ = ["bot"]

bot = typer.Typer(name="bot", help="Begin a bot, and check it.", no_args_is_help=True)
bot.command("new")(bot_new)

"""`cutpurse bot`: what a bot's author needs."""

from __future__ import annotations

import typer

from cutpurse_server.cli.bot_check import bot_check
from cutpurse_server.cli.bot_new import bot_new
from cutpurse_server.cli.bot_simulate import bot_simulate

__all__ = ["bot"]

bot = typer.Typer(name="bot", help="Begin a bot, see how good it is, and check it.", no_args_is_help=True)
bot.command("new")(bot_new)
bot.command("simulate")(bot_simulate)
bot.command("check")(bot_check)

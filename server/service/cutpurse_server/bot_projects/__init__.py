"""The projects that `cutpurse bot new` makes: a folder of templates for each language, and what renders them."""

from cutpurse_server.bot_projects.rendering import LANGUAGES, BotProject, Language, NoProject, written

__all__ = ["LANGUAGES", "BotProject", "Language", "NoProject", "written"]

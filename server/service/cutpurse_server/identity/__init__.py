"""Owners, their bots, and the tokens that they show: a fold over the log's stream `identity`."""

from cutpurse_server.identity.directory import Caller
from cutpurse_server.identity.events import Role
from cutpurse_server.identity.registry import Bot, Registry

__all__ = ["Bot", "Caller", "Registry", "Role"]

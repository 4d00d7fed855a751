"""The Cutpurse service: log, use cases, servicers, command line."""

from importlib.metadata import version

__version__ = version("cutpurse-server")

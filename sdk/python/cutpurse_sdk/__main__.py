"""`python -m cutpurse_sdk MODULE:FUNCTION`: a function as a program that dials in.

The module is found as by `import`, the current folder included. Where the service is, and who the bot is, comes from
the environment; see `cutpurse_sdk.run`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from cutpurse_sdk.errors import CutpurseError, SettingsInvalid
from cutpurse_sdk.play import Choose, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 in good order, 1 if the service refused, 2 for what cannot be run."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 1 or ":" not in given[0]:
        sys.stderr.write("usage: python -m cutpurse_sdk MODULE:FUNCTION, for example my_bot:choose\n")
        return 2
    module, _, name = given[0].partition(":")
    try:
        choose: Choose = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        sys.stderr.write(f"{given[0]} cannot be found: {error}\n")
        return 2
    try:
        run(choose)
    except CutpurseError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, SettingsInvalid) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

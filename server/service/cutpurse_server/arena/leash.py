"""Run a command that ends when its parent does, even if the parent is killed: `leash.py PARENT_PID COMMAND …`.

A program of its own, run without the site packages, so that starting a bot costs little. Only Linux has the
means; where it is missing the command runs without a leash.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_NOT_FOUND = 127


def main() -> None:
    """Put on the leash, and become the command."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have ended before the leash was on.
        if os.getppid() != parent:
            os._exit(1)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be run: {error.strerror}\n")
        os._exit(_NOT_FOUND)


if __name__ == "__main__":
    main()

"""Run a command unless its launcher has ended: `python -c SOURCE COMMAND …`, with a pipe of the launcher's as input.

The last step of a launch into a room by bwrap. bwrap ends its child when it is ended itself, but the child asks for
that only after it has begun: whoever is killed between the two leaves a room behind with nobody to end it. By now that
has been asked for, so what remains is to look whether it came too late. The command itself gets no input.
"""

import os
import select
import sys

if __name__ == "__main__":
    lifeline = select.poll()
    # Nothing is ever written; that the other end was closed is told without being asked for.
    lifeline.register(0, 0)
    if lifeline.poll(0):
        sys.exit(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        sys.exit(f"{sys.argv[1]} cannot be run: {error.strerror}")

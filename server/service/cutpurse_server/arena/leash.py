"""Run a command that ends when its parent does, even if that is killed: `leash.py PARENT_PID FILE_BYTES COMMAND …`.

A program of its own, run without the site packages, so that starting a bot costs little. Only Linux has the
means; where it is missing the command runs without a leash. No file of the command's may be larger than FILE_BYTES,
and no process of it may have more than a thousand open.
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_NOT_FOUND = 127
_FILES_MAX = 1_024


def main() -> None:
    """Put on the leash, and become the command."""
    parent, file_bytes, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Connections are files: whoever opens thousands of them leaves the service none for others.
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    files = _FILES_MAX if allowed == resource.RLIM_INFINITY else min(_FILES_MAX, allowed)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # The parent may have ended before the leash was on.
        if os.getppid() != parent:
            os._exit(1)
        # Should the machine run out of memory, a bot goes first.
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be run: {error.strerror}\n")
        os._exit(_NOT_FOUND)


if __name__ == "__main__":
    main()

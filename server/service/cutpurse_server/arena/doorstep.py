"""The last step of a launch into a room by bwrap: `python -c SOURCE COMMAND …`, with a pipe of the launcher's as input.

It becomes the command, unless its launcher has ended. bwrap ends its child when it is ended itself, but the child asks
for that only after it has begun: whoever is killed between the two leaves a room behind with nobody to end it. By now
that has been asked for, so what remains is to look whether it came too late. The command itself gets no input.

From here on the kernel refuses the calls that make memory which belongs to no process, so that nobody could count it:
files without a name or place, and System V's shared memory and messages. A program is told that the kernel has no such
calls, and does without. Where the numbers of the calls are not known, they are not refused.
"""

import ctypes
import os
import select
import struct
import sys

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_CALL_AT, _ARCHITECTURE_AT = 0, 4
"""Where the kernel puts what a filter may ask for."""
_ALLOW, _NO_SUCH_CALL, _END = 0x7FFF0000, 0x00050000 | 38, 0x80000000
_FOREIGN_CALLS = 0x40000000
"""From here on x86 has the same calls once more, for another size of pointers."""
_MACHINES = {
    "x86_64": (0xC000003E, (319, 447, 29, 68)),
    "aarch64": (0xC00000B7, (279, 447, 194, 186)),
}
"""By machine: the kernel's number of it, and of memfd_create, memfd_secret, shmget, msgget."""


def refuse_uncounted_memory(machine: str) -> None:
    """Have the kernel refuse those calls to this process and all that descend from it, for good."""
    if machine not in _MACHINES:
        return
    architecture, calls = _MACHINES[machine]
    # Each step: what to do, how many steps to skip if so and if not, and a number.
    steps = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_IF_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _END)]
    steps += [(_LOAD, 0, 0, _CALL_AT), (_IF_AT_LEAST, 0, 1, _FOREIGN_CALLS), (_RETURN, 0, 0, _END)]
    for call in calls:
        steps += [(_IF_EQUAL, 0, 1, call), (_RETURN, 0, 0, _NO_SUCH_CALL)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    described = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, described, 0, 0):
        sys.exit(f"calls cannot be refused here: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """Become the command, if anybody still wants it."""
    lifeline = select.poll()
    # Nothing is ever written; that the other end was closed is told without being asked for.
    lifeline.register(0, 0)
    if lifeline.poll(0):
        sys.exit(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    refuse_uncounted_memory(os.uname().machine)
    try:
        os.execvp(sys.argv[1], sys.argv[1:])
    except OSError as error:
        sys.exit(f"{sys.argv[1]} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()

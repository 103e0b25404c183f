"""Waiting for what nothing announces."""

import time

# The longest time, in seconds, for a whole piece of work: a start, an end, a long answer. Only a hang takes longer, on however
# busy a machine.
PATIENCE = 180
# The longest wait, in seconds, for a condition that what was done before brings about.
SOON = 30


class Hang(AssertionError):
    """What should have come did not come."""


def eventually(what, condition, seen=None, patience=SOON, pause=time.sleep):
    """Returns the condition's first true value.

    `seen` gives what was there instead, for the message; by default that is the condition's last value. `pause` lets
    others go on for some seconds.
    """
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise Hang(f"waited {patience} s for {what}, and saw {(seen() if seen else value)!r}")
        pause(0.05)
    return value

"""Waiting for conditions that no event announces."""

import time

# The longest time, in seconds, for a whole piece of work: a start, an end, a long answer. Only a hang takes longer, even on a
# busy machine.
PATIENCE = 180
# The longest wait, in seconds, for a condition that an earlier action causes.
SOON = 30


class Hang(AssertionError):
    """An expected condition did not become true."""


def eventually(what, condition, seen=None, patience=SOON, pause=time.sleep):
    """Returns the condition's first true value.

    `seen` returns the observed state for the message; by default that is the condition's last value. `pause` waits some
    seconds while other work continues.
    """
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise Hang(f"waited {patience} s for {what}, and saw {(seen() if seen else value)!r}")
        pause(0.05)
    return value

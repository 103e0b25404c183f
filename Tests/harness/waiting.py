"""Waiting for what nothing announces."""

import time

# The longest wait, in seconds. Only a hang takes longer, on however busy a machine.
PATIENCE = 180


class Hang(AssertionError):
    """What should have come did not come."""


def eventually(what, condition, seen=None, patience=PATIENCE, pause=time.sleep):
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

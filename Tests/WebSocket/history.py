"""The states of a part of the tree that one client alone writes, in order: listeners see these and no others, never an earlier
one after a later one, and each commit by itself.
"""

import model
from frames import Violation


class History:
    """The steps of a part of the tree. A step has several possible values if a connection ended with unanswered writes."""

    def __init__(self, place):
        self.place = place
        self.steps = [[None]]
        self.breaks = {}  # A step at which a connection ended → the first step that was unanswered then.
        self.acknowledged = 0

    # The writer

    def send(self, change):
        """Records a sent write; `change` returns the value after it. Returns the number of its step."""
        self.steps.append(distinct(change(value) for value in self.steps[-1]))
        return len(self.steps) - 1

    def acknowledge(self, step):
        self.acknowledged = max(self.acknowledged, step)

    def lose(self):
        """Records the end of the connection: of the unanswered writes, the first few have happened, or none, or all."""
        if self.acknowledged < len(self.steps) - 1:
            self.steps.append(distinct(value for step in self.steps[self.acknowledged:] for value in step))
            self.breaks[len(self.steps) - 1] = self.acknowledged

    def settle(self, value):
        """Records a quiet moment: the tree has this value, which must be a last one. Forgets earlier steps."""
        if model.text(value) not in {model.text(possible) for possible in self.steps[-1]}:
            raise Violation(f"/{'/'.join(self.place)} is {model.text(value)[:400]}, "
                            f"expected {' or '.join(model.text(possible)[:400] for possible in self.steps[-1])}")
        self.steps, self.breaks, self.acknowledged = [[value]], {}, 0

    # The listeners

    def project(self, listen):
        """Returns this part of a listener's value, and a function that returns the same part of a state; otherwise None."""
        depth, own = len(self.place), len(listen.path)
        if listen.path[:depth] == self.place:
            below = listen.path[depth:]
            if listen.query is None:
                return listen.value, lambda state: model.child(state, below)
            return model.with_priority(listen.value, None), lambda state: listen.query.window(model.child(state, below))
        if listen.query is None and self.place[:own] == listen.path:
            return model.child(listen.value, self.place[own:]), lambda state: state
        return None

    def observe(self, listen):
        """Compares the current value of a listener with the states, and updates its possible positions."""
        projection = self.project(listen)
        if projection is None:
            return
        value, project = projection
        seen = model.text(value)
        before, starts = listen.positions.get(self.place, (None, {0}))
        start = min(starts)
        texts = {start + index: {model.text(project(state)) for state in step} for index, step in enumerate(self.steps[start:])}
        possible = {index for index, found in texts.items() if seen in found}
        if not possible:
            fewest = min((model.differences(value, project(state)) + [f"at step {start + index}"]
                          for index, step in enumerate(self.steps[start:]) for state in step), key=len)
            raise Violation(f"{listen.name} shows an unknown state of /{'/'.join(self.place)}; the nearest of the steps {start} "
                            f"to {len(self.steps) - 1} has {'; '.join(reversed(fewest))}")
        if listen.query is None and not listen.may_jump and before is not None:
            possible = self.next_positions(texts, starts, before, seen)
            if not possible:
                raise Violation(f"{listen.name} received several commits of /{'/'.join(self.place)} at once: from "
                                f"{before[:300]} to {seen[:300]}")
        listen.positions[self.place] = seen, possible

    def next_positions(self, texts, starts, before, seen):
        """Returns the steps that one commit, or none, reaches from the possible steps of a listener."""
        found, ways = set(), list(starts)
        if before == seen:
            return starts
        visited = set(ways)
        while ways:
            step = ways.pop()
            after = {step + 1} | {end for end, first in self.breaks.items() if first <= step < end}
            for following in after.intersection(texts):
                if seen in texts[following]:
                    found.add(following)
                if before in texts[following] and following not in visited:
                    visited.add(following)
                    ways.append(following)
        return found

    def has_shown(self, listen, step):
        """Whether a listener shows a state of this step or a later one."""
        projection = self.project(listen)
        if projection is None or max(listen.positions.get(self.place, (None, {0}))[1]) >= step:
            return True
        value, project = projection
        seen = model.text(value)
        return any(seen == model.text(project(state)) for states in self.steps[step:] for state in states)


def distinct(values):
    return list({model.text(value): value for value in values}.values())

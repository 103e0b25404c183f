"""Some people who use the service, one at a time. Answered actions are recorded in a model. Unanswered ones are checked
when the service is back: they have happened completely, or not at all.
"""

import json
import random
import threading

from social_model import Model

ALPHABET = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
TEXTS = ["hello", "#{tag} day", "look: #{tag}"]


class Actor:
    """Some people who interact only with each other."""

    def __init__(self, name, service, seed, problems):
        self.name, self.service, self.problems = name, service, problems
        self.random = random.Random(f"{seed}/{name}")
        self.model = Model([f"{name}{letter}" for letter in "abcde"], [f"{name}-{letter}" for letter in "xyz"])
        self.tag = f"tag{name}"
        self.unanswered = None  # a function that checks whether the action has happened, and one that records it
        self.drafts = []
        self.count = 0
        self.done = {}

    # Requests

    def ask(self, method, path, body=None, headers=None, **options):
        if body is not None:
            headers = {"Content-Type": "application/json", **(headers or {})}
        return self.service.json(method, path, body, headers=headers, **options)

    def read(self, path):
        return self.ask("GET", f"/{path}.json")[1]

    def put(self, path, value):
        return self.ask("PUT", f"/{path}.json", value) if value is not None else self.ask("DELETE", f"/{path}.json")

    def patch(self, writes):
        return self.ask("PATCH", "/.json", writes)

    def complain(self, text):
        self.problems.append(f"{self.name}: {text}")

    def attempt(self, what, send, happened, note, code=None):
        """Does an action. `happened` returns its outcome, or None; `note` records it."""
        self.unanswered = (what, happened, note)
        status, answer = send()
        self.unanswered = None
        # The database returns a sentence in place of the code.
        refused = answer.get("code", answer.get("error")) if status >= 300 and isinstance(answer, dict) else None
        if (status >= 300) != (code is not None) or refused != code:
            return self.complain(f"{what}: {status} {json.dumps(answer)[:200]}, expected {code or 'success'}")
        self.done[what.split()[0]] = self.done.get(what.split()[0], 0) + 1
        if code is None:
            note(answer)

    def resolve(self):
        """Checks whether the unanswered action has happened."""
        if self.unanswered is None:
            return
        what, happened, note = self.unanswered
        found = happened()
        if found is not None:
            note(found)
        self.done["unanswered"] = self.done.get("unanswered", 0) + 1
        self.done["found done"] = self.done.get("found done", 0) + (found is not None)
        self.unanswered = None

    def run(self, is_over):
        try:
            self.resolve()
            while not is_over.is_set():
                self.act()
        except OSError:
            pass  # The service was killed.
        except Exception as error:  # An unexpected error is a finding.
            self.complain(f"{type(error).__name__}: {error!r}, unanswered {self.unanswered and self.unanswered[0]}")

    # Choices

    def pick(self, choices):
        choices = list(choices)
        return self.random.choice(choices) if choices else None

    def person(self):
        return self.pick(self.model.present())

    def two(self):
        return self.random.sample(self.model.present(), 2)

    def words(self):
        return self.random.choice(TEXTS).format(tag=self.tag)

    def unique(self):
        self.count += 1
        return f"{self.name}-{self.count}-{self.random.getrandbits(40):x}"

    def new_id(self):
        return "-P" + "".join(self.random.choice(ALPHABET) for _ in range(18))


class Crowd:
    """Runs all groups, each in its own thread, until the service has ended."""

    def __init__(self, groups):
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=group.run, args=[self.is_over], daemon=True) for group in groups]

    def start(self):
        for thread in self.threads:
            thread.start()

    def is_working(self):
        return any(thread.is_alive() for thread in self.threads)

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()

"""A tree with rules: clients act as signed-in users, may write only to their own parts, and lose access to a part of it
when the rules change.
"""

import json
import time

from frames import Violation
from transports import http_connection
from world import World


def rules(is_open):
    """Returns the rules; `gated` is readable while it is open."""
    signed_in = "auth !== null"
    return {"rules": {
        "c": {".read": signed_in, "$uid": {".write": "auth.uid === $uid"}},
        "shared": {".read": signed_in, ".write": signed_in},
        "gated": {".read": f"{signed_in} && {json.dumps(is_open)}", ".write": signed_in},
    }}


class RuledWorld(World):
    """A namespace with rules."""

    def __init__(self, service, namespace, choices):
        super().__init__(service, namespace, choices)
        self.has_rules, self.widest = True, "c"
        self.is_open = True
        self.changed = 0  # The time of the last change of the rules.
        self.set_rules(True)

    def set_rules(self, is_open):
        self.is_open = is_open
        self.rest("PUT", ".settings/rules", rules(is_open))
        self.changed = time.monotonic()
        self.done["rules changed"] += 1

    def step(self):
        kind = self.choices.randrange(200)
        member = self.choices.choice(self.members)
        if kind == 0:
            self.set_rules(not self.is_open)
        elif kind < 6 and member.is_ready and not any(one.path[:1] == ("gated",) for one in member.views.listens):
            member.listen(("gated",), self.choices.choice([None, self.actions.draw.query()]))
            self.done["gated listens"] += 1
        elif kind < 10:
            self.rest("PUT", "gated/-Pa", self.serial)
        else:
            super().step()

    def may_lose(self, member, listen):
        # The request and a change of the rules may overlap.
        return listen.path[:1] == ("gated",) and not self.is_owner(member) and (
            not self.is_open or time.monotonic() - self.changed < 5)

    def differences(self):
        if not self.is_open:
            for member in self.members:
                for listen in member.views.listens:
                    if listen.path[:1] == ("gated",) and not self.is_owner(member):
                        return member, f"{listen.name}, which the rules forbid now"
        return super().differences()


def sign_up(address):
    """Creates a user of the service's own accounts, over the network; returns the id and an ID token."""
    connection = http_connection(address)
    connection.request("POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any", b'{"returnSecureToken":true}',
                       {"Content-Type": "application/json"})
    account = json.load(connection.getresponse())
    connection.close()
    if not account.get("idToken"):
        raise Violation(f"signing up is answered with {account}")
    return account["localId"], account["idToken"]

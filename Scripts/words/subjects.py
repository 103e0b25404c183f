"""Names what is wrong with the subjects of commits, which it reads from standard input, one a line."""

import re
import sys
from typing import Optional

LIMIT = 72

# Verbs in the imperative that end like other forms.
IMPERATIVES = "Alias Bias Bring Embed Exceed Feed Focus Need Ping Proceed Seed Shed Speed Spring String Succeed Swing".split()


def fault(subject: str) -> Optional[str]:
    """Returns what is wrong with a subject, or None."""
    if len(subject) > LIMIT:
        return f"has {len(subject)} characters; the limit is {LIMIT}"
    if subject.endswith("."):
        return "ends with a full stop"
    verb = re.match(r"[A-Z][a-z]+(?= )", subject)
    if verb is None:
        return "does not begin with a verb and a capital letter"
    if re.search(r"(?:ed|ing|[^s]s)$", verb.group()) and verb.group() not in IMPERATIVES:
        return f'begins with "{verb.group()}", which is not in the imperative'
    return None


faults = [(subject, what) for subject in sys.stdin.read().splitlines() if (what := fault(subject))]
for subject, what in faults:
    print(f'"{subject}" {what}')
sys.exit(1 if faults else 0)

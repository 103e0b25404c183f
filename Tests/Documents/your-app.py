"""The smallest app for a database emulator: reads the newest posts from the emulator that the environment names."""

import json
import os
import urllib.request

host = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
with urllib.request.urlopen(f"http://{host}/posts.json?orderBy=\"$key\"&limitToLast=5&ns=tintype") as answer:
    print(json.dumps(json.load(answer), indent=2))

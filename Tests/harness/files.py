"""Files of a store."""

import os
import pathlib


def below(folder):
    """All files in a folder and its folders, but those that go meanwhile."""
    return [pathlib.Path(root) / name for root, _, names in os.walk(folder) for name in names]

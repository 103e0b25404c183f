"""Files of a store."""

import os
import pathlib


def below(folder):
    """Returns all files in a folder and its folders, except those that are deleted meanwhile."""
    return [pathlib.Path(root) / name for root, _, names in os.walk(folder) for name in names]

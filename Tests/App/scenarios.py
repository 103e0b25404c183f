"""Plays whole apps, with Firebase's protocol over TLS, and phones that lose their network. Started by Scripts/test-app."""

import os

import checks
from retreat import Retreat
from story import ClassStory


def play(scenario, name):
    def run(folder, network):
        played = scenario(folder / name, network)
        os.environ["REQUESTS_CA_BUNDLE"] = str(played.service.authority.certificate)
        played.play()

    return run


checks.run(play(Retreat, "retreat"), play(ClassStory, "story"))

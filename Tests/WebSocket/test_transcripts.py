"""The service follows each transcript, and so does the client that a transcript is named after."""

import dialects
import pytest
from over_both import over_both
from play_client import ClientPlayer
from play_service import ServicePlayer
from ruled import sign_up
from transcripts import Transcript, every

TOKEN = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1MSIsImlhdCI6MX0."


@over_both
@pytest.mark.parametrize("path", every(), ids=lambda path: path.stem)
def test_the_service_keeps_to_it(path, service):
    uid, token = sign_up(service.address)
    namespace = f"transcript-{path.stem}"
    host = f"{service.address[0]}:{service.address[1]}"
    transcript = Transcript(path, host=host, namespace=namespace, uid=uid, token=token)
    ServicePlayer(transcript, service, service.address, namespace).play()


@pytest.mark.parametrize("dialect", dialects.ALL, ids=lambda dialect: dialect.name)
def test_the_client_keeps_to_it(dialect):
    path = next(path for path in every() if path.stem == dialect.name)
    transcript = Transcript(path, namespace="transcript", uid="u1", token=TOKEN)
    assert transcript.is_for_clients
    ClientPlayer(transcript, dialect(), "transcript").play()

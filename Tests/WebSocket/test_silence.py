"""Tests how sessions end by silence, which takes a minute and a half; Scripts/test-websocket runs other tests meanwhile."""

from present import ask, connect, end, leave_behind, set_rules, start, until, watch
from ruled import sign_up

SILENCE = 100  # Seconds until a session that does not answer pings is ended: a ping is sent each 30 seconds, three times.


def test_in_silence_who_answers_pings_stays_and_others_go_and_a_revoked_token_is_told(tmp_path):
    service = start(tmp_path)
    try:
        set_rules(service, {".read": True, "gone": {".write": True}, "own": {".read": "auth !== null"}})
        watcher, listen = watch(service, "tintype")
        silent, calm = connect(service, "tintype"), connect(service, "tintype")
        leave_behind(silent, "a")
        _, token = sign_up(service.address)
        guest = connect(service, "tintype", credential=token)
        ask(service, "accounts:delete", {"idToken": token})
        until(lambda: listen.value == {"a": 1} and guest.expired, watcher, calm, guest, seconds=SILENCE)
        assert guest.expired["s"] == "expired_token" and calm.pump() and calm.is_connected
        guest.drop("close frame")
        guest.connect()
        answers = []
        guest.authenticate = lambda credential, on_ok=None: guest.request(
            *guest.dialect.auth(credential), lambda status, data: answers.append(status))
        until(lambda: answers, guest)
        assert answers == ["invalid_token"] or answers == ["expired_token"]
        end(watcher, calm, guest)
        silent.socket.close()
    finally:
        service.kill()

"""firebase-admin manages accounts, and people sign in with them, as with Firebase's Authentication emulator."""

import base64
import datetime
import os
import uuid

import firebase_admin
import pytest
import requests
from firebase_admin import auth, db, exceptions

ADDRESS = os.environ["FIREBASE_DATABASE_EMULATOR_HOST"]
TOOLKIT = f"http://{ADDRESS}/identitytoolkit.googleapis.com/v1"


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", ADDRESS)
    app = firebase_admin.initialize_app(
        None, {"projectId": "tintype", "databaseURL": "https://tintype.firebaseio.com"}, name=uuid.uuid4().hex)
    yield app
    firebase_admin.delete_app(app)


@pytest.fixture
def user(app):
    user = auth.create_user(
        email=f"{uuid.uuid4().hex}@example.org", password="correct horse", display_name="Ada", app=app)
    yield user
    try:
        auth.delete_user(user.uid, app=app)
    except auth.UserNotFoundError:
        pass


def sign_in(user, password="correct horse"):
    return requests.post(
        f"{TOOLKIT}/accounts:signInWithPassword?key=any",
        json={"email": user.email, "password": password, "returnSecureToken": True}, timeout=30)


def test_an_account_is_made_found_changed_and_deleted(app, user):
    assert auth.get_user(user.uid, app=app).email == user.email
    assert auth.get_user_by_email(user.email, app=app).uid == user.uid
    auth.update_user(user.uid, display_name="Ada L.", email_verified=True, app=app)
    found = auth.get_user(user.uid, app=app)
    assert found.display_name == "Ada L." and found.email_verified
    auth.delete_user(user.uid, app=app)
    with pytest.raises(auth.UserNotFoundError):
        auth.get_user(user.uid, app=app)


def test_an_address_has_one_account(app, user):
    with pytest.raises(auth.EmailAlreadyExistsError):
        auth.create_user(email=user.email, app=app)


def test_accounts_are_listed_in_pages(app):
    made = {auth.create_user(app=app).uid for _ in range(5)}
    listed = set()
    page = auth.list_users(max_results=2, app=app)
    while page:
        assert len(page.users) <= 2
        listed |= {user.uid for user in page.users}
        page = page.get_next_page()
    assert made <= listed
    assert auth.delete_users(list(made), app=app).success_count == 5


def test_who_signs_in_has_the_claims_that_an_admin_gave(app, user):
    auth.set_custom_user_claims(user.uid, {"editor": True}, app=app)
    token = sign_in(user).json()["idToken"]
    claims = auth.verify_id_token(token, app=app)
    assert claims["uid"] == user.uid and claims["editor"] is True
    assert claims["firebase"]["sign_in_provider"] == "password"


def test_a_custom_token_signs_in(app):
    uid = uuid.uuid4().hex
    token = auth.create_custom_token(uid, {"guest": True}, app=app).decode()
    answer = requests.post(
        f"{TOOLKIT}/accounts:signInWithCustomToken?key=any", json={"token": token, "returnSecureToken": True}, timeout=30)
    assert answer.status_code == 200, answer.text
    assert auth.verify_id_token(answer.json()["idToken"], app=app)["uid"] == uid
    auth.delete_user(uid, app=app)


def test_who_is_disabled_or_knows_no_password_is_not_let_in(app, user):
    assert sign_in(user, "wrong").status_code == 400
    auth.update_user(user.uid, disabled=True, app=app)
    answer = sign_in(user)
    assert answer.status_code == 400 and answer.json()["error"]["message"].startswith("USER_DISABLED")


def test_who_is_disabled_is_told_so_by_a_refresh(app, user):
    token = sign_in(user).json()["refreshToken"]

    def refresh():
        return requests.post(
            f"http://{ADDRESS}/securetoken.googleapis.com/v1/token?key=any",
            data={"grant_type": "refresh_token", "refresh_token": token}, timeout=30).json()

    before = auth.get_user(user.uid, app=app).user_metadata
    assert before.last_refresh_timestamp >= before.last_sign_in_timestamp // 1000 * 1000
    token = refresh()["refresh_token"]
    for disabled, message in [(True, "USER_DISABLED"), (False, "TOKEN_EXPIRED")]:
        auth.update_user(user.uid, disabled=disabled, app=app)
        assert refresh()["error"]["message"] == message


def test_people_of_a_firebase_project_keep_their_passwords(app):
    # The example in Firebase's own description of its scrypt.
    key = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    password = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
    record = auth.ImportUserRecord(
        uid=uuid.uuid4().hex, email=f"{uuid.uuid4().hex}@example.org", password_hash=base64.b64decode(password),
        password_salt=base64.b64decode("42xEC+ixf3L2lw=="))
    algorithm = auth.UserImportHash.scrypt(
        key=base64.b64decode(key), salt_separator=base64.b64decode("Bw=="), rounds=8, memory_cost=14)
    result = auth.import_users([record], hash_alg=algorithm, app=app)
    assert result.success_count == 1, result.errors
    assert sign_in(record, "user2password").status_code == 400
    for _ in range(2):
        assert sign_in(record, "user1password").json()["localId"] == record.uid
    auth.delete_user(record.uid, app=app)


def test_an_emulator_makes_session_cookies(app, user):
    cookie = auth.create_session_cookie(
        sign_in(user).json()["idToken"], datetime.timedelta(hours=1), app=app)
    assert auth.verify_session_cookie(cookie, app=app)["uid"] == user.uid


def test_rules_judge_who_signed_in(app, user):
    namespace = f"rules-{uuid.uuid4().hex}"
    rules = {"rules": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid && auth.token.name === 'Ada'"}}}
    owner = {"Authorization": "Bearer owner"}
    base = f"http://{ADDRESS}"
    requests.put(f"{base}/.settings/rules.json?ns={namespace}", json=rules, headers=owner, timeout=30).raise_for_status()
    token = sign_in(user).json()["idToken"]
    own = f"{base}/{user.uid}.json?ns={namespace}"
    assert requests.put(f"{own}&auth={token}", json="mine", timeout=30).status_code == 200
    assert requests.get(f"{own}&auth={token}", timeout=30).json() == "mine"
    assert requests.get(own, timeout=30).status_code == 401
    assert requests.put(f"{base}/other.json?ns={namespace}&auth={token}", json=1, timeout=30).status_code == 401
    assert requests.get(own, headers=owner, timeout=30).json() == "mine"


def test_auth_override_is_bound_by_rules(app):
    namespace = f"rules-{uuid.uuid4().hex}"
    requests.put(
        f"http://{ADDRESS}/.settings/rules.json?ns={namespace}", headers={"Authorization": "Bearer owner"},
        json={"rules": {"$uid": {".write": "auth.uid === $uid"}}}, timeout=30).raise_for_status()
    limited = firebase_admin.initialize_app(
        None, {"databaseURL": f"https://{namespace}.firebaseio.com", "databaseAuthVariableOverride": {"uid": "ada"}},
        name=namespace)
    db.reference("ada", app=limited).set(1)
    with pytest.raises(exceptions.UnauthenticatedError):
        db.reference("other", app=limited).set(1)
    firebase_admin.delete_app(limited)

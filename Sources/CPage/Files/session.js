// The signed-in user. The refresh token is stored in this browser, ID tokens only in the memory of the page.

import { Problem } from "./problem.js";
import { t } from "./texts.js";
import { keep, kept, onKept } from "./who.js";

const identity = "/identitytoolkit.googleapis.com/v1/accounts";
// A token is renewed this long before it expires, in milliseconds.
const margin = 60000;

class Session extends EventTarget {
  #stored = kept();
  #token = null;
  #expires = 0;
  #pending = null;

  constructor() {
    super();
    // Another tab has signed in or out.
    onKept(() => {
      const before = this.user?.uid;
      this.#stored = kept();
      if (before !== this.user?.uid) this.#forgetToken();
      this.#tell();
    });
  }

  // { uid, name, email, picture }, or null.
  get user() { return this.#stored?.user ?? null; }

  // An ID token that is valid for at least a minute; null without a user. Throws a Problem if the service cannot be
  // reached.
  async token() {
    if (!this.#stored) return null;
    if (this.#token && Date.now() < this.#expires - margin) return this.#token;
    this.#pending ??= this.#refresh().finally(() => { this.#pending = null; });
    return this.#pending;
  }

  async signIn(email, password) {
    const answer = await ask(`${identity}:signInWithPassword`, { email, password, returnSecureToken: true });
    await this.#begin(answer, answer.displayName);
  }

  // Creates an account, with an invitation if there is one, and the person by whose name others find it.
  async signUp(email, password, name, invitation = null) {
    const answer = await ask(`${identity}:signUp`, { email, password, displayName: name, invitation, returnSecureToken: true });
    await this.#begin(answer, name);
    const response = await fetch(`/v1/people/${this.user.uid}`, {
      method: "PATCH", body: JSON.stringify({ full_name: name }),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.#token}` },
    }).catch(() => null);
    if (response?.ok) this.update({ name });
  }

  // Signs in a person without an e-mail address by the code of their class, or creates their account.
  async enterClass(invitation, name, picture, isNew) {
    const answer = await ask(`${identity}:signInWithClassCode`, { invitation, displayName: name, picture, isNew });
    await this.#begin(answer, answer.displayName);
  }

  // Whether the user's token makes them an admin.
  async isAdmin() {
    const part = (await this.token())?.split(".")[1] ?? "";
    try {
      return JSON.parse(atob(part.replace(/-/g, "+").replace(/_/g, "/"))).admin === true;
    } catch {
      return false;
    }
  }

  // Gets another token the next time, because the user's rights have changed.
  renew() {
    this.#forgetToken();
  }

  // Requests a message with which another password can be chosen.
  async resetPassword(email) {
    await ask(`${identity}:sendOobCode`, { requestType: "PASSWORD_RESET", email });
  }

  signOut() {
    this.#stored = null;
    this.#forgetToken();
    keep(null);
    this.#tell();
  }

  // Stores a new name or picture of the signed-in user.
  update(fields) {
    if (!this.#stored) return;
    Object.assign(this.#stored.user, fields);
    this.#write();
    this.#tell();
  }

  async #begin(answer, name) {
    this.#take(answer.idToken, answer.expiresIn);
    const user = { uid: answer.localId, email: answer.email ?? "", name: name || answer.email || answer.localId, picture: null };
    this.#stored = { user, refreshToken: answer.refreshToken };
    // The session is stored at once, because the page may be left while the person is read.
    this.#write();
    const person = await fetch(`/v1/people/${user.uid}`, { headers: { Authorization: `Bearer ${this.#token}` } }).then((response) => (response.ok ? response.json() : null)).catch(() => null);
    if (person) Object.assign(user, { name: person.full_name ?? user.name, picture: person.profile_picture ?? null });
    this.#write();
    this.#tell();
  }

  async #refresh() {
    const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: this.#stored.refreshToken });
    const before = this.#stored;
    try {
      const answer = await ask("/securetoken.googleapis.com/v1/token", form);
      if (this.#stored !== before) return this.#token;
      this.#take(answer.id_token, answer.expires_in);
      if (answer.refresh_token !== before.refreshToken) {
        this.#stored.refreshToken = answer.refresh_token;
        this.#write();
      }
      return this.#token;
    } catch (problem) {
      // The account is disabled, deleted, or signed out everywhere: the session has ended.
      if (problem.status === 400 && this.#stored === before) this.signOut();
      throw problem;
    }
  }

  #take(token, seconds) {
    this.#token = token;
    this.#expires = Date.now() + Number(seconds) * 1000;
  }

  #forgetToken() {
    this.#token = null;
    this.#expires = 0;
  }

  #write() {
    keep(this.#stored);
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

const sentences = {
  EMAIL_NOT_FOUND: "auth.wrong", INVALID_PASSWORD: "auth.wrong", INVALID_LOGIN_CREDENTIALS: "auth.wrong",
  EMAIL_EXISTS: "auth.exists", INVALID_EMAIL: "auth.badEmail", WEAK_PASSWORD: "auth.weak", USER_DISABLED: "auth.disabled",
  TOKEN_EXPIRED: "auth.ended", INVALID_REFRESH_TOKEN: "auth.ended", USER_NOT_FOUND: "auth.ended",
  OPERATION_NOT_ALLOWED: "auth.closed", ADMIN_ONLY_OPERATION: "auth.closed",
  TOO_MANY_ATTEMPTS_TRY_LATER: "auth.tooMany",
  INVITATION_NOT_FOUND: "join.unknown", INVITATION_OF_ANOTHER_SERVICE: "join.elsewhere", INVITATION_EXPIRED: "join.expired",
  INVITATION_USED_UP: "join.used_up", INVITATION_WITHDRAWN: "join.withdrawn", INVITATION_OF_ANOTHER_ADDRESS: "join.otherAddress",
  NAME_EXISTS: "join.nameTaken", INVALID_NAME: "join.badName",
};

async function ask(path, body) {
  let response;
  try {
    response = body instanceof URLSearchParams
      ? await fetch(`${path}?key=page`, { method: "POST", body })
      : await fetch(`${path}?key=page`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      });
  } catch {
    throw new Problem({ detail: t("problem.offline") });
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const [code, words] = (answer.error?.message ?? "").split(" : ");
  throw new Problem({
    status: response.status, code: code || "unknown",
    detail: code === "OPERATION_NOT_ALLOWED" && words ? t("auth.invitationOnly") : code in sentences ? t(sentences[code]) : words ?? code ?? t("problem.unknown", { status: response.status }),
  });
}

export const session = new Session();

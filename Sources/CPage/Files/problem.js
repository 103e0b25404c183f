// An error, in words for people. `status` is 0 if the service could not be reached.
export class Problem extends Error {
  constructor({ status = 0, code = "offline", detail, hint = "", retryAfter = null }) {
    super(detail);
    Object.assign(this, { status, code, hint, retryAfter });
  }

  // Whether the rules forbid the request to its sender, who may not have signed in yet.
  get isForbidden() {
    return this.code === "permission_denied";
  }

  // Whether the same request may succeed later, without a change. Somebody's space becomes free only by a change.
  get isPassing() {
    if (this.code === "quota_exceeded") return false;
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

// What went wrong, in words for people. `status` is 0 where the service could not be reached.
export class Problem extends Error {
  constructor({ status = 0, code = "offline", detail, hint = "", retryAfter = null }) {
    super(detail);
    Object.assign(this, { status, code, hint, retryAfter });
  }

  // Whether the rules forbid it to whoever asks, who may be nobody yet.
  get isForbidden() {
    return this.code === "permission_denied";
  }

  // Whether the same request may succeed later, without anybody doing anything.
  get isPassing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

// The user's actions that the service does not have yet. They are stored in this browser until the service has accepted
// or refused them, even if the service is unreachable or the tab is closed, and they are sent in the order of the
// actions.
//
// An operation is { id, kind, uid, key, request: { method, path, json, headers }, … }, with further fields of its kind
// to undo what was shown. Of two with the same key, the later one replaces the earlier one, unless that is being sent
// already.

import { api } from "./http.js";
import { newID } from "./ids.js";
import { keepPending, pendingOperations } from "./pending.js";
import { session } from "./session.js";

const longestPause = 60000;

// Fires "pending" when one is added, "done" with { operation, answer } and "refused" with { operation, problem }; both in every tab.
class Outbox extends EventTarget {
  #tabs = new BroadcastChannel("tintype-outbox");
  #isSending = false;
  #wake = () => {};

  constructor() {
    super();
    this.#tabs.addEventListener("message", ({ data }) => this.#fire(data.type, data.detail));
    addEventListener("online", () => this.#wake());
    session.addEventListener("change", () => this.send());
  }

  // The operations to be sent.
  get pending() { return pendingOperations(); }

  set #pending(operations) { keepPending(operations); }

  add(operation) {
    const added = { ...operation, id: newID(), uid: session.user.uid };
    const others = this.pending.filter(({ key, begun }) => key !== operation.key || begun || !operation.key);
    this.#pending = [...others, added];
    this.#fire("pending", { operation: added });
    this.send();
    return added;
  }

  // Sends the operations. One tab does it at a time.
  async send() {
    if (this.#isSending || this.pending.length === 0) return this.#wake();
    this.#isSending = true;
    try {
      if (navigator.locks) await navigator.locks.request("tintype-outbox", () => this.#drain());
      else await this.#drain();
    } finally {
      this.#isSending = false;
    }
    // An operation may have been added while the last one ended.
    if (this.pending.some(({ uid }) => uid === session.user?.uid)) this.send();
  }

  async #drain() {
    for (let attempt = 0; ;) {
      // The operations of another user of this browser wait until that user signs in again.
      const operation = this.pending.find(({ uid }) => uid === session.user?.uid);
      if (!operation) return;
      this.#pending = this.pending.map((other) => (other.id === operation.id ? { ...other, begun: true } : other));
      try {
        const { path, ...options } = operation.request;
        const response = await api(path, options);
        const answer = response.status === 204 ? null : await response.json().catch(() => null);
        this.#remove(operation, "done", { operation, answer });
        attempt = 0;
      } catch (problem) {
        if (session.user?.uid !== operation.uid) return;  // The session has ended: the operation waits for the next one.
        if (problem.isPassing) {
          const pause = problem.retryAfter ? problem.retryAfter * 1000 : Math.min(longestPause, 1000 * 2 ** attempt);
          attempt += 1;
          await this.#pause(pause * (0.8 + 0.4 * Math.random()));
        } else {
          const { status, code, message, hint } = problem;
          this.#remove(operation, "refused", { operation, problem: { status, code, message, hint } });
          attempt = 0;
        }
      }
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #remove(operation, type, detail) {
    this.#pending = this.pending.filter(({ id }) => id !== operation.id);
    this.#fire(type, detail);
    this.#tabs.postMessage({ type, detail });
  }

  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

export const outbox = new Outbox();

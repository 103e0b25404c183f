// What somebody has done and the service does not know yet. It is kept in this browser until the service has taken or refused
// it, however often the service goes away or the tab is closed, and it is sent in the order in which it was done.
//
// An operation is { id, kind, uid, key, request: { method, path, json, headers }, … }, and has whatever else its kind needs to take back
// what was shown. Of two with the same key the later one takes the place of the earlier, as long as that has not begun.

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

  // The operations that are to be sent.
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

  // Sends what there is. One tab does it at a time.
  async send() {
    if (this.#isSending || this.pending.length === 0) return this.#wake();
    this.#isSending = true;
    try {
      if (navigator.locks) await navigator.locks.request("tintype-outbox", () => this.#drain());
      else await this.#drain();
    } finally {
      this.#isSending = false;
    }
    // One may have come while the last one ended.
    if (this.pending.some(({ uid }) => uid === session.user?.uid)) this.send();
  }

  async #drain() {
    for (let attempt = 0; ;) {
      // What somebody else has done in this browser waits until that person is back.
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
        if (session.user?.uid !== operation.uid) return;  // The session has ended: it waits for the next one.
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

// The number of the user's unread notifications.

import { apiJSON } from "./http.js";
import { session } from "./session.js";
import { listen } from "./wire.js";

// Fires "change" when `count` changes, and "news" when a notification was added, removed or read.
class Unread extends EventTarget {
  count = 0;
  #uid = null;
  #ends = [];
  #turn = 0;

  constructor() {
    super();
    session.addEventListener("change", () => this.#follow());
    this.#follow();
  }

  set(count) {
    if (count === this.count) return;
    this.count = count;
    this.dispatchEvent(new Event("change"));
  }

  #follow() {
    const uid = session.user?.uid ?? null;
    if (uid === this.#uid) return;
    this.#uid = uid;
    for (const end of this.#ends.splice(0)) end();
    this.set(0);
    if (uid === null) return;
    // The number in the database excludes announcements to everybody: it only signals when to request the total.
    this.#ends = [listen(`unread/${uid}`, () => this.#read()), listen("announcements", () => this.#read(), { last: 1 })];
  }

  async #read() {
    const turn = ++this.#turn;
    const uid = this.#uid;
    this.dispatchEvent(new Event("news"));
    // Several signals at once cause one request.
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (turn !== this.#turn) return;
    try {
      const { unread } = await apiJSON(`/v1/people/${encodeURIComponent(uid)}/notifications?limit=1`);
      if (turn === this.#turn && uid === this.#uid) this.set(unread);
    } catch {
      // The next signal repeats the request.
    }
  }
}

export const unread = new Unread();

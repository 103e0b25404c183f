// Works on the upload queue: three photos at a time, one tab at a time, with retries while the service is unreachable.

import { Problem } from "./problem.js";
import { session } from "./session.js";
import { t } from "./texts.js";
import { beginDraft, Gone, publish, sendPhoto } from "./upload-send.js";

const atOnce = 3;
// The pauses between attempts while the service is unreachable, in milliseconds.
const firstPause = 1000, longestPause = 20000;
// The number of times that a photo or a draft that the service has deleted is begun again.
const mostRounds = 4;

export class Work {
  #queue;
  // The work in progress, by the ids of photos and posts, each with its abort controller.
  #running = new Map();
  // The drafts that are being reserved, which several photos of a post may wait for.
  #drafts = new Map();
  #wake = () => {};
  #isLeading = false;

  constructor(queue) {
    this.#queue = queue;
  }

  stop(id) { this.#running.get(id)?.abort(); }

  // Starts the work that is waiting; called whenever there may be more.
  async look() {
    this.#wake();
    if (this.#isLeading || !this.#nextFile() && !this.#nextPost()) return;
    this.#isLeading = true;
    try {
      const lead = () => this.#lead();
      await (navigator.locks ? navigator.locks.request("tintype.uploads", lead) : lead());
    } finally {
      this.#isLeading = false;
    }
  }

  #nextFile() {
    for (const post of this.#queue.posts) {
      for (const file of this.#queue.filesOf(post)) if (file.state === "waiting" && !this.#running.has(file.id)) return file;
    }
    return null;
  }

  #nextPost() {
    return this.#queue.posts.find((post) => post.state === "ready" && !this.#running.has(post.id)
      && (post.order.length > 0 || post.text) && this.#queue.filesOf(post).every(({ state }) => state === "done"));
  }

  async #lead() {
    const tasks = new Set();
    const start = (record, act) => {
      const control = new AbortController();
      this.#running.set(record.id, control);
      const task = this.#try(record.id, act, control.signal).catch((error) => console.error(error)).finally(() => {
        this.#running.delete(record.id);
        this.#queue.show(record.id, null);
        tasks.delete(task);
      });
      tasks.add(task);
    };
    while (true) {
      const woken = new Promise((resolve) => { this.#wake = resolve; });
      let next;
      while ((next = this.#nextPost())) start(next, (id) => this.#publish(id));
      while (tasks.size < atOnce && (next = this.#nextFile())) start(next, (id, signal) => this.#send(id, signal));
      if (tasks.size === 0) return;
      await Promise.race([woken, ...tasks]);
    }
  }

  #record(id) { return this.#queue.file(id) ?? this.#queue.post(id); }

  #change(record, fields) { return this.#queue.change(record.order ? "posts" : "files", record.id, fields); }

  // Repeats an action until it succeeds, is refused, or is cancelled.
  async #try(id, act, signal) {
    for (let tries = 0; this.#record(id) && !signal.aborted; tries += 1) {
      try {
        await act(id, signal);
        return;
      } catch (error) {
        const record = this.#record(id);
        if (signal.aborted || !record) return;
        this.#queue.show(id, null);
        if (error instanceof Gone && (record.rounds ?? 0) < mostRounds) {
          await this.#beginAgain(error, record);
          return;
        }
        // A session that has ended is needed again; what the rules forbid stays forbidden.
        const isSignedOut = !session.user || error.status === 401 && error.code !== "permission_denied";
        if (!isSignedOut && !error.isPassing && error.code !== "taken_over") {
          const { status = 0, code = "unknown", message, hint = "" } = error;
          await this.#change(record, { state: "failed", problem: { status, code, detail: message, hint } });
          return;
        }
        this.#queue.setTrouble(isSignedOut ? "signIn" : error.status === 429 ? "busy" : "away");
        await this.#pause(tries, error.retryAfter, signal);
      }
    }
  }

  #pause(tries, seconds, signal) {
    const pause = Math.max((seconds ?? 0) * 1000, Math.min(longestPause, firstPause * 2 ** tries) * (0.75 + Math.random() / 2));
    return new Promise((resolve) => {
      const end = new AbortController();
      const finish = () => { end.abort(); clearTimeout(timer); resolve(); };
      // Without a network, retries wait until there is one; browsers do not always report that correctly.
      const timer = setTimeout(finish, navigator.onLine === false ? 6 * longestPause : pause);
      for (const [target, name] of [[globalThis, "online"], [session, "change"], [signal, "abort"]]) {
        target.addEventListener(name, finish, { signal: end.signal });
      }
    });
  }

  // Removes references to what the service has deleted; the next look finds the work.
  async #beginAgain({ what, draft }, record) {
    const post = record.order ? record : this.#queue.post(record.post);
    await this.#change(record, { rounds: (record.rounds ?? 0) + 1 });
    if (what === "photo") return this.#change(record, { location: null, number: null, round: record.round + 1 });
    if (!post || post.draft !== draft) return undefined;
    await this.#change(post, { draft: null, round: post.round + 1 });
    for (const file of this.#queue.filesOf(post)) {
      if (file.state === "failed") continue;
      if (file.id !== record.id) this.stop(file.id);
      await this.#change(file, { location: null, number: null, state: "waiting", round: file.round + 1 });
    }
    return undefined;
  }

  // MARK: The steps

  #draftOf(id) {
    const post = this.#queue.post(id);
    const { draft, round } = post;
    if (draft && (post.draftRound ?? round) === round) return draft;
    const key = `${id}.${round}`;
    if (!this.#drafts.has(key)) {
      const begun = beginDraft(post).then(async (draft) => {
        if (this.#queue.post(id)?.round === round) await this.#change(post, { draft, draftRound: round });
        return draft;
      });
      this.#drafts.set(key, begun.finally(() => this.#drafts.delete(key)));
    }
    return this.#drafts.get(key);
  }

  async #send(id, signal) {
    const blob = await this.#queue.blobOf(id);
    if (!blob) throw new Problem({ status: 400, code: "unreadable", detail: t("upload.reason.unreadable") });
    const draft = await this.#draftOf(this.#queue.file(id).post);
    signal.throwIfAborted();
    const number = await sendPhoto(draft, this.#queue.file(id), blob, {
      signal,
      keep: async (fields) => {
        signal.throwIfAborted();
        await this.#queue.change("files", id, fields);
      },
      show: (sent) => {
        this.#queue.setTrouble(null);
        this.#queue.show(id, sent);
      },
    });
    signal.throwIfAborted();
    this.#queue.setTrouble(null);
    await this.#queue.change("files", id, { number, state: "done", problem: null });
  }

  async #publish(id) {
    await this.#draftOf(id);
    const post = this.#queue.post(id);
    await publish(post, this.#queue.filesOf(post));
    this.#queue.setTrouble(null);
    await this.#queue.finish(post);
  }
}

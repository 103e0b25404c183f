// The upload queue. Photos are sent while the user still writes; a post is published when the user has confirmed it and
// all its photos are sent. All of it is stored in this browser, and one tab at a time works on it.

import { Problem } from "./problem.js";
import { newID } from "./ids.js";
import { session } from "./session.js";
import { newFile, newPost } from "./upload-records.js";
import * as store from "./upload-store.js";
import { endPhoto } from "./upload-send.js";
import { Work } from "./upload-work.js";
import { t } from "./texts.js";

// A post is { id, group, at, uid, audience, draft, draftRound, round, text, mentions, order: [file], state: "writing" | "ready" |
// "failed", problem }; its draft counts only if `draftRound` is its round. A file is { id, post, name, size, type, alt, round,
// location, number, state: "waiting" | "done" | "failed", problem }.
class Uploads extends EventTarget {
  #posts = new Map();
  #files = new Map();
  // The bytes of files that were just added in this tab; others are in the store.
  #blobs = new Map();
  #progress = new Map();
  #work = new Work(this);
  #channel = new BroadcastChannel("tintype.uploads");
  // The ids of records that could not be stored, and would be lost with the page.
  #unkept = new Set();
  // Files that were refused before they were sent: [{ id, name, reason }].
  refused = [];
  // The ids of the posts that were published since the page was loaded.
  published = [];
  // The reason why nothing is sent at present: "offline", "away", "busy", "signIn", or null.
  trouble = null;

  constructor() {
    super();
    this.ready = this.#load();
    // Messages of other tabs are processed after the store has been read.
    this.#channel.onmessage = ({ data }) => this.ready.then(() => this.#hear(data));
    for (const name of ["online", "offline"]) addEventListener(name, () => { this.setTrouble(null); this.#work.look(); });
    session.addEventListener("change", () => { this.setTrouble(null); this.#work.look(); });
    addEventListener("beforeunload", (event) => { if (this.#isLostWithPage) event.preventDefault(); });
  }

  // MARK: Contents

  // The posts of the signed-in user, in the order of their beginning.
  get posts() {
    const uid = session.user?.uid;
    return [...this.#posts.values()].filter((post) => post.uid === uid).sort((a, b) => a.at - b.at || a.index - b.index);
  }

  post(id) { return this.#posts.get(id); }
  file(id) { return this.#files.get(id); }

  filesOf(post) { return post.order.map((id) => this.#files.get(id)).filter(Boolean); }

  // All photos of the queue: { id, name, size, alt, post, state, sent, problem }.
  get items() { return this.posts.flatMap((post) => this.filesOf(post).map((file) => this.item(file.id))); }

  // `state` is "waiting", "sending", "checking" (all bytes are sent, and the service checks the photo), "done" or
  // "failed".
  item(id) {
    const file = this.#files.get(id);
    if (!file) return null;
    const sent = file.state === "done" ? file.size : this.#progress.get(id) ?? 0;
    const isMoving = file.state === "waiting" && this.#progress.has(id);
    return { ...file, sent, state: isMoving ? (sent < file.size ? "sending" : "checking") : file.state };
  }

  async blobOf(id) { return this.#blobs.get(id) ?? store.blobOf(id); }

  // MARK: Adding

  // Begins to send files, for one post (`together`) or one each, published by `publish` or, with `options.text`, at once.
  async add(files, { group = newID(), together = false, text, audience = "" } = {}) {
    const uid = session.user?.uid;
    if (!uid) throw new Problem({ status: 401, code: "permission_denied", detail: t("upload.signIn") });
    const parts = together ? [files] : files.map((file) => [file]), at = Date.now();
    const posts = [], records = [], blobs = new Map();
    for (const [index, part] of parts.entries()) {
      const post = newPost({ group, uid, at, index, audience });
      for (const file of part) {
        const record = newFile(post.id, file);
        post.order.push(record.id);
        records.push(record);
        blobs.set(record.id, file);
      }
      posts.push(post);
    }
    await this.begin(posts, records, blobs);
    const ids = posts.map(({ id }) => id);
    if (text !== undefined) await this.publish(ids, { text });
    return ids;
  }

  // Begins a post without photos; photos may be added.
  async addPost(group, audience) {
    const post = newPost({ group, uid: session.user.uid, at: Date.now(), index: 0, audience });
    return this.begin([post], [], new Map()).then(() => post.id);
  }

  // Adds files to a post in progress.
  async addTo(id, files) {
    const post = this.#posts.get(id);
    const records = files.map((file) => newFile(id, file));
    const blobs = new Map(records.map((record, index) => [record.id, files[index]]));
    await this.begin([{ ...post, order: [...post.order, ...records.map((record) => record.id)] }], records, blobs);
  }

  // Adds records, or replaces those with the same ids; `blobs` are the bytes of the new files.
  async begin(posts, files, blobs) {
    for (const post of posts) this.#posts.set(post.id, post);
    for (const file of files) this.#files.set(file.id, file);
    for (const [id, blob] of blobs) this.#blobs.set(id, blob);
    this.#tell();
    try {
      if (!await store.isDurable()) throw new Error("nothing is kept");
      await store.keep(posts, files, blobs);
    } catch {
      for (const { id } of [...posts, ...files]) this.#unkept.add(id);
    }
    this.#channel.postMessage({ posts, files });
    this.#work.look();
  }

  // MARK: Changing

  async setAlt(id, alt) { await this.change("files", id, { alt }); }
  async order(id, order) { await this.change("posts", id, { order }); }
  // Sets a post's position among the others.
  async place(id, { at, index }) { await this.change("posts", id, { at, index }); }

  // Stores the text in progress, so that a crash of the tab does not lose it; for all posts of a group.
  async write(group, fields) {
    const posts = this.posts.filter((post) => post.group === group && post.state === "writing");
    await this.change("posts", posts.map(({ id }) => id), fields);
  }

  // Changes the posts of a group by a function of upload-records.js. Photos that were sent are sent again, to another draft.
  async remake(group, make) {
    const posts = this.posts.filter((post) => post.group === group && post.state === "writing");
    const change = make(posts, (id) => this.#files.get(id));
    if (!change) return;
    for (const { id } of change.moved) this.#work.stop(id);
    await this.begin(change.kept, change.moved, new Map());
    await this.forget(change.gone, []);
  }

  // Publishes posts, all of them or none, as soon as their photos are sent. Durable when it resolves.
  async publish(ids, { text = "", mentions = [] } = {}) {
    await this.change("posts", ids, { text, mentions, state: "ready", problem: null });
    this.#work.look();
  }

  // Starts the work that is waiting, after records have changed.
  look() { this.#work.look(); }

  // Removes a photo from its post, a post with all its photos from the queue, or a file from the refused ones.
  async remove(id) {
    this.refused = this.refused.filter((one) => one.id !== id);
    const file = this.#files.get(id), post = this.#posts.get(id);
    if (post) await this.forget([id], post.order);
    if (file) {
      const owner = this.#posts.get(file.post);
      const order = owner?.order.filter((other) => other !== id) ?? [];
      const isOne = this.posts.filter((post) => post.group === owner?.group).length === 1;
      const isLast = order.length === 0 && !(owner?.state === "writing" && isOne && owner.text);
      if (owner) await this.change("posts", owner.id, { order });
      await this.forget(isLast && owner ? [owner.id] : [], [id]);
    }
    this.#tell();
    this.#work.look();
  }

  refuse(files) {
    this.refused.push(...files.map((file) => ({ ...file, id: newID() })));
    this.#tell();
  }

  async forget(posts, files, isPublished = false) {
    for (const id of files) {
      this.#work.stop(id);
      const { location, state } = this.#files.get(id) ?? {};
      if (location && state === "waiting" && !isPublished) endPhoto(location);
    }
    this.#drop(posts, files, isPublished);
    await store.remove(posts, files);
    this.#channel.postMessage({ gone: { posts, files, isPublished } });
  }

  #drop(posts, files, isPublished) {
    for (const id of posts) {
      const post = this.#posts.get(id);
      if (isPublished && post) this.published.push({ id: post.draft, photos: post.order.length });
      this.#posts.delete(id);
      this.#unkept.delete(id);
    }
    for (const id of files) {
      this.#work.stop(id);
      for (const map of [this.#files, this.#blobs, this.#progress, this.#unkept]) map.delete(id);
    }
    this.#tell();
  }

  // Changes fields of a post or file, or of several at once.
  async change(kind, ids, fields) {
    const known = this.#note(kind, [ids].flat(), fields);
    if (known.length === 0) return;
    this.#tell();
    await store.change(kind, known, fields);
    this.#channel.postMessage({ kind, ids: known, fields });
  }

  // Applies fields to the records in this tab; returns the ids of those that it has.
  #note(kind, ids, fields) {
    const map = kind === "posts" ? this.#posts : this.#files;
    const known = ids.filter((id) => map.has(id));
    for (const id of known) map.set(id, { ...map.get(id), ...fields });
    return known;
  }

  // Removes a published post from the queue.
  async finish(post) {
    await this.forget([post.id], post.order, true);
    this.dispatchEvent(new CustomEvent("published", { detail: { id: post.draft } }));
  }

  // Shows, here and in other tabs, the progress of a photo, in bytes.
  show(id, sent) {
    this.setProgress(id, sent);
    this.#channel.postMessage({ progress: { id, sent } });
  }

  // MARK: Tabs

  async #load() {
    const { posts, files } = await store.readAll().catch(() => ({ posts: [], files: [] }));
    for (const post of posts) this.#posts.set(post.id, post);
    for (const file of files) this.#files.set(file.id, file);
    this.#tell();
    this.#work.look();
  }

  #hear({ posts = [], files = [], kind, ids, fields, gone, progress, trouble }) {
    for (const post of posts) this.#posts.set(post.id, post);
    for (const file of files) {
      this.#files.set(file.id, file);
      this.#work.stop(file.id);
    }
    if (gone) this.#drop(gone.posts, gone.files, gone.isPublished);
    if (progress) this.setProgress(progress.id, progress.sent);
    if (trouble !== undefined) this.trouble = trouble;
    if (kind) this.#note(kind, ids, fields);
    this.#tell();
    if (!progress && trouble === undefined) this.#work.look();
  }

  // Notifies listeners once for several changes at the same time.
  #isTelling = false;

  #tell() {
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      this.dispatchEvent(new Event("change"));
    });
  }

  setTrouble(trouble) {
    const now = navigator.onLine === false ? "offline" : trouble;
    if (now === this.trouble) return;
    this.trouble = now;
    this.#channel.postMessage({ trouble: now });
    this.#tell();
  }

  setProgress(id, sent) {
    if (sent === null) this.#progress.delete(id); else this.#progress.set(id, sent);
    this.#tell();
  }

  get #isLostWithPage() {
    return [...this.#unkept].some((id) => this.#posts.has(id) || this.#files.get(id)?.state === "waiting");
  }
}

export const uploads = new Uploads();

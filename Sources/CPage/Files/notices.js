// The user's notifications: likes, comments, mentions, followers and announcements.

import { avatar, personHref, timeElement } from "./card.js";
import { h } from "./dom.js";
import { stylesheet } from "./late.js";
import "./drafts.js";  // Keeps texts that are refused while their post is not open.
import { apiJSON } from "./http.js";
import { personOf } from "./people.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { announce, toast } from "./shell.js";
import { t } from "./texts.js";
import { unread } from "./unread.js";

export { unread };

const styled = stylesheet("social.css");
const kinds = ["like", "comment", "mention", "follow", "announcement"];

// The key of a row: likes of one post share a row, at the position of the newest.
const keyOf = ({ id, kind, post }) => (kind === "like" && post ? `like ${post}` : id);

class NoticeList extends HTMLElement {
  #notices = new Map();
  #next = null;
  #turn = 0;
  #news = () => this.#read();

  connectedCallback() {
    this.all = h("button", { type: "button", class: "button", hidden: true, onclick: () => this.#markAll() }, t("notices.readAll"));
    this.list = h("ol", { class: "notice-list" });
    this.words = h("p", { class: "faint", role: "status" });
    this.more = h("button", { type: "button", class: "button more", hidden: true, onclick: () => this.#readMore() }, t("notices.earlier"));
    this.replaceChildren(h("header", { class: "notices-head" }, h("h1", {}, t("notices.title")), this.all), this.list, this.words, this.more);
    unread.addEventListener("news", this.#news);
  }

  disconnectedCallback() {
    unread.removeEventListener("news", this.#news);
  }

  get #path() { return `/v1/people/${encodeURIComponent(session.user.uid)}/notifications`; }

  // Reads the newest notifications, and merges what was added, removed and read.
  async begin() {
    await this.#read();
  }

  async #read() {
    const turn = ++this.#turn;
    let page;
    try {
      page = await apiJSON(`${this.#path}?grouped=true&limit=30`);
    } catch (problem) {
      if (this.#notices.size === 0) this.words.textContent = reasonOf(problem);
      return;
    }
    if (turn !== this.#turn) return;
    const isFirst = this.#notices.size === 0;
    const isKnown = (notice) => this.#notices.get(keyOf(notice))?.id === notice.id;
    const overlaps = page.notifications.some(isKnown);
    const news = page.notifications.filter((notice) => notice.unread && !isKnown(notice));
    const oldest = page.notifications.at(-1)?.id ?? "";
    for (const [key, { id }] of this.#notices) if (!overlaps || !page.has_more || id >= oldest) this.#notices.delete(key);
    for (const notice of page.notifications) this.#notices.set(keyOf(notice), notice);
    if (!overlaps) this.#next = page.has_more ? page.next : null;
    unread.set(page.unread);
    this.#show();
    if (!isFirst && news.length > 0) announce(news.length === 1 ? sentenceOf(news[0]) : t("notices.arrived", { count: news.length }));
  }

  async #readMore() {
    this.more.disabled = true;
    try {
      const page = await apiJSON(`${this.#path}?grouped=true&limit=30&before=${encodeURIComponent(this.#next)}`);
      for (const notice of page.notifications) this.#notices.set(keyOf(notice), notice);
      this.#next = page.has_more ? page.next : null;
      this.#show();
      const [first] = page.notifications;
      if (first) this.list.querySelector(`[data-key="${CSS.escape(keyOf(first))}"] a`)?.focus();
    } catch (problem) {
      this.words.textContent = reasonOf(problem);
    }
    this.more.disabled = false;
  }

  #show() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.closest("li").dataset.key : null;
    const notices = [...this.#notices.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).filter(({ kind }) => kinds.includes(kind));
    this.list.replaceChildren(...notices.map((notice) => rowOf(notice, () => this.#markOne(notice))));
    if (focused) this.list.querySelector(`[data-key="${CSS.escape(focused)}"] a`)?.focus({ preventScroll: true });
    this.words.textContent = notices.length === 0 ? t("notices.none") : "";
    this.all.hidden = !notices.some(({ unread }) => unread) && unread.count === 0;
    this.more.hidden = this.#next === null;
  }

  // Marks the shown notifications as read, and none that arrived meanwhile.
  async #markAll() {
    const before = new Map(this.#notices);
    const newest = [...this.#notices.values()].map(({ id }) => id).sort().at(-1);
    if (!newest) return;
    for (const [key, notice] of this.#notices) this.#notices.set(key, { ...notice, unread: false });
    const count = unread.count;
    unread.set(0);
    this.#show();
    try {
      const answer = await apiJSON(`${this.#path}/read`, { method: "POST", json: { up_to: newest } });
      unread.set(answer.unread);
      announce(t("notices.allRead"));
    } catch (problem) {
      this.#notices = before;
      unread.set(count);
      toast(t("refused.read", { reason: reasonOf(problem) }), { isProblem: true });
    }
    this.#show();
  }

  async #markOne(notice) {
    if (!notice.unread) return;
    this.#notices.set(keyOf(notice), { ...notice, unread: false });
    unread.set(Math.max(0, unread.count - 1));
    try {
      unread.set((await apiJSON(`${this.#path}/read`, { method: "POST", json: { ids: [notice.id], grouped: true } })).unread);
    } catch {
      // It stays unread, and may be marked another time.
    }
  }
}

customElements.define("notice-list", NoticeList);

function sentenceOf({ kind, actor, actors, count, title, comment }) {
  const name = personOf(actor ?? {}).name;
  if (kind === "announcement") return t("notices.announcement", { title: title || t("notices.untitled") });
  if (kind === "mention" && !comment) return t("notices.mentionInPost", { name });
  const other = actors?.[1];
  if (!other) return t(`notices.${kind}`, { name });
  return t(count > 2 ? "notices.likesOfMany" : "notices.likesOfTwo", { name, other: personOf(other).name, count: count - 2 });
}

function hrefOf({ kind, actor, post }) {
  if (post) return `/posts/${encodeURIComponent(post)}${kind === "comment" || kind === "mention" ? "#comments" : ""}`;
  return kind === "follow" && actor?.uid ? personHref(actor.uid) : null;
}

function rowOf(notice, onFollow) {
  const href = hrefOf(notice);
  const content = [
    avatar(notice.kind === "announcement" ? { name: "!" } : personOf(notice.actor ?? {})),
    h("span", { class: "told" },
      h("span", { class: "sentence", dir: "auto" }, notice.unread && h("span", { class: "hidden-visually" }, `${t("notices.unread")}: `), sentenceOf(notice)),
      notice.text && h("span", { class: "quoted", dir: "auto" }, notice.text),
      h("span", { class: "faint" }, timeElement(notice.timestamp))),
  ];
  return h("li", { class: notice.unread ? "notice unread" : "notice", dataset: { key: keyOf(notice), kind: notice.kind } },
    href ? h("a", { href, onclick: onFollow }, content) : h("div", {}, content));
}

// The view of the address /notifications.
export async function noticesView(route, { element }) {
  await styled;
  if (!session.user) {
    const { askToSignIn } = await import("./account-dialog.js");
    element.append(h("section", { class: "empty" }, h("h1", {}, t("notices.title")), h("p", {}, t("notices.signIn")),
      h("p", {}, h("button", { type: "button", class: "button primary", onclick: () => askToSignIn() }, t("auth.signIn")))));
    return { title: t("notices.title") };
  }
  const list = h("notice-list", {});
  element.append(list);
  return { title: t("notices.title"), begin: () => list.begin() };
}

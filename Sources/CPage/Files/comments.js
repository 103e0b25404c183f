// The comments on a post, the newest at the end. The reader's own comment is shown at once, and returns to its field if
// the service refuses it.

import { askToSignIn } from "./account-dialog.js";
import { comment, deleteComment, editComment } from "./actions.js";
import { commentRow } from "./comment-row.js";
import { withWaiting } from "./comment-order.js";
import { confirmed } from "./dialogs.js";
import { h } from "./dom.js";
import { stylesheet } from "./late.js";
import { commentKey, draftOf, joined, keepDraft } from "./drafts.js";
import { apiJSON } from "./http.js";
import { outbox } from "./outbox.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";
import { listen } from "./wire.js";
import { writingForm } from "./writing.js";

stylesheet("social.css");

const pageSize = 20;

class CommentList extends HTMLElement {
  // The comments of the service, by id; `next` is the cursor of earlier ones.
  #known = new Map();
  #next = null;
  // Comments that are being edited: their forms, by id.
  #forms = new Map();
  #rows = new Map();
  #ends = [];
  #form = null;
  #isRead = false;

  connectedCallback() {
    this.heading = h("h2", { tabindex: "-1" }, t("comments.title"));
    this.earlier = h("button", { type: "button", class: "link-button earlier", hidden: true, onclick: () => this.#readEarlier() }, t("comments.earlier"));
    this.list = h("ol", { class: "comment-list" });
    this.words = h("p", { class: "faint", role: "status" });
    this.foot = h("div", {});
    this.replaceChildren(this.heading, this.earlier, this.list, this.words, this.foot);
    this.#showForm();
    const on = (target, name, run) => {
      target.addEventListener(name, run);
      this.#ends.push(() => target.removeEventListener(name, run));
    };
    on(outbox, "pending", () => this.#show());
    on(outbox, "done", ({ detail }) => this.#done(detail));
    on(outbox, "refused", ({ detail }) => this.#refused(detail));
    on(session, "change", () => this.#showForm());
    this.#show();
    this.#begin();
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  async #begin() {
    await this.#read();
    if (!this.isConnected) return;
    let isFirst = true;
    // A change is only a signal; the last comments are then read again like the first ones.
    this.#ends.push(listen(`comments/${this.post.id}`, () => {
      if (!isFirst) this.#read();
      isFirst = false;
    }, { last: pageSize }));
  }

  // MARK: Reading

  async #page(query) {
    return apiJSON(`/v1/posts/${encodeURIComponent(this.post.id)}/comments?order=newest&limit=${pageSize}${query}`);
  }

  // Reads the newest comments, and merges what was added and removed.
  async #read() {
    let page;
    try {
      page = await this.#page("");
    } catch (problem) {
      if (this.#known.size === 0) this.words.textContent = problem.status === 401 ? t("comments.hidden") : reasonOf(problem);
      return;
    }
    const isFirst = this.#isRead !== true;
    this.#isRead = true;
    const oldest = page.comments.at(-1)?.comment_id ?? "";
    const overlaps = page.comments.some(({ comment_id: id }) => this.#known.has(id));
    if (!overlaps) this.#next = page.has_more ? page.next : null;
    for (const id of [...this.#known.keys()]) if (!page.has_more || !overlaps || id >= oldest) this.#forget(id, page.comments);
    const news = page.comments.filter((one) => !this.#known.has(one.comment_id) && one.author?.uid !== session.user?.uid);
    for (const one of page.comments) this.#known.set(one.comment_id, one);
    this.#show();
    if (isFirst || news.length === 0) return;
    announce(news.length === 1 ? t("comments.arrived", { name: news[0].author?.full_name ?? "", text: news[0].text ?? "" }) : t("comments.arrivedMany", { count: news.length }));
  }

  #forget(id, present) {
    if (!present.some((one) => one.comment_id === id)) this.#known.delete(id);
  }

  async #readEarlier() {
    this.earlier.ariaDisabled = "true";
    const first = this.list.firstElementChild;
    const from = first?.getBoundingClientRect().top ?? 0;
    try {
      const page = await this.#page(`&before=${encodeURIComponent(this.#next)}`);
      for (const one of page.comments) this.#known.set(one.comment_id, one);
      this.#next = page.has_more ? page.next : null;
      this.#show();
      // The reader's position on the screen stays.
      const scroller = this.closest(".side, dialog") ?? document.scrollingElement;
      if (first) scroller.scrollTop += first.getBoundingClientRect().top - from;
      announce(t("comments.read", { count: page.comments.length }));
      if (this.earlier.hidden) this.list.querySelector("a")?.focus({ preventScroll: true });
    } catch (problem) {
      this.words.textContent = reasonOf(problem);
    }
    this.earlier.ariaDisabled = null;
  }

  // MARK: Showing

  #comments() {
    const waiting = outbox.pending.filter(({ uid, post }) => post === this.post.id && uid === session.user?.uid);
    return withWaiting([...this.#known.values()], waiting, (id) => this.#rows.has(id));
  }

  #show() {
    const comments = this.#comments();
    const rows = new Map(comments.map((one) => {
      const content = JSON.stringify(one);
      const row = this.#rows.get(one.comment_id);
      return [one.comment_id, row?.content === content ? row : { content, element: this.#row(one) }];
    }));
    const hadFocus = this.list.contains(document.activeElement);
    const elements = [...rows.values()].map(({ element }) => element);
    for (const [index, element] of elements.entries()) if (this.list.children[index] !== element) this.list.insertBefore(element, this.list.children[index] ?? null);
    while (this.list.childElementCount > elements.length) this.list.lastElementChild.remove();
    this.#rows = rows;
    if (hadFocus && !this.list.contains(document.activeElement)) this.heading.focus({ preventScroll: true });
    this.earlier.hidden = this.#next === null;
    if (this.#isRead) this.words.textContent = comments.length === 0 ? t("comments.none") : "";
  }

  #row(one) {
    const form = this.#forms.get(one.comment_id);
    if (form) return h("li", { class: "comment", dataset: { id: one.comment_id } }, form.element);
    return commentRow(this.post, one, {
      isPending: Boolean(one.isPending),
      onEdit: () => this.#edit(one, one).textarea.focus(),
      onDelete: () => this.#delete(one),
    });
  }

  // MARK: Actions

  #showForm() {
    if (!session.user) {
      this.#form = null;
      return this.foot.replaceChildren(h("button", { type: "button", class: "button", onclick: () => askToSignIn() }, t("comments.signIn")));
    }
    const key = commentKey(this.post.id);
    this.#form = writingForm({
      label: t("comments.write"), sendLabel: t("comments.send"),
      onInput: (written) => keepDraft(key, written),
      onSend: ({ text, mentions }) => {
        comment(this.post.id, text, mentions);
        this.#form.set({ text: "", mentions: [] });
        this.#form.say("");
        keepDraft(key, { text: "" });
        this.list.lastElementChild?.scrollIntoView({ block: "nearest" });
      },
    });
    this.foot.replaceChildren(this.#form.element);
    const draft = draftOf(key);
    if (draft) this.#form.set(draft);
  }

  #edit(one, { text, mentions = [] }) {
    const id = one.comment_id;
    const end = () => {
      this.#forms.delete(id);
      this.#anew(id);
      this.list.querySelector(`[data-id="${CSS.escape(id)}"] .plain-button`)?.focus();
    };
    const form = writingForm({
      label: t("comments.edit"), sendLabel: t("people.save"), onCancel: end,
      onSend: (written) => {
        if (written.text !== one.text) editComment(this.post.id, one, written.text, written.mentions);
        end();
      },
    });
    form.set({ text, mentions: Object.values(mentions) });
    this.#forms.set(id, form);
    this.#anew(id);
    return form;
  }

  #anew(id) {
    this.#rows.delete(id);
    this.#show();
  }

  async #delete(one) {
    if (await confirmed(t("comments.deleteTitle"), t("comments.deleteWords"), t("comments.delete"))) {
      deleteComment(this.post.id, one);
      this.heading.focus({ preventScroll: true });
      announce(t("comments.deleted"));
    }
  }

  // MARK: Answers of the service

  #done({ operation, answer }) {
    if (operation.post !== this.post.id) return;
    if (operation.kind === "comment" && answer) this.#known.set(answer.comment_id, answer);
    if (operation.kind === "editComment" && answer && this.#known.has(answer.comment_id)) this.#known.set(answer.comment_id, answer);
    if (operation.kind === "deleteComment") this.#known.delete(operation.before.comment_id);
    this.#show();
  }

  #refused({ operation, problem }) {
    if (operation.post !== this.post.id) return;
    if (operation.kind === "deleteComment" && problem.status === 404) this.#known.delete(operation.before.comment_id);
    this.#show();
    if (operation.uid !== session.user?.uid) return;
    const reason = t("comments.refused", { reason: reasonOf(problem) });
    if (operation.kind === "comment" && this.#form) {
      const refused = { text: operation.comment.text, mentions: operation.comment.mentions };
      this.#form.set(joined(refused, this.#form.written));
      this.#form.say(reason);
      keepDraft(commentKey(this.post.id), this.#form.written);
    }
    if (operation.kind === "editComment" && this.#known.has(operation.before.comment_id)) {
      this.#edit(this.#known.get(operation.before.comment_id), operation.request.json).say(reason);
    }
  }
}

customElements.define("comment-list", CommentList);

// The comments of a post, which are read as soon as the element is in the document.
export function commentList(post) {
  const list = h("comment-list", { dataset: { post: post.id } });
  list.post = post;
  return list;
}

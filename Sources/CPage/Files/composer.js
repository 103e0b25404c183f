// The dialog in which a post is written. Its photos are sent to a draft meanwhile; unfinished posts survive the tab.

import { h, icon } from "./dom.js";
import { newID } from "./ids.js";
import { stylesheet } from "./late.js";
import { t } from "./texts.js";
import { audienceChoice } from "./composer-audience.js";
import { dragOrder, photoElement } from "./composer-photo.js";
import { checked, photoTypes } from "./upload-check.js";
import { readdressed, regrouped } from "./upload-records.js";
import { uploads } from "./upload.js";

const mostPhotos = 20;  // The service's default limit for a post; it refuses more with a reason.
const pictures = {
  photos: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01", camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
};
let open = null;
// The module for mentions; writing works without it.
let picker = null;

// Opens the dialog with files for a new post, or with a post that was begun before (`group`).
export async function compose(files, { group = null } = {}) {
  [picker] = await Promise.all([import("./mentions.js").catch(() => null), stylesheet("late.css"), stylesheet("upload.css"), uploads.ready]);
  if (!open) {
    open = new Composer(group ?? newID());
    document.body.append(open.dialog);
    open.dialog.showModal();
    open.text.focus();
  }
  if (files.length > 0) await open.add([...files]);
}

const lockOf = (group) => `tintype.upload.${group}`;

// The groups of unfinished posts that no tab is editing at present.
export async function leftGroups() {
  const held = new Set(((await navigator.locks?.query())?.held ?? []).map(({ name }) => name));
  const groups = new Set(uploads.posts.filter(({ state }) => state === "writing").map(({ group }) => group));
  return [...groups].filter((group) => group !== open?.group && !held.has(lockOf(group)));
}

class Composer {
  #timer = null;
  #release = () => {};
  #isBusy = Promise.resolve();

  constructor(group) {
    this.group = group;
    const { posts } = this;
    this.together = posts.length <= 1;
    navigator.locks?.request(lockOf(group), () => new Promise((resolve) => { this.#release = resolve; }));
    this.audience = audienceChoice(posts[0]?.audience, { onChange: () => this.#address(), onState: () => this.show() });
    this.#build();
    this.text.value = posts[0]?.text ?? "";
    picker?.pickMentions(this.text);
    if (posts[0]?.mentions.length > 0) picker?.write(this.text, this.text.value, posts[0].mentions);
    this.show = this.show.bind(this);
    uploads.addEventListener("change", this.show);
    this.audience.ask();
    this.show();
  }

  get posts() { return uploads.posts.filter((post) => post.group === this.group && post.state === "writing"); }

  get ids() { return this.posts.flatMap((post) => post.order.filter((id) => uploads.file(id))); }

  // MARK: Elements

  #build() {
    this.list = h("ol", { class: "photos", "aria-label": t("upload.photos") });
    dragOrder(this.list, (order) => this.#reorder(order));
    this.refused = h("ul");
    this.alarm = h("div", { class: "refused", role: "alert", hidden: true }, this.refused);
    this.text = h("textarea", { rows: "3", maxlength: "1999", dir: "auto", name: "text", id: "composer-text", oninput: () => this.#note(), "aria-describedby": "composer-count" });
    this.count = h("p", { id: "composer-count", class: "count" });
    this.ways = h("fieldset", { class: "ways" }, h("legend", {}, t("upload.ways")), this.#way(true), this.#way(false));
    this.note = h("p", { class: "note", role: "status" });
    // Screen readers ignore what is outside an open dialog.
    this.said = h("p", { class: "hidden-visually", role: "status" });
    this.send = h("button", { type: "submit", class: "button primary" }, t("upload.post"));
    const close = h("button", { type: "button", class: "quiet close", "aria-label": t("upload.close"), onclick: () => this.#leave() }, "×");
    this.question = h("div", { class: "question", role: "group", "aria-label": t("upload.leave"), hidden: true },
      h("p", {}, t("upload.leave")),
      h("button", { type: "button", class: "button", onclick: () => this.#ask(false) }, t("upload.goOn")),
      h("button", { type: "button", class: "button", onclick: () => this.close() }, t("upload.keep")),
      h("button", { type: "button", class: "button", onclick: () => this.#discard() }, t("upload.discard")));
    this.form = h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); this.#publish(); } },
      h("div", { class: "composer-head" }, h("h2", { id: "composer-title" }, t("upload.title")), close),
      h("div", { class: "body" },
        h("div", { class: "words writing-field" }, h("label", { for: "composer-text" }, t("upload.text")), this.text), this.count,
        this.audience.element,
        h("div", { class: "sources" }, this.#source("photos", { multiple: true, accept: photoTypes }),
          matchMedia("(pointer: coarse)").matches && this.#source("camera", { accept: "image/*", capture: "environment" }),
          h("p", { class: "faint" }, t("upload.dropHint"))),
        this.alarm, this.ways, this.list),
      h("div", { class: "composer-foot" }, this.said, this.question, this.note, this.send));
    this.dialog = h("dialog", { class: "composer", "aria-labelledby": "composer-title", oncancel: (event) => { event.preventDefault(); this.#leave(); } }, this.form);
    for (const name of ["dragover", "drop"]) this.dialog.addEventListener(name, (event) => this.#take(event, event.dataTransfer));
    this.dialog.addEventListener("dragleave", () => this.dialog.classList.remove("taking"));
    this.dialog.addEventListener("paste", (event) => this.#take(event, event.clipboardData));
  }

  #way(together) {
    const input = h("input", { type: "radio", name: "way", value: together ? "one" : "each", onchange: () => this.#regroup(together) });
    return h("label", {}, input, h("span", {}, t(together ? "upload.together" : "upload.apart")));
  }

  #source(name, attributes) {
    const input = h("input", { type: "file", class: "hidden-visually", ...attributes, onchange: () => { this.add([...input.files]); input.value = ""; } });
    return h("label", { class: "button source" }, input, icon(pictures[name]), h("span", {}, t(`upload.${name}Button`)));
  }


  #say(text) {
    this.said.textContent = "";
    setTimeout(() => { this.said.textContent = text; }, 50);
  }

  show() {
    const ids = this.ids;
    const known = new Map([...this.list.children].map((item) => [item.dataset.id, item]));
    for (const [id, item] of known) if (!ids.includes(id)) item.remove();
    const items = ids.map((id) => known.get(id) ?? photoElement(id, this));
    // An element that is inserted again at its own position would lose the focus.
    if (!this.list.querySelector(".dragged")) items.forEach((item, index) => { if (this.list.children[index] !== item) this.list.insertBefore(item, this.list.children[index] ?? null); });
    items.forEach((item, index) => {
      item.show();
      item.querySelector(".earlier").disabled = index === 0;
      item.querySelector(".later").disabled = index === items.length - 1;
    });
    this.ways.hidden = ids.length < 2;
    const [one, each] = this.ways.querySelectorAll("input");
    one.disabled = ids.length > mostPhotos;
    one.checked = this.together;
    each.checked = !this.together;
    const failed = ids.filter((id) => uploads.item(id).state === "failed").length;
    const isEmpty = ids.length === 0 && this.text.value.trim() === "";
    this.send.disabled = isEmpty || this.audience.isOpen || failed > 0 && failed === ids.length;
    this.send.textContent = t("upload.postCount", { count: this.together ? 1 : Math.max(1, ids.length - failed) });
    this.note.textContent = failed > 0 ? t("upload.unusable", { count: failed }) : uploads.trouble ? t(`upload.trouble.${uploads.trouble}`) : "";
    const left = 1999 - this.text.value.length;
    this.count.textContent = left < 200 ? t("upload.left", { count: left }) : "";
  }

  // MARK: Actions

  #take(event, data) {
    if (!data?.types.includes("Files")) return;
    event.preventDefault();
    this.dialog.classList.toggle("taking", event.type === "dragover");
    if (event.type !== "dragover") this.add([...data.files]);
  }

  // Adds files to the post; files that cannot be photos are refused at once.
  add(files) {
    this.#isBusy = this.#isBusy.then(async () => {
      const { accepted, refused } = await checked(files);
      this.#showRefused(refused);
      const before = this.ids.length;
      if (before + accepted.length > mostPhotos && this.together) {
        this.together = false;
        await this.#remake(regrouped, false);
      }
      const [post] = this.posts;
      if (accepted.length > 0) {
        if (this.together && post) await uploads.addTo(post.id, accepted);
        else await uploads.add(accepted, { group: this.group, together: this.together, audience: this.audience.value });
        this.#say(t("upload.added", { count: accepted.length }));
      }
      this.#note();
      this.show();
    });
    return this.#isBusy;
  }

  #showRefused(refused) {
    if (refused.length === 0) return;
    this.alarm.hidden = false;
    this.refused.append(...refused.map(({ name, reason }) => h("li", {}, h("strong", { dir: "auto" }, name), ` – ${reason}`)));
    uploads.refuse(refused);
  }

  #note() {
    this.show();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), 300);
  }

  async #write() {
    clearTimeout(this.#timer);
    if (this.posts.length === 0 && this.text.value) await uploads.addPost(this.group, this.audience.value);
    await uploads.write(this.group, { text: this.text.value, mentions: picker?.mentionsOf(this.text) ?? [] });
  }

  async #regroup(together) {
    this.together = together;
    this.#isBusy = this.#isBusy.then(() => this.#remake(regrouped, together));
    await this.#isBusy;
    this.#say(t(together ? "upload.togetherSaid" : "upload.apartSaid"));
  }

  #address() {
    this.#isBusy = this.#isBusy.then(() => this.#remake(readdressed, this.audience.value));
  }

  #remake(make, choice) { return uploads.remake(this.group, (posts, fileOf) => make(posts, fileOf, choice)); }

  move(id, by) {
    const order = this.ids;
    const from = order.indexOf(id), to = from + by;
    if (to < 0 || to >= order.length) return;
    order.splice(to, 0, ...order.splice(from, 1));
    const button = document.activeElement;
    this.#reorder(order).then(() => {
      // At an end of the list, one of the two buttons is disabled.
      (button.disabled ? button.parentElement.querySelector("button:not(:disabled)") : button).focus();
    });
    this.#say(t("upload.moved", { position: to + 1, count: order.length }));
  }

  async #reorder(order) {
    if (this.together) {
      await uploads.order(this.posts[0].id, order);
    } else {
      const all = this.posts;
      const posts = order.map((id) => all.find((post) => post.order.includes(id)));
      for (const [index, post] of posts.entries()) await uploads.place(post.id, { at: all[0].at, index });
    }
    await new Promise(requestAnimationFrame);
  }

  async remove(id) {
    const position = this.ids.indexOf(id);
    await uploads.remove(id);
    await new Promise(requestAnimationFrame);
    const next = this.list.children[Math.min(position, this.list.children.length - 1)];
    (next?.querySelector(".remove") ?? this.text).focus();
    this.#say(t("upload.removed"));
  }

  // MARK: Closing

  async #publish() {
    await this.#isBusy;
    if (this.audience.isOpen || !this.form.reportValidity()) return;
    await this.#write();
    const { text, mentions } = picker?.writtenIn(this.text) ?? { text: this.text.value.trim(), mentions: [] };
    const ids = this.posts.map(({ id }) => id);
    if (ids.length === 0) return;
    this.close();
    await uploads.publish(ids, { text, mentions });
  }

  #leave() {
    if (this.ids.length === 0 && this.text.value.trim() === "") return this.#discard();
    this.#ask(true);
  }

  #ask(isAsking) {
    this.question.hidden = !isAsking;
    this.send.hidden = isAsking;
    (isAsking ? this.question.querySelector("button") : this.text).focus();
  }

  async #discard() {
    clearTimeout(this.#timer);
    const ids = this.posts.map(({ id }) => id);
    this.close();
    for (const id of ids) await uploads.remove(id);
  }

  close() {
    if (this.question.hidden === false) this.#write();
    open = null;
    uploads.removeEventListener("change", this.show);
    this.audience.end();
    this.#release();
    this.dialog.close();
    this.dialog.remove();
    uploads.dispatchEvent(new Event("change"));
  }
}

// <upload-tray>: the uploads in progress, at the edge of every page: their progress, their errors with reasons, and
// their actions.

import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { announce } from "./shell.js";
import { number, t } from "./texts.js";
import { reasonOf } from "./upload-check.js";
import { chooseAnother, retry, retryAll, writeAgain } from "./upload-mending.js";
import { isUnfit, mayPass } from "./upload-problems.js";
import { uploads } from "./upload.js";

const mostRows = 30;
const place = "tintype.tray";

class UploadTray extends HTMLElement {
  #isDrawn = false;
  // The last announcement to screen readers: nothing is announced twice, and not every change of progress is announced.
  #said = { failed: 0, isBusy: false };
  #left = [];

  connectedCallback() {
    this.#build();
    uploads.addEventListener("change", () => this.#show());
    uploads.addEventListener("published", () => this.#show());
    Promise.all([stylesheet("late.css"), stylesheet("upload.css"), uploads.ready]).then(() => this.#show());
  }

  #build() {
    this.heading = h("span", { class: "title" });
    this.bar = h("progress", { max: "1", "aria-label": t("upload.progress") });
    this.toggle = h("button", { type: "button", class: "toggle", "aria-controls": "upload-list", onclick: () => this.#fold(!this.isFolded) }, this.heading, icon("M6 15l6-6 6 6"));
    this.clear = h("button", { type: "button", class: "plain-button quiet clear", "aria-label": t("upload.clear"), title: t("upload.clear"), onclick: () => this.#clear() }, icon(icons.close));
    this.trouble = h("p", { class: "trouble" });
    this.again = h("button", { type: "button", class: "button", onclick: () => retryAll() }, t("upload.retryAll"));
    this.rows = h("ul", {});
    this.more = h("p", { class: "faint" });
    this.panel = h("div", { id: "upload-list", class: "panel", tabindex: "-1" }, this.trouble, this.again, this.rows, this.more);
    this.hidden = true;
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("upload.tray"));
    this.append(h("div", { class: "tray-head" }, this.toggle, this.clear), this.bar, this.panel);
    this.#fold(sessionStorage.getItem(place) === "folded");
  }

  #fold(isFolded) {
    this.isFolded = isFolded;
    this.classList.toggle("folded", isFolded);
    this.panel.hidden = isFolded;
    this.toggle.ariaExpanded = String(!isFolded);
    sessionStorage.setItem(place, isFolded ? "folded" : "open");
  }

  #clear() {
    for (const { id } of [...uploads.refused]) uploads.remove(id);
    uploads.published.length = 0;
    this.#show();
  }

  // Draws at most once per frame, for any number of changes.
  #show() {
    if (this.#isDrawn) return;
    this.#isDrawn = true;
    requestAnimationFrame(async () => {
      this.#isDrawn = false;
      const { leftGroups } = await import("./composer.js");
      this.#left = await leftGroups();
      this.#draw();
    });
  }

  #draw() {
    const ready = uploads.posts.filter(({ state }) => state !== "writing");
    const items = ready.flatMap((post) => uploads.filesOf(post).map(({ id }) => uploads.item(id)));
    const broken = ready.filter(({ state }) => state === "failed");
    const failed = items.filter(({ state }) => state === "failed");
    const isStuck = (post) => post.state === "failed" || uploads.filesOf(post).some(({ state }) => state === "failed");
    const busy = ready.filter((post) => !isStuck(post));
    const published = uploads.published.length;
    const failures = failed.length + broken.length + uploads.refused.length;
    this.hidden = ready.length + failures + published + this.#left.length === 0;
    this.bar.hidden = busy.length === 0;
    const total = busy.length + published;
    this.bar.value = total > 0 ? (published + busy.reduce((sum, post) => sum + this.#partOf(post), 0)) / total : 0;
    this.heading.textContent = busy.length > 0 ? t("upload.busy", { done: published, count: total })
      : failures > 0 && published > 0 ? t("upload.mixed", { done: published, count: failures })
      : failures > 0 ? t("upload.failedCount", { count: failures })
      : published > 0 ? t("upload.publishedCount", { count: published }) : t("upload.unfinished");
    this.clear.hidden = busy.length > 0 || published + uploads.refused.length === 0;
    this.trouble.textContent = busy.length > 0 && uploads.trouble ? t(`upload.trouble.${uploads.trouble}`) : "";
    this.again.hidden = [...failed, ...broken].filter(({ problem }) => mayPass(problem)).length < 2;
    const rows = [
      ...this.#left.map((group) => this.#leftRow(group)),
      ...failed.map((item) => this.#failedRow(item)), ...broken.map((post) => this.#brokenRow(post)),
      ...uploads.refused.map((file) => this.#refusedRow(file)),
      ...busy.flatMap((post) => uploads.filesOf(post)).map(({ id }) => uploads.item(id))
        .sort((a, b) => (b.sent > 0 && b.state !== "done") - (a.sent > 0 && a.state !== "done")).filter(({ state }) => state !== "done").map((item) => this.#busyRow(item)),
    ];
    this.#place(rows.slice(0, mostRows));
    this.more.textContent = rows.length > mostRows ? t("upload.more", { count: rows.length - mostRows }) : "";
    this.#say(busy.length > 0, failures, published);
  }

  // The part of a post that has been sent: less than 1 until it is published.
  #partOf(post) {
    const items = uploads.filesOf(post).map(({ id }) => uploads.item(id));
    const size = items.reduce((sum, item) => sum + item.size, 0);
    return size > 0 ? 0.95 * (items.reduce((sum, item) => sum + item.sent, 0) / size) : 0;
  }

  // Puts rows in their order; existing ones stay, with the focus that one of their buttons may have.
  #place(rows) {
    const known = new Map([...this.rows.children].map((row) => [row.dataset.key, row]));
    const wanted = new Set(rows.map(({ key }) => key));
    const focused = this.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.key : null;
    for (const [key, row] of known) if (!wanted.has(key)) row.remove();
    rows.forEach(({ key, make, update }, index) => {
      let row = known.get(key);
      if (!row) {
        row = make();
        row.dataset.key = key;
      }
      if (this.rows.children[index] !== row) this.rows.insertBefore(row, this.rows.children[index] ?? null);
      update?.(row);
    });
    if (focused && !wanted.has(focused)) (this.rows.querySelector("button") ?? this.toggle).focus();
  }

  // MARK: Rows

  #row(kind, name, ...rest) {
    return h("li", { class: kind }, h("span", { class: "name", dir: "auto" }, name), ...rest);
  }

  #busyRow(item) {
    return {
      key: `busy-${item.id}`,
      make: () => this.#row("busy", item.name, h("span", { class: "state" }), h("progress", { max: "1", "aria-label": t("upload.progressOf", { name: item.name }) }),
        this.#button("upload.remove", "upload.removeOf", item.name, () => uploads.remove(item.id), icons.close)),
      update: (row) => {
        const bar = row.querySelector("progress"), state = row.querySelector(".state");
        bar.hidden = item.state === "waiting";
        if (item.state === "checking") bar.removeAttribute("value"); else bar.value = item.sent / item.size;
        const words = item.state === "sending" ? t("upload.percent", { percent: number(Math.floor((item.sent / item.size) * 100)) }) : t(`upload.state.${item.state}`);
        if (state.textContent !== words) state.textContent = words;
      },
    };
  }

  #failedRow(item) {
    const post = uploads.post(item.post), others = post.order.length - 1;
    const { reason, hint } = reasonOf(item.problem ?? {});
    return {
      key: `failed-${item.id}-${item.round}-${others}`,
      make: () => this.#row("failed", item.name, this.#reason([reason, hint].filter(Boolean).join(". "), others > 0 && t("upload.others", { count: others })),
        this.#mend(item.problem, item.name, { id: item.id, post }),
        this.#button("upload.remove", "upload.removeOf", item.name, () => uploads.remove(item.id))),
    };
  }

  #brokenRow(post) {
    const name = post.text || t("upload.untitled");
    const { reason, hint } = reasonOf(post.problem ?? {});
    return {
      key: `broken-${post.id}`,
      make: () => this.#row("failed", name, this.#reason([reason, hint].filter(Boolean).join(". ")),
        this.#mend(post.problem, name, { id: post.id, post }),
        this.#button("upload.remove", "upload.removeOf", name, () => uploads.remove(post.id))),
    };
  }

  // The button for what may help: the same again, another file, or another post.
  #mend(problem, name, { id, post }) {
    if (mayPass(problem)) return this.#button("upload.retry", "upload.retryOf", name, () => retry(id));
    if (isUnfit(problem) && id !== post.id) return this.#button("upload.another", "upload.anotherOf", name, () => chooseAnother(id));
    return this.#button("upload.goOn", "upload.goOnWith", name, () => writeAgain(post.id));
  }

  #refusedRow({ id, name, reason }) {
    return {
      key: `refused-${id}`,
      make: () => this.#row("failed", name, this.#reason(reason, ""), this.#button("upload.remove", "upload.removeOf", name, () => uploads.remove(id))),
    };
  }

  #leftRow(group) {
    const posts = uploads.posts.filter((post) => post.group === group);
    const count = posts.reduce((sum, { order }) => sum + order.length, 0);
    const name = posts[0]?.text || t("upload.untitled");
    return {
      key: `left-${group}-${count}`,
      make: () => this.#row("left", name, h("p", { class: "reason" }, t("upload.leftBehind", { count })),
        this.#button("upload.goOn", "upload.goOnWith", name, async () => (await import("./composer.js")).compose([], { group })),
        this.#button("upload.discard", "upload.discardOf", name, async () => { for (const { id } of posts) await uploads.remove(id); })),
    };
  }

  #reason(...parts) {
    return h("p", { class: "reason", dir: "auto" }, parts.filter(Boolean).join(" "));
  }

  #button(words, label, name, run, picture) {
    return h("button", { type: "button", class: picture ? "plain-button quiet" : "small", "aria-label": t(label, { name }), title: picture && t(words), onclick: run }, picture ? icon(picture) : t(words));
  }

  #say(isBusy, failures, published) {
    if (failures > this.#said.failed) announce(t("upload.failedCount", { count: failures }));
    else if (this.#said.isBusy && !isBusy && published > 0) announce(t("upload.publishedCount", { count: published }));
    else if (!this.#said.isBusy && isBusy) announce(t("upload.begun"));
    this.#said = { failed: failures, isBusy };
  }
}

customElements.define("upload-tray", UploadTray);

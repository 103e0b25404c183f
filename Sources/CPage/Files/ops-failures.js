// Files that could not become posts: each with its picture, reason and hint, to be put back or deleted.

import { bytes, count, h, reconcile, say, timeElement } from "/page/ops-dom.js";
import { button, confirm, noteLine, panel, run, show, showError } from "/page/ops-parts.js";
import { picture } from "/page/ops-picture.js";
import { askJSON } from "/page/ops-service.js";
import { called, has, t } from "/page/ops-text.js";

const PAGE = 20;

const reasonOf = (code) => (has(`reason.${code}`) ? t(`reason.${code}`) : code.replaceAll("_", " "));

class Failures extends HTMLElement {
  #failures = [];
  #next;
  #seen = null;
  #timer = 0;
  #isBuilt = false;

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    this.retryAll = button(t("failures.retry-all"), {}, () => this.#changeAll("retry"));
    this.dropAll = button(t("failures.drop-all"), { class: "danger" }, () => this.#changeAll("drop"));
    this.reason = h("select", { "aria-label": t("failures.reason"), onchange: () => this.#load() },
      h("option", { value: "" }, t("failures.every-reason")));
    const { section, heading } = panel("failures", this.reason, this.retryAll, this.dropAll);
    this.heading = heading;
    this.badge = h("span", { class: "badge" });
    heading.append(" ", this.badge);
    this.note = noteLine();
    this.empty = h("p", { class: "empty", hidden: true }, t("failures.none"));
    this.list = h("ul", { class: "failures" });
    this.more = button(t("more"), { class: "more", hidden: true }, () => this.#load(this.#next));
    section.append(this.note, this.empty, this.list, this.more);
    this.append(section);
  }

  show(operations) {
    const mark = `${operations.started_at} ${operations.failures} ${operations.status.failed}`;
    if (mark === this.#seen) return;
    // The file is moved a moment after it is counted.
    const wait = this.#seen === null ? 0 : 700;
    this.#seen = mark;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), wait);
  }

  get #filter() {
    return this.reason.value ? `reason=${encodeURIComponent(this.reason.value)}` : "";
  }

  // Reads the shown part of the list again; or its next page.
  async #load(next) {
    const limit = next ? PAGE : Math.min(100, Math.max(PAGE, this.#failures.length));
    const query = [`limit=${limit}`, this.#filter, next && `before=${encodeURIComponent(next)}`].filter(Boolean).join("&");
    try {
      const answer = await askJSON(`/v1/failures?${query}`);
      const known = new Set(next ? this.#failures.map(({ id }) => id) : []);
      this.#failures = [...(next ? this.#failures : []), ...answer.failures.filter(({ id }) => !known.has(id))];
      this.#next = answer.next;
      this.#render(answer);
    } catch (error) {
      showError(this.note, error);
    }
  }

  #render({ total, reasons }) {
    say(this.badge, total ? count(total) : "");
    this.badge.hidden = total === 0;
    if (!this.reason.value) this.#offerReasons(reasons);
    this.empty.hidden = total > 0;
    this.more.hidden = this.#next === undefined;
    this.retryAll.hidden = this.dropAll.hidden = total === 0;
    this.total = total;
    const hadFocus = this.list.contains(document.activeElement);
    const place = [...this.list.children].findIndex((item) => item.contains(document.activeElement));
    reconcile(this.list, this.#failures, ({ id }) => id, (failure) => this.#card(failure));
    if (hadFocus && !this.list.contains(document.activeElement)) {
      (this.list.children[Math.min(place, this.list.children.length - 1)]?.querySelector("button") ?? this.heading).focus();
    }
  }

  #offerReasons(reasons) {
    const codes = Object.keys(reasons).sort();
    reconcile(this.reason, ["", ...codes], (code) => code, (code) => h("option", { value: code }), (option, code) => {
      option.value = code;
      say(option, code ? `${reasonOf(code)} (${count(reasons[code])})` : t("failures.every-reason"));
    });
    this.reason.hidden = codes.length < 2;
  }

  #card(failure) {
    const { id, name, user, full_name: person, code, message, hint, attempts } = failure;
    const title = `f-${id}`;
    const facts = [
      user ? called(person, user) : t("failures.no-user"), failure.bytes === undefined ? null : bytes(failure.bytes),
      t(`failures.intake.${failure.intake}`), attempts > 1 ? t("failures.attempts", { count: attempts }) : null,
    ].filter(Boolean).join(" · ");
    const note = noteLine();
    const about = { "aria-describedby": title };
    const retry = button(t("failures.retry"), about, () => run(retry, note, () => this.#change(failure, "retry")));
    const drop = button(t("failures.drop"), { ...about, class: "danger" }, () => run(drop, note, async () => {
      if (await confirm(t("failures.drop.title"), t("failures.drop.text", { file: name }), t("failures.drop"))) {
        await this.#change(failure, "drop");
      }
    }));
    return h("li", { class: "failure" },
      picture(failure),
      h("div", { class: "words" },
        h("h3", { id: title, dir: "auto" }, name),
        h("p", { class: "faint" }, h("bdi", {}, facts), " · ", timeElement(failure.failed_at)),
        h("p", {}, h("span", { class: "tag" }, reasonOf(code)), " ", h("bdi", { lang: "en" }, message)),
        hint ? h("p", { class: "hint" }, h("bdi", { lang: "en" }, hint)) : null,
        note),
      h("div", { class: "actions" }, retry, drop));
  }

  async #change({ id, name }, verb) {
    const path = `/v1/failures/${encodeURIComponent(id)}`;
    await askJSON(verb === "retry" ? `${path}/retry` : path, { method: verb === "retry" ? "POST" : "DELETE" });
    show(this.note, t(`failures.${verb}.done`, { file: name }));
    await this.#load();
  }

  async #changeAll(verb) {
    const control = verb === "retry" ? this.retryAll : this.dropAll;
    await run(control, this.note, async () => {
      const values = { count: this.total };
      if (verb === "drop" && !await confirm(t("failures.drop-all"), t("failures.drop-all.text", values), t("failures.drop"))) {
        return;
      }
      const query = this.#filter || "all=true";
      const outcome = verb === "retry" ? await askJSON(`/v1/failures/retry?${query}`, { method: "POST" })
        : await askJSON(`/v1/failures?${query}`, { method: "DELETE" });
      this.reason.value = "";
      await this.#load();
      const done = t(`failures.${verb}-all.done`, { count: verb === "retry" ? outcome.retried : outcome.dropped });
      const rest = outcome.failed > 0 ? ` ${t("failures.stayed", { count: outcome.failed, reason: outcome.error?.message ?? "" })}` : "";
      show(this.note, done + rest);
      if (this.total === 0) this.heading.focus();
    });
  }
}

customElements.define("ops-failures", Failures);

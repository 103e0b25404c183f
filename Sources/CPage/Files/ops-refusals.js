// The last refusals, and the actions of admins.

import { h, reconcile, timeElement } from "/page/ops-dom.js";
import { button, noteLine, panel, showError } from "/page/ops-parts.js";
import { askJSON } from "/page/ops-service.js";
import { t } from "/page/ops-text.js";

const STEP = 20;

class Refusals extends HTMLElement {
  #seen = null;
  #shown = STEP;
  #isLoading = false;
  #isBuilt = false;

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    const { section } = panel("refusals");
    this.note = noteLine();
    this.empty = h("p", { class: "empty", hidden: true }, t("refusals.none"));
    this.list = h("ol", { class: "log" });
    this.more = button(t("more"), { class: "more", hidden: true }, () => {
      this.#shown += STEP * 2;
      this.#load();
    });
    section.append(this.note, this.empty, this.list, this.more);
    this.append(section);
  }

  show({ refusals, started_at }) {
    const mark = `${started_at} ${refusals}`;
    if (mark === this.#seen) return;
    this.#seen = mark;
    this.#load();
  }

  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const asked = this.#seen;
    try {
      const limit = Math.min(500, this.#shown + 1);
      const { refusals } = await askJSON(`/v1/refusals?limit=${limit}`);
      this.empty.hidden = refusals.length > 0;
      this.more.hidden = refusals.length <= this.#shown;
      const numbers = new Map();
      const entries = refusals.slice(0, this.#shown).reverse().map((entry) => {
        const key = `${entry.time} ${entry.trace ?? ""} ${entry.request ?? ""}`;
        numbers.set(key, (numbers.get(key) ?? 0) + 1);
        return { ...entry, key: `${key} ${numbers.get(key)}` };
      }).reverse();
      reconcile(this.list, entries, ({ key }) => key, (entry) => this.#line(entry));
    } catch (error) {
      showError(this.note, error);
    } finally {
      this.#isLoading = false;
    }
    if (asked !== this.#seen) this.#load();
  }

  #line({ kind, time, request, address, identity, proof, status, error, trace, skipped }) {
    const who = [identity, proof === "nothing" ? null : proof, address].filter(Boolean).join(" · ");
    return h("li", { class: kind },
      h("p", {}, h("span", { class: `tag ${kind}` }, status ? `${status}` : t(`refusals.${kind}`)), " ",
        h("code", { dir: "ltr" }, request ?? t("refusals.connection")), " ", error ? h("bdi", { lang: "en" }, error) : null),
      h("p", { class: "faint" }, timeElement(time), " · ", h("bdi", {}, who),
        trace ? [" · ", h("code", { dir: "ltr" }, trace)] : null,
        skipped ? ` · ${t("refusals.skipped", { count: skipped })}` : null));
  }
}

customElements.define("ops-refusals", Refusals);

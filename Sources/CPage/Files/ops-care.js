// The panel of deletion, unclaimed files and store checks.

import { count, h, time } from "/page/ops-dom.js";
import { panel } from "/page/ops-parts.js";
import { t } from "/page/ops-text.js";

class Care extends HTMLElement {
  #isBuilt = false;
  #last = "";

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    const { section } = panel("care");
    this.list = h("dl", { class: "care" });
    section.append(this.list);
    this.append(section);
  }

  show({ status }) {
    const { sweeps, unclaimed, jobs, expired, uploads, duplicates, audits } = status;
    const rows = [
      ["sweeps", sweeps.status === "on" ? t("care.sweeps.on") : [sweeps.message, sweeps.hint].filter(Boolean).join(". "),
        sweeps.status !== "on"],
      ["unclaimed", unclaimed ? t("care.unclaimed.count", { count: unclaimed }) : t(unclaimed === 0 ? "care.unclaimed.none" : "care.unclaimed.unknown"),
        unclaimed > 0],
      ["behind", jobs ? t("care.behind.count", { count: jobs.waiting, failing: jobs.failing }) : t("care.behind.none"),
        jobs?.failing > 0],
      ["unfinished", Object.entries(uploads).filter(([, number]) => number > 0)
        .map(([state, number]) => `${t(`care.state.${state}`)}: ${count(number)}`).join(" · ") || t("care.unfinished.none"), false],
      ["duplicates", count(duplicates), false],
    ];
    for (const action of ["check", "verify"]) rows.push([action, ...audit(audits?.[action])]);
    if (expired !== undefined) rows.push(["expired", t("care.expired.count", { count: expired }), false]);
    const mark = JSON.stringify(rows);
    if (mark === this.#last) return;
    this.#last = mark;
    this.list.replaceChildren(...rows.map(([name, text, isBad]) => h("div", { class: isBad ? "bad" : null },
      h("dt", {}, t(`care.${name}`)), h("dd", {}, h("bdi", {}, text)))));
  }
}

/** The result of the last store check of a kind, and whether it is bad. */
function audit(last) {
  if (!last) return [t("care.audit.none"), false];
  const found = Object.entries(last.findings);
  const words = found.length === 0 ? t("care.audit.well") : found.map(([kind, number]) => `${kind}: ${count(number)}`).join(" · ");
  return [`${time(last.ended_at)} – ${words}`, found.length > 0];
}

customElements.define("ops-care", Care);

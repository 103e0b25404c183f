// Streams and sessions, and the current work of the workers.

import { bytes, h, reconcile, say, timeElement } from "/page/ops-dom.js";
import { panel } from "/page/ops-parts.js";
import { called, t } from "/page/ops-text.js";

const cell = (label, ...content) => h("td", { dataset: { label } }, ...content);

function table(caption, columns) {
  const body = h("tbody");
  const element = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, column)))), body));
  return { element, body };
}

class Connections extends HTMLElement {
  #isBuilt = false;

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    const { section } = panel("connections");
    this.summary = h("p", { class: "faint" });
    this.columns = ["what", "who", "from", "since"].map((name) => t(`connections.${name}`));
    this.table = table(t("connections.title"), this.columns);
    this.empty = h("p", { class: "empty", hidden: true }, t("connections.none"));
    this.workColumns = ["upload", "user", "size", "since"].map((name) => t(`works.${name}`));
    this.works = table(t("works.title"), this.workColumns);
    this.workHeading = h("h3", {}, t("works.title"));
    section.append(this.summary, this.empty, this.table.element, this.workHeading, this.works.element);
    this.append(section);
  }

  show({ connections, workers }) {
    const { tcp, socket, streams, sessions, list } = connections;
    say(this.summary, t("connections.summary", { tcp, socket, streams, sessions }));
    const keyOf = ({ kind, what, address, since }, index) => `${kind} ${what} ${address} ${since} ${index}`;
    const numbered = list.map((entry, index) => ({ ...entry, index }));
    reconcile(this.table.body, numbered, (entry) => keyOf(entry, entry.index), (entry) => this.#row(entry));
    this.table.element.hidden = list.length === 0;
    this.empty.hidden = list.length > 0;
    const { busy } = workers;
    this.workHeading.hidden = this.works.element.hidden = busy.length === 0;
    reconcile(this.works.body, busy, ({ upload, user, since }) => `${upload} ${user} ${since}`, (work) => h("tr", {},
      cell(this.workColumns[0], h("code", {}, work.upload ?? "–")), cell(this.workColumns[1], h("bdi", {}, called(work.full_name, work.user))),
      cell(this.workColumns[2], work.bytes ? bytes(work.bytes) : "–"), cell(this.workColumns[3], timeElement(work.since))));
  }

  #row({ kind, what, address, identity, full_name: person, since }) {
    return h("tr", {},
      cell(this.columns[0], h("span", { class: "tag" }, t(`connections.kind.${kind}`)), " ", h("code", { dir: "ltr" }, what)),
      cell(this.columns[1], h("bdi", {}, called(person, identity))),
      cell(this.columns[2], address || t("connections.local")), cell(this.columns[3], timeElement(since)));
  }
}

customElements.define("ops-connections", Connections);

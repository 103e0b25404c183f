// Post runs: planned, then begun; they continue without the page.

import { count, duration, h, rate, reconcile, say, time, timeElement } from "/page/ops-dom.js";
import { announce, button, confirm, noteLine, panel, run, show } from "/page/ops-parts.js";
import { askJSON } from "/page/ops-service.js";
import { t } from "/page/ops-text.js";

class Jobs extends HTMLElement {
  #states = new Map();
  #isBuilt = false;

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    const { section } = panel("jobs");
    this.current = h("ul", { class: "jobs" });
    this.past = h("ul", { class: "jobs past" });
    this.pastBox = h("details", { hidden: true }, h("summary", {}, t("jobs.past")), this.past);
    section.append(this.current, this.#form(), this.pastBox);
    this.append(section);
  }

  // MARK: Planning

  #form() {
    this.kind = h("select", { id: "job-kind", onchange: () => this.#forget() },
      ["rethumb", "scrub"].map((kind) => h("option", { value: kind }, t(`jobs.kind.${kind}`))));
    this.user = h("input", { id: "job-user", autocomplete: "off", pattern: "[-0-9A-Z_a-z]{1,128}", spellcheck: "false" });
    this.since = h("input", { id: "job-since", type: "date" });
    this.until = h("input", { id: "job-until", type: "date" });
    this.only = h("select", { id: "job-only" }, ["all", "missing", "damaged"].map((only) => h("option", { value: only }, t(`jobs.only.${only}`))));
    this.switches = h("select", { id: "job-switch" }, ["each", "last"].map((when) => h("option", { value: when }, t(`jobs.switch.${when}`))));
    this.rethumbOnly = [
      h("div", { class: "field" }, h("label", { for: "job-since" }, t("jobs.since")), this.since),
      h("div", { class: "field" }, h("label", { for: "job-until" }, t("jobs.until")), this.until),
      h("div", { class: "field" }, h("label", { for: "job-only" }, t("jobs.only")), this.only),
      h("div", { class: "field whole" }, h("label", { for: "job-switch" }, t("jobs.switches")), this.switches),
    ];
    this.plan = h("button", {}, t("jobs.plan"));
    this.begin = button(t("jobs.run"), { class: "main", hidden: true }, () => this.#run());
    this.note = noteLine();
    this.note.classList.add("plan");
    const form = h("form", { class: "plan-form" },
      h("div", { class: "field" }, h("label", { for: "job-kind" }, t("jobs.kind")), this.kind),
      h("div", { class: "field" }, h("label", { for: "job-user" }, t("jobs.user")), this.user),
      this.rethumbOnly, h("div", { class: "actions" }, this.plan, this.begin), this.note);
    form.addEventListener("input", () => this.#forget());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#plan();
    });
    return form;
  }

  get #order() {
    const order = { kind: this.kind.value };
    if (this.user.value) order.user = this.user.value;
    if (order.kind !== "rethumb") return order;
    if (this.since.value) order.since = this.since.value;
    if (this.until.value) order.until = this.until.value;
    if (this.only.value !== "all") order[`only_${this.only.value}`] = true;
    order.switch = this.switches.value;
    return order;
  }

  #forget() {
    for (const field of this.rethumbOnly) field.hidden = this.kind.value !== "rethumb";
    this.begin.hidden = true;
    show(this.note, "");
  }

  async #plan() {
    this.begin.hidden = true;
    await run(this.plan, this.note, async () => {
      show(this.note, t("jobs.planning"));
      const { total, posts, failed, seconds, last_failure } = await askJSON("/v1/jobs/plan", { method: "POST", json: this.#order });
      const words = [posts === 0 ? t("jobs.planned.none", { count: total }) : t("jobs.planned", { count: total, posts })];
      if (seconds !== undefined && posts > 0) words.push(t("jobs.planned.time", { time: duration(seconds) }));
      if (failed > 0) words.push(t("jobs.planned.failed", { count: failed, reason: last_failure ?? "" }));
      show(this.note, words.join(" "));
      this.begin.hidden = posts === 0;
    });
  }

  async #run() {
    const order = this.#order;
    if (order.kind === "scrub" && !await confirm(t("jobs.scrub.title"), t("jobs.scrub.text"), t("jobs.run"))) return;
    await run(this.begin, this.note, async () => {
      const job = await askJSON("/v1/jobs", { method: "POST", json: order });
      this.begin.hidden = true;
      this.plan.focus();
      show(this.note, t("jobs.begun"));
      this.#showJobs([job, ...this.jobs.filter(({ id }) => id !== job.id)]);
    });
  }

  // MARK: The runs

  show({ jobs }) { this.#showJobs(jobs); }

  #showJobs(jobs) {
    this.jobs = jobs;
    for (const { id, state, kind } of jobs) {
      const before = this.#states.get(id);
      if (before && before !== state) announce(t("jobs.changed", { kind: t(`jobs.kind.${kind}`), state: t(`jobs.state.${state}`) }));
      this.#states.set(id, state);
    }
    const isOpen = ({ state }) => ["running", "paused", "prepared"].includes(state);
    const keyOf = ({ id }) => id;
    reconcile(this.current, jobs.filter(isOpen), keyOf, (job) => this.#card(job), (card, job) => card.update(job));
    const past = jobs.filter((job) => !isOpen(job));
    reconcile(this.past, past, keyOf, (job) => this.#pastLine(job));
    this.pastBox.hidden = past.length === 0;
  }

  #title({ kind, user, since, until, only_missing, only_damaged, listed }) {
    const scope = [
      user, since === undefined ? null : t("jobs.since.title", { time: time(since) }),
      until === undefined ? null : t("jobs.until.title", { time: time(until) }),
      only_missing ? t("jobs.only.missing") : null, only_damaged ? t("jobs.only.damaged") : null, listed ? t("jobs.listed") : null,
    ].filter(Boolean);
    return `${t(`jobs.kind.${kind}`)}${scope.length > 0 ? ` (${scope.join(", ")})` : ""}`;
  }

  #card(job) {
    const title = `j-${job.id}`;
    const progress = h("progress", { "aria-labelledby": title });
    const numbers = h("p", { class: "faint" });
    const fault = h("p", { class: "bad-text", hidden: true });
    const note = noteLine();
    const state = h("span", { class: "tag" });
    const pause = button("", { class: "main" }, () => this.#send(job.id, pause, pause.dataset.verb, note));
    const cancel = button("", { class: "danger" }, () => this.#send(job.id, cancel, cancel.dataset.verb, note));
    const card = h("li", { class: "job" },
      h("h3", { id: title }, this.#title(job), " ", state), progress, numbers, fault, h("div", { class: "actions" }, pause, cancel), note);
    card.update = (now) => {
      progress.max = Math.max(1, now.total);
      progress.value = now.done;
      say(state, t(`jobs.${now.state === "running" ? "phase" : "state"}.${now.state === "running" ? now.phase : now.state}`));
      const words = [t("jobs.progress", { done: now.done, count: now.total, switched: now.switched })];
      if (now.rate && now.state === "running") words.push(t("jobs.rate", { rate: rate(now.rate) }));
      if (now.seconds_left !== undefined) words.push(t("jobs.left", { time: duration(now.seconds_left) }));
      say(numbers, words.join(" · "));
      fault.hidden = now.failed === 0;
      say(fault, now.failed > 0 ? t("jobs.failed", { count: now.failed, reason: now.last_failure ?? "" }) : "");
      pause.dataset.verb = { running: "pause", paused: "resume", prepared: "switch" }[now.state] ?? "pause";
      cancel.dataset.verb = now.state === "prepared" ? "rollback" : "cancel";
      say(pause, t(`jobs.${pause.dataset.verb}`));
      say(cancel, t(now.state === "prepared" ? "jobs.discard" : "jobs.cancel"));
    };
    return card;
  }

  #send(id, control, verb, note) {
    return run(control, note, async () => {
      const changed = await askJSON(`/v1/jobs/${id}/${verb}`, { method: "POST" });
      this.#showJobs(this.jobs.map((other) => (other.id === id ? changed : other)));
      if (!control.isConnected) this.plan.focus();
    });
  }

  #pastLine(job) {
    const { id, kind, state, done, switched, failed, ended_at, fault, last_failure } = job;
    const words = t("jobs.progress", { done, count: job.total, switched });
    const note = noteLine();
    const rollBack = button(t("jobs.rollback"), {}, async () => {
      if (await confirm(t("jobs.rollback.title"), t("jobs.rollback.text"), t("jobs.rollback"))) this.#send(id, rollBack, "rollback", note);
    });
    const isPossible = kind === "rethumb" && ["finished", "cancelled", "failed"].includes(state);
    return h("li", { class: "job" },
      h("h3", {}, this.#title(job), " ", h("span", { class: `tag ${state}` }, t(`jobs.state.${state}`))),
      h("p", { class: "faint" }, `${words} · `, timeElement(ended_at ?? job.created_at)),
      fault || failed > 0 ? h("p", { class: "bad-text" }, fault ?? t("jobs.failed", { count: failed, reason: last_failure ?? "" })) : null,
      isPossible ? h("div", { class: "actions" }, rollBack) : null, note);
  }
}

customElements.define("ops-jobs", Jobs);

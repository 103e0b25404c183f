// The state of the service at a glance.

import { ago, bytes, count, duration, h, rate, say, svg } from "/page/ops-dom.js";
import { announce } from "/page/ops-parts.js";
import { called, t } from "/page/ops-text.js";

const WIDTH = 120;
const HEIGHT = 28;

// A line for the last minutes; the same numbers are in the text beside it.
function sparkline() {
  const area = svg("path", { class: "area" });
  const line = svg("path", { class: "line" });
  const picture = svg("svg", {
    class: "sparkline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true",
  }, area, line);
  const draw = (values) => {
    const length = Math.max(12, values.length);
    const highest = Math.max(1, ...values);
    const points = values.map((value, index) => {
      const x = ((length - values.length + index) / (length - 1)) * WIDTH;
      return `${x.toFixed(1)},${(HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)}`;
    });
    line.setAttribute("d", points.length > 1 ? `M${points.join("L")}` : "");
    const start = points[0]?.split(",")[0];
    area.setAttribute("d", points.length > 1 ? `M${start},${HEIGHT}L${points.join("L")}L${WIDTH},${HEIGHT}Z` : "");
  };
  return { picture, draw };
}

// A bar for the used part of something, with a mark for the part that must stay free.
function bar() {
  const used = svg("rect", { class: "used", x: 0, y: 0, height: 6, rx: 3 });
  const mark = svg("rect", { class: "mark", y: 0, width: 0.8, height: 6 });
  const picture = svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "all", x: 0, y: 0, width: 100, height: 6, rx: 3 }), used, mark);
  const draw = (share, limit) => {
    used.setAttribute("width", Math.max(0, Math.min(100, share * 100)).toFixed(1));
    mark.setAttribute("x", Math.max(0, Math.min(99, limit * 100)).toFixed(1));
  };
  return { picture, draw };
}

class Tile {
  constructor(name, picture) {
    this.value = h("p", { class: "value" });
    this.note = h("p", { class: "faint" });
    this.element = h("li", { class: "tile", dataset: { tile: name } },
      h("h3", {}, t(`tile.${name}`)), this.value, picture, this.note);
  }

  show(value, note, isBad = false) {
    say(this.value, value);
    say(this.note, note);
    this.element.classList.toggle("bad", isBad);
  }
}

class Tiles extends HTMLElement {
  #isBuilt = false;
  #warning = h("div", { class: "warning", hidden: true });
  #wasPaused = null;

  connectedCallback() {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    this.lines = { published: sparkline(), requests: sparkline(), bytes: sparkline() };
    this.disk = bar();
    this.tiles = Object.fromEntries([
      ["queue"], ["published", this.lines.published.picture], ["requests", this.lines.requests.picture],
      ["bytes", this.lines.bytes.picture], ["workers"], ["disk", this.disk.picture], ["memory"], ["connections"],
    ].map(([name, picture]) => [name, new Tile(name, picture)]));
    this.append(this.#warning, h("section", { "aria-labelledby": "h-glance" },
      h("h2", { id: "h-glance", class: "unseen" }, t("glance.title")),
      h("ul", { class: "tiles" }, Object.values(this.tiles).map((tile) => tile.element))));
  }

  show(operations) {
    const { status, rates, history, workers, disk, connections } = operations;
    this.#showIntake(status.intake);
    const age = status.queue_since === undefined ? t("tile.queue.none") : t("tile.queue.since", { age: ago(status.queue_since) });
    const inbox = status.inbox?.files ? ` · ${t("tile.queue.inbox", { count: status.inbox.files })}` : "";
    this.tiles.queue.show(count(status.queue), age + inbox);
    this.tiles.published.show(count(status.published),
      t("tile.published.note", { rate: rate(rates.published.minute * 60), failed: status.failed }));
    this.tiles.requests.show(rate(rates.requests.minute), t("tile.hour", { rate: rate(rates.requests.hour) }));
    this.tiles.bytes.show(bytes(rates.bytes.minute), t("tile.hour", { rate: bytes(rates.bytes.hour) }));
    this.#showWorkers(workers, operations.time);
    this.#showDisk(disk);
    this.tiles.memory.show(operations.memory === undefined ? "–" : bytes(operations.memory),
      t("tile.memory.up", { time: duration((operations.time - operations.started_at) / 1000) }));
    this.tiles.connections.show(count(connections.tcp + connections.socket),
      t("tile.connections.note", { streams: connections.streams, sessions: connections.sessions }));
    for (const [name, line] of Object.entries(this.lines)) line.draw(history[name]);
  }

  // The workers of the setting; those for jobs alone are counted apart, because the setting does not count them.
  #showWorkers({ count: all, batch, busy }, now) {
    const forJobs = batch > 0 ? busy.filter(({ priority }) => priority === "batch").length : 0;
    const longest = busy[0];
    const note = longest ? t("tile.workers.longest", {
      user: called(longest.full_name, longest.user), age: duration((now - longest.since) / 1000) }) : t("tile.workers.idle");
    const jobs = batch > 0 ? ` · ${t("tile.workers.jobs", { busy: forJobs, all: batch })}` : "";
    this.tiles.workers.show(t("tile.workers.value", { busy: busy.length - forJobs, all }), note + jobs);
  }

  #showDisk({ free, reserve = 0, total, tree }) {
    if (free === undefined || !total) return this.tiles.disk.show("–", "");
    this.disk.draw(1 - free / total, 1 - reserve / total);
    const note = tree === undefined ? t("tile.disk.reserve", { reserve: bytes(reserve) })
      : t("tile.disk.note", { reserve: bytes(reserve), tree: bytes(tree) });
    return this.tiles.disk.show(t("tile.disk.free", { free: bytes(free) }), note, free < reserve * 1.2);
  }

  #showIntake({ status, message, hint }) {
    const isPaused = status !== "ready";
    if (isPaused) {
      this.#warning.replaceChildren(h("strong", {}, t("intake.paused")), ` ${[message, hint].filter(Boolean).join(". ")}`);
    }
    this.#warning.hidden = !isPaused;
    if (this.#wasPaused !== null && this.#wasPaused !== isPaused) announce(t(isPaused ? "intake.paused" : "intake.goes-on"));
    this.#wasPaused = isPaused;
  }
}

customElements.define("ops-tiles", Tiles);

// The operations page: a form for the key, then the panels, which are updated by one stream of events.

import { h, renewTimes, say } from "/page/ops-dom.js";
import { announce, button } from "/page/ops-parts.js";
import { askJSON, credentials, follow, mayNot } from "/page/ops-service.js";
import { t } from "/page/ops-text.js";
import "/page/ops-tiles.js";
import "/page/ops-failures.js";
import "/page/ops-jobs.js";
import "/page/ops-connections.js";
import "/page/ops-refusals.js";
import "/page/ops-care.js";

const main = document.getElementById("main");
const panels = ["ops-tiles", "ops-failures", "ops-jobs", "ops-connections", "ops-care", "ops-refusals"];

// MARK: The key

function showSignIn(message = "") {
  credentials.key = null;
  document.getElementById("top")?.remove();
  const note = h("p", { class: "note bad", id: "key-note", role: "alert" }, message);
  const input = h("input", {
    id: "key", name: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "key-help key-note",
  });
  const send = h("button", { class: "main" }, t("sign.in"));
  const form = h("form", { class: "sign-in panel" },
    h("h1", { tabindex: "-1" }, t("title")),
    h("label", { for: "key" }, t("sign.key")), input,
    h("p", { class: "faint", id: "key-help" }, t("sign.help.before"), h("code", {}, "tintype ops"), t("sign.help.after")),
    send, note);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    say(note, "");
    credentials.key = input.value.trim();
    try {
      await begin(true);
    } catch (error) {
      credentials.key = null;
      say(note, mayNot(error) ? t("sign.wrong") : error.message);
      input.setAttribute("aria-invalid", "true");
      input.focus();
    }
  });
  main.replaceChildren(form);
  input.focus();
}

// MARK: The panels

function header() {
  const state = h("p", { class: "state", dataset: { state: "offline" } }, t("state.connecting"));
  const about = h("p", { class: "faint about" });
  const bar = h("header", { id: "top" },
    h("div", {}, h("h1", { tabindex: "-1" }, t("title")), about), state,
    button(t("sign.out"), {}, () => location.reload()));
  bar.lastElementChild.addEventListener("click", () => { credentials.key = null; }, { capture: true });
  return { bar, state, about };
}

let generation = 0;

// Shows the panels, once the key has been accepted.
async function begin(isAsked = false) {
  const first = await askJSON("/v1/operations");
  const mine = ++generation;
  const { bar, state, about } = header();
  const elements = panels.map((name) => document.createElement(name));
  document.getElementById("top")?.remove();
  main.before(bar);
  main.replaceChildren(...elements);
  if (isAsked) bar.querySelector("h1").focus();

  const show = (operations) => {
    if (mine !== generation) return;
    say(about, t("about", { version: operations.status.version }));
    for (const element of elements) element.show(operations);
    renewTimes(document.body);
  };
  show(first);
  follow({
    onDocument: show,
    onState(now) {
      if (state.dataset.state === now) return;
      const wasShown = state.dataset.state;
      state.dataset.state = now;
      say(state, t(`state.${now}`));
      if (now === "offline" || wasShown === "offline") announce(t(`state.${now}`));
    },
    onRefused: (error) => showSignIn(error.message),
  });
}

// MARK: Start

setInterval(() => renewTimes(document.body), 10_000);

credentials.takeFromAddress();
addEventListener("hashchange", () => {
  credentials.takeFromAddress();
  if (credentials.key) location.reload();
});
document.title = `${t("title")} · ${document.body.dataset.site}`;
if (credentials.key) {
  main.replaceChildren(h("p", { class: "faint waiting", role: "status" }, t("state.connecting")));
  begin().catch((error) => showSignIn(mayNot(error) ? t("sign.wrong") : error.message));
} else {
  showSignIn();
}

// The common parts of all panels.

import { h, say } from "/page/ops-dom.js";
import { t } from "/page/ops-text.js";

let region;

// Announces a text to screen readers, after what they are reading.
export function announce(text) {
  region ??= document.body.appendChild(h("p", { class: "unseen", role: "status", "aria-live": "polite" }));
  region.textContent = "";
  setTimeout(() => say(region, text), 50);
}

// A panel with a heading; `tools` are beside it.
export function panel(name, ...tools) {
  const heading = h("h2", { id: `h-${name}`, tabindex: "-1" }, t(`${name}.title`));
  const section = h("section", { class: "panel", id: name, "aria-labelledby": `h-${name}` },
    h("header", {}, heading, h("div", { class: "tools" }, ...tools)));
  return { section, heading };
}

export const button = (label, attributes, onclick) => h("button", { type: "button", ...attributes, onclick }, label);

// Runs the action of a button, which is disabled meanwhile; an error is shown beside it.
export async function run(control, note, action) {
  if (control.getAttribute("aria-disabled") === "true") return undefined;
  control.setAttribute("aria-disabled", "true");
  show(note, "");
  try {
    return await action();
  } catch (error) {
    showError(note, error);
    return undefined;
  } finally {
    control.removeAttribute("aria-disabled");
  }
}

export function show(note, text) {
  note.hidden = text === "";
  note.classList.remove("bad");
  say(note, text);
  if (text) announce(text);
}

export function showError(note, error) {
  show(note, [error.message, error.hint].filter(Boolean).join(". "));
  note.classList.add("bad");
}

// The line in which a panel shows the result of an action.
export const noteLine = () => h("p", { class: "note", hidden: true });

// Asks for confirmation of an action that cannot be undone; the dialog returns the focus by itself.
export function confirm(title, text, verb) {
  return new Promise((answer) => {
    const dialog = h("dialog", { "aria-labelledby": "confirm-title", "aria-describedby": "confirm-text" },
      h("form", { method: "dialog" },
        h("h2", { id: "confirm-title" }, title),
        h("p", { id: "confirm-text" }, text),
        h("div", { class: "actions" },
          h("button", { value: "no", autofocus: true }, t("cancel")),
          h("button", { value: "yes", class: "danger" }, verb))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      answer(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

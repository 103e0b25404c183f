// Dialogs and their common parts: a name, a way to close them, and the return of the focus.

import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { t } from "./texts.js";

// The style sheet of dialogs.
await stylesheet("social.css");

let count = 0;

// Opens a dialog with these elements; it is removed from the document when it is closed. A click beside a light dialog
// closes it.
export function openDialog(title, content, { name = "", role = null, isLight = false } = {}) {
  const id = `dialog-title-${++count}`;
  const before = document.activeElement;
  const close = h("button", { type: "button", class: "plain-button", "aria-label": t("people.close"), onclick: () => dialog.close() }, icon(icons.close));
  const dialog = h("dialog", { class: `sheet ${name}`, role, "aria-labelledby": id, closedby: isLight ? "any" : "closerequest" },
    h("header", {}, h("h2", { id, tabindex: "-1" }, title), close), h("div", { class: "sheet-body" }, content));
  dialog.addEventListener("close", () => {
    // Messages inside the dialog stay visible.
    const toasts = dialog.querySelector(":scope > .toasts");
    if (toasts) ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body).append(toasts);
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
  (dialog.querySelector("[autofocus]") ?? dialog.querySelector("h2")).focus();
  return dialog;
}

// Asks for confirmation of something that cannot be undone; true if the user confirms.
export function confirmed(title, words, label) {
  return new Promise((resolve) => {
    let answer = false;
    const end = (value) => { answer = value; dialog.close(); };
    const dialog = openDialog(title, [
      h("p", { dir: "auto" }, words),
      h("div", { class: "acts end" },
        h("button", { type: "button", class: "button", autofocus: true, onclick: () => end(false) }, t("people.cancel")),
        h("button", { type: "button", class: "button danger", onclick: () => end(true) }, label)),
    ], { name: "question", role: "alertdialog" });
    dialog.addEventListener("close", () => resolve(answer));
  });
}

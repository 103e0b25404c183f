// Dialogs, and what they share: a name, a way out, and the focus that goes back to where it was.

import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { t } from "./texts.js";

// A dialog opens with its looks.
await stylesheet("social.css");

let count = 0;

// Opens a dialog with these elements; it leaves the document when it is closed. One that is light is closed by a click beside it.
export function openDialog(title, content, { name = "", role = null, isLight = false } = {}) {
  const id = `dialog-title-${++count}`;
  const before = document.activeElement;
  const close = h("button", { type: "button", class: "plain-button", "aria-label": t("people.close"), onclick: () => dialog.close() }, icon(icons.close));
  const dialog = h("dialog", { class: `sheet ${name}`, role, "aria-labelledby": id, closedby: isLight ? "any" : "closerequest" },
    h("header", {}, h("h2", { id, tabindex: "-1" }, title), close), h("div", { class: "sheet-body" }, content));
  dialog.addEventListener("close", () => {
    // What is said in it goes on to be said.
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

// Asks before something that cannot be taken back; true if it is to be done.
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

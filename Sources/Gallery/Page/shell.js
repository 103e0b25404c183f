// What is around every view: messages that pass, and what is said to screen readers.

import { h } from "./dom.js";
import { t } from "./texts.js";

const region = h("p", { class: "hidden-visually", role: "status" });
const toasts = h("div", { class: "toasts", role: "region", "aria-live": "polite" });
document.body.append(region, toasts);

// Says something to whoever listens to a screen reader.
export function announce(text) {
  // Behind a dialog nothing is said.
  foremost().append(region);
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 50);  // The same text twice is two messages.
}

// Shows a message for a while; `action` is { label, run }. Problems stay until they are closed.
export function toast(text, { action, isProblem = false } = {}) {
  const button = action && h("button", { type: "button", onclick: () => { box.remove(); action.run(); } }, action.label);
  const close = h("button", { type: "button", class: "quiet", onclick: () => box.remove() }, "×");
  close.ariaLabel = t("nav.close");
  const box = h("div", { class: isProblem ? "toast problem" : "toast" }, h("p", { dir: "auto" }, text), button, close);
  while (toasts.childElementCount > 2) toasts.firstElementChild.remove();
  toasts.append(box);
  if (!isProblem) setTimeout(() => { if (!box.contains(document.activeElement)) box.remove(); }, 6000);
  foremost().append(toasts);
}

// A dialog is above everything: what is said while it is open is said in it.
const foremost = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;

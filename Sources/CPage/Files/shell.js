// The frame of every view: transient messages, and announcements to screen readers.

import { h } from "./dom.js";
import { t } from "./texts.js";

const region = h("p", { class: "hidden-visually", role: "status" });
const toasts = h("div", { class: "toasts", role: "region", "aria-live": "polite" });
document.body.append(region, toasts);

// Announces a text to screen readers.
export function announce(text) {
  // Announcements behind a dialog are not read.
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

// The topmost dialog, which contains the messages while it is open.
const foremost = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;

// Menus below a button: of a post, a comment, the account.

import { h } from "./dom.js";
import { stylesheet } from "./late.js";

stylesheet("social.css");

const menus = new WeakMap();

// A button with a menu. `items()` returns { label, run } or { label, href }, and `isDangerous`, each time that it is
// opened.
export function menuButton(attributes, content, items) {
  const button = h("button", { type: "button", ...attributes, onclick: () => toggleMenu(button, items) }, content);
  button.ariaHasPopup = "menu";
  button.ariaExpanded = "false";
  return button;
}

// Opens the menu of a button, or closes it if it was open.
export function toggleMenu(button, items) {
  if (!menus.has(button)) {
    button.ariaHasPopup = "menu";
    // A press outside a menu closes it, also on its button: the click that follows must not open it again.
    button.addEventListener("pointerdown", () => { button.wasOpen = isOpen(button); });
  }
  const wasOpen = button.wasOpen || isOpen(button);
  button.wasOpen = false;
  if (wasOpen) menus.get(button)?.hidePopover(); else open(button, items());
}

const isOpen = (button) => menus.get(button)?.matches(":popover-open") ?? false;

function open(button, items) {
  const menu = h("div", { class: "menu", popover: "auto", role: "menu", "aria-label": button.ariaLabel || button.textContent }, items.map((item) => {
    const attributes = { role: "menuitem", tabindex: "-1", class: item.isDangerous ? "menu-item danger" : "menu-item" };
    const choose = () => {
      menu.hidePopover();
      item.run?.();
    };
    return item.href
      ? h("a", { ...attributes, href: item.href, onclick: choose }, item.label)
      : h("button", { ...attributes, type: "button", onclick: choose }, item.label);
  }));
  menus.set(button, menu);
  menu.addEventListener("keydown", (event) => press(event, menu));
  menu.addEventListener("toggle", ({ newState }) => {
    if (newState === "open") return;
    button.ariaExpanded = "false";
    const hadFocus = menu.contains(document.activeElement) || document.activeElement === document.body;
    menu.remove();
    if (hadFocus && button.isConnected) button.focus();
  });
  // In the same dialog as the button: nothing behind a dialog can be reached.
  button.after(menu);
  menu.showPopover({ source: button });
  button.ariaExpanded = "true";
  place(menu, button);
  menu.firstElementChild?.focus();
}

// Places the menu below the button, or above it if there is no room, and inside the window.
function place(menu, button) {
  const [box, { offsetWidth: width, offsetHeight: height }] = [button.getBoundingClientRect(), menu];
  const left = getComputedStyle(button).direction === "rtl" ? box.left : box.right - width;
  const top = box.bottom + height + 8 > innerHeight && box.top > height + 8 ? box.top - height - 4 : box.bottom + 4;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(top, innerHeight - height - 8))}px`;
}

function press(event, menu) {
  const items = [...menu.children];
  const now = items.indexOf(document.activeElement);
  const next = {
    ArrowDown: (now + 1) % items.length, ArrowUp: (now - 1 + items.length) % items.length, Home: 0, End: items.length - 1,
  }[event.key] ?? (event.key.length === 1 && event.key !== " "
    ? items.findIndex((item) => item.textContent.toLowerCase().startsWith(event.key.toLowerCase())) : -1);
  if (event.key === "Tab") menu.hidePopover();
  if (next < 0) return;
  event.preventDefault();
  event.stopPropagation();
  items[next].focus();
}

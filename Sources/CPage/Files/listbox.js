// A list of suggestions below a field. The focus stays in the field, where keys choose a suggestion and the chosen one
// is announced.

import { h } from "./dom.js";
import { stylesheet } from "./late.js";

stylesheet("social.css");

let count = 0;

export class Listbox {
  #active = -1;
  #items = [];

  // `onPick(value)` receives the chosen value.
  constructor(input, label, onPick) {
    this.id = `listbox-${++count}`;
    Object.assign(this, { input, onPick });
    this.element = h("ul", { class: "suggestions", role: "listbox", id: this.id, "aria-label": label, hidden: true,
      // The field keeps the focus.
      onmousedown: (event) => event.preventDefault() });
    input.setAttribute("aria-controls", this.id);
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("autocomplete", "off");
  }

  get isOpen() { return !this.element.hidden; }

  // Shows items: { value, content }, where `content` are elements. With `isFirstActive`, Enter chooses the first one.
  show(items, { isFirstActive = false } = {}) {
    this.#items = items;
    this.element.replaceChildren(...items.map(({ content, value }, index) => h("li", { role: "option", id: `${this.id}-${index}`, "aria-selected": "false",
      onclick: () => this.#pick(value) }, content)));
    this.element.hidden = items.length === 0;
    if (this.input.role === "combobox") this.input.ariaExpanded = String(this.isOpen);
    this.#place();
    this.#choose(isFirstActive && items.length > 0 ? 0 : -1);
  }

  close() {
    if (this.isOpen) this.show([]);
  }

  // Handles a key; true if it had an effect.
  press(event) {
    if (!this.isOpen || event.isComposing) return false;
    const last = this.#items.length - 1;
    if (event.key === "ArrowDown") this.#choose(this.#active < last ? this.#active + 1 : -1);
    else if (event.key === "ArrowUp") this.#choose(this.#active < 0 ? last : this.#active - 1);
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" || (event.key === "Tab" && this.input.role !== "combobox")) && this.#active >= 0 && !event.ctrlKey && !event.metaKey) {
      this.#pick(this.#items[this.#active].value);
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  // Places the list above the field if there is no room below it, as with the keyboard of a phone.
  #place() {
    const { top, bottom } = this.input.getBoundingClientRect();
    const height = this.element.offsetHeight + 8;
    const isAbove = bottom + height > (window.visualViewport?.height ?? innerHeight) && top > height;
    this.element.classList.toggle("above", isAbove);
  }

  #choose(index) {
    this.#active = index;
    [...this.element.children].forEach((option, at) => { option.ariaSelected = String(at === index); });
    if (index < 0) return this.input.removeAttribute("aria-activedescendant");
    this.input.setAttribute("aria-activedescendant", `${this.id}-${index}`);
    this.element.children[index].scrollIntoView({ block: "nearest" });
  }

  #pick(value) {
    this.close();
    this.onPick(value);
  }
}

// Calls `run` with the last input after a pause in typing; earlier requests are aborted.
export function debounced(run, milliseconds = 150) {
  let timer = null;
  let abort = new AbortController();
  return (...values) => {
    clearTimeout(timer);
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    timer = setTimeout(() => run(...values, signal), milliseconds);
  };
}

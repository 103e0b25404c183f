// Fields of forms: a label, an error message, and for passwords a button that shows them.

import { h } from "./dom.js";
import { t } from "./texts.js";

let count = 0;

// A field: { element, input, fail(words) }. `fail("")` removes the error message. Attributes are those of the input.
export function field(label, { tag = "input", hint = "", ...attributes }) {
  const id = `field-${++count}`;
  const error = h("p", { class: "field-error", id: `${id}-error`, hidden: true });
  const hintElement = hint && h("p", { class: "field-hint", id: `${id}-hint` }, hint);
  const input = h(tag, { id, "aria-describedby": [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(" "), ...attributes });
  const box = attributes.type === "password" ? h("div", { class: "password" }, input, showToggle(input)) : input;
  const element = h("div", { class: "field" }, h("label", { for: id }, label), box, hintElement, error);
  function fail(words) {
    error.hidden = !words;
    error.textContent = words;
    if (words) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
  }
  input.addEventListener("input", () => fail(""));
  return { element, input, fail };
}

function showToggle(input) {
  const button = h("button", { type: "button", class: "show-password", "aria-controls": input.id, "aria-pressed": "false", onclick() {
    const isShown = input.type === "password";
    input.type = isShown ? "text" : "password";
    button.ariaPressed = String(isShown);
  } }, t("auth.show"));
  return button;
}

// A form whose fields are checked here, with the page's messages: `checks` return for each field its error, or nothing.
// `run` is the action of the form; `place(problem)` returns the field beside which a problem of the service is shown.
export function form(attributes, fields, children, { checks, run, place = () => null, say = (problem) => problem.message }) {
  const error = h("p", { class: "field-error", role: "alert" });
  const element = h("form", { novalidate: true, ...attributes }, children, error);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = element.querySelector("button[type=submit]");
    if (button.ariaDisabled === "true") return;
    error.textContent = "";
    const wrong = fields.filter((field, index) => {
      const words = checks[index]?.(field.input.value) ?? "";
      field.fail(words);
      return words;
    });
    if (wrong.length > 0) return wrong[0].input.focus();
    button.ariaDisabled = "true";
    try {
      await run();
    } catch (problem) {
      const field = place(problem);
      if (field) {
        field.fail(say(problem));
        field.input.focus();
      } else {
        error.textContent = say(problem);
      }
    } finally {
      button.ariaDisabled = null;
    }
  });
  return element;
}

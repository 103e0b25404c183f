// A text field with mentions, which grows with its text and shows a counter near the limit.

import { h } from "./dom.js";
import { pickMentions, write, writtenIn } from "./mentions.js";
import { t } from "./texts.js";

const most = 1999;
const segmenter = new Intl.Segmenter();

// The number of characters of a text, as people count them.
function lengthOf(text) {
  let length = 0;
  for (const _ of segmenter.segment(text)) length += 1;
  return length;
}

// A form: { element, textarea, set({ text, mentions }), say(words) }. `onSend({ text, mentions })` receives the text,
// if it is neither empty nor too long; `onInput` is called for each change.
export function writingForm({ label, placeholder = "", sendLabel, canBeEmpty = false, onSend, onInput = () => {}, onCancel = null }) {
  const error = h("p", { class: "field-error", role: "alert" });
  const counter = h("p", { class: "counter", hidden: true });
  const textarea = h("textarea", { rows: 1, dir: "auto", "aria-label": label, placeholder: placeholder || label, enterkeyhint: "enter" });
  const send = h("button", { type: "submit", class: "button primary" }, sendLabel);
  const cancel = onCancel && h("button", { type: "button", class: "button", onclick: onCancel }, t("people.cancel"));
  const element = h("form", { class: "writing", onsubmit: submit }, h("div", { class: "writing-field" }, textarea),
    h("div", { class: "acts end" }, counter, cancel, send), error);
  pickMentions(textarea);
  textarea.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) element.requestSubmit();
    if (event.key === "Escape" && onCancel && !event.defaultPrevented) {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    }
  });
  textarea.addEventListener("input", () => {
    say("");
    changed();
    onInput(writtenIn(textarea));
  });
  textarea.addEventListener("written", changed);

  function changed() {
    const left = textarea.value.length < 1700 ? most : most - lengthOf(textarea.value.trim());
    counter.hidden = left > 200;
    counter.classList.toggle("too-long", left < 0);
    counter.textContent = left < 0 ? t("comments.over", { count: -left }) : t("comments.left", { count: left });
    if (CSS.supports("field-sizing", "content")) return;
    textarea.style.blockSize = "auto";
    textarea.style.blockSize = `${textarea.scrollHeight + 2}px`;
  }

  function say(words) {
    error.textContent = words;
    if (words) textarea.setAttribute("aria-invalid", "true"); else textarea.removeAttribute("aria-invalid");
  }

  function submit(event) {
    event.preventDefault();
    const written = writtenIn(textarea);
    const length = lengthOf(written.text);
    if (length > most) say(t("comments.over", { count: length - most }));
    else if (length === 0 && !canBeEmpty) say(t("comments.empty"));
    else return onSend(written);
    textarea.focus();
  }

  return { element, textarea, say, set: ({ text, mentions }) => write(textarea, text, mentions), get written() { return writtenIn(textarea); } };
}

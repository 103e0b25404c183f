// Mentions in a field: `@` and letters list people, and a chosen person becomes a part of the text that is tracked.

import { avatar } from "./card.js";
import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { Listbox, debounced } from "./listbox.js";
import { personOf } from "./people.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";

// The mentions of each field: { text, spans: [{ uid, start, length, name }] }; offsets in UTF-16 units.
const states = new WeakMap();
const most = 30;

// Adds mentions to a textarea. The list is inserted in the same parent, after the label, whose text it would be part of
// otherwise.
export function pickMentions(textarea) {
  if (states.has(textarea)) return;
  states.set(textarea, { text: textarea.value, spans: [] });
  const list = new Listbox(textarea, t("comments.people"), (person) => insert(textarea, person));
  textarea.setAttribute("aria-haspopup", "listbox");
  const label = textarea.closest("label");
  if (label) label.after(h("div", { class: "mention-place" }, list.element)); else textarea.after(list.element);
  const search = debounced((query, signal) => suggest(textarea, list, query, signal));
  const look = () => {
    const query = queryOf(textarea);
    search(query);
    if (query === null) list.close();
  };
  textarea.addEventListener("input", () => {
    follow(textarea);
    look();
  });
  textarea.addEventListener("keydown", (event) => list.press(event));
  textarea.addEventListener("click", look);
  textarea.addEventListener("blur", () => {
    search(null);
    list.close();
  });
}

// The people that a text mentions, with the ranges: [{ uid, start, length }].
export function mentionsOf(textarea) {
  return (states.get(textarea)?.spans ?? []).slice(0, most).map(({ uid, start, length }) => ({ uid, start, length }));
}

// The text without surrounding white space, with its mentions.
export function writtenIn(textarea) {
  const text = textarea.value.trim();
  const before = textarea.value.length - textarea.value.trimStart().length;
  return { text, mentions: mentionsOf(textarea).map((mention) => ({ ...mention, start: mention.start - before })) };
}

// Sets the text of a field, with its mentions.
export function write(textarea, text, mentions = []) {
  textarea.value = text;
  const spans = mentions.map(({ uid, start, length }) => ({ uid, start, length, name: text.slice(start, start + length) }));
  states.set(textarea, { text: textarea.value, spans });
  textarea.dispatchEvent(new CustomEvent("written"));
}

// The text after an `@` before the caret; null without one.
function queryOf(textarea) {
  const { selectionStart: caret, selectionEnd } = textarea;
  if (caret !== selectionEnd) return null;
  const match = /(?<![\p{L}\p{N}_])@([\p{L}\p{N}_'’-]{1,40}(?: [\p{L}\p{N}_'’-]{1,40}){0,2})$/u.exec(textarea.value.slice(0, caret));
  if (!match || states.get(textarea).spans.some(({ start, length }) => match.index < start + length && start < caret)) return null;
  return match[1];
}

async function suggest(textarea, list, query, signal) {
  if (query === null) return;
  let people;
  try {
    ({ people } = await apiJSON(`/v1/people?search=${encodeURIComponent(query)}&limit=6`, { signal }));
  } catch {
    return;  // Writing works without suggestions.
  }
  if (signal.aborted || document.activeElement !== textarea || queryOf(textarea) !== query) return;
  list.show(people.map(personOf).map((person) => ({ value: person, content: [avatar(person), h("span", { dir: "auto" }, person.name)] })), { isFirstActive: true });
  if (people.length > 0) announce(t("search.count", { count: people.length }));
}

function insert(textarea, { uid, name }) {
  const query = queryOf(textarea);
  if (query === null) return;
  const end = textarea.selectionStart;
  const start = end - query.length - 1;
  const words = `@${name}`;
  textarea.setRangeText(`${words} `, start, end, "end");
  follow(textarea);
  const { spans } = states.get(textarea);
  spans.push({ uid, start, length: words.length, name: words });
  spans.sort((a, b) => a.start - b.start);
  textarea.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

// Moves the mentions after a change of the text, and drops those whose name is no longer complete.
function follow(textarea) {
  const state = states.get(textarea);
  const [before, after] = [state.text, textarea.value];
  if (before === after) return;
  // The equal text after the caret was not changed; of equal letters, the earlier ones were.
  const behind = Math.min(before.length, after.length - textarea.selectionEnd);
  let same = 0;
  while (same < behind && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  let start = 0;
  while (start < Math.min(before.length, after.length) - same && before[start] === after[start]) start += 1;
  const end = before.length - same;
  const shift = after.length - before.length;
  state.text = after;
  state.spans = state.spans
    .filter((span) => span.start + span.length <= start || span.start >= end)
    .map((span) => (span.start >= end ? { ...span, start: span.start + shift } : span))
    .filter((span) => after.slice(span.start, span.start + span.length) === span.name);
}

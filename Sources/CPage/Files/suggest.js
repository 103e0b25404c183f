// Suggestions for the search field of the head: people, and after `#` hashtags.

import { avatar } from "./card.js";
import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { Listbox, debounced } from "./listbox.js";
import { personOf } from "./people.js";
import { navigate } from "./router.js";
import { announce } from "./shell.js";
import { t } from "./texts.js";

export const tagHref = (tag) => `/tags/${encodeURIComponent(tag)}`;

// Finds people and hashtags that begin with a text; hashtags alone for a text with `#`.
export async function found(text, { signal, limit }) {
  const isTag = text.startsWith("#");
  const query = encodeURIComponent(isTag ? text.slice(1) : text);
  const empty = { people: [], hashtags: [], has_more: false };
  const [people, tags] = await Promise.all([
    isTag ? empty : apiJSON(`/v1/people?search=${query}&limit=${limit}`, { signal }),
    /[\s#]/.test(text.slice(1)) ? empty : apiJSON(`/v1/hashtags?search=${query}&limit=${limit}`, { signal })
      .catch((problem) => { if (problem.name === "AbortError") throw problem; return empty; }),
  ]);
  return { people: people.people.map(personOf), tags: tags.hashtags, hasMoreTags: tags.has_more, nextTag: tags.next };
}

const tagContent = ({ tag, posts }) => [h("span", { class: "avatar", "aria-hidden": "true" }, h("span", {}, "#")),
  h("span", { dir: "auto" }, `#${tag}`), h("span", { class: "faint" }, t("people.posts", { count: posts }))];

// Makes a search field a combobox.
export function suggestIn(input) {
  if (!input || input.role === "combobox") return;
  input.setAttribute("role", "combobox");
  input.ariaExpanded = "false";
  const list = new Listbox(input, t("search.suggestions"), (href) => {
    input.value = "";
    navigate(href);
  });
  input.parentElement.classList.add("suggesting");
  input.after(list.element);
  const suggest = debounced(async (text, signal) => {
    if (!text || text === "#") return;
    try {
      const { people, tags } = await found(text, { signal, limit: 5 });
      if (signal.aborted || document.activeElement !== input) return;
      const items = [
        ...people.map((person) => ({ value: `/people/${encodeURIComponent(person.uid)}`, content: [avatar(person), h("span", { dir: "auto" }, person.name)] })),
        ...tags.map((tag) => ({ value: tagHref(tag.tag), content: tagContent(tag) })),
      ];
      list.show(items);
      announce(t("search.count", { count: items.length }));
    } catch {
      list.close();  // Searching works without suggestions.
    }
  });
  input.addEventListener("input", () => {
    const text = input.value.trim();
    if (!text || text === "#") list.close();
    suggest(text);
  });
  input.addEventListener("keydown", (event) => list.press(event));
  input.addEventListener("blur", () => {
    suggest("");
    list.close();
  });
  input.form?.addEventListener("submit", (event) => {
    event.preventDefault();
    suggest("");
    list.close();
    const text = input.value.trim();
    if (text) navigate(`/search?q=${encodeURIComponent(text)}`);
  });
}

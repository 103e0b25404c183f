// The view of the address /search: people and hashtags that begin with the searched text.

import { h } from "./dom.js";
import { stylesheet } from "./late.js";
import { apiJSON } from "./http.js";
import { peopleList } from "./people.js";
import { reasonOf } from "./reasons.js";
import { navigate } from "./router.js";
import { tagHref } from "./suggest.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

const styled = stylesheet("social.css");

export async function searchView({ q = "" }, { element }) {
  await styled;
  const text = q.trim();
  const input = h("input", { name: "q", type: "search", value: text, "aria-label": t("search.label"), placeholder: t("search.label"), dir: "auto", enterkeyhint: "search" });
  const form = h("form", { role: "search", action: "/search", class: "search-form", onsubmit(event) {
    event.preventDefault();
    navigate(`/search?q=${encodeURIComponent(input.value.trim())}`);
  } }, input, h("button", { type: "submit", class: "button primary" }, t("search.go")));
  element.append(h("h1", { dir: "auto" }, text ? t("search.titleOf", { text }) : t("search.label")), form);
  const bare = text.replace(/^#/, "");
  if (!bare) return { title: t("search.label") };
  const parts = [];
  if (!text.startsWith("#")) {
    const { element: people, ready } = peopleList(`/v1/people?search=${encodeURIComponent(text)}`, t("search.noPeople"));
    parts.push(ready);
    element.append(h("section", { class: "found", "aria-labelledby": "found-people" }, h("h2", { id: "found-people" }, t("search.people")), people));
  }
  if (!/[\s#]/.test(bare)) {
    const { element: tags, ready } = tagList(bare);
    parts.push(ready);
    element.append(h("section", { class: "found", "aria-labelledby": "found-tags" }, h("h2", { id: "found-tags" }, t("search.tags")), tags));
  }
  const forbidden = (await Promise.all(parts)).find((problem) => problem?.isForbidden);
  if (forbidden && !keptUser()) throw forbidden;
  return { title: t("search.titleOf", { text }) };
}

function tagList(text) {
  const list = h("ul", { class: "people-list" });
  const words = h("p", { class: "faint", role: "status" });
  const more = h("button", { type: "button", class: "button more", hidden: true, onclick: () => read(next) }, t("people.moreOf"));
  let next = null;
  async function read(after) {
    more.disabled = true;
    words.textContent = "";
    try {
      const page = await apiJSON(`/v1/hashtags?search=${encodeURIComponent(text)}&limit=30${after ? `&after=${encodeURIComponent(after)}` : ""}`);
      const rows = page.hashtags.map(({ tag, posts }) => h("li", { class: "person-row" },
        h("a", { class: "author", href: tagHref(tag) }, h("span", { class: "avatar", "aria-hidden": "true" }, h("span", {}, "#")), h("span", { dir: "auto" }, `#${tag}`)),
        h("span", { class: "faint" }, t("people.posts", { count: posts }))));
      list.append(...rows);
      if (after) rows[0]?.querySelector("a").focus();
      next = page.next ?? null;
      more.hidden = !page.has_more || !next;
      if (list.childElementCount === 0) words.textContent = t("search.noTags");
    } catch (problem) {
      words.textContent = problem.status === 404 ? t("search.noTags") : reasonOf(problem);
      more.hidden = problem.status === 404;
      return problem;
    } finally {
      more.disabled = false;
    }
    return null;
  }
  return { element: h("div", {}, list, words, more), ready: read(null) };
}

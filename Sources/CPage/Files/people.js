// People: the head of a person's page, and rows of lists.

import { avatar, personHref } from "./card.js";
import { block } from "./blocks.js";
import { h, icon } from "./dom.js";
import { icons, stylesheet } from "./late.js";
import { followees } from "./following.js";
import { followButton, pendingFollow } from "./follows.js";
import { apiJSON } from "./http.js";
import { menuButton } from "./menu.js";
import { addressOf } from "./post-json.js";
import { doings } from "./posts.js";
import { session } from "./session.js";
import { t } from "./texts.js";

const styled = stylesheet("social.css");

// A person from a document of the service, in the page's form.
export function personOf({ uid = "", full_name: name = "", profile_picture: picture, ...others }) {
  return { uid, name: name || uid, picture: picture ? addressOf(picture) : null, ...others };
}

const isOneself = (uid) => session.user?.uid === uid;

// MARK: The head of a page

class PersonHeader extends HTMLElement {
  #shown = null;
  // Elements that open a dialog stay while the rest is created again, so that the focus can return to them.
  #lists = { followers: this.#list("followers"), following: this.#list("following") };
  #edit = h("button", { type: "button", class: "button", dataset: { role: "edit" }, onclick: async () => (await import("./profile-dialog.js")).editProfile() }, t("people.edit"));
  #listeners = {
    follow: ({ detail }) => this.#follow(detail),
    followed: ({ detail }) => { if (detail.uid === this.uid) this.read(); },
    block: ({ detail }) => { if (detail.uid === this.uid) this.#update({ blocked: detail.isOn }); },
    person: ({ detail }) => { if (detail.uid === this.uid) this.read(); },
  };

  connectedCallback() {
    for (const [name, listener] of Object.entries(this.#listeners)) doings.addEventListener(name, listener);
  }

  disconnectedCallback() {
    for (const [name, listener] of Object.entries(this.#listeners)) doings.removeEventListener(name, listener);
  }

  async read() {
    const path = `/v1/people/${encodeURIComponent(this.uid)}`;
    try {
      this.#shown = personOf(await apiJSON(path));
    } catch (problem) {
      // A person who has just signed up or posted may have no record yet.
      if (problem.status !== 404) throw problem;
      this.#shown = { ...personOf({ uid: this.uid, full_name: isOneself(this.uid) ? session.user.name : "" }), isMissing: true };
    }
    const pending = pendingFollow(this.uid);
    if (pending !== undefined && pending !== this.#shown.followed) this.#countFollow(pending);
    this.#show();
  }

  #update(fields) {
    if (!this.#shown) return;
    Object.assign(this.#shown, fields);
    this.#show();
  }

  #countFollow(isOn) {
    const { counts } = this.#shown;
    this.#shown.followed = isOn;
    if (counts) counts.followers = Math.max(0, counts.followers + (isOn ? 1 : -1));
  }

  #follow({ uid, isOn }) {
    const person = this.#shown;
    if (uid === this.uid && person && Boolean(person.followed) !== isOn) {
      this.#countFollow(isOn);
      this.#show();
    } else if (isOneself(this.uid) && person?.counts) {
      person.counts.following = Math.max(0, person.counts.following + (isOn ? 1 : -1));
      this.#show();
    }
  }

  #show() {
    const person = this.#shown;
    const focused = this.contains(document.activeElement) ? document.activeElement.dataset.role : null;
    this.replaceChildren(
      avatar(person),
      h("div", { class: "about" },
        h("h1", { dir: "auto" }, person.name),
        person.isMissing && !isOneself(this.uid) && h("p", { class: "bio" }, t("people.missing")),
        person.bio && h("p", { class: "bio", dir: "auto" }, person.bio),
        person.counts && this.#numbers(person.counts)),
      h("div", { class: "acts" }, this.#acts(person)));
    if (focused) this.querySelector(`[data-role="${focused}"]`)?.focus();
  }

  #list(kind) {
    return h("button", { type: "button", class: "link-button", dataset: { role: kind },
      onclick: async () => (await import("./people-dialog.js")).showPeople(this.uid, kind) });
  }

  #numbers(counts) {
    for (const [kind, button] of Object.entries(this.#lists)) button.textContent = t(`people.${kind}`, { count: counts[kind] });
    return h("ul", { class: "numbers" },
      h("li", {}, t("people.posts", { count: counts.posts })), Object.values(this.#lists).map((button) => h("li", {}, button)));
  }

  #acts(person) {
    if (isOneself(this.uid)) return [this.#edit];
    if (person.isMissing) return [];
    const main = person.blocked
      ? h("button", { type: "button", class: "button", onclick: () => block(person.uid, person.name, false) }, t("people.unblock"))
      : followButton({ uid: person.uid, name: person.name, isOn: Boolean(person.followed) });
    main.dataset.role = "main";
    const more = menuButton({ class: "plain-button", "aria-label": t("people.more", { name: person.name }), dataset: { role: "more" } }, icon(icons.more), () => [
      person.blocked
        ? { label: t("people.unblock"), run: () => block(person.uid, person.name, false) }
        : { label: t("people.blockName", { name: person.name }), isDangerous: true, run: () => block(person.uid, person.name, true) },
    ]);
    return [main, session.user && more];
  }
}

customElements.define("person-header", PersonHeader);

// The head of a person's page, once the person is read.
export async function personHeader(uid) {
  const header = h("person-header", { class: "heading person" });
  header.uid = uid;
  await Promise.all([header.read(), styled]);
  return header;
}

// MARK: Rows

// A row of a list of people: { uid, name, picture }. A signed-in user can follow people from there.
export function personRow(person) {
  const row = h("li", { class: "person-row", dataset: { uid: person.uid } },
    h("a", { class: "author", href: personHref(person.uid) }, avatar(person), h("span", { dir: "auto" }, person.name)));
  if (session.user && !isOneself(person.uid)) {
    followees().then((ids) => row.append(followButton({ uid: person.uid, name: person.name, isOn: ids.has(person.uid) })), () => {});
  }
  return row;
}

// A list of people that is read page by page from a path, with a button for more. `empty` is its text if there are
// none.
// `ready` resolves with the problem of the first page, or null.
export function peopleList(path, empty) {
  const list = h("ul", { class: "people-list" });
  const more = h("button", { type: "button", class: "button more", hidden: true, onclick: () => read(next) }, t("people.moreOf"));
  const words = h("p", { class: "faint", role: "status" });
  const element = h("div", {}, list, words, more);
  let next = null;
  async function read(after) {
    more.disabled = true;
    words.textContent = "";
    try {
      const page = await apiJSON(`${path}${path.includes("?") ? "&" : "?"}limit=30${after ? `&after=${encodeURIComponent(after)}` : ""}`);
      const rows = page.people.map((person) => personRow(personOf(person)));
      list.append(...rows);
      next = page.next ?? null;
      if (after) rows[0]?.querySelector("a").focus();
      if (list.childElementCount === 0) words.textContent = empty;
      more.hidden = !page.has_more || !next;
    } catch (problem) {
      words.textContent = problem.message;
      more.hidden = false;
      return problem;
    } finally {
      more.disabled = false;
    }
    return null;
  }
  return { element, ready: read(null), list };
}

// The text of a list without posts.

import { isSignedIn } from "./actions.js";
import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { mayInvite } from "./invite-rights.js";
import { stylesheet } from "./late.js";
import { personOf, personRow } from "./people.js";
import { siteName } from "./site.js";
import { t } from "./texts.js";
import { keptUser } from "./who.js";

// The number of members that are shown to somebody who may follow them.
const mostPeople = 5;

export function person(box) {
  box.append(h("p", {}, t("feed.emptyPerson")));
}

export function tag(box) {
  box.append(h("p", {}, t("feed.emptyTag")));
}

export function home(box) {
  box.append(h("h2", {}, t("feed.emptyHomeTitle")), h("p", {}, t("feed.emptyHome")), h("p", {}, h("a", { class: "button", href: "/all" }, t("nav.all"))));
}

// A service without posts. A member is shown how to begin: with a photo, with others, and an admin with an invitation.
export async function service(box) {
  const user = keptUser();
  box.id = "empty";
  box.append(h("h2", {}, t("empty.title")), h("p", { dir: "auto" }, t(user ? "empty.begin" : "empty.words", { site: siteName })));
  if (!user) return;
  const acts = h("p", { class: "acts" }, h("button", { type: "button", class: "button primary", onclick: post }, t("empty.post")));
  box.append(acts);
  const [isInviting, people] = await Promise.all([mayInvite().catch(() => false), others(user.uid)]);
  if (isInviting) acts.append(h("a", { class: "button", href: "/invitations" }, t("invite.title")));
  if (people.length > 0) box.append(h("h3", {}, t("empty.people")), h("ul", { class: "people-list" }, people));
}

async function post() {
  if (isSignedIn()) (await import("./composer.js")).compose([]);
}

// Rows of a few other members; none where the rules do not show them.
async function others(uid) {
  try {
    const [{ people }] = await Promise.all([apiJSON(`/v1/people?limit=${mostPeople + 1}`), stylesheet("social.css")]);
    return people.filter((person) => person.uid !== uid).slice(0, mostPeople).map((person) => personRow(personOf(person)));
  } catch {
    return [];
  }
}

// The people that the reader follows, and the button that follows them. It changes at once, and back if the service
// refuses.

import { follow } from "./actions.js";
import { h } from "./dom.js";
import { apiJSON } from "./http.js";
import { outbox } from "./outbox.js";
import { doings } from "./posts.js";
import { session } from "./session.js";
import { t } from "./texts.js";

let known = { uid: null, ids: null };

// The ids of the people that the reader follows: read once, and updated by actions.
export function followees() {
  const uid = session.user?.uid ?? null;
  if (known.uid === uid && known.ids) return known.ids;
  const ids = uid === null ? Promise.resolve(new Set()) : read(uid);
  known = { uid, ids };
  ids.catch(() => { if (known.ids === ids) known.ids = null; });
  return ids;
}

// Whether the reader follows nobody yet; false if that is unknown.
export const followsNobody = () => followees().then((ids) => ids.size === 0, () => false);

async function read(uid) {
  const keys = await apiJSON(`/people/${encodeURIComponent(uid)}/following.json?shallow=true`);
  const ids = new Set(Object.keys(keys ?? {}));
  for (const { kind, followee, isOn } of outbox.pending) if (kind === "follow") note(ids, followee, isOn);
  return ids;
}

function note(ids, uid, isOn) {
  if (isOn) ids.add(uid); else ids.delete(uid);
}

// The pending follow or unfollow of a person; undefined if there is none.
export function pendingFollow(uid) {
  return outbox.pending.findLast((operation) => operation.kind === "follow" && operation.followee === uid && operation.uid === session.user?.uid)?.isOn;
}

// A button that follows or unfollows a person.
export function followButton({ uid, name, isOn }) {
  const button = h("button", { type: "button", class: "button follow", dataset: { uid, name },
    onclick: () => follow(uid, button.dataset.on !== "true") });
  show(button, isOn);
  return button;
}

function show(button, isOn) {
  const { name } = button.dataset;
  button.dataset.on = String(isOn);
  button.classList.toggle("primary", !isOn);
  button.textContent = t(isOn ? "people.followed" : "people.follow");
  button.ariaLabel = t(isOn ? "people.unfollowName" : "people.followName", { name });
}

doings.addEventListener("follow", async ({ detail: { uid, isOn } }) => {
  for (const button of document.querySelectorAll(`.follow[data-uid="${CSS.escape(uid)}"]`)) show(button, isOn);
  if (known.ids) note(await known.ids, uid, isOn);
});

// The button that follows a person. It changes at once, and back if the service refuses.

import { follow } from "./actions.js";
import { h } from "./dom.js";
import { outbox } from "./outbox.js";
import { doings } from "./posts.js";
import { session } from "./session.js";
import { t } from "./texts.js";

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

doings.addEventListener("follow", ({ detail: { uid, isOn } }) => {
  for (const button of document.querySelectorAll(`.follow[data-uid="${CSS.escape(uid)}"]`)) show(button, isOn);
});

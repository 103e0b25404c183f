// What somebody has typed and not sent: it is kept in this browser, for whoever typed it.

import { outbox } from "./outbox.js";
import { session } from "./session.js";

const place = "tintype.drafts";
const most = 20;

function all() {
  try {
    return JSON.parse(localStorage.getItem(place)) ?? {};
  } catch {
    return {};
  }
}

const nameOf = (key, uid) => `${uid ?? session.user?.uid ?? ""} ${key}`;

// { text, mentions }, or null.
export const draftOf = (key) => all()[nameOf(key)] ?? null;

// Keeps a text; one that is empty goes.
export function keepDraft(key, { text, mentions }, uid = undefined) {
  const name = nameOf(key, uid);
  const { [name]: _, ...others } = all();
  const entries = Object.entries(others).slice(text ? 1 - most : -most);
  if (text) entries.push([name, { text, mentions }]);
  try {
    if (entries.length > 0) localStorage.setItem(place, JSON.stringify(Object.fromEntries(entries))); else localStorage.removeItem(place);
  } catch {
    // Where there is no room the text is in its field alone.
  }
}

export const commentKey = (post) => `comment/${post}`;

// A text that the service refused, before one that stands in its place already.
export function joined(refused, present) {
  if (!present?.text) return refused;
  const before = `${refused.text}\n`;
  return {
    text: before + present.text,
    mentions: [...refused.mentions, ...present.mentions.map((mention) => ({ ...mention, start: mention.start + before.length }))],
  };
}

// A comment that is refused while its post is not open waits there.
outbox.addEventListener("refused", ({ detail: { operation } }) => {
  if (operation.kind !== "comment" || document.querySelector(`comment-list[data-post="${CSS.escape(operation.post)}"]`)) return;
  const key = commentKey(operation.post);
  keepDraft(key, joined({ text: operation.comment.text, mentions: operation.comment.mentions }, all()[nameOf(key, operation.uid)]), operation.uid);
});

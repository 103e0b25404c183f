// Texts that were typed and not sent: they are stored in this browser, for the user who typed them.

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

// Stores a text; an empty one is deleted.
export function keepDraft(key, { text, mentions }, uid = undefined) {
  const name = nameOf(key, uid);
  const { [name]: _, ...others } = all();
  const entries = Object.entries(others).slice(text ? 1 - most : -most);
  if (text) entries.push([name, { text, mentions }]);
  try {
    if (entries.length > 0) localStorage.setItem(place, JSON.stringify(Object.fromEntries(entries))); else localStorage.removeItem(place);
  } catch {
    // If there is no space, the text is in its field only.
  }
}

export const commentKey = (post) => `comment/${post}`;

// Puts a refused text before the text that is in its field already.
export function joined(refused, present) {
  if (!present?.text) return refused;
  const before = `${refused.text}\n`;
  return {
    text: before + present.text,
    mentions: [...refused.mentions, ...present.mentions.map((mention) => ({ ...mention, start: mention.start + before.length }))],
  };
}

// A comment that is refused while its post is not open is stored as a draft.
outbox.addEventListener("refused", ({ detail: { operation } }) => {
  if (operation.kind !== "comment" || document.querySelector(`comment-list[data-post="${CSS.escape(operation.post)}"]`)) return;
  const key = commentKey(operation.post);
  keepDraft(key, joined({ text: operation.comment.text, mentions: operation.comment.mentions }, all()[nameOf(key, operation.uid)]), operation.uid);
});

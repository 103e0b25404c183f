// The people that the reader follows: read once, and updated by the reader's actions.

import { apiJSON } from "./http.js";
import { pendingOperations } from "./pending.js";
import { doings } from "./posts.js";
import { keptUser } from "./who.js";

let known = { uid: null, ids: null };

// The ids of the people that the reader follows.
export function followees() {
  const uid = keptUser()?.uid ?? null;
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
  for (const { kind, followee, isOn } of pendingOperations()) if (kind === "follow") note(ids, followee, isOn);
  return ids;
}

function note(ids, uid, isOn) {
  if (isOn) ids.add(uid); else ids.delete(uid);
}

doings.addEventListener("follow", async ({ detail: { uid, isOn } }) => { if (known.ids) note(await known.ids, uid, isOn); });

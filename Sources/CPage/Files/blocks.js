// Blocking people and flagging posts: shown at once, sent by the outbox, and undone if the service refuses them.

import { isSignedIn } from "./actions.js";
import { confirmed } from "./dialogs.js";
import { outbox } from "./outbox.js";
import { tell } from "./posts.js";
import { session } from "./session.js";
import { toast } from "./shell.js";
import { t } from "./texts.js";

// Blocks a person after a question, or unblocks them. Fires "block" with { uid, isOn }.
export async function block(uid, name, isOn) {
  if (!isSignedIn()) return;
  if (isOn && !await confirmed(t("people.blockName", { name }), t("people.blockWords", { name }), t("people.block"))) return;
  tell("block", { uid, isOn });
  // A block ends the follows between the two.
  if (isOn) tell("follow", { uid, isOn: false });
  const path = `/v1/people/${session.user.uid}/blocking/${encodeURIComponent(uid)}`;
  outbox.add({ kind: "block", key: `block/${uid}`, blocked: uid, isOn, request: { method: isOn ? "PUT" : "DELETE", path } });
  toast(t(isOn ? "people.isBlocked" : "people.isUnblocked", { name }));
}

// Flags a post, or a comment of it, for admins.
export function flag(post, comment = null) {
  if (!isSignedIn()) return;
  const place = comment === null ? "" : `/comments/${encodeURIComponent(comment)}`;
  const path = `/v1/posts/${encodeURIComponent(post)}${place}/flags/${session.user.uid}`;
  outbox.add({ kind: "flag", key: `flag/${post}${place}`, request: { method: "PUT", path } });
  toast(t("people.flagged"));
}

outbox.addEventListener("refused", ({ detail: { operation } }) => {
  if (operation.kind === "block") tell("block", { uid: operation.blocked, isOn: !operation.isOn });
});

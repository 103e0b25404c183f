// The user's actions: shown at once, sent by the outbox, and undone with a reason if the service refuses them.

import { newID } from "./ids.js";
import { outbox } from "./outbox.js";
import { change, tell } from "./posts.js";
import { reasonOf } from "./reasons.js";
import { session } from "./session.js";
import { toast } from "./shell.js";
import { t } from "./texts.js";

// Returns whether the user has signed in; if not, asks them to.
export function isSignedIn() {
  if (session.user) return true;
  import("./account-dialog.js").then(({ askToSignIn }) => askToSignIn());
  return false;
}

function showLike(post, isOn) {
  change(post, (now) => (now.liked === isOn ? {} : { liked: isOn, likes: Math.max(0, now.likes + (isOn ? 1 : -1)) }));
}

export function like(post, isOn) {
  if (!isSignedIn()) return;
  showLike(post, isOn);
  const path = `/v1/posts/${post}/likes/${encodeURIComponent(session.user.uid)}`;
  outbox.add({ kind: "like", key: `like/${post}`, post, isOn, request: { method: isOn ? "PUT" : "DELETE", path } });
}

export function follow(uid, isOn) {
  if (!isSignedIn()) return;
  tell("follow", { uid, isOn });
  const path = `/v1/people/${encodeURIComponent(session.user.uid)}/following/${encodeURIComponent(uid)}`;
  outbox.add({ kind: "follow", key: `follow/${uid}`, followee: uid, isOn, request: { method: isOn ? "PUT" : "DELETE", path } });
}

export function comment(post, text, mentions) {
  if (!isSignedIn()) return;
  const { uid, name, picture } = session.user;
  const id = `pending-${newID()}`;
  const shown = {
    comment_id: id, text, mentions, timestamp: Date.now(), isPending: true,
    author: { uid, full_name: name, ...(picture && { profile_picture: picture }) },
  };
  change(post, (now) => ({ comments: now.comments + 1 }));
  tell("comment", { post, comment: shown });
  outbox.add({
    kind: "comment", post, comment: shown,
    request: {
      method: "POST", path: `/v1/posts/${post}/comments`, json: { text, ...(mentions.length > 0 && { mentions }) },
      headers: { "Idempotency-Key": id },
    },
  });
}

export function editComment(post, before, text, mentions) {
  tell("commentEdited", { post, id: before.comment_id, fields: { text, mentions, edited: Date.now() } });
  outbox.add({
    kind: "editComment", key: `comment/${before.comment_id}`, post, before,
    request: { method: "PATCH", path: `/v1/posts/${post}/comments/${before.comment_id}`, json: { text, mentions } },
  });
}

export function deleteComment(post, before) {
  change(post, (now) => ({ comments: Math.max(0, now.comments - 1) }));
  tell("commentDeleted", { post, id: before.comment_id });
  outbox.add({
    kind: "deleteComment", key: `comment/${before.comment_id}`, post, before,
    request: { method: "DELETE", path: `/v1/posts/${post}/comments/${before.comment_id}` },
  });
}

export function editPost(before, text, mentions) {
  change(before.id, () => ({ text, mentions }));
  const spans = mentions.map(({ uid, start, length }) => ({ uid, start, length }));
  outbox.add({
    kind: "editPost", key: `edit/${before.id}`, post: before.id, text, before: { text: before.text, mentions: before.mentions },
    request: { method: "PATCH", path: `/posts/${before.id}.json`, json: { text, mentions: spans.length > 0 ? spans : null } },
  });
}

export function deletePost(post) {
  tell("deleted", { id: post.id });
  outbox.add({
    kind: "deletePost", key: `delete/${post.id}`, post: post.id, before: post,
    request: { method: "DELETE", path: `/v1/posts/${post.id}` },
  });
}

// MARK: Answers of the service

outbox.addEventListener("done", ({ detail: { operation, answer } }) => {
  if (operation.kind === "like" && answer) change(operation.post, () => ({ likes: answer.likes }));
  if (operation.kind === "comment") tell("commentSent", { post: operation.post, pending: operation.comment.comment_id, comment: answer });
  if (operation.kind === "follow") tell("followed", { uid: operation.followee, isOn: operation.isOn });
});

outbox.addEventListener("refused", ({ detail: { operation, problem } }) => {
  const { kind, post, before } = operation;
  // A post or comment that was deleted already needs no deletion.
  if (problem.status === 404 && (kind === "deletePost" || kind === "deleteComment")) return;
  if (kind === "like") showLike(post, !operation.isOn);
  if (kind === "follow") tell("follow", { uid: operation.followee, isOn: !operation.isOn });
  if (kind === "comment") {
    change(post, (now) => ({ comments: Math.max(0, now.comments - 1) }));
    tell("commentRefused", { post, comment: operation.comment });
  }
  if (kind === "editComment") tell("commentEdited", { post, id: before.comment_id, fields: before });
  if (kind === "deleteComment") {
    change(post, (now) => ({ comments: now.comments + 1 }));
    tell("comment", { post, comment: before });
  }
  if (kind === "editPost") change(post, () => before);
  if (kind === "deletePost") tell("restored", { post: before });
  toast(t(`refused.${kind}`, { reason: reasonOf(problem) }), { isProblem: true });
});

outbox.send();

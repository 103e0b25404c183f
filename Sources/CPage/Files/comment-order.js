// Comments in the order of display, including those that are still being sent.

// `waiting` are the reader's pending operations on this post; `isShown(id)` says which comments are shown already.
export function withWaiting(comments, waiting, isShown) {
  const added = waiting.filter(({ kind }) => kind === "comment");
  // The event of the reader's own comment may arrive before the response to it.
  const isToCome = ({ comment_id: id, author, text }) =>
    !isShown(id) && added.some((operation) => operation.uid === author?.uid && operation.comment.text === text);
  const shown = comments.filter((one) => !isToCome(one)).sort((a, b) => (a.comment_id < b.comment_id ? -1 : 1));
  for (const { kind, before, request } of waiting) {
    const index = shown.findIndex(({ comment_id: id }) => id === before?.comment_id);
    if (index < 0) continue;
    if (kind === "deleteComment") shown.splice(index, 1);
    if (kind === "editComment") shown[index] = { ...shown[index], ...request.json, edited: shown[index].edited ?? Date.now() };
  }
  return [...shown, ...added.map((operation) => operation.comment)];
}

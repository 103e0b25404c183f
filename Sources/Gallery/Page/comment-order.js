// Comments as they are to be seen: in their order, and with what is on its way to the service.

// `waiting` are the operations of the reader on this post; `isShown(id)` says which comments have been seen.
export function withWaiting(comments, waiting, isShown) {
  const added = waiting.filter(({ kind }) => kind === "comment");
  // One's own comment may be told of before the answer to it is here.
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

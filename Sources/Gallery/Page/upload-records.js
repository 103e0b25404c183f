// The initial records of the upload queue. The comment on Uploads in upload.js describes their fields.

import { newID } from "./ids.js";

// A post that is being written: number `index` of those that were begun at the same time.
export function newPost(group, uid, at, index) {
  return {
    id: newID(), group, uid, at, index, draft: null, round: 0, text: "", mentions: [], order: [], state: "writing", problem: null,
  };
}

// A photo of a post, before it is sent.
export function newFile(post, { name, size, type }) {
  return {
    id: newID(), post, name, size, type, alt: "", round: 0, location: null, number: null, state: "waiting", problem: null,
  };
}

// The posts and files of a group after its photos are put into one post (`together`), or into one each: { kept, moved,
// gone }.
// `fileOf` returns the file with an id. Moved files are sent again, to another draft.
export function regrouped(posts, fileOf, together) {
  const ids = posts.flatMap((post) => post.order);
  const [first] = posts;
  if (!first || ids.length < 2) return null;
  const another = (index) => ({ ...newPost(first.group, first.uid, first.at, index), text: first.text, mentions: first.mentions });
  const targets = ids.map((id, index) => (together || index === 0 ? first : another(index)));
  const moved = ids.map((id, index) => ({ ...fileOf(id), target: targets[index].id }))
    .filter(({ post, target }) => post !== target)
    .map(({ target, ...file }) => ({
      ...file, post: target, round: file.round + 1, location: null, number: null, state: file.state === "failed" ? "failed" : "waiting",
    }));
  const kept = together ? [{ ...first, order: ids }] : targets.map((post, index) => ({ ...post, order: [ids[index]] }));
  const gone = posts.map(({ id }) => id).filter((id) => !kept.some((post) => post.id === id));
  return { kept, moved, gone };
}
